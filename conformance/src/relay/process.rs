//! A relay's process: started, waited for, ended.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::ControlError;

/// How long a relay may take to say where it listens, where nothing else is said; to answer a control line; and to end when
/// it is told to.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The longest line that a relay may write where one is waited for, in bytes.
const MAX_LINE: u64 = 4096;

/// How many lines that nobody has waited for yet are kept. A relay may write more; they are read and forgotten.
const MAX_LINES: usize = 64;

/// A process that has said where it listens.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    log: PathBuf,
    /// Where it listens.
    pub addr: SocketAddr,
}

#[derive(Deserialize)]
struct Listening {
    listening: String,
}

impl Process {
    /// Starts a command and waits for its first line, `{"listening":"host:port"}`. What it writes to stderr goes to the
    /// file `log`.
    ///
    /// # Errors
    /// A text that tells what failed and how the log ends.
    pub fn start(command: Command, log: &Path) -> Result<Self, ControlError> {
        Self::start_within(PATIENCE, command, log)
    }

    /// As [`Process::start`]; the line has to come in time.
    ///
    /// # Errors
    /// A text that tells what failed and how the log ends.
    pub fn start_within(patience: Duration, mut command: Command, log: &Path) -> Result<Self, ControlError> {
        let file = File::options().create(true).append(true).open(log).map_err(ControlError::failed)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file);
        let mut child = command.spawn().map_err(|error| {
            ControlError::Failed(format!("cannot start {}: {error}", command.get_program().display()))
        })?;
        let stdin = child.stdin.take();
        let (sender, lines) = sync_channel(MAX_LINES);
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || read_lines(stdout, &sender));
        }
        let mut process =
            Self { child, stdin, lines, log: log.to_owned(), addr: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let line = process.line(patience)?;
        let listening: Listening = serde_json::from_str(&line).map_err(|_| {
            ControlError::Failed(format!("the first line is not {{\"listening\":…}}: {line}"))
        })?;
        let mut addrs = listening.listening.to_socket_addrs().map_err(ControlError::failed)?;
        process.addr = addrs.next().ok_or_else(|| ControlError::failed("the address resolves to nothing"))?;
        Ok(process)
    }

    fn line(&mut self, patience: Duration) -> Result<String, ControlError> {
        let why = match self.lines.recv_timeout(patience) {
            Ok(Line::Whole(line)) => return Ok(line),
            Ok(Line::TooLong) => format!("a line of more than {MAX_LINE} bytes from the relay"),
            Err(RecvTimeoutError::Timeout) => format!("no line from the relay within {patience:?}"),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.wait(PATIENCE).map(|status| format!(": {status}"));
                format!("the relay ended before it wrote a line{}", status.unwrap_or_default())
            }
        };
        Err(ControlError::Failed(format!("{why}; {}", self.log_tail())))
    }

    /// The end of what it wrote to stderr.
    pub fn log_tail(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        let lines: Vec<&str> = lines.into_iter().rev().collect();
        if lines.is_empty() {
            "its log is empty".to_owned()
        } else {
            format!("its log ends: {}", lines.join(" | "))
        }
    }

    /// Sends a control line and waits for the line that answers it.
    ///
    /// # Errors
    /// If there is no answer, or it is not `ok`.
    pub fn control(&mut self, line: &str) -> Result<(), ControlError> {
        if let Some(stdin) = &mut self.stdin {
            writeln!(stdin, "{line}").and_then(|()| stdin.flush()).map_err(ControlError::failed)?;
        }
        match self.line(PATIENCE)? {
            ok if ok == "ok" => Ok(()),
            other => Err(ControlError::Failed(format!("{line}: {other}"))),
        }
    }

    /// Does it run?
    pub fn alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it to end, as an operator does, and waits.
    ///
    /// # Errors
    /// If it does not end, or not with success.
    pub fn terminate(&mut self) -> Result<(), ControlError> {
        let pid = self.child.id();
        let sent = Command::new("sh").arg("-c").arg(format!("kill -TERM {pid}")).status();
        sent.map_err(ControlError::failed)?;
        self.wait(PATIENCE).map(drop)
    }

    /// Tells it by a control line to end, and waits.
    ///
    /// # Errors
    /// If it does not end, or not with success.
    pub fn stop(&mut self) -> Result<(), ControlError> {
        self.control("stop")?;
        let status = self.wait(PATIENCE)?;
        if status.success() {
            return Ok(());
        }
        Err(ControlError::Failed(format!("the relay ended with {status}; {}", self.log_tail())))
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    /// If it does not.
    pub fn wait(&mut self, within: Duration) -> Result<ExitStatus, ControlError> {
        let deadline = Instant::now() + within;
        loop {
            if let Some(status) = self.child.try_wait().map_err(ControlError::failed)? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                return Err(ControlError::Failed(format!("the relay did not end within {within:?}")));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends it at once and reaps it.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A line that a relay wrote.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(String),
    TooLong,
}

/// Hands on what a relay writes, until it ends. If its first line is too long it is no relay, and no more is read; later on
/// such a line is left out, since a relay may write its log to stdout.
fn read_lines(stdout: ChildStdout, sender: &SyncSender<Line>) {
    let mut stdout = BufReader::new(stdout);
    let mut first = true;
    while let Ok(Some(line)) = read_line(&mut stdout) {
        let long = line == Line::TooLong;
        if long && !first {
            if stdout.skip_until(b'\n').is_err() {
                return;
            }
            continue;
        }
        if matches!(sender.try_send(line), Err(TrySendError::Disconnected(_))) || long {
            return;
        }
        first = false;
    }
}

/// Reads a line, or as much as tells that it is too long; `None` at the end.
fn read_line(stdout: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    stdout.take(MAX_LINE + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    if line.len() as u64 > MAX_LINE {
        return Ok(Some(Line::TooLong));
    }
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Ok(Some(Line::Whole(String::from_utf8_lossy(line).into_owned())))
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bytes: &[u8]) -> Option<Line> {
        read_line(&mut &*bytes).unwrap()
    }

    #[test]
    fn a_line_may_have_so_many_bytes_and_no_more() {
        let longest = "x".repeat(MAX_LINE as usize);
        assert_eq!(line(b""), None);
        assert_eq!(line(b"\n"), Some(Line::Whole(String::new())));
        assert_eq!(line(b"a\r\nb\n"), Some(Line::Whole("a".into())));
        assert_eq!(line(b"no end"), Some(Line::Whole("no end".into())));
        assert_eq!(line(format!("{longest}\n").as_bytes()), Some(Line::Whole(longest.clone())));
        assert_eq!(line(longest.as_bytes()), Some(Line::Whole(longest.clone())));
        assert_eq!(line(format!("{longest}x\n").as_bytes()), Some(Line::TooLong));
        assert_eq!(read_line(&mut BufReader::new(io::repeat(0))).unwrap(), Some(Line::TooLong));
    }
}
