//! The way of a write from accepted to durable: pending, then in flight, one batch at a time.

use std::time::Duration;

use bytes::Bytes;
use roomwire_codec::registry::limit;

use super::gather::Gather;
use super::member::MemberId;
use super::time::Time;
use crate::store::{Batch, Entry, RoomName, World, Write};

/// Accepted writes that are not durable yet, in the order of their revisions (DUR-4).
#[derive(Debug)]
pub(crate) struct Pipeline {
    /// The revision that was assigned last; 0 in a room without commits.
    rev: u32,
    pending: Vec<Accepted>,
    in_flight: Vec<Accepted>,
    /// Bytes of the frames of both.
    bytes: usize,
    failed: bool,
    gather: Gather,
}

/// A write that has its revision.
#[derive(Debug)]
pub(crate) struct Accepted {
    /// Who sent it.
    pub(crate) author: MemberId,
    pub(crate) rev: u32,
    /// What tells the others: a STATE_UPDATE or a WORLD_LOAD.
    pub(crate) frame: Bytes,
    pub(crate) content: Content,
}

/// What is written.
#[derive(Debug)]
pub(crate) enum Content {
    /// A value; it shares the frame's memory, the key does not.
    Value { key: Bytes, value: Bytes },
    /// The world: what follows the frame's first byte.
    World,
}

impl Pipeline {
    pub(crate) fn new(rev: u32) -> Self {
        Self {
            rev,
            pending: Vec::new(),
            in_flight: Vec::new(),
            bytes: 0,
            failed: false,
            gather: Gather::default(),
        }
    }

    /// The revision of the next write; none if the last one has been used (ROOM-REV-4) or the store has failed.
    pub(crate) fn next_rev(&self) -> Option<u32> {
        const { assert!(limit::REV_MAX == u32::MAX, "the last revision is the last u32") };
        if self.failed { None } else { self.rev.checked_add(1) }
    }

    /// Takes a write with the revision that [`next_rev`](Self::next_rev) gave.
    pub(crate) fn accept(&mut self, accepted: Accepted) {
        self.rev = accepted.rev;
        self.bytes = self.bytes.saturating_add(accepted.frame.len());
        self.gather.wrote(accepted.author);
        self.pending.push(accepted);
    }

    /// How many writes wait for a batch.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// When the next batch is to be taken; none if there is nothing to take or a batch is on its way.
    pub(crate) fn batch_due(&self) -> Option<Time> {
        (self.in_flight.is_empty() && !self.pending.is_empty()).then(|| self.gather.due())
    }

    /// Takes what is pending, unless a batch is on its way.
    pub(crate) fn take_batch(&mut self, room: &RoomName) -> Option<Batch> {
        self.batch_due()?;
        self.gather.took();
        std::mem::swap(&mut self.pending, &mut self.in_flight);
        let writes = self.in_flight.iter().map(Accepted::write).collect();
        Some(Batch { room: room.clone(), rev: self.rev, writes })
    }

    /// The batch that was taken is durable. Gives its writes.
    pub(crate) fn committed(
        &mut self,
        now: Time,
        patience: Duration,
    ) -> impl Iterator<Item = Accepted> + use<> {
        self.gather.committed(now, patience);
        let durable = std::mem::take(&mut self.in_flight);
        let bytes = durable.iter().fold(0usize, |sum, accepted| sum.saturating_add(accepted.frame.len()));
        self.bytes = self.bytes.saturating_sub(bytes);
        durable.into_iter()
    }

    /// Nothing that waits will be told (DUR-5).
    pub(crate) fn fail(&mut self) {
        *self = Self { failed: true, ..Self::new(self.rev) };
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.in_flight.is_empty()
    }
}

impl Accepted {
    fn write(&self) -> Write {
        match &self.content {
            Content::Value { key, value } => {
                Write::Set(Entry { rev: self.rev, key: key.clone(), value: value.clone() })
            }
            Content::World => {
                Write::World(World { rev: self.rev, blob: self.frame.slice(self.frame.len().min(1)..) })
            }
        }
    }
}
