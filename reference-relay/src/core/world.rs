//! The world of a room, and when its saves are sent to the others.

use std::time::Duration;

use bytes::Bytes;
use roomwire_codec::registry::limit;

use super::time::Time;

const INTERVAL: Duration = Duration::from_millis(limit::WORLD_FANOUT_INTERVAL);

/// The world: what is committed, and how long it will be once every accepted save is.
#[derive(Debug, Default)]
pub(crate) struct World {
    accepted: usize,
    committed: Option<Saved>,
    /// A save was committed that some member may not hold yet.
    stale: bool,
    sent: Option<Time>,
}

/// A committed world.
#[derive(Clone, Debug)]
pub(crate) struct Saved {
    pub(crate) rev: u32,
    /// The WORLD_LOAD that carries it.
    pub(crate) frame: Bytes,
}

impl World {
    /// Bytes of the world that was accepted last (ROOM-CAP-3).
    pub(crate) fn bytes(&self) -> usize {
        self.accepted
    }

    pub(crate) fn accept(&mut self, len: usize) {
        self.accepted = len;
    }

    pub(crate) fn commit(&mut self, saved: Saved) {
        self.committed = Some(saved);
        self.stale = true;
    }

    /// The world as a store gave it, which nobody has to be told of.
    pub(crate) fn load(&mut self, saved: Saved) {
        self.committed = Some(saved);
    }

    pub(crate) fn committed(&self) -> Option<&Saved> {
        self.committed.as_ref()
    }

    /// When the newest world is to be sent to the members that do not hold it (ROOM-WORLD-5); none if all do.
    pub(crate) fn due(&self) -> Option<Time> {
        self.stale.then(|| self.sent.map_or(Time::ZERO, |sent| sent + INTERVAL))
    }

    /// The newest world, if it is to be sent now.
    pub(crate) fn take_due(&mut self, now: Time) -> Option<Saved> {
        if self.due().is_none_or(|due| now < due) {
            return None;
        }
        self.stale = false;
        self.committed.clone()
    }

    /// The world went out to at least one member.
    pub(crate) fn sent(&mut self, now: Time) {
        self.sent = Some(now);
    }
}
