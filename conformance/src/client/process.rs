//! A client's process: lines to it, lines from it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Instant;

use serde_json::Value;

/// The longest line that a client may write, in bytes: the hex of the longest message, and more.
const MAX_LINE: u64 = 16 << 20;

/// How many lines that nobody has looked at yet are kept; a client that writes more waits.
const MAX_LINES: usize = 16 * 1024;

/// A process, killed when it is dropped.
pub(crate) struct Process {
    child: Child,
    requests: Sender<String>,
    lines: Receiver<Result<Value, String>>,
}

/// What comes from a process.
#[derive(Debug)]
pub(crate) enum Output {
    /// A JSON object.
    Line(Value),
    /// Something else.
    Garbage(String),
    /// Its standard output has ended.
    Ended(String),
    /// Nothing, in time.
    Nothing,
}

impl Process {
    /// Starts a command with `sh`. What it writes to standard error decides nothing and is not kept. Its standard output is
    /// read only if it `speaks`.
    ///
    /// # Errors
    /// Those of starting it.
    pub(crate) fn start(command: &str, speaks: bool) -> io::Result<Self> {
        let mut program = Command::new("sh");
        program.arg("-c").arg(command);
        program.stdin(Stdio::piped()).stderr(Stdio::null());
        program.stdout(if speaks { Stdio::piped() } else { Stdio::null() });
        // A group of its own: what the shell starts is killed with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut program, 0);
        let mut child = program.spawn()?;
        let (requests, to_write) = channel();
        if let Some(stdin) = child.stdin.take() {
            std::thread::spawn(move || write_lines(stdin, &to_write));
        }
        let (sender, lines) = sync_channel(MAX_LINES);
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || read_lines(stdout, &sender));
        }
        Ok(Self { child, requests, lines })
    }

    /// Sends a line. If the process has gone, that shows at its output.
    pub(crate) fn send(&self, line: &Value) {
        let _ = self.requests.send(format!("{line}\n"));
    }

    /// What comes next.
    pub(crate) fn next(&mut self, deadline: Instant) -> Output {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Ok(value)) => Output::Line(value),
            Ok(Err(text)) => Output::Garbage(text),
            Err(RecvTimeoutError::Timeout) => Output::Nothing,
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.child.try_wait().ok().flatten();
                let text = status.map(|status| format!("the client ended: {status}"));
                Output::Ended(text.unwrap_or_else(|| "the client closed its standard output".into()))
            }
        }
    }

    /// What is there already.
    pub(crate) fn ready(&self) -> Option<Value> {
        self.lines.try_recv().ok().and_then(Result::ok)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            let kill = format!("kill -9 -{}", self.child.id());
            let _ = Command::new("sh").arg("-c").arg(kill).stderr(Stdio::null()).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_lines(mut stdin: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(stdout: ChildStdout, lines: &SyncSender<Result<Value, String>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match stdout.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let parsed = match serde_json::from_slice(&line) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => {
                let text: String = String::from_utf8_lossy(&line).chars().take(120).collect();
                Err(format!("a line that is no JSON object: {text:?}"))
            }
        };
        let last = parsed.is_err();
        if lines.send(parsed).is_err() || last {
            return;
        }
    }
}
