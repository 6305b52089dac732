//! The store that lasts: one SQLite file, and one thread that alone writes and reads it.
//!
//! ```text
//! DIR/lock                the lock of the relay that uses DIR (DUR-8); stays when the relay ends
//! DIR/roomwire.sqlite3    the rooms; beside it, while the relay runs or after a crash, SQLite's -wal
//! ```
//!
//! The file is locked while the relay runs; to back it up, close the relay and copy it.
//!
//! The cost of a commit is its fsync: about 80 of the 105 us of CPU that a transaction with one small write takes on
//! ext4 over virtio. So the thread puts all batches that wait into one transaction, and gives rooms that wrote a
//! moment ago a moment to write again ([`SqliteOptions::patience`]).
//!
//! | file | what |
//! |---|---|
//! | `open.rs` | the directory, the lock, the file's identity, settings, schema |
//! | `rows.rs` | the statements: rooms to rows and back |
//! | `queue.rs` | calls on their way to the thread |
//! | `gather.rs` | for how many of them a transaction waits |
//! | `writer.rs` | the thread: what goes into which transaction, who hears of it when |

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::reply::Reply;
use super::{Batch, Done, RoomName, Store, StoreError, StoredRoom};

mod error;
mod gather;
mod open;
mod queue;
mod rows;
mod writer;

pub use error::OpenError;
use queue::{Job, Queue};

/// Rooms in an SQLite file (WAL, `synchronous=FULL`).
///
/// Every `done` runs on the store's own thread, except that of a call to a closed store, which runs on the caller's
/// stack. Dropping the store closes it.
pub struct SqliteStore {
    queue: Arc<Queue>,
    /// Taken by the first to close the store.
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
    settings: Vec<(&'static str, String)>,
}

/// What can be chosen of an [`SqliteStore`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// Longest time that a batch waits for those of other rooms; 1 ms unless set. It waits only while fewer rooms
    /// have written than did a moment ago, so a room that writes alone does not wait. Longer means more writes to an
    /// fsync and less CPU for each. 0 begins a transaction as soon as anything waits.
    pub patience: Duration,
    /// Largest size of the file in pages: lets tests fill the disk.
    #[cfg(test)]
    pub(crate) max_pages: Option<u32>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            patience: Duration::from_millis(1),
            #[cfg(test)]
            max_pages: None,
        }
    }
}

impl SqliteStore {
    /// Opens the store in the directory `dir`, and makes both if they are missing.
    ///
    /// # Errors
    /// See [`OpenError`]. Nothing is repaired, converted or overwritten on the way.
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, OpenError> {
        Self::open_with(dir, SqliteOptions::default())
    }

    /// Opens the store in the directory `dir` with `options`.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(dir: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, OpenError> {
        let opened = open::open(dir.as_ref())?;
        #[cfg(test)]
        if let Some(pages) = options.max_pages {
            opened.conn.pragma_update(None, "max_page_count", pages).expect("a test's page count");
        }
        let settings = opened.settings.clone();
        let queue = Arc::new(Queue::default());
        let jobs = Arc::clone(&queue);
        let thread = thread::Builder::new()
            .name("roomwire-store".into())
            .spawn(move || writer::run(opened, &jobs, options.patience))
            .map_err(|source| OpenError::Io {
                action: "start the thread for",
                path: dir.as_ref().into(),
                source,
            })?;
        Ok(Self { queue, thread: Mutex::new(Some(thread)), settings })
    }

    /// The settings that durability and safety rest on, as SQLite reported them after they were made: name and
    /// value, for the log.
    pub fn settings(&self) -> &[(&'static str, String)] {
        &self.settings
    }
}

impl Store for SqliteStore {
    fn load(&self, room: &RoomName, done: Done<StoredRoom>) {
        self.queue.push(Job::Load(room.clone(), Reply::new(done)));
    }

    fn commit_batch(&self, batch: Batch, done: Done<()>) {
        self.queue.push(Job::Commit(batch, Reply::new(done)));
    }

    fn close(&self) -> Result<(), StoreError> {
        // Held while the thread ends, so that a second caller waits for the first.
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(thread) = thread.take() else { return Ok(()) };
        self.queue.push(Job::Close);
        if thread.thread().id() == thread::current().id() {
            // Dropped by a `done` that held the store last: the thread ends by itself, after this `done`.
            return Ok(());
        }
        thread.join().unwrap_or_else(|_| Err(StoreError::Failed("its thread died".into())))
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // Nobody is left to be told of an error; what was reported durable is.
        let _ = self.close();
    }
}

#[cfg(test)]
mod tests;
