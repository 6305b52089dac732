//! The thread: what goes into which transaction, and who hears of it when.

use std::collections::{HashMap, HashSet, VecDeque};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, MAIN_DB};

use super::gather::Gather;
use super::open::Opened;
use super::queue::{Job, Queue};
use super::rows::{RoomRow, Rows, read_error};
use crate::store::reply::Reply;
use crate::store::{Batch, RoomName, StoreError, StoredRoom, Write, check};

/// A batch of so many bytes or more gets a transaction of its own, after the small ones: writing a world of 1 MiB
/// takes milliseconds, for which the values of other rooms shall not wait more than once.
const LARGE: usize = 64 << 10;

/// Pages in the WAL after which it is written back. A short WAL is overwritten from its beginning sooner, and that
/// is cheaper than one that grows: with 16,000 pages the CPU for a write rose by half.
const CHECKPOINT_PAGES: i32 = 1_000;

/// Rooms whose row is remembered, so that a commit need not look for it.
const KNOWN_MAX: usize = 4_096;

/// Serves until the store is closed. On return every reply was sent and the files are closed.
pub(super) fn run(opened: Opened, queue: &Queue, patience: Duration) -> Result<(), StoreError> {
    let Opened { mut conn, lock, .. } = opened;
    let outcome = serve(&mut conn, queue, patience).and_then(|()| {
        conn.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::TRUNCATE)
            .map(drop)
            .map_err(|error| failed(&error))
    });
    if outcome.is_err() {
        // After a failed write or fsync the files are left as they are. The next to open them reads what is there.
        let _ = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    }
    let closed = conn.close().map_err(|(_, error)| failed(&error));
    drop(lock);
    outcome.and(closed)
}

fn serve(conn: &mut Connection, queue: &Queue, patience: Duration) -> Result<(), StoreError> {
    // However this ends, those who come later are told that nobody serves them.
    let _end = End(queue);
    let wal_pages = Arc::new(AtomicI32::new(0));
    let pages = wal_pages.clone();
    conn.wal_hook(Some(move |_: &mut Wal, count| {
        pages.store(count, Ordering::Relaxed);
        Ok(())
    }))
    .map_err(|error| failed(&error))?;
    let rows = Rows::prepare(conn).map_err(|error| failed(&error))?;
    let mut writer = Writer {
        conn,
        rows,
        known: HashMap::new(),
        gather: Gather::new(Instant::now()),
        patience,
        wal_pages,
        small: Vec::new(),
        large: VecDeque::new(),
        loads: Vec::new(),
        closing: false,
        failure: None,
    };
    writer.serve(queue);
    writer.failure.map_or(Ok(()), Err)
}

struct End<'a>(&'a Queue);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

fn failed(error: &rusqlite::Error) -> StoreError {
    StoreError::Failed(error.to_string().into())
}

type Commit = (Batch, Reply<()>);

struct Writer<'c> {
    conn: &'c Connection,
    rows: Rows<'c>,
    /// Rows of rooms that were written lately, with their revision as of the running transaction.
    known: HashMap<RoomName, RoomRow>,
    gather: Gather,
    /// Longest time that a batch waits for those of other rooms.
    patience: Duration,
    wal_pages: Arc<AtomicI32>,
    /// Batches for the next transaction, oldest first.
    small: Vec<Commit>,
    /// Large batches, and whatever came after one of them for the same room, oldest first.
    large: VecDeque<Commit>,
    loads: Vec<(RoomName, Reply<StoredRoom>)>,
    closing: bool,
    /// Set once, by the first failure of a transaction or checkpoint; then no work is done any more.
    failure: Option<StoreError>,
}

impl Writer<'_> {
    fn serve(&mut self, queue: &Queue) {
        while !(self.closing && self.is_idle()) {
            let jobs = if self.closing {
                Vec::new()
            } else if self.is_idle() {
                queue.wait(self.patience, |now| self.gather.expected(now))
            } else {
                queue.take()
            };
            for job in jobs {
                self.take(job);
            }
            self.turn();
        }
    }

    fn is_idle(&self) -> bool {
        self.small.is_empty() && self.large.is_empty() && self.loads.is_empty()
    }

    fn take(&mut self, job: Job) {
        match job {
            _ if self.closing => drop(job),
            Job::Load(name, reply) => self.loads.push((name, reply)),
            Job::Commit(batch, reply) => {
                // A small batch may pass the large ones of other rooms, not those of its own.
                if size(&batch) >= LARGE || self.waits_in_large(&batch.room) {
                    self.large.push_back((batch, reply));
                } else {
                    self.small.push((batch, reply));
                }
            }
            Job::Close => self.closing = true,
        }
    }

    fn waits_in_large(&self, name: &RoomName) -> bool {
        self.large.iter().any(|(batch, _)| batch.room == *name)
    }

    /// One transaction for all that is small, one for a large batch, then the loads, which so see every batch that
    /// was given before them.
    fn turn(&mut self) {
        let small = mem::take(&mut self.small);
        if !small.is_empty() {
            self.commit(small);
        }
        if let Some(large) = self.large.pop_front() {
            self.commit(vec![large]);
        }
        for (name, reply) in mem::take(&mut self.loads) {
            if self.waits_in_large(&name) {
                self.loads.push((name, reply));
                continue;
            }
            reply.send(match &self.failure {
                Some(failure) => Err(failure.clone()),
                None => self.rows.load(&name),
            });
        }
        self.checkpoint();
    }

    fn commit(&mut self, commits: Vec<Commit>) {
        let verdicts = match &self.failure {
            Some(failure) => Err(failure.clone()),
            None => self.transaction(&commits).map_err(|error| self.fail(&error)),
        };
        match verdicts {
            Ok(verdicts) => {
                commits.into_iter().zip(verdicts).for_each(|((_, reply), verdict)| reply.send(verdict))
            }
            Err(failure) => commits.into_iter().for_each(|(_, reply)| reply.send(Err(failure.clone()))),
        }
    }

    /// Writes the batches and returns after the fsync, with what became of each. An error means that this is not
    /// known of any of them.
    fn transaction(&mut self, commits: &[Commit]) -> rusqlite::Result<Vec<Result<(), StoreError>>> {
        self.rows.begin()?;
        let mut accepted = Vec::with_capacity(commits.len());
        let mut verdicts = Vec::with_capacity(commits.len());
        for (batch, _) in commits {
            verdicts.push(match self.accept(batch)? {
                Ok(id) => {
                    self.gather.wrote(id);
                    accepted.push((id, batch));
                    Ok(())
                }
                Err(refusal) => Err(refusal),
            });
        }
        self.write(&accepted)?;
        self.rows.commit()?;
        Ok(verdicts)
    }

    /// Finds or makes the row of the batch's room, if the batch continues the room.
    fn accept(&mut self, batch: &Batch) -> rusqlite::Result<Result<i64, StoreError>> {
        if let Some(room) = self.known.get_mut(&batch.room) {
            return Ok(check::continues(room.rev, batch).map(|()| {
                room.rev = batch.rev;
                room.id
            }));
        }
        let found = match self.rows.find_room(&batch.room) {
            Ok(found) => found,
            // The row is damaged; the transaction stands. An error of SQLite's own may have ended it.
            Err(error) if error.sqlite_error().is_none() => return Ok(Err(read_error(&batch.room, &error))),
            Err(error) => return Err(error),
        };
        if let Err(refusal) = check::continues(found.map_or(0, |room| room.rev), batch) {
            return Ok(Err(refusal));
        }
        let room = match found {
            Some(room) => RoomRow { rev: batch.rev, ..room },
            None => self.rows.add_room(&batch.room, batch.rev)?,
        };
        if self.known.len() >= KNOWN_MAX {
            self.known.clear();
        }
        self.known.insert(batch.room.clone(), room);
        Ok(Ok(room.id))
    }

    /// Writes from the newest to the oldest, and of each room's revision, world and values only the newest.
    fn write(&mut self, accepted: &[(i64, &Batch)]) -> rusqlite::Result<()> {
        let mut revs = HashSet::with_capacity(accepted.len());
        let mut worlds = HashSet::new();
        let mut keys = HashSet::with_capacity(accepted.len());
        for &(room, batch) in accepted.iter().rev() {
            if revs.insert(room) {
                self.rows.set_rev(RoomRow { id: room, rev: batch.rev })?;
            }
            for write in batch.writes.iter().rev() {
                match write {
                    Write::Set(entry) if keys.insert((room, &entry.key)) => {
                        self.rows.set_entry(room, entry)?
                    }
                    Write::World(world) if worlds.insert(room) => self.rows.set_world(room, world)?,
                    Write::Set(_) | Write::World(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Copies the WAL into the file, so that it starts over. Nobody reads beside this thread, so it is always whole.
    fn checkpoint(&mut self) {
        if self.failure.is_some() || self.wal_pages.load(Ordering::Relaxed) < CHECKPOINT_PAGES {
            return;
        }
        self.wal_pages.store(0, Ordering::Relaxed);
        if let Err(error) = self.conn.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::PASSIVE) {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &rusqlite::Error) -> StoreError {
        let failure = failed(error);
        self.failure = Some(failure.clone());
        failure
    }
}

/// Bytes that a batch brings.
fn size(batch: &Batch) -> usize {
    let write = |write: &Write| match write {
        Write::Set(entry) => entry.key.len() + entry.value.len(),
        Write::World(world) => world.blob.len(),
    };
    batch.writes.iter().map(write).sum()
}
