//! Where rooms last: the interface between the relay and whatever keeps its rooms on disk.
//!
//! The relay holds a room in memory while it has members. It [loads](Store::load) the room when the first member
//! comes, and hands every accepted write to [`Store::commit_batch`]. Nothing that a write caused (a broadcast, an
//! acknowledgement) may leave the relay before the `done` of its batch has run with `Ok`: then, and only then, does
//! the write survive the death of the process and of the machine.
//!
//! | store | what lasts |
//! |---|---|
//! | [`SqliteStore`] (feature `sqlite`) | everything, in one SQLite file; one fsync for all batches that wait |
//! | [`MemoryStore`] | nothing: for tests, trials and rooms that may be forgotten |
//!
//! The interface knows neither async nor a runtime. Results come by callback, so that a store may have a thread of
//! its own and answer many rooms after one fsync.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

mod check;
mod memory;
#[cfg(feature = "sqlite")]
mod reply;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(any(test, feature = "test-support"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::{OpenError, SqliteOptions, SqliteStore};

/// Names a room: the game and the room id. Both are checked before a name is made (1 to 64 bytes of the name
/// alphabet); a store takes them as they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomName {
    /// The game (`g`).
    pub game: Box<str>,
    /// The room id within the game.
    pub room: Box<str>,
}

impl RoomName {
    /// The room `room` of the game `game`.
    pub fn new(game: impl Into<Box<str>>, room: impl Into<Box<str>>) -> Self {
        Self { game: game.into(), room: room.into() }
    }
}

impl fmt::Display for RoomName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.game, self.room)
    }
}

/// What a store holds of one room. The default is a room that was never written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRoom {
    /// The revision of the room's last commit; 0 if there was none. No later commit may have it or a lower one.
    pub rev: u32,
    /// The saved world, if one was ever saved (an empty one counts).
    pub world: Option<World>,
    /// The live values; their revisions ascend strictly, and none is above `rev`.
    pub entries: Vec<Entry>,
}

/// A saved world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// The revision of the commit that saved it, 1 or more.
    pub rev: u32,
    /// The world as the member sent it; may be empty.
    pub blob: Bytes,
}

/// One shared value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The revision of the commit that set it, 1 or more.
    pub rev: u32,
    /// The key: UTF-8, within the protocol's length limits.
    pub key: Bytes,
    /// The value as the member sent it; may be empty.
    pub value: Bytes,
}

/// One write to a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Sets the value of a key, whether or not it had one.
    Set(Entry),
    /// Replaces the world.
    World(World),
}

impl Write {
    /// The revision of this write's commit.
    pub fn rev(&self) -> u32 {
        match self {
            Write::Set(entry) => entry.rev,
            Write::World(world) => world.rev,
        }
    }
}

/// Writes to one room that are to become durable together: after a crash all of them are there or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The room.
    pub room: RoomName,
    /// The room's revision after the batch: at least that of its last write.
    pub rev: u32,
    /// The writes, in commit order: their revisions ascend strictly, and all are above the room's revision before.
    pub writes: Vec<Write>,
}

/// Takes the result of one call, exactly once.
///
/// It runs on **any thread, the caller's own stack included**: before `load` or `commit_batch` has returned, or at
/// any time after. So a caller holds no lock across those calls that its `done` takes. A `done` may call the store
/// again. It must return soon (every other room waits for it: hand the result on, do no work) and must not panic.
pub type Done<T> = Box<dyn FnOnce(Result<T, StoreError>) + Send>;

/// A place where rooms last.
///
/// Batches of one room complete in the order in which they were given. Batches of different rooms may be made
/// durable together, and may overtake each other.
pub trait Store: Send + Sync + 'static {
    /// Reads a room: committed data only, and every batch of that room that was given before this call. A room that
    /// was never written gives the default and leaves no trace in the store.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] and [`StoreError::Unreadable`] concern this room alone; the store goes on.
    /// [`StoreError::Failed`] and [`StoreError::Closed`] concern every call.
    fn load(&self, room: &RoomName, done: Done<StoredRoom>);

    /// Commits a batch. `done` gets `Ok` only after the batch is durable.
    ///
    /// # Errors
    /// [`StoreError::Refused`]: the batch does not continue the room; nothing of it was written. After
    /// [`StoreError::Failed`] it is unknown whether the batch will be there when the store is opened again, so
    /// nothing may be said about it, and the process is to end. [`StoreError::Closed`]: nothing was written.
    fn commit_batch(&self, batch: Batch, done: Done<()>);

    /// Closes the store. Everything given before is durable or has failed, each `done` has run, and the files are
    /// closed when this returns; what is given later gets [`StoreError::Closed`]. Blocks; a second call does
    /// nothing and gives `Ok`. It must not be called from within a `done`.
    ///
    /// # Errors
    /// [`StoreError::Failed`] if the store failed before or while it closed. Batches reported durable remain so.
    fn close(&self) -> Result<(), StoreError>;
}

/// Why a store did not do what it was asked to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// What is stored of this room breaks the rules. It is never repaired or served in part. Other rooms are served.
    #[error("the stored room {room} is damaged: {what}")]
    Corrupt {
        /// The room.
        room: RoomName,
        /// What is wrong, for the operator.
        what: Box<str>,
    },
    /// This room could not be read now (an I/O error, no memory). Other rooms are served.
    #[error("the stored room {room} cannot be read: {what}")]
    Unreadable {
        /// The room.
        room: RoomName,
        /// The cause, for the operator.
        what: Box<str>,
    },
    /// The batch does not continue the room that is stored: a defect of the caller. Nothing was written.
    #[error("a batch for the room {room} was refused: {what}")]
    Refused {
        /// The room.
        room: RoomName,
        /// What is wrong, for the operator.
        what: Box<str>,
    },
    /// A commit or fsync failed. What became of the batches in it is unknown, so the store does no work any more:
    /// the process is to end, and a new one reads what is really there.
    #[error("the store failed and does no more work: {0}")]
    Failed(Arc<str>),
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
}
