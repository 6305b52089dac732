//! The queue of a member that does not take what it is sent (spec 07-limits-and-closes, "Slow readers").

use std::collections::{BTreeMap, HashMap, VecDeque};

use bytes::Bytes;
use roomwire_codec::{Direction, Entry, Frame, decode};

use super::effect::is_update;
use super::limits::QueueLimits;
use super::time::Time;
use super::values::encode_snapshot;

/// Unsent frames of one member, whole ones only.
///
/// STATE_UPDATEs that follow each other form a *run*, which holds the newest entry of each key and is sent as one
/// STATE_SNAPSHOT (SLOW-2). Other frames keep their place and end a run. A run never holds more than the room does, so
/// what it becomes is within the largest outbound message (ROOM-CAP-1, LIM-OUT-1).
///
/// The bytes that count are those of the frames as they were queued; an update that another one of the same key replaced
/// counts no more.
#[derive(Debug, Default)]
pub struct Backlog {
    items: VecDeque<Item>,
    bytes: usize,
    /// Since when the queue has been above the limit without a break.
    over: Option<Time>,
}

#[derive(Debug)]
enum Item {
    Run(Run),
    Other(Bytes),
}

/// The newest STATE_UPDATE of each key, by revision.
#[derive(Debug, Default)]
struct Run {
    updates: BTreeMap<u32, Bytes>,
    newest: HashMap<Bytes, u32>,
}

/// Whether a member reads fast enough (SLOW-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It does.
    Fine,
    /// Its queue is above the limit; at that moment its grace ends.
    Grace(Time),
    /// It is to be closed. Holds the unsent bytes.
    TooSlow(usize),
}

impl Backlog {
    /// Appends a frame.
    pub fn push(&mut self, frame: Bytes) {
        if let Some((rev, key)) = update(&frame) {
            let run = match self.items.back_mut() {
                Some(Item::Run(run)) => run,
                _ => {
                    self.items.push_back(Item::Run(Run::default()));
                    let Some(Item::Run(run)) = self.items.back_mut() else { return };
                    run
                }
            };
            self.bytes = self.bytes.saturating_add(frame.len());
            let replaced = run.newest.insert(key, rev).and_then(|old| run.updates.remove(&old));
            self.bytes = self.bytes.saturating_sub(replaced.map_or(0, |old| old.len()));
            run.updates.insert(rev, frame);
        } else {
            self.bytes = self.bytes.saturating_add(frame.len());
            self.items.push_back(Item::Other(frame));
        }
    }

    /// Takes the next frame to send. A run of one stays the STATE_UPDATE that it is; a longer one is merged now, and
    /// what comes later starts another.
    pub fn pop(&mut self) -> Option<Bytes> {
        let (bytes, frame) = match self.items.pop_front()? {
            Item::Other(frame) => (frame.len(), frame),
            Item::Run(run) => run.merge(),
        };
        self.bytes = self.bytes.saturating_sub(bytes);
        Some(frame)
    }

    /// Whether nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Drops everything that is queued.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Bytes of the frames that are queued.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Judges the member's pace at `now`. `partial` is what is left of a frame that was sent in part, which counts too.
    /// To be called whenever something was queued or sent, and when a grace ends.
    pub fn pace(&mut self, now: Time, partial: usize, limits: &QueueLimits) -> Pace {
        let bytes = self.bytes.saturating_add(partial);
        if bytes <= limits.limit {
            self.over = None;
            return Pace::Fine;
        }
        let over = *self.over.get_or_insert(now);
        let ends = over + limits.grace;
        if bytes > limits.hard_limit || now >= ends { Pace::TooSlow(bytes) } else { Pace::Grace(ends) }
    }
}

impl Run {
    /// The bytes that the run counted, and the one frame that stands for it.
    fn merge(self) -> (usize, Bytes) {
        let bytes = self.updates.values().fold(0usize, |sum, frame| sum.saturating_add(frame.len()));
        if self.updates.len() == 1
            && let Some(only) = self.updates.values().next()
        {
            return (bytes, only.clone());
        }
        let entries: Vec<Entry<'_>> = self.updates.values().filter_map(|frame| entry(frame)).collect();
        (bytes, encode_snapshot(&entries).unwrap_or_default())
    }
}

/// Revision and key of a STATE_UPDATE; none for every other frame.
fn update(frame: &Bytes) -> Option<(u32, Bytes)> {
    let entry = entry(frame)?;
    Some((entry.rev, frame.slice_ref(entry.key.as_bytes())))
}

fn entry(frame: &[u8]) -> Option<Entry<'_>> {
    if !is_update(frame) {
        return None;
    }
    match decode(Direction::ToClient, frame) {
        Ok(Frame::StateUpdate(update)) => {
            Some(Entry { rev: update.rev, key: update.key, value: update.value })
        }
        _ => None,
    }
}
