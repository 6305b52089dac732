//! The relay's end of a client's connection: a thread that reads frames, checks their form and queues them.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use roomwire_codec::registry::limit;

use crate::ws::frame::{self, ReadError, op};

/// What comes from a client.
#[derive(Debug)]
pub(crate) enum Came {
    /// A binary message.
    Message(Vec<u8>),
    /// A pong.
    Pong(Vec<u8>),
    /// A close frame.
    Close(Option<u16>, Vec<u8>),
    /// The end of the stream.
    End,
    /// A frame that a client may not send, and the clause that it breaks. Nothing is read after it.
    Broken(&'static str, String),
}

/// Bounds each write, so that a client that stops reading cannot hang the runner.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);

/// A connection that was accepted.
pub(crate) struct Link {
    output: Arc<Mutex<TcpStream>>,
    raw: TcpStream,
    came: Receiver<Came>,
    passed: VecDeque<Came>,
    gate: Arc<Gate>,
    closing: Arc<AtomicBool>,
}

impl Link {
    /// Takes over a stream. Before it was upgraded, nothing that comes over it is understood; `upgraded` says which.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn new(stream: TcpStream, upgraded: bool) -> io::Result<Self> {
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let raw = stream.try_clone()?;
        let output = Arc::new(Mutex::new(stream.try_clone()?));
        let (sender, came) = channel();
        let (gate, closing) = (Arc::new(Gate::default()), Arc::new(AtomicBool::new(false)));
        let reader = Reader {
            input: BufReader::with_capacity(64 * 1024, stream),
            output: Arc::clone(&output),
            sender,
            gate: Arc::clone(&gate),
            closing: Arc::clone(&closing),
            message: None,
        };
        let run = move || if upgraded { reader.run() } else { reader.wait() };
        std::thread::Builder::new().name("link".into()).spawn(run)?;
        Ok(Self { output, raw, came, passed: VecDeque::new(), gate, closing })
    }

    /// What comes next; `None` if nothing came by then.
    pub(crate) fn next(&mut self, deadline: Instant) -> Option<Came> {
        self.passed.pop_front().or_else(|| self.wait(deadline))
    }

    fn wait(&self, deadline: Instant) -> Option<Came> {
        match self.came.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(came) => Some(came),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Came::End),
        }
    }

    /// What is there already.
    pub(crate) fn ready(&mut self) -> Option<Came> {
        self.passed.pop_front().or_else(|| self.came.try_recv().ok())
    }

    /// The next pong or end; messages that come before it wait.
    pub(crate) fn pong(&mut self, deadline: Instant) -> Option<Came> {
        let mut passed = std::mem::take(&mut self.passed);
        let found = loop {
            match self.wait(deadline) {
                Some(message @ Came::Message(_)) => passed.push_back(message),
                other => break other,
            }
        };
        self.passed = passed;
        found
    }

    /// Sends bytes. A client may have gone in the meantime: then what is expected next does not come, and that is told.
    pub(crate) fn send(&self, bytes: &[u8]) {
        let _ = self.output.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes);
    }

    /// Starts the closing handshake.
    pub(crate) fn close(&self, payload: &[u8]) {
        self.closing.store(true, Ordering::SeqCst);
        self.send(&frame::encode(true, op::CLOSE, payload, None));
    }

    /// Stops or resumes reading.
    pub(crate) fn stall(&self, stalled: bool) {
        self.gate.set(stalled);
    }

    /// Ends the connection without a closing handshake; `reset` makes it a TCP reset.
    pub(crate) fn cut(&self, reset: bool) {
        if reset {
            let _ = socket2::SockRef::from(&self.raw).set_linger(Some(Duration::ZERO));
        }
        self.gate.set(false);
        let _ = self.raw.shutdown(if reset { Shutdown::Read } else { Shutdown::Both });
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.gate.set(false);
        let _ = self.raw.shutdown(Shutdown::Both);
    }
}

/// Holds a reader back while its relay is stalled.
#[derive(Default)]
struct Gate {
    stalled: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    fn set(&self, stalled: bool) {
        *self.stalled.lock().unwrap_or_else(PoisonError::into_inner) = stalled;
        self.changed.notify_all();
    }

    fn pass(&self) {
        let guard = self.stalled.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(guard, |stalled| *stalled));
    }
}

struct Reader {
    input: BufReader<TcpStream>,
    output: Arc<Mutex<TcpStream>>,
    sender: Sender<Came>,
    gate: Arc<Gate>,
    closing: Arc<AtomicBool>,
    /// The fragments of a message so far.
    message: Option<Vec<u8>>,
}

impl Reader {
    /// Waits for the end of a connection that was never upgraded.
    fn wait(mut self) {
        let _ = io::copy(&mut self.input.by_ref().take(1 << 20), &mut io::sink());
        let _ = self.sender.send(Came::End);
    }

    fn run(mut self) {
        loop {
            self.gate.pass();
            let (came, last) = match self.step() {
                Ok(None) => continue,
                Ok(Some(came)) => (came, false),
                Err(came) => (came, true),
            };
            if self.sender.send(came).is_err() || last {
                let _ = self.input.get_ref().shutdown(Shutdown::Both);
                return;
            }
        }
    }

    /// Reads one frame. `Err` is the last thing that comes.
    fn step(&mut self) -> Result<Option<Came>, Came> {
        let broken = |text: String| Came::Broken("CLIENT-WS-1", text);
        let frame = match frame::read(&mut self.input, limit::MAX_INBOUND_MESSAGE as u64) {
            Ok(frame) => frame,
            Err(ReadError::TooLong(len)) => {
                return Err(Came::Broken("LIM-IN-1", format!("a message of {len} bytes")));
            }
            Err(ReadError::End | ReadError::Broken(_)) => return Err(Came::End),
        };
        let control = frame.opcode >= op::CLOSE;
        if !frame.masked {
            return Err(broken("a frame that is not masked".into()));
        }
        if frame.rsv != 0 {
            return Err(broken(format!("reserved bits {:#05b}", frame.rsv)));
        }
        if control && (!frame.fin || frame.payload.len() > 125) {
            return Err(broken("a control frame in fragments, or of more than 125 bytes".into()));
        }
        match frame.opcode {
            op::BINARY | op::CONTINUATION => {
                if (frame.opcode == op::BINARY) != self.message.is_none() {
                    return Err(broken("fragments that do not belong together".into()));
                }
                let mut message = self.message.take().unwrap_or_default();
                message.extend(frame.payload);
                if message.len() > limit::MAX_INBOUND_MESSAGE {
                    return Err(Came::Broken("LIM-IN-1", format!("a message of {} bytes", message.len())));
                }
                if frame.fin {
                    return Ok(Some(Came::Message(message)));
                }
                self.message = Some(message);
                Ok(None)
            }
            op::PING => {
                self.answer(op::PONG, &frame.payload);
                Ok(None)
            }
            op::PONG => Ok(Some(Came::Pong(frame.payload))),
            op::CLOSE => {
                let (code, reason) = match frame.payload.split_first_chunk::<2>() {
                    Some((code, reason)) => (Some(u16::from_be_bytes(*code)), reason.to_vec()),
                    None => (None, frame.payload.clone()),
                };
                if code.is_none() && !reason.is_empty() || std::str::from_utf8(&reason).is_err() {
                    return Err(broken("a close frame that is none".into()));
                }
                if !self.closing.swap(true, Ordering::SeqCst) {
                    self.answer(op::CLOSE, frame.payload.get(..2).unwrap_or_default());
                }
                // The server ends a connection first.
                let _ = self.input.get_ref().shutdown(Shutdown::Write);
                Ok(Some(Came::Close(code, reason)))
            }
            op::TEXT => Err(broken("a text message".into())),
            other => Err(broken(format!("a frame of opcode {other}"))),
        }
    }

    fn answer(&self, opcode: u8, payload: &[u8]) {
        let bytes = frame::encode(true, opcode, payload, None);
        let _ = self.output.lock().unwrap_or_else(PoisonError::into_inner).write_all(&bytes);
    }
}
