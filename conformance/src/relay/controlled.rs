//! A store in the runner's hands: commits can be held, and made to fail.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roomwire_relay::store::{Batch, Done, RoomName, Store, StoreError, StoredRoom};

/// In front of another store. Clones are the same store.
#[derive(Clone)]
pub struct ControlledStore {
    inner: Arc<dyn Store>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    held: bool,
    failing: bool,
    waiting: VecDeque<(Batch, Done<()>)>,
}

impl ControlledStore {
    /// In front of `inner`; lets everything through at first.
    pub fn new(inner: Box<dyn Store>) -> Self {
        Self { inner: Arc::from(inner), state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits wait from now on.
    pub fn hold(&self) {
        self.state().held = true;
    }

    /// Commits go on, those that waited first.
    pub fn release(&self) {
        loop {
            let mut state = self.state();
            let Some((batch, done)) = state.waiting.pop_front() else {
                state.held = false;
                return;
            };
            drop(state);
            self.inner.commit_batch(batch, done);
        }
    }

    /// Every commit fails from now on.
    pub fn fail(&self) {
        self.state().failing = true;
    }
}

impl Store for ControlledStore {
    fn load(&self, room: &RoomName, done: Done<StoredRoom>) {
        self.inner.load(room, done);
    }

    fn commit_batch(&self, batch: Batch, done: Done<()>) {
        let mut state = self.state();
        if state.failing {
            drop(state);
            done(Err(StoreError::Failed("the runner made it fail".into())));
        } else if state.held {
            state.waiting.push_back((batch, done));
        } else {
            drop(state);
            self.inner.commit_batch(batch, done);
        }
    }

    fn close(&self) -> Result<(), StoreError> {
        self.release();
        self.inner.close()
    }
}
