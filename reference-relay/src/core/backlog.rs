//! The queue of a member that does not take what it is sent (spec 07-limits-and-closes, "Slow readers").

use std::collections::{BTreeMap, HashMap, VecDeque};

use bytes::Bytes;
use roomwire_codec::{Direction, Entry, Frame, StateSnapshot, decode};

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
/// The size that counts is that of the messages that there would be if all were taken now.
#[derive(Debug, Default)]
pub struct Backlog {
    items: VecDeque<Item>,
    bytes: usize,
    /// Since when the queue has been above the limit without a break.
    over: Option<Time>,
}

#[derive(Debug)]
enum Item {
    Run(Box<Run>),
    /// Short frames, copied.
    Packed(Packed),
    /// A frame that all members share.
    Other(Bytes),
}

/// Frames of at most 255 bytes, each behind its length. A short frame by itself would take many times its
/// size, and the size is what is limited.
#[derive(Debug, Default)]
struct Packed(VecDeque<u8>);

/// The newest STATE_UPDATE of each key, by revision.
#[derive(Debug, Default)]
struct Run {
    updates: BTreeMap<u32, Bytes>,
    newest: HashMap<Bytes, u32>,
    /// Bytes of the updates, each as an entry of a snapshot.
    entries: usize,
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
        let Some(entry) = entry(&frame) else {
            self.bytes = self.bytes.saturating_add(frame.len());
            self.push_other(frame);
            return;
        };
        let (rev, key, len) = (entry.rev, frame.slice_ref(entry.key.as_bytes()), entry.encoded_len());
        if !matches!(self.items.back(), Some(Item::Run(_))) {
            self.items.push_back(Item::Run(Box::default()));
        }
        if let Some(Item::Run(run)) = self.items.back_mut() {
            self.bytes = self.bytes.saturating_sub(run.size());
            run.push(rev, key, len, frame);
            self.bytes = self.bytes.saturating_add(run.size());
        }
    }

    fn push_other(&mut self, frame: Bytes) {
        let Ok(len) = u8::try_from(frame.len()) else {
            self.items.push_back(Item::Other(frame));
            return;
        };
        if !matches!(self.items.back(), Some(Item::Packed(_))) {
            self.items.push_back(Item::Packed(Packed::default()));
        }
        if let Some(Item::Packed(packed)) = self.items.back_mut() {
            packed.0.push_back(len);
            packed.0.extend(&frame);
        }
    }

    /// Takes the next frame to send. A run of one stays the STATE_UPDATE that it is; a longer one is merged now, and
    /// what comes later starts another.
    pub fn pop(&mut self) -> Option<Bytes> {
        if let Some(Item::Packed(packed)) = self.items.front_mut()
            && let Some(frame) = packed.pop()
        {
            if packed.0.is_empty() {
                self.items.pop_front();
            }
            self.bytes = self.bytes.saturating_sub(frame.len());
            return Some(frame);
        }
        let (size, frame) = match self.items.pop_front()? {
            Item::Other(frame) => (frame.len(), frame),
            Item::Run(run) => (run.size(), run.merge()),
            Item::Packed(_) => return None,
        };
        self.bytes = self.bytes.saturating_sub(size);
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

    /// Bytes of the messages that are queued, after merging.
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

impl Packed {
    fn pop(&mut self) -> Option<Bytes> {
        let len = self.0.pop_front()?;
        Some(self.0.drain(..usize::from(len).min(self.0.len())).collect())
    }
}

impl Run {
    fn push(&mut self, rev: u32, key: Bytes, len: usize, frame: Bytes) {
        // The old key goes too: it is a part of the old frame and would keep the whole of it in memory.
        let old = self.newest.remove_entry(&key).and_then(|(_, old)| self.updates.remove(&old));
        self.newest.insert(key, rev);
        if let Some(old) = old {
            self.entries = self.entries.saturating_sub(entry(&old).map_or(0, |entry| entry.encoded_len()));
        }
        self.updates.insert(rev, frame);
        self.entries = self.entries.saturating_add(len);
    }

    /// The frame of a run of one.
    fn only(&self) -> Option<&Bytes> {
        if self.updates.len() == 1 { self.updates.values().next() } else { None }
    }

    /// Bytes of the frame that stands for the run.
    fn size(&self) -> usize {
        match self.only() {
            Some(only) => only.len(),
            None if self.updates.is_empty() => 0,
            None => self.entries.saturating_add(StateSnapshot::EMPTY.encoded_len()),
        }
    }

    /// The one frame that stands for the run.
    fn merge(self) -> Bytes {
        if let Some(only) = self.only() {
            return only.clone();
        }
        let entries: Vec<Entry<'_>> = self.updates.values().filter_map(|frame| entry(frame)).collect();
        encode_snapshot(&entries).unwrap_or_default()
    }
}

/// A STATE_UPDATE as an entry of a snapshot; none for every other frame.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use roomwire_codec::registry::opcode;
    use roomwire_codec::{StateUpdate, decode_strict};

    use super::*;
    use crate::core::effect::encode;

    fn set(rev: u32, key: &str, value: &[u8]) -> Bytes {
        let key = key.try_into().expect("a key");
        encode(Frame::StateUpdate(StateUpdate { rev, key, value }))
    }

    fn other(tag: u8) -> Bytes {
        vec![opcode::WORLD_LOAD, tag].into()
    }

    fn long(tag: u8) -> Bytes {
        let mut frame = vec![tag; 256];
        frame[0] = opcode::WORLD_LOAD;
        frame.into()
    }

    fn drain(backlog: &mut Backlog) -> Vec<Bytes> {
        std::iter::from_fn(|| backlog.pop()).collect()
    }

    #[test]
    fn a_replaced_update_is_freed() {
        let (mut backlog, big) = (Backlog::default(), set(1, "k", &[0; 1000]));
        backlog.push(big.clone());
        backlog.push(set(2, "k", b""));
        assert!(big.is_unique());
    }

    #[test]
    fn a_run_becomes_one_snapshot_and_others_keep_their_place() {
        let mut backlog = Backlog::default();
        for frame in
            [set(1, "a", b"1"), set(2, "b", b"2"), set(3, "a", b"3"), other(1), set(5, "c", b"5"), other(2)]
        {
            backlog.push(frame);
        }
        let frames = drain(&mut backlog);
        assert_eq!(frames.len(), 4);
        let Ok(Frame::StateSnapshot(run)) = decode_strict(Direction::ToClient, &frames[0]) else { panic!() };
        let entries: Vec<_> = run.iter().map(|entry| (entry.rev, entry.key.as_str(), entry.value)).collect();
        assert_eq!(entries, [(2, "b", &b"2"[..]), (3, "a", b"3")]);
        assert_eq!(frames[1..], [other(1), set(5, "c", b"5"), other(2)]);
        assert!(backlog.is_empty() && backlog.bytes() == 0);
    }

    #[test]
    fn short_frames_take_about_their_size() {
        let mut backlog = Backlog::default();
        (0..10_000).for_each(|_| backlog.push(other(1)));
        backlog.push(long(2));
        let [Item::Packed(packed), Item::Other(_)] = backlog.items.make_contiguous() else { panic!() };
        assert_eq!(packed.0.len(), 30_000);
        assert_eq!(drain(&mut backlog).len(), 10_001);
    }

    #[test]
    fn a_value_that_is_written_again_and_again_takes_the_room_of_one() {
        let mut backlog = Backlog::default();
        for rev in 1..=10_000 {
            backlog.push(set(rev, "turn", &[0; 100]));
        }
        assert_eq!(backlog.bytes(), set(1, "turn", &[0; 100]).len());
        assert_eq!(drain(&mut backlog), [set(10_000, "turn", &[0; 100])]);
    }

    const LIMITS: QueueLimits = QueueLimits { limit: 10, hard_limit: 20, grace: Duration::from_millis(5) };

    fn at(ms: u64) -> Time {
        Time::from_millis(ms)
    }

    fn filled(len: usize) -> Backlog {
        let mut backlog = Backlog::default();
        (0..len).for_each(|_| backlog.push(Bytes::from_static(b"x")));
        backlog
    }

    #[test]
    fn the_grace_counts_from_when_the_limit_was_passed() {
        let mut backlog = filled(10);
        assert_eq!(backlog.pace(at(0), 0, &LIMITS), Pace::Fine);
        assert_eq!(backlog.pace(at(1), 1, &LIMITS), Pace::Grace(at(6)));
        assert_eq!(backlog.pace(at(5), 10, &LIMITS), Pace::Grace(at(6)));
        assert_eq!(backlog.pace(at(6), 1, &LIMITS), Pace::TooSlow(11));
        assert_eq!(backlog.pace(at(6), 11, &LIMITS), Pace::TooSlow(21));
    }

    #[test]
    fn a_break_ends_the_grace() {
        let mut backlog = filled(10);
        assert_eq!(backlog.pace(at(0), 1, &LIMITS), Pace::Grace(at(5)));
        assert_eq!(backlog.pace(at(4), 0, &LIMITS), Pace::Fine);
        assert_eq!(backlog.pace(at(6), 1, &LIMITS), Pace::Grace(at(11)));
    }

    #[test]
    fn above_the_hard_limit_there_is_no_grace() {
        assert_eq!(filled(20).pace(at(0), 0, &LIMITS), Pace::Grace(at(5)));
        assert_eq!(filled(21).pace(at(0), 0, &LIMITS), Pace::TooSlow(21));
    }

    #[derive(Clone, Debug)]
    enum Op {
        Set(u8, u8),
        Other(u8),
        Pop,
    }

    fn ops() -> impl Strategy<Value = Vec<Op>> {
        let op = prop_oneof![
            6 => (0..5u8, any::<u8>()).prop_map(|(key, value)| Op::Set(key, value)),
            1 => any::<u8>().prop_map(Op::Other),
            2 => Just(Op::Pop),
        ];
        prop::collection::vec(op, 0..120)
    }

    type Values = BTreeMap<Vec<u8>, (u32, Vec<u8>)>;

    /// What a member has seen: its values, and for each other frame the values that it held when that came.
    #[derive(Debug, Default, PartialEq)]
    struct Seen {
        values: Values,
        others: Vec<(Bytes, Values)>,
        revs: Vec<u32>,
    }

    impl Seen {
        fn see(&mut self, frame: &Bytes) {
            match decode_strict(Direction::ToClient, frame) {
                Ok(Frame::StateUpdate(update)) => self.apply(update.rev, update.key.as_bytes(), update.value),
                Ok(Frame::StateSnapshot(run)) => {
                    run.iter().for_each(|entry| self.apply(entry.rev, entry.key.as_bytes(), entry.value));
                }
                Ok(_) => self.others.push((frame.clone(), self.values.clone())),
                Err(error) => panic!("{error}"),
            }
        }

        fn apply(&mut self, rev: u32, key: &[u8], value: &[u8]) {
            self.values.insert(key.to_vec(), (rev, value.to_vec()));
            self.revs.push(rev);
        }
    }

    proptest! {
        #[test]
        fn a_slow_member_ends_with_what_a_fast_one_has(ops in ops()) {
            let (mut backlog, mut slow, mut fast, mut rev) = (Backlog::default(), Seen::default(), Seen::default(), 0);
            for op in ops {
                let frame = match op {
                    Op::Pop => {
                        backlog.pop().iter().for_each(|frame| slow.see(frame));
                        continue;
                    }
                    Op::Set(key, value) => {
                        rev += 1;
                        set(rev, &format!("key{key}"), &vec![value; usize::from(value)])
                    }
                    Op::Other(tag) if tag % 3 == 0 => long(tag),
                    Op::Other(tag) => other(tag),
                };
                fast.see(&frame);
                backlog.push(frame);
            }
            let (bytes, rest) = (backlog.bytes(), drain(&mut backlog));
            prop_assert_eq!(rest.iter().map(Bytes::len).sum::<usize>(), bytes);
            rest.iter().for_each(|frame| slow.see(frame));
            prop_assert!(slow.revs.is_sorted_by(|a, b| a < b), "{:?}", slow.revs);
            prop_assert_eq!(backlog.bytes(), 0);
            prop_assert_eq!((slow.values, slow.others), (fast.values, fast.others));
        }
    }
}
