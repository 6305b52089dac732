#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;

use super::entry::{Entries, Entry};
use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::{Layout, Problem};
use crate::field::{self, Parsed, Reject, fault};
use crate::registry::{limit, opcode};

/// STATE_SNAPSHOT, to a client: several committed writes at once (spec 03-rooms, "STATE_SNAPSHOT").
///
/// ```text
/// F6 | count u32 | count × ( rev u32 | key_len u16 | key | val_len u32 | value )
/// ```
///
/// A view of the frame's bytes. Every entry was checked when it was made, so iterating cannot fail and checks little. That
/// no key stands in it twice (ROOM-SNAP-2) needs memory to know: see [`decode_strict`](crate::decode_strict). All
/// entries come into a `Vec` in one walk, not two, with [`decode_collecting`](crate::decode_collecting).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StateSnapshot<'a> {
    count: u32,
    entries: &'a [u8],
}

/// Bytes before the first entry: opcode and count.
pub(super) const HEAD: usize = 5;

impl<'a> Decode<'a> for StateSnapshot<'a> {
    const LAYOUT: Layout = Layout::new("STATE_SNAPSHOT");

    #[inline(never)]
    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        Self::walk(message, |_| ())
    }
}

impl<'a> StateSnapshot<'a> {
    /// [`parse`](Decode::parse), which also hands each entry to `take` once that one is checked. Those behind it may still have
    /// faults, so what is taken counts only at the end.
    #[inline(always)]
    fn walk<E: Reject>(message: &'a [u8], mut take: impl FnMut(Entry<'a>)) -> Parsed<'a, Self, E> {
        let (at_count, _) = field::opcode(message)?;
        let (entries, count) = field::u32(at_count, "count")?;
        // PRIM-COUNT-1: divided, not multiplied, so that nothing overflows.
        let most = entries.len() / limit::SNAPSHOT_ENTRY_MIN;
        if usize::try_from(count).map_or(true, |count| count > most) {
            return fault(at_count, "count", Problem::Count { count, left: entries.len() });
        }
        let mut input = entries;
        let mut before = 0;
        for _ in 0..count {
            // The loop carries no error about; the parser that it leaves for makes it.
            let (rest, entry) = match Entry::parse::<()>(input, before) {
                Ok(parsed) => parsed,
                Err(_) => Entry::refuse::<E>(input, before)?,
            };
            take(entry);
            (input, before) = (rest, entry.rev);
        }
        let (end, ()) = field::end(input)?;
        Ok((end, Self { count, entries }))
    }

    /// [`attempt`](Decode::attempt), which also appends the entries to `entries`; those before the fault, if it gives nothing.
    ///
    /// No memory is taken ahead for what `count` announces, only for entries that were checked.
    #[cfg(feature = "alloc")]
    #[inline(never)]
    pub(crate) fn attempt_collecting(message: &'a [u8], entries: &mut Vec<Entry<'a>>) -> Option<Self> {
        Self::walk::<()>(message, |entry| entries.push(entry)).ok().map(|(_, frame)| frame)
    }
}

impl<'a> StateSnapshot<'a> {
    /// A snapshot without entries.
    pub const EMPTY: StateSnapshot<'static> = StateSnapshot { count: 0, entries: &[] };

    /// The number of entries.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is no entry. Such a snapshot decodes, but a relay sends none (ROOM-SNAP-3).
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The entries, in ascending order of revision.
    #[inline]
    #[must_use]
    pub const fn iter(&self) -> Entries<'a> {
        Entries::new(self.count, self.entries)
    }

    /// Length of the encoded frame in bytes.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        self.entries.len().saturating_add(HEAD)
    }

    /// Encodes the frame at the start of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`EncodeError::BufferTooShort`] if `out` is shorter than [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        Writer::new(out, self.encoded_len())?.put(&head(self.count))?.put(self.entries)?.finish()
    }
}

/// Opcode and count.
pub(super) const fn head(count: u32) -> [u8; HEAD] {
    let [c0, c1, c2, c3] = count.to_le_bytes();
    [opcode::STATE_SNAPSHOT, c0, c1, c2, c3]
}

impl fmt::Debug for StateSnapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateSnapshot ")?;
        f.debug_list().entries(self).finish()
    }
}

impl<'a> IntoIterator for StateSnapshot<'a> {
    type Item = Entry<'a>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &StateSnapshot<'a> {
    type Item = Entry<'a>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::StateSnapshot;
    use crate::Direction::{ToClient, ToRelay};
    use crate::ErrorClass::{Direction, Limit, Trailing, Truncated, Value};
    use crate::Frame;
    use crate::testing::{encode_entries, encoded, entry, error, frame};

    const TWO: &[u8] = b"\xF6\x02\0\0\0\x01\0\0\0\x01\0a\0\0\0\0\xFF\xFF\xFF\xFF\x02\0bc\x01\0\0\0v";

    #[test]
    fn entries_in_order() {
        let Frame::StateSnapshot(snapshot) = frame(ToClient, TWO) else { panic!("no snapshot") };
        let entries = vec![entry(1, "a", b""), entry(u32::MAX, "bc", b"v")];
        assert_eq!(snapshot.iter().len(), 2);
        assert_eq!(snapshot.iter().collect::<Vec<_>>(), entries);
        assert_eq!(encoded(snapshot), TWO);
        assert_eq!(encode_entries(entries).unwrap(), TWO);
        assert_eq!(frame(ToClient, b"\xF6\0\0\0\0"), StateSnapshot::EMPTY.into());
        assert_eq!(encoded(StateSnapshot::EMPTY), b"\xF6\0\0\0\0");
    }

    /// A message with the bytes from `at` on replaced.
    fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut wire = TWO.to_vec();
        wire[at..at + bytes.len()].copy_from_slice(bytes);
        wire
    }

    #[test]
    fn a_count_that_cannot_fit_is_found_before_anything_else() {
        let count = (Truncated, 1, "count", "PRIM-COUNT-1");
        for bytes in [b"\x03\0\0\0", b"\0\0\0\x80", b"\xFF\xFF\xFF\xFF"] {
            assert_eq!(error(ToClient, &with(1, bytes)), count);
        }
        assert_eq!(error(ToClient, b"\xF6\x01\0\0\0\0\0\0\0\0\0\0\0\0\0"), count);
        assert_eq!(error(ToClient, b"\xF6\x01\0\0"), (Truncated, 1, "count", "PRIM-FRAME-1"));
    }

    #[test]
    fn faults_of_entries() {
        let cases = [
            (with(5, b"\0"), (Value, 5, "entry.rev", "ROOM-REV-1")),
            (with(9, b"\0\0"), (Limit, 9, "entry.key_len", "ROOM-KEY-1")),
            (with(9, b"\xFF\xFF"), (Limit, 9, "entry.key_len", "ROOM-KEY-1")),
            (with(9, b"\0\x04"), (Truncated, 11, "entry.key", "PRIM-LEN-1")),
            (with(11, b"\0"), (Value, 11, "entry.key", "ROOM-KEY-2")),
            (with(12, b"\xFA\xFF\xFF\xFF"), (Truncated, 16, "entry.value", "PRIM-LEN-1")),
            (with(16, b"\x01\0\0\0"), (Value, 16, "entry.rev", "ROOM-SNAP-1")),
            (with(16, b"\0\0\0\0"), (Value, 16, "entry.rev", "ROOM-REV-1")),
            ([TWO, b"\0\0"].concat(), (Trailing, 29, "end", "PRIM-END-1")),
            (TWO[..28].to_vec(), (Truncated, 28, "entry.value", "PRIM-LEN-1")),
            (TWO[..27].to_vec(), (Truncated, 24, "entry.val_len", "PRIM-FRAME-1")),
        ];
        for (wire, expected) in cases {
            assert_eq!(error(ToClient, &wire), expected, "{wire:02x?}");
        }
        assert_eq!(error(ToRelay, TWO), (Direction, 0, "opcode", "OP-SPACE-3"));
    }
}
