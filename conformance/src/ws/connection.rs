//! One connection of an actor: a thread that reads frames, checks their form and queues them as events.

use std::io::{self, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use roomwire_codec::registry::limit;

use super::frame::{self, ReadError, op};
use super::handshake::{self, Answer};

/// How a connection is opened.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Path and query, as they go out.
    pub target: String,
    /// Headers beside those of the upgrade.
    pub headers: Vec<(String, String)>,
    /// Bytes of the kernel's receive buffer; small for an actor that is to stall.
    pub recv_buffer: Option<usize>,
    /// Never answer a ping.
    pub mute: bool,
    /// Never answer a close frame.
    pub deaf: bool,
}

/// What came from the relay.
#[derive(Debug)]
pub enum Event {
    /// A binary message.
    Message(Vec<u8>),
    /// The answer to a ping.
    Pong(Vec<u8>),
    /// A close frame; the client has answered it. No code if it was empty.
    Close {
        /// The close code.
        code: Option<u16>,
        /// The reason's bytes.
        reason: Vec<u8>,
    },
    /// The connection ended.
    End(End),
    /// A frame that the relay may not send; nothing is read after it.
    Violation {
        /// The clause that it breaks.
        rule: &'static str,
        /// What was wrong.
        text: String,
    },
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// In order: between two frames.
    Eof,
    /// By a reset, or in the middle of a frame.
    Broken,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            End::Eof => "in order, without a close frame",
            End::Broken => "by a reset, or in the middle of a frame",
        })
    }
}

/// Why a connection could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing listens, or the stream failed before an answer.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The answer breaks a clause.
    #[error("{text}")]
    Upgrade {
        /// The clause.
        rule: &'static str,
        /// What is wrong.
        text: String,
    },
}

/// An open WebSocket connection.
pub struct Connection {
    stream: Arc<Mutex<TcpStream>>,
    raw: TcpStream,
    events: Receiver<Event>,
    gate: Arc<Gate>,
    pings: Arc<AtomicU64>,
    closing: Arc<AtomicBool>,
    random: fastrand::Rng,
    /// The answer to the upgrade.
    pub answer: Answer,
}

/// Bounds each write and the handshake, so that a relay that stops reading cannot hang the runner.
const IO_TIMEOUT: Duration = Duration::from_secs(20);

impl Connection {
    /// Opens a TCP connection and upgrades it.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(
        addr: SocketAddr,
        host: &str,
        options: &Options,
        mut random: fastrand::Rng,
    ) -> Result<Self, OpenError> {
        let mut stream = dial(addr, options.recv_buffer)?;
        stream.set_read_timeout(Some(IO_TIMEOUT))?;
        let key = handshake::random_key(&mut random);
        let mut headers = handshake::upgrade_headers(host, &key);
        headers.extend(options.headers.iter().cloned());
        handshake::send_request(&mut stream, "GET", &options.target, &headers)?;
        let answer = handshake::read_answer(&mut stream)?;
        if let Some((rule, text)) = handshake::fault_of_upgrade(&answer, &key) {
            return Err(OpenError::Upgrade { rule, text });
        }
        stream.set_read_timeout(None)?;
        let (sender, events) = channel();
        let raw = stream.try_clone()?;
        let reader = Reader {
            input: BufReader::with_capacity(64 * 1024, stream.try_clone()?),
            output: Arc::new(Mutex::new(stream)),
            sender,
            gate: Arc::new(Gate::default()),
            pings: Arc::new(AtomicU64::new(0)),
            closing: Arc::new(AtomicBool::new(false)),
            mute: options.mute,
            deaf: options.deaf,
        };
        let connection = Self {
            stream: Arc::clone(&reader.output),
            raw,
            events,
            gate: Arc::clone(&reader.gate),
            pings: Arc::clone(&reader.pings),
            closing: Arc::clone(&reader.closing),
            random,
            answer,
        };
        std::thread::Builder::new().name("actor".into()).spawn(move || reader.run())?;
        Ok(connection)
    }

    /// The next event, or `None` if none came by then.
    pub fn next(&self, deadline: Instant) -> Option<Event> {
        match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::End(End::Eof)),
        }
    }

    /// An event that is there already.
    pub fn ready(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// How many pings the relay has sent.
    pub fn pings(&self) -> u64 {
        self.pings.load(Ordering::SeqCst)
    }

    /// Sends one message, in fragments of the given sizes and the rest.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn send(&mut self, opcode: u8, payload: &[u8], fragments: &[usize]) -> io::Result<()> {
        let mut rest = payload;
        let mut opcode = opcode;
        for size in fragments {
            let (head, tail) = rest.split_at((*size).min(rest.len()));
            self.send_frame(false, opcode, head)?;
            (rest, opcode) = (tail, op::CONTINUATION);
        }
        self.send_frame(true, opcode, rest)
    }

    /// Sends one masked frame.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn send_frame(&mut self, fin: bool, opcode: u8, payload: &[u8]) -> io::Result<()> {
        let mask = self.random.u32(..).to_le_bytes();
        self.send_raw(&frame::encode(fin, opcode, payload, Some(mask)))
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn send_raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).write_all(bytes)
    }

    /// Starts the closing handshake.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn send_close(&mut self, code: u16, reason: &str) -> io::Result<()> {
        self.closing.store(true, Ordering::SeqCst);
        self.send_frame(true, op::CLOSE, &frame::close_payload(code, reason))
    }

    /// Stops or resumes reading. What the thread is reading at this moment still comes.
    pub fn stall(&self, stalled: bool) {
        self.gate.set(stalled);
    }

    /// Ends the connection without a closing handshake; `reset` makes it a TCP reset.
    pub fn cut(&self, reset: bool) {
        if reset {
            let _ = socket2::SockRef::from(&self.raw).set_linger(Some(Duration::ZERO));
        }
        self.gate.set(false);
        let _ = self.raw.shutdown(if reset { Shutdown::Read } else { Shutdown::Both });
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.gate.set(false);
        let _ = self.raw.shutdown(Shutdown::Both);
    }
}

/// Opens a TCP connection.
///
/// # Errors
/// Those of the socket.
pub fn dial(addr: SocketAddr, recv_buffer: Option<usize>) -> io::Result<TcpStream> {
    let domain = socket2::Domain::for_address(addr);
    let socket = socket2::Socket::new(domain, socket2::Type::STREAM, None)?;
    if let Some(bytes) = recv_buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    socket.connect_timeout(&addr.into(), IO_TIMEOUT)?;
    let stream = TcpStream::from(socket);
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(IO_TIMEOUT))?;
    Ok(stream)
}

/// Holds a reader back while its actor is stalled.
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
    sender: Sender<Event>,
    gate: Arc<Gate>,
    pings: Arc<AtomicU64>,
    closing: Arc<AtomicBool>,
    mute: bool,
    deaf: bool,
}

impl Reader {
    fn run(mut self) {
        loop {
            self.gate.pass();
            let (event, last) = match self.step() {
                Ok(None) => continue,
                Ok(Some(event)) => (event, false),
                Err(event) => (event, true),
            };
            if self.sender.send(event).is_err() || last {
                // The server ends a connection first; then the client ends its side.
                let _ = self.input.get_ref().shutdown(Shutdown::Both);
                return;
            }
        }
    }

    /// Reads one frame. `Err` is the last event.
    fn step(&mut self) -> Result<Option<Event>, Event> {
        let frame = match frame::read(&mut self.input, limit::MAX_OUTBOUND_MESSAGE as u64) {
            Ok(frame) => frame,
            Err(ReadError::TooLong(len)) => {
                return Err(violation("LIM-OUT-1", format!("a message of {len} bytes")));
            }
            Err(ReadError::End) => return Err(Event::End(End::Eof)),
            Err(ReadError::Broken(_)) => return Err(Event::End(End::Broken)),
        };
        if let Some(fault) = fault_of_form(&frame) {
            return Err(violation("WS-1", fault));
        }
        match frame.opcode {
            op::BINARY => Ok(Some(Event::Message(frame.payload))),
            op::PING => {
                self.pings.fetch_add(1, Ordering::SeqCst);
                if !self.mute {
                    self.answer(op::PONG, &frame.payload);
                }
                Ok(None)
            }
            op::PONG => Ok(Some(Event::Pong(frame.payload))),
            op::CLOSE => {
                if !self.deaf && !self.closing.swap(true, Ordering::SeqCst) {
                    self.answer(op::CLOSE, frame.payload.get(..2).unwrap_or_default());
                }
                let (code, reason) = match frame.payload.split_first_chunk::<2>() {
                    Some((code, reason)) => (Some(u16::from_be_bytes(*code)), reason.to_vec()),
                    None => (None, frame.payload),
                };
                Ok(Some(Event::Close { code, reason }))
            }
            other => Err(violation("WS-1", format!("a frame of opcode {other}"))),
        }
    }

    fn answer(&self, opcode: u8, payload: &[u8]) {
        let bytes = frame::encode(true, opcode, payload, Some(fastrand::u32(..).to_le_bytes()));
        let _ = self.output.lock().unwrap_or_else(PoisonError::into_inner).write_all(&bytes);
    }
}

fn violation(rule: &'static str, text: String) -> Event {
    Event::Violation { rule, text }
}

fn fault_of_form(frame: &frame::RawFrame) -> Option<String> {
    if frame.masked {
        return Some("a masked frame".into());
    }
    if frame.rsv != 0 {
        return Some(format!("reserved bits {:#05b}", frame.rsv));
    }
    if !frame.fin {
        return Some("a frame without FIN: the relay does not fragment".into());
    }
    if !frame.shortest {
        return Some("a longer length form than its length needs".into());
    }
    if frame.opcode >= op::CLOSE && frame.payload.len() > 125 {
        return Some("a control frame of more than 125 bytes".into());
    }
    if frame.opcode == op::CLOSE && frame.payload.len() == 1 {
        return Some("a close frame of 1 byte".into());
    }
    None
}
