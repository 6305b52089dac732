//! The adapter's process: requests to it, and their answers.

use std::io;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::protocol::{Command, Hello, PROTOCOL, Reply, Request};
use crate::process::{Output, Process as Program};

/// Why a process is of no more use.
#[derive(Debug)]
pub(super) enum Broken {
    /// It ended.
    Ended(String),
    /// It did not answer in time.
    Silent,
    /// It wrote something else than an answer.
    Garbage(String),
}

/// A process that was started. It is killed when it is dropped.
pub(super) struct Process(Program);

impl Process {
    pub(super) fn start(command: &str) -> io::Result<Self> {
        Ok(Self(Program::start(command, 1)?))
    }

    pub(super) fn hello(&mut self, seq: u64, patience: Duration) -> Result<Hello, Broken> {
        let hello: Hello = self.exchange(&Command::Hello { protocol: PROTOCOL }, seq, patience)?;
        Ok(Hello { seq: 0, ..hello })
    }

    pub(super) fn ask(&mut self, command: &Command, seq: u64, patience: Duration) -> Result<Reply, Broken> {
        self.exchange(command, seq, patience)
    }

    fn exchange<T: DeserializeOwned>(
        &mut self,
        command: &Command,
        seq: u64,
        patience: Duration,
    ) -> Result<T, Broken> {
        let line = serde_json::to_string(&Request { seq, command })
            .map_err(|error| Broken::Garbage(format!("the request: {error}")))?;
        if let Some(text) = self.0.ended() {
            return Err(Broken::Ended(format!("before it was asked: {text}")));
        }
        self.0.send(line);
        match self.0.next(Instant::now() + patience) {
            Output::Line(line) => parse(line, seq).map_err(Broken::Garbage),
            Output::Garbage(text) => Err(Broken::Garbage(text)),
            Output::Ended(text) => Err(Broken::Ended(text)),
            Output::Nothing => Err(Broken::Silent),
        }
    }

    /// Ends a process of which nothing is wanted any more: its input ends, and it has time to end by itself.
    pub(super) fn finish(self) {
        self.0.finish();
    }
}

/// The answer to that request, or what is wrong with the line.
fn parse<T: DeserializeOwned>(line: Value, seq: u64) -> Result<T, String> {
    let shown: String = line.to_string().chars().take(200).collect();
    if line.get("seq").and_then(Value::as_u64) != Some(seq) {
        return Err(format!("an answer to another request: its seq is not {seq}: {shown:?}"));
    }
    serde_json::from_value(line).map_err(|error| format!("not an answer ({error}): {shown:?}"))
}
