//! The adapter's process: lines to it, lines from it, and what it says on standard error.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command as Program, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use super::protocol::{Command, Hello, PROTOCOL, Reply, Request};

/// The longest line that an adapter may write, in bytes: twice the hex of the longest message, and more.
const MAX_LINE: u64 = 32 << 20;

/// How much of what it wrote to standard error is kept, in bytes.
const MAX_LOG: usize = 2000;

/// How long a process that has closed its output, or whose input has ended, may take to end.
const END: Duration = Duration::from_secs(5);

/// How long is waited for the end of its standard error, which something that it started may hold open.
const LOG_END: Duration = Duration::from_secs(1);

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
pub(super) struct Process {
    child: Child,
    requests: Option<Sender<String>>,
    lines: Receiver<Line>,
    log: Arc<Mutex<Vec<u8>>>,
    log_end: Receiver<()>,
}

enum Line {
    Whole(String),
    NotText,
    TooLong,
    Unread(io::Error),
}

impl Process {
    pub(super) fn start(command: &str) -> io::Result<Self> {
        let mut program = Program::new("sh");
        program.arg("-c").arg(command);
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own: the shell is not the adapter, and only the group can be killed as a whole.
        program.process_group(0);
        let mut child = program.spawn()?;
        // A pipe takes only so much: an adapter that does not read must not keep the runner from waiting in time.
        let (requests, to_write) = channel();
        if let Some(stdin) = child.stdin.take() {
            std::thread::spawn(move || write_lines(stdin, &to_write));
        }
        // One line at a time: whoever writes more than it is asked waits, and the runner's memory does not grow.
        let (sender, lines) = sync_channel(1);
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || read_lines(stdout, &sender));
        }
        let log = Arc::new(Mutex::new(Vec::new()));
        let (log_done, log_end) = channel();
        if let Some(stderr) = child.stderr.take() {
            let log = Arc::clone(&log);
            std::thread::spawn(move || {
                keep_tail(stderr, &log);
                let _ = log_done.send(());
            });
        }
        Ok(Self { child, requests: Some(requests), lines, log, log_end })
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
        if let Ok(Some(status)) = self.child.try_wait() {
            return Err(Broken::Ended(self.with_log(format!("it had ended before it was asked: {status}"))));
        }
        // If the writer has gone, so has the process: that shows at its output.
        if let Some(requests) = &self.requests {
            let _ = requests.send(line);
        }
        let answer = match self.lines.recv_timeout(patience) {
            Ok(Line::Whole(line)) => parse(&line, seq),
            Ok(Line::NotText) => Err("a line that is not UTF-8".to_owned()),
            Ok(Line::TooLong) => Err(format!("a line of more than {MAX_LINE} bytes")),
            Ok(Line::Unread(error)) => Err(format!("its output cannot be read: {error}")),
            Err(RecvTimeoutError::Timeout) => return Err(Broken::Silent),
            Err(RecvTimeoutError::Disconnected) => return Err(Broken::Ended(self.end())),
        };
        answer.map_err(Broken::Garbage)
    }

    /// Ends a process of which nothing is wanted any more: its input ends, and it has time to end by itself.
    pub(super) fn finish(mut self) {
        self.requests = None;
        let _ = self.status();
    }

    /// How it ended, for people.
    fn end(&mut self) -> String {
        let text = match self.status() {
            Some(status) => format!("it ended: {status}"),
            None => "it closed its standard output".to_owned(),
        };
        self.with_log(text)
    }

    fn status(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + END;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }

    fn with_log(&self, text: String) -> String {
        let _ = self.log_end.recv_timeout(LOG_END);
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().rev().take(3).collect();
        let lines: Vec<&str> = lines.into_iter().rev().collect();
        if lines.is_empty() { text } else { format!("{text}; standard error ends: {}", lines.join(" | ")) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // What the shell has started goes, too: it is all one group (see `start`).
        let kill = format!("kill -s KILL -- -{}", self.child.id());
        let _ = Program::new("sh").arg("-c").arg(kill).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer to that request, or what is wrong with the line.
fn parse<T: DeserializeOwned>(line: &str, seq: u64) -> Result<T, String> {
    let shown = || format!("{:?}", line.trim_end().chars().take(200).collect::<String>());
    let Ok(serde_json::Value::Object(object)) = serde_json::from_str(line) else {
        return Err(format!("not a JSON object: {} (standard output is for answers alone)", shown()));
    };
    if object.get("seq").and_then(serde_json::Value::as_u64) != Some(seq) {
        return Err(format!("an answer to another request: its seq is not {seq}: {}", shown()));
    }
    serde_json::from_str(line).map_err(|error| format!("not an answer ({error}): {}", shown()))
}

fn write_lines(mut stdin: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: ChildStdout, sender: &SyncSender<Line>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut bytes = Vec::new();
        let read = (&mut stdout).take(MAX_LINE + 1).read_until(b'\n', &mut bytes);
        let whole = bytes.ends_with(b"\n");
        let line = match read {
            Ok(0) => return,
            Ok(_) if !whole && bytes.len() as u64 > MAX_LINE => Line::TooLong,
            Ok(_) => String::from_utf8(bytes).map_or(Line::NotText, Line::Whole),
            Err(error) => Line::Unread(error),
        };
        let last = !matches!(line, Line::Whole(_));
        if sender.send(line).is_err() || last {
            return;
        }
    }
}

fn keep_tail(mut stderr: impl Read, log: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let surplus = log.len().saturating_sub(MAX_LOG);
        log.drain(..surplus);
    }
}
