//! Tests with real sockets: a relay in this process, and clients that write and read bytes.
//!
//! Clients wait up to [`PATIENCE`] for what has to come. No test asserts how quickly anything happens.

mod client;
mod closes;
mod durability;
mod frames;
mod http;
mod keepalive;
mod rates;
mod slow;
mod stop;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use client::Client;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::{Handle, Limits, Relay, RelayError};
use crate::store::{MemoryStore, Store};

/// How long a test waits for what has to come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A relay of one test's own.
struct TestRelay {
    runtime: Runtime,
    address: SocketAddr,
    handle: Handle,
    ended: JoinHandle<Result<(), RelayError>>,
}

impl TestRelay {
    fn start(store: impl Store) -> Self {
        Self::with(Limits::default(), store)
    }

    fn in_memory() -> Self {
        Self::start(MemoryStore::new())
    }

    fn with(limits: Limits, store: impl Store) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let relay =
            runtime.block_on(Relay::start(listen, limits, std::sync::Arc::new(store))).expect("a relay");
        let (address, handle) = (relay.local_addr(), relay.handle());
        let ended = runtime.spawn(relay.wait());
        Self { runtime, address, handle, ended }
    }

    /// Opens a connection in the room `room` and reads its peer id.
    fn join(&self, room: &str) -> Client {
        self.join_as(room, "")
    }

    /// The same with more parameters.
    fn join_as(&self, room: &str, parameters: &str) -> Client {
        let mut client = self.open(&format!("/r/{room}?g=g&v=1{parameters}"));
        client.read_peer_id();
        client
    }

    fn open(&self, target: &str) -> Client {
        Client::open(self.address, target)
    }

    /// Waits for the relay's end.
    fn ended(self) -> Result<(), RelayError> {
        self.runtime.block_on(self.ended).expect("the relay does not panic")
    }

    fn stop(self) -> Result<(), RelayError> {
        self.handle.shutdown();
        self.ended()
    }

    /// The number under `name` in what `/healthz` says.
    fn health(&self, name: &str) -> usize {
        let answer =
            client::request(self.address, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        let (_, number) = answer.split_once(&format!("\"{name}\":")).expect("the name");
        number.split([',', '}']).next().and_then(|number| number.parse().ok()).expect("a number")
    }
}

/// Waits until `true` is what `condition` says.
fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(5));
    }
}
