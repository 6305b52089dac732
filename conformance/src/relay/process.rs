//! A relay's process: started, waited for, ended.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::ControlError;

/// How long a relay may take to say where it listens, to answer a control line, and to end when it is told to.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process that has said where it listens.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
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
    pub fn start(mut command: Command, log: &Path) -> Result<Self, ControlError> {
        let file = File::options().create(true).append(true).open(log).map_err(ControlError::failed)?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(file);
        let mut child = command.spawn().map_err(|error| {
            ControlError::Failed(format!("cannot start {}: {error}", command.get_program().display()))
        })?;
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let mut process =
            Self { child, stdin, lines, log: log.to_owned(), addr: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let line = process.line()?;
        let listening: Listening = serde_json::from_str(&line).map_err(|_| {
            ControlError::Failed(format!("the first line is not {{\"listening\":…}}: {line}"))
        })?;
        let mut addrs = listening.listening.to_socket_addrs().map_err(ControlError::failed)?;
        process.addr = addrs.next().ok_or_else(|| ControlError::failed("the address resolves to nothing"))?;
        Ok(process)
    }

    fn line(&mut self) -> Result<String, ControlError> {
        self.lines.recv_timeout(PATIENCE).map_err(|_| {
            let state = self.child.try_wait();
            ControlError::Failed(format!("no line from the relay ({state:?}); {}", self.log_tail()))
        })
    }

    /// The end of what it wrote to stderr.
    pub fn log_tail(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        let lines: Vec<&str> = lines.into_iter().rev().collect();
        format!("its log ends: {}", lines.join(" | "))
    }

    /// Sends a control line and waits for the line that answers it.
    ///
    /// # Errors
    /// If there is no answer, or it is not `ok`.
    pub fn control(&mut self, line: &str) -> Result<(), ControlError> {
        if let Some(stdin) = &mut self.stdin {
            writeln!(stdin, "{line}").and_then(|()| stdin.flush()).map_err(ControlError::failed)?;
        }
        match self.line()? {
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

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
