//! Standard output. A reader that has gone is no fault.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::failure::Failure;
use crate::note;

pub(crate) struct Output {
    json: bool,
    stdout: BufWriter<io::Stdout>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, stdout: BufWriter::new(io::stdout()) }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// A line for people.
    pub(crate) fn line(&mut self, text: fmt::Arguments<'_>) -> Result<(), Failure> {
        outcome(writeln!(self.stdout, "{text}").and_then(|()| self.stdout.flush()))
    }

    /// A line for programs.
    pub(crate) fn object(&mut self, object: &impl Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(object).map_err(io::Error::from)?;
        self.line(format_args!("{line}"))
    }

    /// Bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        outcome(self.stdout.write_all(bytes).and_then(|()| self.stdout.flush()))
    }

    /// Says why it failed, and gives the exit code that stands for it.
    pub(crate) fn failure(&mut self, failure: &Failure) -> ExitCode {
        if !matches!(failure, Failure::Pipe) {
            if self.json {
                // The exit code says it, too.
                let _ = self.object(&failure.json());
            } else {
                note(format_args!("roomwire: {failure}"));
            }
        }
        ExitCode::from(failure.exit_code())
    }
}

fn outcome(written: io::Result<()>) -> Result<(), Failure> {
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Pipe,
        _ => Failure::Io(error),
    })
}
