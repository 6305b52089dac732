//! A program that is tested over its standard input and output: JSON objects, one a line.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// The longest line that it may write, in bytes: twice the hex of the longest message, and more.
const MAX_LINE: u64 = 32 << 20;

/// How much of what it wrote to standard error is kept, in bytes.
const MAX_LOG: usize = 2000;

/// How long a process that has closed its output, or whose input has ended, may take to end.
const END: Duration = Duration::from_secs(5);

/// How long is waited for the end of its standard error, which something that it started may hold open.
const LOG_END: Duration = Duration::from_secs(1);

/// A process that was started. It is killed when it is dropped.
pub(crate) struct Process {
    child: Child,
    input: Option<Sender<String>>,
    lines: Receiver<Line>,
    log: Arc<Mutex<Vec<u8>>>,
    log_end: Receiver<()>,
}

/// What comes from a process.
#[derive(Debug)]
pub(crate) enum Output {
    /// A JSON object.
    Line(Value),
    /// Something else. Nothing more is read.
    Garbage(String),
    /// Its standard output has ended.
    Ended(String),
    /// Nothing, in time.
    Nothing,
}

enum Line {
    Whole(String),
    NotText,
    TooLong,
    Unread(io::Error),
}

impl Process {
    /// Starts a command with `sh`. Its standard output is read only if there are lines to read `ahead`: so many that nobody has
    /// asked for are kept, and whoever writes more waits, so that the runner's memory does not grow.
    ///
    /// # Errors
    /// Those of starting it.
    pub(crate) fn start(command: &str, ahead: usize) -> io::Result<Self> {
        let mut program = Command::new("sh");
        program.arg("-c").arg(command);
        program.stdin(Stdio::piped()).stderr(Stdio::piped());
        program.stdout(if ahead > 0 { Stdio::piped() } else { Stdio::null() });
        // A group of its own: the shell is not the program, and only the group can be killed as a whole.
        program.process_group(0);
        let mut child = program.spawn()?;
        // A pipe takes only so much: a program that does not read must not keep the runner from waiting in time.
        let (input, to_write) = channel();
        if let Some(stdin) = child.stdin.take() {
            std::thread::spawn(move || write_lines(stdin, &to_write));
        }
        let (sender, lines) = sync_channel(ahead);
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
        Ok(Self { child, input: Some(input), lines, log, log_end })
    }

    /// Sends a line, which has no end yet. If the process has gone, that shows at its output.
    pub(crate) fn send(&self, line: String) {
        let _ = self.input.as_ref().map(|input| input.send(line));
    }

    /// What comes next.
    pub(crate) fn next(&mut self, deadline: Instant) -> Output {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => parse(line),
            Err(RecvTimeoutError::Timeout) => Output::Nothing,
            Err(RecvTimeoutError::Disconnected) => Output::Ended(self.end()),
        }
    }

    /// The object that is there already.
    pub(crate) fn ready(&self) -> Option<Value> {
        match self.lines.try_recv().ok().map(parse)? {
            Output::Line(value) => Some(value),
            _ => None,
        }
    }

    /// How it ended, for people, if it has.
    pub(crate) fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok().flatten()?;
        Some(self.with_log(format!("it ended: {status}")))
    }

    /// Ends a process of which nothing is wanted any more: its input ends, and it has time to end by itself.
    pub(crate) fn finish(mut self) {
        self.input = None;
        let _ = self.status();
    }

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
        let _ = Command::new("sh").arg("-c").arg(kill).stderr(Stdio::null()).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(line: Line) -> Output {
    Output::Garbage(match line {
        Line::Whole(line) => match serde_json::from_str(&line) {
            Ok(value @ Value::Object(_)) => return Output::Line(value),
            _ => {
                let shown: String = line.trim_end().chars().take(200).collect();
                format!("not a JSON object: {shown:?} (standard output is for these lines alone)")
            }
        },
        Line::NotText => "a line that is not UTF-8".to_owned(),
        Line::TooLong => format!("a line of more than {MAX_LINE} bytes"),
        Line::Unread(error) => format!("its output cannot be read: {error}"),
    })
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
