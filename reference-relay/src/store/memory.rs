//! The store that forgets: rooms in memory, for tests, trials, and rooms that may end with the process (DUR-10).

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::{Batch, Done, Entry, RoomName, Store, StoreError, StoredRoom, World, Write, check};

/// Keeps rooms as long as it lives itself; "durable" has that meaning here.
///
/// It has no thread. A call does its work at once, and its `done` runs before the call returns, on the caller's own
/// stack; or, if another thread (or a `done` further up this stack) is running `done`s just then, it is left to that
/// one. So completions keep their order, and a `done` that calls the store does not deepen the stack.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    idle: Condvar,
}

#[derive(Default)]
struct State {
    rooms: HashMap<RoomName, Room>,
    /// Calls whose work is done, and whose `done` has not run, oldest first.
    answers: VecDeque<Answer>,
    /// Whether somebody is running `answers`.
    running: bool,
    closed: bool,
}

#[derive(Default)]
struct Room {
    rev: u32,
    world: Option<World>,
    values: HashMap<Bytes, (u32, Bytes)>,
}

enum Answer {
    Load(Done<StoredRoom>, Result<StoredRoom, StoreError>),
    Commit(Done<()>, Result<(), StoreError>),
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No step of the work below can leave the state half done, so a panic elsewhere does not taint it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the answers that wait, unless somebody else does.
    fn answer<'a>(&'a self, mut state: MutexGuard<'a, State>) {
        if state.running {
            return;
        }
        state.running = true;
        while let Some(answer) = state.answers.pop_front() {
            drop(state);
            let panicked = Panicked(self);
            match answer {
                Answer::Load(done, result) => done(result),
                Answer::Commit(done, result) => done(result),
            }
            std::mem::forget(panicked);
            state = self.lock();
        }
        // Under the same lock as the last look at the queue: who adds an answer after it runs it.
        state.running = false;
        self.idle.notify_all();
    }
}

/// Dropped only when a `done` panics, which it must not: others can run answers all the same.
struct Panicked<'a>(&'a MemoryStore);

impl Drop for Panicked<'_> {
    fn drop(&mut self) {
        self.0.lock().running = false;
        self.0.idle.notify_all();
    }
}

impl Store for MemoryStore {
    fn load(&self, room: &RoomName, done: Done<StoredRoom>) {
        let mut state = self.lock();
        let result = if state.closed { Err(StoreError::Closed) } else { state.load(room) };
        state.answers.push_back(Answer::Load(done, result));
        self.answer(state);
    }

    fn commit_batch(&self, batch: Batch, done: Done<()>) {
        let mut state = self.lock();
        let result = if state.closed { Err(StoreError::Closed) } else { state.commit(batch) };
        state.answers.push_back(Answer::Commit(done, result));
        self.answer(state);
    }

    fn close(&self) -> Result<(), StoreError> {
        let mut state = self.lock();
        state.closed = true;
        while state.running {
            state = self.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.rooms.clear();
        Ok(())
    }
}

impl State {
    fn load(&self, name: &RoomName) -> Result<StoredRoom, StoreError> {
        let Some(room) = self.rooms.get(name) else { return Ok(StoredRoom::default()) };
        let entry = |(key, (rev, value)): (&Bytes, &(u32, Bytes))| Entry {
            rev: *rev,
            key: key.clone(),
            value: value.clone(),
        };
        check::assemble(name, room.rev, room.world.clone(), room.values.iter().map(entry).collect())
    }

    fn commit(&mut self, batch: Batch) -> Result<(), StoreError> {
        check::continues(self.rooms.get(&batch.room).map_or(0, |room| room.rev), &batch)?;
        let room = self.rooms.entry(batch.room).or_default();
        room.rev = batch.rev;
        for write in batch.writes {
            match write {
                Write::Set(Entry { rev, key, value }) => {
                    room.values.insert(key, (rev, value));
                }
                Write::World(world) => room.world = Some(world),
            }
        }
        Ok(())
    }
}
