//! A proxy in front of a relay that takes messages apart and puts them together wrongly.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::relay::{ControlError, RelayUnderTest, RunningRelay};
use crate::scenario::model::{Capability, Hook, Scenario};
use crate::ws::frame::{self, RawFrame, op};

/// One connection, as a fault may remember it.
#[derive(Default)]
pub struct Link {
    /// Path and query of the upgrade.
    pub target: String,
    /// How many messages went to the client.
    pub to_client: u32,
    /// The member's peer id, as it is on the wire.
    pub id: Vec<u8>,
    /// The last message of the client.
    pub last: Vec<u8>,
    /// For whatever a fault counts.
    pub seen: u32,
    /// For whatever a fault keeps.
    pub kept: Vec<u8>,
    inject: Vec<u8>,
}

impl Link {
    /// Sends a message to the client, after the one at hand.
    pub fn inject(&mut self, message: &[u8]) {
        self.inject.extend(frame::encode(true, op::BINARY, message, None));
    }
}

/// What becomes of a frame.
pub enum Fate {
    /// It goes on.
    Pass,
    /// It does not.
    Drop,
    /// Another binary message goes on in its place.
    Message(Vec<u8>),
    /// These bytes go on in its place.
    Raw(Vec<u8>),
}

/// A fault: what becomes of frames to the client, of frames to the relay, and of the head of the relay's answer.
#[derive(Clone, Copy)]
pub struct Tamper {
    /// A frame of the relay.
    pub to_client: fn(&mut Link, &RawFrame) -> Fate,
    /// A frame of the client.
    pub to_relay: fn(&mut Link, &RawFrame) -> Fate,
    /// Headers that the relay's answer gets, each with its line's end.
    pub headers: &'static str,
}

impl Tamper {
    /// Changes nothing.
    pub const NOTHING: Tamper =
        Tamper { to_client: |_, _| Fate::Pass, to_relay: |_, _| Fate::Pass, headers: "" };
}

/// A relay behind the proxy.
pub struct ProxiedRelay<R> {
    inner: R,
    name: &'static str,
    tamper: Tamper,
}

impl<R: RelayUnderTest> ProxiedRelay<R> {
    /// `inner` with a fault.
    pub fn new(inner: R, name: &'static str, tamper: Tamper) -> Self {
        Self { inner, name, tamper }
    }
}

impl<R: RelayUnderTest> RelayUnderTest for ProxiedRelay<R> {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn claims(&self, capability: Capability) -> bool {
        self.inner.claims(capability)
    }

    fn supports(&self, hook: Hook) -> bool {
        self.inner.supports(hook)
    }

    fn open(&self, scenario: &Scenario) -> Result<Box<dyn RunningRelay + '_>, ControlError> {
        let inner = self.inner.open(scenario)?;
        let proxy = Proxy::start(inner.addr(), self.tamper).map_err(ControlError::failed)?;
        Ok(Box::new(Handle { inner, proxy }))
    }

    fn finish(&self) {
        self.inner.finish();
    }
}

struct Handle<'a> {
    inner: Box<dyn RunningRelay + 'a>,
    proxy: Proxy,
}

impl RunningRelay for Handle<'_> {
    fn addr(&self) -> SocketAddr {
        self.proxy.addr
    }

    fn time(&self, limit: &str) -> Option<Duration> {
        self.inner.time(limit)
    }

    fn alive(&mut self) -> Option<bool> {
        self.inner.alive()
    }

    fn stop(&mut self) -> Result<(), ControlError> {
        self.inner.stop()
    }

    fn kill(&mut self) -> Result<(), ControlError> {
        self.inner.kill()
    }

    fn start(&mut self) -> Result<(), ControlError> {
        self.inner.start()?;
        *lock(&self.proxy.upstream) = self.inner.addr();
        Ok(())
    }

    fn hold(&mut self, held: bool) -> Result<(), ControlError> {
        self.inner.hold(held)
    }
}

/// A proxy that runs; it ends when it is dropped.
pub(crate) struct Proxy {
    pub(crate) addr: SocketAddr,
    upstream: Arc<Mutex<SocketAddr>>,
    over: Arc<AtomicBool>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
    }
}

impl Proxy {
    pub(crate) fn start(upstream: SocketAddr, tamper: Tamper) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let proxy = Self {
            addr: listener.local_addr()?,
            upstream: Arc::new(Mutex::new(upstream)),
            over: Arc::default(),
        };
        let (upstream, over) = (Arc::clone(&proxy.upstream), Arc::clone(&proxy.over));
        std::thread::spawn(move || {
            while !over.load(Ordering::SeqCst) {
                match listener.accept() {
                    Ok((client, _)) => {
                        let upstream = *lock(&upstream);
                        let _ = client.set_nonblocking(false).and_then(|()| serve(client, upstream, tamper));
                    }
                    Err(_) => std::thread::sleep(Duration::from_millis(1)),
                }
            }
        });
        Ok(proxy)
    }
}

fn serve(mut client: TcpStream, upstream: SocketAddr, tamper: Tamper) -> io::Result<()> {
    let mut relay = TcpStream::connect(upstream)?;
    client.set_nodelay(true)?;
    relay.set_nodelay(true)?;
    let head = read_head(&mut client)?;
    relay.write_all(&head)?;
    let answer = String::from_utf8_lossy(&read_head(&mut relay)?).into_owned();
    let answer = answer.replacen("\r\n", &format!("\r\n{}", tamper.headers), 1);
    client.write_all(answer.as_bytes())?;
    let target = String::from_utf8_lossy(&head).split(' ').nth(1).unwrap_or_default().to_owned();
    let link = Arc::new(Mutex::new(Link { target, ..Link::default() }));
    let back = Arc::new(Mutex::new(client.try_clone()?));
    let (link_too, back_too, relay_too) = (Arc::clone(&link), Arc::clone(&back), relay.try_clone()?);
    std::thread::spawn(move || {
        let _ = pump_to_client(relay, &link, &back, tamper);
        let _ = lock(&back).shutdown(Shutdown::Both);
    });
    std::thread::spawn(move || {
        let mut relay = relay_too;
        let _ = pump_to_relay(client, &mut relay, &link_too, &back_too, tamper);
        let _ = relay.shutdown(Shutdown::Both);
    });
    Ok(())
}

fn read_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.extend(byte);
    }
    Ok(head)
}

const MAX: u64 = 64 << 20;

/// Keeps what was read, so that a frame that is not touched goes on byte for byte.
struct Recorder {
    stream: TcpStream,
    record: Vec<u8>,
}

impl Recorder {
    fn new(stream: TcpStream) -> Self {
        Self { stream, record: vec![] }
    }

    fn recorded(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.record)
    }
}

impl Read for Recorder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.record.extend(buffer.iter().take(count));
        Ok(count)
    }
}

fn pump_to_client(
    relay: TcpStream,
    link: &Mutex<Link>,
    client: &Mutex<TcpStream>,
    tamper: Tamper,
) -> io::Result<()> {
    let mut relay = Recorder::new(relay);
    while let Ok(raw) = frame::read(&mut relay, MAX) {
        let bytes = relay.recorded();
        let mut link = lock(link);
        if raw.opcode == op::BINARY {
            link.to_client += 1;
            if link.to_client == 1 {
                link.id.clone_from(&raw.payload);
            }
        }
        let mut out = match (tamper.to_client)(&mut link, &raw) {
            Fate::Pass => bytes,
            Fate::Drop => vec![],
            Fate::Message(message) => frame::encode(true, op::BINARY, &message, None),
            Fate::Raw(bytes) => bytes,
        };
        out.append(&mut link.inject);
        drop(link);
        lock(client).write_all(&out)?;
    }
    Ok(())
}

fn pump_to_relay(
    client: TcpStream,
    relay: &mut TcpStream,
    link: &Mutex<Link>,
    back: &Mutex<TcpStream>,
    tamper: Tamper,
) -> io::Result<()> {
    let mut client = Recorder::new(client);
    while let Ok(raw) = frame::read(&mut client, MAX) {
        let bytes = client.recorded();
        let mut link = lock(link);
        let out = match (tamper.to_relay)(&mut link, &raw) {
            Fate::Pass => bytes,
            Fate::Drop => vec![],
            Fate::Message(message) => frame::encode(true, op::BINARY, &message, Some([0; 4])),
            Fate::Raw(bytes) => bytes,
        };
        if raw.opcode == op::BINARY {
            link.last.clone_from(&raw.payload);
        }
        let inject = std::mem::take(&mut link.inject);
        drop(link);
        relay.write_all(&out)?;
        lock(back).write_all(&inject)?;
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
