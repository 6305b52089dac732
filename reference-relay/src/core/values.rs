//! The shared values of a room: what is committed, and how much there will be once every accepted write is.

use std::collections::HashMap;

use bytes::Bytes;
use roomwire_codec::registry::limit;
use roomwire_codec::{Entry, Key, StateSnapshot};

/// Values by key.
///
/// A write is first accepted, which counts it against the caps (ROOM-CAP-3), and later committed, which makes it part
/// of the snapshot. Both happen in the order of revisions.
#[derive(Debug, Default)]
pub(crate) struct Values {
    slots: HashMap<Bytes, Slot>,
    /// What the entries count against the cap once every accepted write is committed.
    bytes: usize,
    /// The encoded snapshot of what is committed, kept until the next commit: many join at once after a restart.
    snapshot: Option<Bytes>,
}

#[derive(Debug)]
struct Slot {
    /// Length of the value that was accepted last.
    accepted: usize,
    committed: Option<(u32, Bytes)>,
}

/// What a write would make of the room's values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    pub(crate) bytes: usize,
    pub(crate) keys: usize,
}

impl Values {
    /// The bytes that all accepted entries count against the cap (ROOM-CAP-1).
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What there would be after a write of `len` value bytes under `key`.
    pub(crate) fn outlook(&self, key: &[u8], len: usize) -> Outlook {
        let (old, keys) = match self.slots.get(key) {
            Some(slot) => (weight(key, slot.accepted), self.slots.len()),
            None => (0, self.slots.len().saturating_add(1)),
        };
        Outlook { bytes: self.bytes.saturating_sub(old).saturating_add(weight(key, len)), keys }
    }

    /// Takes a write into account. Returns the key as it is kept, so that a write does not keep the message alive in
    /// which its key once came.
    pub(crate) fn accept(&mut self, key: &[u8], len: usize) -> Bytes {
        self.bytes = self.outlook(key, len).bytes;
        if let Some((kept, _)) = self.slots.get_key_value(key) {
            let kept = kept.clone();
            if let Some(slot) = self.slots.get_mut(key) {
                slot.accepted = len;
            }
            return kept;
        }
        let key = Bytes::copy_from_slice(key);
        self.slots.insert(key.clone(), Slot { accepted: len, committed: None });
        key
    }

    /// Makes an accepted write part of the snapshot.
    pub(crate) fn commit(&mut self, key: &Bytes, rev: u32, value: Bytes) {
        self.snapshot = None;
        if let Some(slot) = self.slots.get_mut(key.as_ref()) {
            slot.committed = Some((rev, value));
        }
    }

    /// The STATE_SNAPSHOT of everything that is committed (JOIN-ORDER-3); none if that is nothing (JOIN-ORDER-2).
    pub(crate) fn snapshot(&mut self) -> Option<Bytes> {
        if self.snapshot.is_none() {
            self.snapshot = self.encode();
        }
        self.snapshot.clone()
    }

    fn encode(&self) -> Option<Bytes> {
        let mut entries: Vec<Entry<'_>> = self
            .slots
            .iter()
            .filter_map(|(key, slot)| {
                let (rev, value) = slot.committed.as_ref()?;
                Some(Entry { rev: *rev, key: Key::new(key).ok()?, value })
            })
            .collect();
        entries.sort_unstable_by_key(|entry| entry.rev);
        encode_snapshot(&entries)
    }
}

/// What an entry counts against the room's cap (ROOM-CAP-1).
fn weight(key: &[u8], len: usize) -> usize {
    len.saturating_add(limit::ENTRY_OVERHEAD).saturating_add(key.len())
}

/// A STATE_SNAPSHOT of entries that ascend by revision; none of no entries (ROOM-SNAP-3).
pub(crate) fn encode_snapshot(entries: &[Entry<'_>]) -> Option<Bytes> {
    if entries.is_empty() {
        return None;
    }
    let mut frame = vec![0; StateSnapshot::encoded_len_of(entries.iter().copied())];
    let encoded = StateSnapshot::encode_entries(entries.iter().copied(), &mut frame);
    debug_assert!(encoded.is_ok(), "{encoded:?}");
    encoded.ok().map(|_| Bytes::from(frame))
}

#[cfg(test)]
mod tests {
    use roomwire_codec::{Direction, Frame, decode_strict};

    use super::*;

    fn revs(snapshot: &Bytes) -> Vec<(u32, String)> {
        match decode_strict(Direction::ToClient, snapshot) {
            Ok(Frame::StateSnapshot(snapshot)) => {
                snapshot.iter().map(|entry| (entry.rev, entry.key.as_str().to_owned())).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn accepted_writes_count_and_only_committed_ones_show() {
        let mut values = Values::default();
        let key = values.accept(b"ab", 100);
        assert_eq!(values.bytes(), 112);
        assert_eq!(values.snapshot(), None);
        values.accept(b"ab", 10);
        assert_eq!(values.bytes(), 22);
        values.commit(&key, 1, Bytes::from(vec![0; 100]));
        assert_eq!(revs(&values.snapshot().expect("one entry")), [(1, "ab".to_owned())]);
        assert_eq!(values.outlook(b"ab", 0).bytes, 12);
        assert_eq!(values.outlook(b"c", 0).bytes, 33);
        assert_eq!((values.outlook(b"ab", 0).keys, values.outlook(b"c", 0).keys), (1, 2));
    }

    #[test]
    fn a_snapshot_ascends_by_revision() {
        let mut values = Values::default();
        for (rev, key) in [(1, "z"), (2, "a"), (3, "m"), (4, "z")] {
            let key = values.accept(key.as_bytes(), 0);
            values.commit(&key, rev, Bytes::new());
        }
        let snapshot = values.snapshot().expect("three entries");
        assert_eq!(revs(&snapshot), [(2, "a".to_owned()), (3, "m".to_owned()), (4, "z".to_owned())]);
        assert_eq!(values.snapshot().expect("kept").as_ptr(), snapshot.as_ptr());
    }

    #[test]
    fn a_key_does_not_keep_the_message_alive_in_which_it_came() {
        let mut values = Values::default();
        let message = Bytes::from(vec![b'x'; 1 << 20]);
        let key = values.accept(&message[..3], 0);
        assert_ne!(key.as_ptr(), message.as_ptr());
        assert_eq!(values.accept(b"xxx", 5).as_ptr(), key.as_ptr());
    }
}
