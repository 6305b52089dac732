//! A relay in a thread of its own.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use roomwire_relay::core::limits::RoomLimits;
use roomwire_relay::shell::{Handle, Limits, Relay};
use roomwire_relay::store::{MemoryStore, SqliteStore, Store};

/// A relay that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) at: SocketAddr,
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// A relay that remembers while it runs.
    pub(crate) fn start() -> Self {
        Self::with("127.0.0.1:0".parse().unwrap(), Limits::default(), Arc::new(MemoryStore::new()))
    }

    /// A relay that takes so many members a room.
    #[allow(dead_code, reason = "not every test binary needs it")]
    pub(crate) fn with_members(members_v1: usize) -> Self {
        let room = RoomLimits { members_v1, ..RoomLimits::default() };
        let limits = Limits { room, ..Limits::default() };
        Self::with("127.0.0.1:0".parse().unwrap(), limits, Arc::new(MemoryStore::new()))
    }

    /// A relay with a durable store.
    #[allow(dead_code, reason = "not every test binary needs it")]
    pub(crate) fn durable(at: SocketAddr, data: &Path) -> Self {
        Self::with(at, Limits::default(), Arc::new(SqliteStore::open(data).unwrap()))
    }

    fn with(at: SocketAddr, limits: Limits, store: Arc<dyn Store>) -> Self {
        let (started, starting) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.block_on(async {
                let relay = Relay::start(at, limits, store).await.unwrap();
                started.send((relay.local_addr(), relay.handle())).unwrap();
                relay.wait().await.unwrap();
            });
        });
        let (at, handle) = starting.recv().unwrap();
        Self { at, handle, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("ws://{}", self.at)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.shutdown();
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
            && !std::thread::panicking()
        {
            std::panic::resume_unwind(panic);
        }
    }
}
