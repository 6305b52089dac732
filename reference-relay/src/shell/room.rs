//! A room as the shell holds it: the core's state machine behind a lock, and what wakes whom.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use roomwire_codec::registry::close;
use tokio::sync::{Notify, SetOnce};

use super::connection::Connection;
use super::rates::Sends;
use crate::core::closing::Closing;
use crate::core::effect::Effect;
use crate::core::limits::RoomLimits;
use crate::core::member::{MemberId, Mode};
use crate::core::room::Room;
use crate::core::time::Time;
use crate::store::{Batch, RoomName, StoreError, StoredRoom};

/// A room that is in memory or on its way there.
#[derive(Debug)]
pub(crate) struct RoomHandle {
    name: RoomName,
    inner: Mutex<Inner>,
    /// Set when the room can be joined, or with the close for those who wait for it.
    loaded: SetOnce<Result<(), Closing>>,
    /// Wakes the flusher.
    pub(super) wake: Notify,
    /// Wakes readers that wait for the room to have less to do.
    relief: Notify,
    /// What all members may send together.
    pub(super) sends: Sends,
    /// Held by the member that waits for `sends`; the others that wait for them queue for this (RATE-SEND-3).
    pub(super) turn: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Inner {
    /// None while the room is loaded, and for ever if that fails.
    room: Option<Room>,
    /// Connections of members that joined and that the flusher does not know yet.
    arrivals: Vec<(MemberId, Arc<Connection>)>,
    last_member: u64,
    /// What became of the batch that is on its way.
    outcome: Option<Result<(), StoreError>>,
    load_ended: bool,
    /// Why the room is to stop, where that was decided before it was loaded.
    stopping: Option<Closing>,
    /// The directory has forgotten the room: its flusher ends.
    retired: bool,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// The next one is welcome.
    Taken,
    /// It was not taken: the room has too much to do. See [`RoomHandle::relieved`].
    Congested,
    /// The member is not in the room any more.
    Gone,
}

/// What the flusher is to do in a turn.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) effects: Vec<Effect>,
    pub(crate) arrivals: Vec<(MemberId, Arc<Connection>)>,
    pub(crate) batch: Option<Batch>,
    /// The store failed: the relay is to end.
    pub(crate) failure: Option<StoreError>,
}

impl RoomHandle {
    pub(crate) fn new(name: RoomName, sends: Sends) -> Self {
        Self {
            name,
            inner: Mutex::default(),
            loaded: SetOnce::new(),
            wake: Notify::new(),
            relief: Notify::new(),
            sends,
            turn: tokio::sync::Mutex::default(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn name(&self) -> &RoomName {
        &self.name
    }

    /// The store's answer to the load of this room. Wakes everyone who waits for it.
    pub(crate) fn load_ended(&self, stored: Result<StoredRoom, StoreError>, limits: RoomLimits) {
        let room = stored.map_err(|error| error.to_string()).and_then(|stored| {
            Room::new(self.name.clone(), stored, limits).map_err(|damaged| damaged.to_string())
        });
        let mut inner = self.inner();
        inner.load_ended = true;
        let loaded = match room {
            Ok(mut room) => {
                if let Some(closing) = inner.stopping.take() {
                    room.stop(closing);
                }
                inner.room = Some(room);
                Ok(())
            }
            Err(error) => {
                tracing::error!(room = %self.name, error, "a room cannot be read");
                Err(Closing::new(close::STORAGE, "the room cannot be read"))
            }
        };
        drop(inner);
        // It is set only here, and the store answers once.
        let _ = self.loaded.set(loaded);
        self.wake.notify_one();
    }

    /// Waits until the room can be joined.
    pub(crate) async fn loaded(&self) -> Result<(), Closing> {
        self.loaded.wait().await.clone()
    }

    /// Lets a connection in (JOIN-CUT-1).
    pub(crate) fn join(&self, mode: Mode, connection: &Arc<Connection>) -> Result<MemberId, Closing> {
        let mut inner = self.inner();
        let inner = &mut *inner;
        let Some(room) = &mut inner.room else {
            return Err(Closing::new(close::STORAGE, "the room cannot be read"));
        };
        let member = MemberId(inner.last_member.saturating_add(1));
        room.join(member, mode, &mut rand::rng())?;
        inner.last_member = member.0;
        inner.arrivals.push((member, Arc::clone(connection)));
        self.wake.notify_one();
        Ok(member)
    }

    /// Hands a message of a member to the room, unless the room has too much to do (LIM-MEM-2).
    pub(crate) fn receive(&self, member: MemberId, message: &[u8]) -> Received {
        let received = self.with_room(|room| {
            if room.is_congested() {
                Received::Congested
            } else if room.receive(member, message) {
                Received::Taken
            } else {
                Received::Gone
            }
        });
        received.unwrap_or(Received::Gone)
    }

    /// Whether the member is in the room.
    pub(crate) fn has(&self, member: MemberId) -> bool {
        self.inner().room.as_ref().is_some_and(|room| room.has(member))
    }

    /// The member's connection has ended.
    pub(crate) fn leave(&self, member: MemberId) {
        self.with_room(|room| room.leave(member));
    }

    /// Closes a member.
    pub(crate) fn close(&self, member: MemberId, closing: Closing) {
        self.with_room(|room| room.close(member, closing));
    }

    fn with_room<T>(&self, act: impl FnOnce(&mut Room) -> T) -> Option<T> {
        let mut inner = self.inner();
        let room = inner.room.as_mut()?;
        let result = act(room);
        let has_work = room.has_work();
        drop(inner);
        if has_work {
            self.wake.notify_one();
        }
        Some(result)
    }

    /// Waits until the room has less to do.
    pub(crate) async fn relieved(&self) {
        loop {
            let relief = self.relief.notified();
            tokio::pin!(relief);
            relief.as_mut().enable();
            if !self.inner().room.as_ref().is_some_and(Room::is_congested) {
                return;
            }
            relief.await;
        }
    }

    /// The store's answer to a batch of this room.
    pub(crate) fn batch_ended(&self, outcome: Result<(), StoreError>) {
        self.inner().outcome = Some(outcome);
        self.wake.notify_one();
    }

    /// Takes what is to be done now. Returns whether there is anything.
    pub(crate) fn take_work(&self, now: Time, work: &mut Work) -> bool {
        let mut inner = self.inner();
        let inner = &mut *inner;
        let Some(room) = &mut inner.room else { return false };
        match inner.outcome.take() {
            Some(Ok(())) => room.committed(now),
            Some(Err(failure)) => {
                room.store_failed();
                work.failure = Some(failure);
            }
            None => room.timeout(now),
        }
        room.take_effects(&mut work.effects);
        work.arrivals.append(&mut inner.arrivals);
        work.batch = room.take_batch(now);
        if !room.is_congested() {
            self.relief.notify_waiters();
        }
        !work.effects.is_empty() || work.batch.is_some() || work.failure.is_some()
    }

    /// When the room has something to do by itself.
    pub(crate) fn next_timeout(&self) -> Option<Time> {
        self.inner().room.as_ref().and_then(Room::next_timeout)
    }

    /// See [`Room::stop`].
    pub(crate) fn stop(&self, closing: &Closing) {
        let mut inner = self.inner();
        match &mut inner.room {
            Some(room) => room.stop(closing.clone()),
            None => inner.stopping = Some(closing.clone()),
        }
        drop(inner);
        self.wake.notify_one();
    }

    /// Whether the room can be forgotten once nobody is in it.
    pub(crate) fn is_idle(&self) -> bool {
        let inner = self.inner();
        inner.load_ended && inner.outcome.is_none() && inner.room.as_ref().is_none_or(Room::is_idle)
    }

    /// The directory has forgotten the room.
    pub(crate) fn retire(&self) {
        self.inner().retired = true;
        self.wake.notify_one();
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.inner().retired
    }

    /// How many members there are.
    pub(crate) fn members(&self) -> usize {
        self.inner().room.as_ref().map_or(0, Room::members)
    }
}
