//! The queue of a slow member (SLOW-2, SLOW-3), fed with frames of every kind and emptied in parts.

#![allow(
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a body tells what it finds by a panic"
)]

use std::collections::BTreeMap;
use std::time::Duration;

use arbitrary::{Result, Unstructured};
use bytes::Bytes;
use roomwire_codec::registry::limit;
use roomwire_codec::{
    AddPeer, DelPeer, Direction, Frame, Key, PeerId, Relay, StateUpdate, WorldLoad, WorldSaveAck,
    decode_strict,
};
use roomwire_relay::core::backlog::{Backlog, Pace};
use roomwire_relay::core::limits::QueueLimits;
use roomwire_relay::core::time::Time;

/// What a member's queue does, so that broken ones can be tried in the place of the relay's.
pub trait Queue: Default {
    /// See [`Backlog::push`].
    fn push(&mut self, frame: Bytes);
    /// See [`Backlog::pop`].
    fn pop(&mut self) -> Option<Bytes>;
    /// See [`Backlog::bytes`].
    fn bytes(&self) -> usize;
    /// See [`Backlog::is_empty`].
    fn is_empty(&self) -> bool;
    /// See [`Backlog::clear`].
    fn clear(&mut self);
    /// See [`Backlog::pace`].
    fn pace(&mut self, now: Time, partial: usize, limits: &QueueLimits) -> Pace;
}

impl Queue for Backlog {
    fn push(&mut self, frame: Bytes) {
        Backlog::push(self, frame);
    }
    fn pop(&mut self) -> Option<Bytes> {
        Backlog::pop(self)
    }
    fn bytes(&self) -> usize {
        Backlog::bytes(self)
    }
    fn is_empty(&self) -> bool {
        Backlog::is_empty(self)
    }
    fn clear(&mut self) {
        Backlog::clear(self);
    }
    fn pace(&mut self, now: Time, partial: usize, limits: &QueueLimits) -> Pace {
        Backlog::pace(self, now, partial, limits)
    }
}

/// Puts frames that the bytes make through the relay's queue, takes some out in between and all at the end, and compares with a
/// plain reading of SLOW-2 and SLOW-3.
///
/// # Panics
///
/// If the queue does otherwise.
pub fn backlog(data: &[u8]) {
    backlog_with::<Backlog>(data);
}

/// The same with any queue.
///
/// # Panics
///
/// If the queue does otherwise than the specification says.
pub fn backlog_with<Q: Queue>(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let mut run = Run::<Q>::default();
    while !u.is_empty() {
        // Bytes that make no operation end the sequence.
        if run.step(&mut u).is_err() {
            break;
        }
        assert_eq!(run.queue.bytes(), run.plain.bytes(), "the size after merging");
        assert_eq!(run.queue.is_empty(), run.plain.frames.is_empty(), "empty");
    }
    while run.take() {}
    assert_eq!((run.queue.pop(), run.queue.bytes()), (None, 0), "at the end");
    if !run.cleared {
        assert_eq!(run.slow, run.fast, "a slow member ends with what a fast one has");
    }
}

/// Small, so that a few frames reach them.
const LIMITS: QueueLimits = QueueLimits { limit: 2_000, hard_limit: 6_000, grace: Duration::from_millis(50) };

#[derive(Default)]
struct Run<Q> {
    queue: Q,
    plain: Plain,
    /// The revision of the last commit, and what the room holds, in bytes of entries: no more than a room may.
    rev: u32,
    room: BTreeMap<String, usize>,
    /// What a member that takes each frame at once has, and what this one has.
    fast: Seen,
    slow: Seen,
    /// What was left of a frame of which a part was sent.
    partial: usize,
    cleared: bool,
    now: Time,
}

impl<Q: Queue> Run<Q> {
    fn step(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let kind: u8 = u.arbitrary()?;
        let frame = match kind % 32 {
            0..=13 => self.update(u)?,
            14..=18 => other(u)?,
            19..=26 => {
                for _ in 0..u.int_in_range(1..=3)? {
                    self.take();
                }
                return Ok(());
            }
            27 => {
                self.partial = u.int_in_range(0..=3_000)?;
                return Ok(());
            }
            28..=30 => {
                self.now = self.now + Duration::from_millis(u.int_in_range(0..=60)?);
                let pace = self.queue.pace(self.now, self.partial, &LIMITS);
                assert_eq!(pace, self.plain.pace(self.now, self.partial), "the pace");
                return Ok(());
            }
            _ => {
                // SLOW-4; rarely, since nothing is merged afterwards.
                if u.ratio(1u8, 8u8)? {
                    self.queue.clear();
                    self.plain = Plain::default();
                    self.cleared = true;
                }
                return Ok(());
            }
        };
        self.fast.see(&frame);
        self.plain.frames.push(frame.clone());
        self.queue.push(frame);
        Ok(())
    }

    /// A STATE_UPDATE of a commit that the room takes.
    fn update(&mut self, u: &mut Unstructured<'_>) -> Result<Bytes> {
        let key = match u.int_in_range(0..=15u8)? {
            0 => "k".repeat(limit::KEY_MAX),
            pick => format!("key{}", pick % 6),
        };
        let byte: u8 = u.arbitrary()?;
        let len = match byte {
            0..=2 => limit::ROOM_BYTES / 2,
            // As long as the room takes, so that what a run becomes is as long as it may be.
            3..=5 => limit::ROOM_BYTES,
            6..=20 => usize::from(byte) * 100,
            _ => usize::from(byte % 8),
        };
        self.room.remove(&key);
        let entry = limit::ENTRY_OVERHEAD + key.len();
        let left = limit::ROOM_BYTES - self.room.values().sum::<usize>();
        let Some(longest) = left.checked_sub(entry) else { return Err(arbitrary::Error::IncorrectFormat) };
        let len = len.min(longest);
        self.room.insert(key.clone(), entry + len);
        self.rev += u.int_in_range(1..=3)?;
        let value = vec![byte; len];
        let Ok(key) = Key::new(key.as_bytes()) else { return Err(arbitrary::Error::IncorrectFormat) };
        encode(Frame::StateUpdate(StateUpdate { rev: self.rev, key, value: &value }))
    }

    /// Takes a frame, if there is one.
    fn take(&mut self) -> bool {
        let got = self.queue.pop();
        let Some(got) = got else {
            assert!(self.plain.frames.is_empty(), "nothing comes of {} frames", self.plain.frames.len());
            return false;
        };
        assert!(got.len() <= limit::MAX_OUTBOUND_MESSAGE, "a message of {} bytes", got.len());
        assert!(self.plain.is_next(&got), "not the next: {:02x?}", &got[..got.len().min(40)]);
        self.slow.see(&got);
        true
    }
}

/// A frame that is never merged: every kind, and lengths at which a queue may keep it in another way.
fn other(u: &mut Unstructured<'_>) -> Result<Bytes> {
    let Some(peer) = PeerId::new(i32::from(u.int_in_range(0..=3u8)?) * 256 + 2) else {
        return Err(arbitrary::Error::IncorrectFormat);
    };
    let byte: u8 = u.arbitrary()?;
    let bytes = vec![byte; *u.choose(&[1, 2, 200, 248, 249, 250, 254, 255, 256, 4_000, limit::ROOM_BYTES])?];
    encode(match u.int_in_range(0..=9u8)? {
        0 => Frame::AddPeer(AddPeer::new(peer)),
        1 => Frame::DelPeer(DelPeer::new(peer)),
        2 | 3 => Frame::WorldSaveAck(WorldSaveAck),
        4 | 5 => Frame::WorldLoad(WorldLoad { blob: &bytes }),
        _ => Frame::Relay(Relay::from_peer(peer, &bytes)),
    })
}

fn encode(frame: Frame<'_>) -> Result<Bytes> {
    frame.encode_to_vec().map(Bytes::from).map_err(|_| arbitrary::Error::IncorrectFormat)
}

/// The frames as they came, merged when they are taken.
#[derive(Default)]
struct Plain {
    frames: Vec<Bytes>,
    over: Option<Time>,
}

/// Key, revision and value.
type Entry = (Bytes, u32, Bytes);

fn update(frame: &Bytes) -> Option<Entry> {
    match decode_strict(Direction::ToClient, frame) {
        Ok(Frame::StateUpdate(update)) => {
            Some((frame.slice_ref(update.key.as_bytes()), update.rev, frame.slice_ref(update.value)))
        }
        _ => None,
    }
}

/// The newest of each key, ascending by revision.
fn merged(run: &[Entry]) -> Vec<Entry> {
    let is_newest = |at: usize, entry: &Entry| run[at + 1..].iter().all(|later| later.0 != entry.0);
    run.iter()
        .enumerate()
        .filter(|(at, entry)| is_newest(*at, entry))
        .map(|(_, entry)| entry.clone())
        .collect()
}

impl Plain {
    /// The run of STATE_UPDATEs that begins there.
    fn run(&self, from: usize) -> Vec<Entry> {
        self.frames[from..].iter().map_while(update).collect()
    }

    /// Whether `got` is what is to be taken next; takes it.
    fn is_next(&mut self, got: &Bytes) -> bool {
        let run = self.run(0);
        if run.is_empty() {
            return !self.frames.is_empty() && self.frames.remove(0) == got;
        }
        self.frames.drain(..run.len());
        let got = match decode_strict(Direction::ToClient, got) {
            Ok(Frame::StateUpdate(_)) => update(got).into_iter().collect(),
            // The strict decoder has seen that revisions ascend and that no key is there twice.
            Ok(Frame::StateSnapshot(snapshot)) => snapshot
                .iter()
                .map(|entry| (got.slice_ref(entry.key.as_bytes()), entry.rev, got.slice_ref(entry.value)))
                .collect(),
            _ => Vec::new(),
        };
        got == merged(&run)
    }

    /// SLOW-3: bytes of the messages, after merging.
    fn bytes(&self) -> usize {
        let (mut bytes, mut at) = (0, 0);
        while let Some(frame) = self.frames.get(at) {
            let run = self.run(at);
            let entries = merged(&run);
            let sum = |head: usize| {
                entries.iter().map(|(key, _, value)| head + key.len() + value.len()).sum::<usize>()
            };
            bytes += match entries.len() {
                0 => frame.len(),
                1 => sum(1 + 4 + 2),
                _ => 1 + 4 + sum(limit::ENTRY_OVERHEAD),
            };
            at += run.len().max(1);
        }
        bytes
    }

    /// SLOW-3.
    fn pace(&mut self, now: Time, partial: usize) -> Pace {
        let bytes = self.bytes() + partial;
        if bytes <= LIMITS.limit {
            self.over = None;
            return Pace::Fine;
        }
        let since = *self.over.get_or_insert(now);
        if bytes > LIMITS.hard_limit || now.since(since) >= LIMITS.grace {
            Pace::TooSlow(bytes)
        } else {
            Pace::Grace(since + LIMITS.grace)
        }
    }
}

/// What a member has seen: its values, and each other frame with the revision that it was at.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    values: BTreeMap<Bytes, (u32, Bytes)>,
    rev: u32,
    others: Vec<(u32, Bytes)>,
}

impl Seen {
    fn see(&mut self, frame: &Bytes) {
        match decode_strict(Direction::ToClient, frame) {
            Ok(Frame::StateUpdate(update)) => self.set(frame, update.key, update.rev, update.value),
            Ok(Frame::StateSnapshot(snapshot)) => {
                snapshot.iter().for_each(|entry| self.set(frame, entry.key, entry.rev, entry.value));
            }
            Ok(_) => self.others.push((self.rev, frame.clone())),
            Err(error) => panic!("{error}"),
        }
    }

    fn set(&mut self, frame: &Bytes, key: Key<'_>, rev: u32, value: &[u8]) {
        assert!(rev > self.rev, "revision {rev} after {}", self.rev);
        self.rev = rev;
        self.values.insert(frame.slice_ref(key.as_bytes()), (rev, frame.slice_ref(value)));
    }
}
