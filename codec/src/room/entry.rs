use core::iter::FusedIterator;

use crate::encode::{EncodeError, Writer};
use crate::field::{self, Parsed, Reject};
use crate::key::Key;
use crate::registry::limit;

/// One entry of a [`StateSnapshot`](super::StateSnapshot).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry<'a> {
    /// Revision of the commit: 1 to 2^32 - 1, above that of the entry before.
    pub rev: u32,
    /// The key that was written.
    pub key: Key<'a>,
    /// The value, opaque, 0 to 2^32 - 1 bytes.
    pub value: &'a [u8],
}

impl<'a> Entry<'a> {
    /// Bytes of an entry beside its key and value: rev, key_len and val_len.
    const OVERHEAD: usize = limit::ENTRY_OVERHEAD;

    #[inline(always)]
    pub(super) fn parse<E: Reject>(input: &'a [u8], before: u32) -> Parsed<'a, Self, E> {
        let (input, rev) = field::rev(input, "entry.rev", before)?;
        let (input, key) = field::key(input, "entry.key_len", "entry.key")?;
        let (input, len) = field::u32(input, "entry.val_len")?;
        let (input, value) = field::bytes(input, "entry.value", len)?;
        Ok((input, Self { rev, key, value }))
    }

    /// [`parse`](Self::parse), out of the way of a loop in which it fails once at most.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse<E: Reject>(input: &'a [u8], before: u32) -> Parsed<'a, Self, E> {
        Self::parse(input, before)
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
    pub(super) fn write(&self, before: u32, out: &mut [u8]) -> Result<usize, EncodeError> {
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

/// Iterator over the entries of a [`StateSnapshot`](super::StateSnapshot).
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    left: u32,
    input: &'a [u8],
}

impl<'a> Entries<'a> {
    /// The `left` entries in `input`, which [`Entry::parse`] has checked.
    #[inline]
    pub(super) const fn new(left: u32, input: &'a [u8]) -> Self {
        Self { left, input }
    }

    /// The bytes of the entries that are still to come.
    #[cfg(feature = "alloc")]
    pub(super) const fn remaining(&self) -> &'a [u8] {
        self.input
    }
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
