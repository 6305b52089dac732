//! The relay as a whole: what all its connections and rooms share, its start and its end.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use governor::clock::DefaultClock;
use roomwire_codec::registry::close;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::clock::Clock;
use super::commits::Commits;
use super::connection::Sending;
use super::rates::Rates;
use super::room::RoomHandle;
use super::{flusher, listener};
use crate::core::closing::Closing;
use crate::core::directory::{Directory, Entered};
use crate::core::limits::{QueueLimits, RateLimits, RoomLimits, Timing};
use crate::store::{Batch, Store, StoreError};

/// Limits and times of a relay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Limits of a room.
    pub room: RoomLimits,
    /// Limits of a member's queue.
    pub queue: QueueLimits,
    /// When silent connections are pinged and given up.
    pub timing: Timing,
    /// How often and how fast.
    pub rates: RateLimits,
}

/// Why a relay ended by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RelayError {
    /// The store failed; nothing was acknowledged that is not durable.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The store could not be closed in order by a task of its own.
    #[error("the store could not be closed: {0}")]
    Close(#[from] tokio::task::JoinError),
}

/// A relay that serves.
#[derive(Debug)]
pub struct Relay {
    shared: Arc<Shared>,
    address: SocketAddr,
}

/// Tells a relay to end, from anywhere.
#[derive(Clone, Debug)]
pub struct Handle {
    stop: CancellationToken,
}

/// What everything in a relay shares.
pub(crate) struct Shared {
    pub(crate) sending: Arc<Sending>,
    pub(crate) timing: Timing,
    store: Arc<dyn Store>,
    commits: Commits,
    pub(crate) rates: Arc<Rates>,
    room_limits: RoomLimits,
    rooms: Mutex<Directory<Arc<RoomHandle>>>,
    pub(crate) stop: CancellationToken,
    failure: Mutex<Option<StoreError>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Relay {
    /// Binds `listen` and serves it from tasks of the current runtime.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub async fn start(listen: SocketAddr, limits: Limits, store: Arc<dyn Store>) -> io::Result<Self> {
        let socket = TcpListener::bind(listen).await?;
        let address = socket.local_addr()?;
        let sending = Sending {
            clock: Clock::start(),
            tasks: TaskTracker::new(),
            limits: limits.queue,
            close_timeout: limits.timing.close_timeout,
        };
        let shared = Arc::new(Shared {
            sending: Arc::new(sending),
            timing: limits.timing,
            store,
            commits: Commits::start(),
            rates: Arc::new(Rates::new(limits.rates, DefaultClock::default())),
            room_limits: limits.room,
            rooms: Mutex::default(),
            stop: CancellationToken::new(),
            failure: Mutex::default(),
        });
        shared.sending.tasks.spawn(listener::run(Arc::clone(&shared), socket));
        shared.sending.tasks.spawn(sweep(Arc::clone(&shared)));
        Ok(Self { shared, address })
    }

    /// The address that is served; its port is the real one where port 0 was asked for.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Something that can tell the relay to end.
    pub fn handle(&self) -> Handle {
        Handle { stop: self.shared.stop.clone() }
    }

    /// Serves until the [handle](Self::handle) says to end or the store fails. Then what was accepted is committed and
    /// told, everyone is closed, and the store is closed (DUR-9, DUR-5).
    ///
    /// # Errors
    /// [`RelayError`] if the relay did not end because it was told to, or the store did not end in order.
    pub async fn wait(self) -> Result<(), RelayError> {
        let Self { shared, .. } = self;
        shared.stop.cancelled().await;
        let closing = shared.stopping();
        shared.rooms().handles().for_each(|room| room.stop(&closing));
        shared.sending.tasks.close();
        // Everything that is left has a time-out of its own, but for a store that does not answer.
        let patience = shared.timing.close_timeout.saturating_add(PATIENCE);
        if tokio::time::timeout(patience, shared.sending.tasks.wait()).await.is_err() {
            tracing::warn!(tasks = shared.sending.tasks.len(), "some connections did not end in time");
        }
        let store = Arc::clone(&shared.store);
        let closed = tokio::task::spawn_blocking(move || store.close()).await?;
        match shared.failure().take() {
            Some(failure) => Err(failure.into()),
            None => Ok(closed?),
        }
    }
}

/// Forgets clients and rooms whose joins are long ago.
async fn sweep(shared: Arc<Shared>) {
    const INTERVAL: Duration = Duration::from_secs(10);
    while shared.stop.run_until_cancelled(tokio::time::sleep(INTERVAL)).await.is_some() {
        shared.rates.sweep();
    }
}

/// How much longer than a close may take the end of the relay may take.
const PATIENCE: Duration = Duration::from_secs(5);

impl Handle {
    /// Tells the relay to end. [`Relay::wait`] returns when it has.
    pub fn shutdown(&self) {
        self.stop.cancel();
    }
}

impl Shared {
    fn rooms(&self) -> MutexGuard<'_, Directory<Arc<RoomHandle>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failure(&self) -> MutexGuard<'_, Option<StoreError>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a room, and has it loaded if it is not in memory.
    pub(crate) fn enter(self: &Arc<Self>, name: &crate::store::RoomName) -> Arc<RoomHandle> {
        let entered =
            self.rooms().enter(name, || Arc::new(RoomHandle::new(name.clone(), self.rates.of_room())));
        match entered {
            Entered::Present(room) => room,
            Entered::New(room) => {
                if self.stop.is_cancelled() {
                    room.stop(&self.stopping());
                }
                self.sending.tasks.spawn(flusher::run(Arc::clone(self), Arc::clone(&room)));
                let (shared, loading) = (Arc::clone(self), Arc::clone(&room));
                // The lock is free again: the store may answer before it returns.
                self.store.load(
                    name,
                    Box::new(move |stored| {
                        if let Err(failure @ (StoreError::Failed(_) | StoreError::Closed)) = &stored {
                            shared.fail(failure.clone());
                        }
                        loading.load_ended(stored, shared.room_limits);
                    }),
                );
                room
            }
        }
    }

    /// Leaves a room.
    pub(crate) fn exit(&self, room: &Arc<RoomHandle>) {
        let forgotten = self.rooms().exit(room.name(), |room| room.is_idle());
        if let Some(room) = forgotten {
            room.retire();
        }
    }

    /// Forgets a room that has become idle, if nobody is in it.
    pub(crate) fn settle(&self, room: &Arc<RoomHandle>) {
        let forgotten = self.rooms().settle(room.name(), |room| room.is_idle());
        if let Some(room) = forgotten {
            room.retire();
        }
    }

    /// What everyone is closed with when the relay ends: in order (DUR-9), or because the store failed (DUR-5).
    pub(crate) fn stopping(&self) -> Closing {
        if self.failure().is_some() {
            return Closing::new(close::STORAGE, "the store has failed");
        }
        Closing::new(close::RESTART, "the relay goes down")
    }

    /// The store failed: the relay ends (DUR-5).
    pub(crate) fn fail(&self, failure: StoreError) {
        tracing::error!(%failure, "the store failed, the relay ends");
        self.failure().get_or_insert(failure);
        self.stop.cancel();
    }

    /// Has a room's batch committed, and then the room told.
    pub(crate) fn commit(&self, room: &Arc<RoomHandle>, batch: Batch) {
        self.store.commit_batch(batch, self.commits.teller(room));
    }

    /// How many rooms and members there are.
    pub(crate) fn census(&self) -> (usize, usize) {
        let rooms: Vec<_> = self.rooms().handles().map(Arc::clone).collect();
        (rooms.len(), rooms.iter().map(|room| room.members()).sum())
    }
}
