//! One suite that every store passes, with what its cases and the stores' own tests share.

use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use bytes::Bytes;

use super::testing::{FailingStore, HeldStore};
use super::{Batch, Entry, MemoryStore, RoomName, Store, StoreError, StoredRoom, World, Write};

mod doubles;
mod model;
mod suite;

/// A kind of store that the suite is run on.
pub(in crate::store) trait Kind {
    /// Whether a store that is opened again in the same directory has what the one before it had.
    const LASTS: bool;

    fn open(dir: &Path) -> Box<dyn Store>;
}

pub(in crate::store) struct Memory;

impl Kind for Memory {
    const LASTS: bool = false;

    fn open(_: &Path) -> Box<dyn Store> {
        Box::new(MemoryStore::new())
    }
}

/// The doubles change nothing until they are told to.
struct Doubles;

impl Kind for Doubles {
    const LASTS: bool = false;

    fn open(_: &Path) -> Box<dyn Store> {
        Box::new(FailingStore::new(HeldStore::new(MemoryStore::new()), u64::MAX))
    }
}

#[cfg(feature = "sqlite")]
pub(in crate::store) struct Sqlite;

#[cfg(feature = "sqlite")]
impl Kind for Sqlite {
    const LASTS: bool = true;

    fn open(dir: &Path) -> Box<dyn Store> {
        Box::new(super::SqliteStore::open(dir).unwrap())
    }
}

/// Long enough for any machine: reached only by a store that never answers.
const PATIENCE: Duration = Duration::from_secs(120);

pub(in crate::store) fn room(name: &str) -> RoomName {
    RoomName::new("game", name)
}

pub(in crate::store) fn entry(rev: u32, key: &str, value: impl AsRef<[u8]>) -> Entry {
    let copy = Bytes::copy_from_slice;
    Entry { rev, key: copy(key.as_bytes()), value: copy(value.as_ref()) }
}

pub(in crate::store) fn world(rev: u32, blob: impl AsRef<[u8]>) -> World {
    World { rev, blob: Bytes::copy_from_slice(blob.as_ref()) }
}

pub(in crate::store) fn set(rev: u32, key: &str, value: impl AsRef<[u8]>) -> Write {
    Write::Set(entry(rev, key, value))
}

pub(in crate::store) fn save(rev: u32, blob: impl AsRef<[u8]>) -> Write {
    Write::World(world(rev, blob))
}

/// A batch that ends at its last write.
pub(in crate::store) fn batch(room: &RoomName, writes: impl Into<Vec<Write>>) -> Batch {
    let writes = writes.into();
    Batch { room: room.clone(), rev: writes.last().map_or(0, Write::rev), writes }
}

/// Begins a commit; its result comes through the channel.
pub(in crate::store) fn begin(store: &dyn Store, batch: Batch) -> Receiver<Result<(), StoreError>> {
    let (sender, receiver) = mpsc::channel();
    store.commit_batch(batch, Box::new(move |result| drop(sender.send(result))));
    receiver
}

pub(in crate::store) fn wait<T>(result: &Receiver<T>) -> T {
    result.recv_timeout(PATIENCE).expect("an answer")
}

pub(in crate::store) fn commit(store: &dyn Store, batch: Batch) -> Result<(), StoreError> {
    wait(&begin(store, batch))
}

pub(in crate::store) fn load(store: &dyn Store, room: &RoomName) -> Result<StoredRoom, StoreError> {
    let (sender, receiver) = mpsc::channel();
    store.load(room, Box::new(move |result| drop(sender.send(result))));
    wait(&receiver)
}
