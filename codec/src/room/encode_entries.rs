//! Making a STATE_SNAPSHOT of entries that stand elsewhere.

use super::state_snapshot::{HEAD, head};
use super::{Entry, StateSnapshot};
use crate::encode::EncodeError;

impl StateSnapshot<'_> {
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

#[cfg(test)]
mod tests {
    use std::vec;

    use crate::testing::{encode_entries, entry};
    use crate::{EncodeError, Entry, StateSnapshot};

    #[test]
    fn what_may_not_be_encoded() {
        let encode = |entries: &[Entry<'_>]| encode_entries(entries.iter().copied());
        let revs = |before, rev| Err(EncodeError::RevOrder { before, rev });
        assert_eq!(encode(&[entry(0, "a", b"")]), Err(EncodeError::RevZero));
        assert_eq!(encode(&[entry(2, "a", b""), entry(2, "b", b"")]), revs(2, 2));
        assert_eq!(encode(&[entry(2, "a", b""), entry(1, "b", b"")]), revs(2, 1));
        assert_eq!(encode(&[]).as_deref(), Ok(&b"\xF6\0\0\0\0"[..]));
    }

    #[test]
    fn a_short_buffer_is_told_what_all_entries_need() {
        let entries = [entry(1, "a", b""), entry(u32::MAX, "bc", b"v")];
        let needed = StateSnapshot::encoded_len_of(entries);
        assert_eq!(encode_entries(entries).map(|wire| wire.len()), Ok(needed));
        for available in 0..needed {
            let encoded = StateSnapshot::encode_entries(entries, &mut vec![0; available]);
            assert_eq!(encoded, Err(EncodeError::BufferTooShort { needed, available }));
        }
    }
}
