use core::fmt;
use core::iter::FusedIterator;

use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::{Layout, Problem};
use crate::field::{self, Parsed, Reject, fault};
use crate::key::Key;
use crate::registry::{limit, opcode};

/// STATE_SNAPSHOT, to a client: several committed writes at once (spec 03-rooms, "STATE_SNAPSHOT").
///
/// ```text
/// F6 | count u32 | count × ( rev u32 | key_len u16 | key | val_len u32 | value )
/// ```
///
/// A view of the frame's bytes. Every entry was checked when it was made, so iterating cannot fail and checks little. That
/// no key stands in it twice (ROOM-SNAP-2) needs memory to know: see [`decode_strict`](crate::decode_strict).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StateSnapshot<'a> {
    count: u32,
    entries: &'a [u8],
}

/// One entry of a [`StateSnapshot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry<'a> {
    /// Revision of the commit: 1 to 2^32 - 1, above that of the entry before.
    pub rev: u32,
    /// The key that was written.
    pub key: Key<'a>,
    /// The value, opaque, 0 to 2^32 - 1 bytes.
    pub value: &'a [u8],
}

/// Bytes before the first entry: opcode and count.
const HEAD: usize = 5;

impl<'a> Decode<'a> for StateSnapshot<'a> {
    const LAYOUT: Layout = Layout::new("STATE_SNAPSHOT");

    #[inline(never)]
    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
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
            let (rest, entry) = Entry::parse(input, before)?;
            (input, before) = (rest, entry.rev);
        }
        let (end, ()) = field::end(input)?;
        Ok((end, Self { count, entries }))
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
        Entries { left: self.count, input: self.entries }
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

    /// Length in bytes of the frame that [`encode_entries`](Self::encode_entries) makes of `entries`.
    #[must_use]
    pub fn encoded_len_of<'e>(entries: impl IntoIterator<Item = Entry<'e>>) -> usize {
        entries.into_iter().fold(HEAD, |sum, entry| sum.saturating_add(entry.encoded_len()))
    }

    /// Encodes a snapshot of `entries`, which must ascend by revision, at the start of `out` and returns its length.
    ///
    /// That no key comes twice (ROOM-SNAP-2) is for the caller to see to.
    ///
    /// # Errors
    ///
    /// [`EncodeError::BufferTooShort`] if `out` is shorter than [`encoded_len_of`](Self::encoded_len_of) the entries; an
    /// entry that may not stand in a snapshot: [`EncodeError::RevZero`], [`EncodeError::RevOrder`],
    /// [`EncodeError::ValueTooLong`]; [`EncodeError::TooManyEntries`].
    pub fn encode_entries<'e>(
        entries: impl IntoIterator<Item = Entry<'e>>,
        out: &mut [u8],
    ) -> Result<usize, EncodeError> {
        let available = out.len();
        let mut entries = entries.into_iter();
        let short = |needed: usize| Err(EncodeError::BufferTooShort { needed, available });
        // The count is known at the end only.
        let Some((head_out, mut left)) = out.split_first_chunk_mut::<HEAD>() else {
            return short(Self::encoded_len_of(entries));
        };
        let mut count: u32 = 0;
        let mut before = 0;
        while let Some(entry) = entries.next() {
            let taken = match entry.write(before, left) {
                Err(EncodeError::BufferTooShort { needed, .. }) => {
                    let written = available.saturating_sub(left.len());
                    let more = entries.fold(needed, |sum, entry| sum.saturating_add(entry.encoded_len()));
                    return short(written.saturating_add(more));
                }
                written => written?,
            };
            left = left.split_at_mut_checked(taken).map(|(_, left)| left).unwrap_or_default();
            count = count.checked_add(1).ok_or(EncodeError::TooManyEntries)?;
            before = entry.rev;
        }
        *head_out = head(count);
        Ok(available.saturating_sub(left.len()))
    }
}

const fn head(count: u32) -> [u8; HEAD] {
    let [c0, c1, c2, c3] = count.to_le_bytes();
    [opcode::STATE_SNAPSHOT, c0, c1, c2, c3]
}

impl<'a> Entry<'a> {
    /// Bytes of an entry beside its key and value: rev, key_len and val_len.
    const OVERHEAD: usize = limit::ENTRY_OVERHEAD;

    #[inline(always)]
    fn parse<E: Reject>(input: &'a [u8], before: u32) -> Parsed<'a, Self, E> {
        let (input, rev) = field::rev(input, "entry.rev", before)?;
        let (input, key) = field::key(input, "entry.key_len", "entry.key")?;
        let (input, len) = field::u32(input, "entry.val_len")?;
        let (input, value) = field::bytes(input, "entry.value", len)?;
        Ok((input, Self { rev, key, value }))
    }

    /// Reads an entry that [`parse`](Self::parse) has checked; `None` does not come to be.
    #[inline(always)]
    fn reread(input: &'a [u8]) -> Option<(&'a [u8], Self)> {
        let (&[r0, r1, r2, r3, k0, k1], input) = input.split_first_chunk()?;
        let (key, input) = input.split_at_checked(usize::from(u16::from_le_bytes([k0, k1])))?;
        let (len, input) = input.split_first_chunk()?;
        let (value, input) = input.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        Some((
            input,
            Self { rev: u32::from_le_bytes([r0, r1, r2, r3]), key: Key::checked_before(key), value },
        ))
    }

    /// Length of the encoded entry in bytes, what it counts in the room's cap (ROOM-CAP-1).
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        self.value.len().saturating_add(Self::OVERHEAD).saturating_add(self.key.len())
    }

    #[inline(always)]
    fn write(&self, before: u32, out: &mut [u8]) -> Result<usize, EncodeError> {
        let Self { rev, key, value } = *self;
        if rev == 0 {
            return Err(EncodeError::RevZero);
        }
        if rev <= before {
            return Err(EncodeError::RevOrder { before, rev });
        }
        let Ok(len) = u32::try_from(value.len()) else {
            return Err(EncodeError::ValueTooLong { len: value.len() });
        };
        let [r0, r1, r2, r3] = rev.to_le_bytes();
        let [k0, k1] = key.wire_len();
        let out =
            Writer::new(out, self.encoded_len())?.put(&[r0, r1, r2, r3, k0, k1])?.put(key.as_bytes())?;
        out.put(&len.to_le_bytes())?.put(value)?.finish()
    }
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

/// Iterator over the entries of a [`StateSnapshot`].
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    left: u32,
    input: &'a [u8],
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'a>> {
        let left = self.left.checked_sub(1)?;
        let (input, entry) = Entry::reread(self.input)?;
        *self = Self { left, input };
        Some(entry)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for Entries<'_> {}
impl FusedIterator for Entries<'_> {}

/// A key that an earlier entry has (ROOM-SNAP-2). The check needs memory: 24 bytes for each entry.
#[cfg(feature = "alloc")]
mod duplicate {
    use alloc::vec::Vec;

    use super::{Entry, StateSnapshot};
    use crate::decode::Decode;
    use crate::error::{DecodeError, Problem};

    /// Bytes of an entry's val_len.
    const VAL_LEN: usize = 4;

    impl StateSnapshot<'_> {
        /// Refuses a snapshot in which a key stands twice, at the first entry whose key came before.
        ///
        /// # Errors
        ///
        /// The error that [`decode_strict`](crate::decode_strict) gives: `value`, at the later `entry.key`.
        pub fn check_keys(&self) -> Result<(), DecodeError> {
            let mut keys = Vec::with_capacity(self.len());
            let mut entries = self.iter();
            while let Some(Entry { key, value, .. }) = entries.next() {
                let behind_key = entries.input.len().saturating_add(value.len()).saturating_add(VAL_LEN);
                let offset = self.encoded_len().saturating_sub(behind_key).saturating_sub(key.len());
                keys.push((key, offset));
            }
            // Sorted, keys that are alike are neighbours, in the order in which they came.
            keys.sort_unstable();
            let pairs = keys.iter().zip(keys.iter().skip(1));
            match pairs.filter(|((a, _), (b, _))| a == b).map(|(_, &(_, later))| later).min() {
                Some(offset) => {
                    Err(DecodeError::new(&Self::LAYOUT, offset, "entry.key", Problem::DuplicateKey))
                }
                None => Ok(()),
            }
        }
    }
}
