//! Doubles of a store, to prove what the relay does while a commit is under way and after one has failed.
//!
//! For tests of this package and of others (feature `test-support`).

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Batch, Done, RoomName, Store, StoreError, StoredRoom};

/// Holds commits back until they are released: nothing that a held write causes may be seen meanwhile (DUR-1).
///
/// It begins by letting all through. Loads are never held. Clones are the same store: keep one, give one to the
/// relay.
#[derive(Clone)]
pub struct HeldStore {
    shared: Arc<Held>,
}

struct Held {
    inner: Arc<dyn Store>,
    gate: Mutex<Gate>,
    changed: Condvar,
}

#[derive(Default)]
struct Gate {
    shut: bool,
    waiting: VecDeque<(Batch, Done<()>)>,
}

impl HeldStore {
    /// In front of `inner`, letting all through.
    pub fn new(inner: impl Store) -> Self {
        let shared = Held { inner: Arc::new(inner), gate: Mutex::default(), changed: Condvar::new() };
        Self { shared: Arc::new(shared) }
    }

    /// Holds every commit from now on.
    pub fn hold(&self) {
        self.gate().shut = true;
    }

    /// Commits the oldest `count` batches that are held, and holds the others and those to come. Gives the number
    /// released.
    pub fn release(&self, count: usize) -> usize {
        for released in 0..count {
            let Some((batch, done)) = self.next() else { return released };
            self.shared.inner.commit_batch(batch, done);
        }
        count
    }

    /// Commits all that is held, and lets all through from now on.
    pub fn release_all(&self) {
        // Batches that come meanwhile queue up behind those that wait, and the gate opens when none does: so the
        // order is kept.
        loop {
            let mut gate = self.gate();
            let Some((batch, done)) = gate.waiting.pop_front() else {
                gate.shut = false;
                return;
            };
            drop(gate);
            self.shared.inner.commit_batch(batch, done);
        }
    }

    /// The batches that are held, oldest first.
    pub fn held(&self) -> Vec<Batch> {
        self.gate().waiting.iter().map(|(batch, _)| batch.clone()).collect()
    }

    /// Waits until at least `count` batches are held; `false` if they are not after `limit`.
    #[must_use]
    pub fn wait_for(&self, count: usize, limit: Duration) -> bool {
        let waited =
            self.shared.changed.wait_timeout_while(self.gate(), limit, |gate| gate.waiting.len() < count);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn next(&self) -> Option<(Batch, Done<()>)> {
        self.gate().waiting.pop_front()
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.shared.gate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for HeldStore {
    fn load(&self, room: &RoomName, done: Done<StoredRoom>) {
        self.shared.inner.load(room, done);
    }

    fn commit_batch(&self, batch: Batch, done: Done<()>) {
        let mut gate = self.gate();
        if gate.shut {
            gate.waiting.push_back((batch, done));
            self.shared.changed.notify_all();
        } else {
            drop(gate);
            self.shared.inner.commit_batch(batch, done);
        }
    }

    /// Releases all that is held, then closes the store behind.
    fn close(&self) -> Result<(), StoreError> {
        self.release_all();
        self.shared.inner.close()
    }
}

/// Fails one commit, and from then on everything, as a store does whose disk failed (DUR-5).
pub struct FailingStore {
    inner: Arc<dyn Store>,
    /// Commits that still go well; `None` after the failure.
    left: Mutex<Option<u64>>,
}

impl FailingStore {
    /// In front of `inner`: the `nth` commit fails, counted from 1. Nothing of it, and nothing after it, reaches
    /// `inner`.
    pub fn new(inner: impl Store, nth: u64) -> Self {
        Self { inner: Arc::new(inner), left: Mutex::new(Some(nth.saturating_sub(1))) }
    }

    fn left(&self) -> MutexGuard<'_, Option<u64>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failure() -> StoreError {
        StoreError::Failed("a test asked for it".into())
    }
}

impl Store for FailingStore {
    fn load(&self, room: &RoomName, done: Done<StoredRoom>) {
        if self.left().is_some() {
            self.inner.load(room, done);
        } else {
            done(Err(Self::failure()));
        }
    }

    fn commit_batch(&self, batch: Batch, done: Done<()>) {
        let mut left = self.left();
        *left = left.and_then(|left| left.checked_sub(1));
        if left.is_some() {
            drop(left);
            self.inner.commit_batch(batch, done);
        } else {
            drop(left);
            done(Err(Self::failure()));
        }
    }

    /// Closes the store behind, and reports the failure if it has happened.
    fn close(&self) -> Result<(), StoreError> {
        let closed = self.inner.close();
        if self.left().is_some() { closed } else { Err(Self::failure()) }
    }
}
