//! The check for duplicate keys (ROOM-SNAP-2), which needs memory: 24 bytes for each entry.

use alloc::vec::Vec;

use super::{Entry, StateSnapshot};
use crate::decode::Decode;
use crate::error::{DecodeError, Problem};

/// Bytes of an entry's val_len.
const VAL_LEN: usize = size_of::<u32>();

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
            let behind_key = entries.remaining().len().saturating_add(value.len()).saturating_add(VAL_LEN);
            let offset = self.encoded_len().saturating_sub(behind_key).saturating_sub(key.len());
            keys.push((key, offset));
        }
        // Sorted, keys that are alike are neighbours, in the order in which they came.
        keys.sort_unstable();
        let pairs = keys.iter().zip(keys.iter().skip(1));
        match pairs.filter(|((a, _), (b, _))| a == b).map(|(_, &(_, later))| later).min() {
            Some(offset) => Err(DecodeError::new(&Self::LAYOUT, offset, "entry.key", Problem::DuplicateKey)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use crate::Direction::ToClient;
    use crate::ErrorClass::{Trailing, Value};
    use crate::testing::entry;
    use crate::{StateSnapshot, decode, decode_strict};

    fn snapshot(keys: &[&str]) -> Vec<u8> {
        let entries = (1..).zip(keys).map(|(rev, key)| entry(rev, key, b"v"));
        StateSnapshot::encode_entries_to_vec(entries).unwrap()
    }

    /// Where an entry's key begins, if all keys and values have one byte.
    fn key_offset(entry: usize) -> usize {
        5 + 12 * entry + 6
    }

    #[test]
    fn the_first_entry_whose_key_came_before() {
        let cases: [(&[&str], usize); 5] = [
            (&["a", "a"], 1),
            (&["a", "b", "c", "b"], 3),
            (&["b", "a", "a", "b"], 2),
            (&["b", "a", "b", "a"], 2),
            (&["x", "a", "y", "a", "a"], 3),
        ];
        for (keys, entry) in cases {
            let wire = snapshot(keys);
            assert!(decode(ToClient, &wire).is_ok());
            let error = decode_strict(ToClient, &wire).unwrap_err();
            let expected = (Value, key_offset(entry), "entry.key", "ROOM-SNAP-2");
            assert_eq!((error.class, error.offset, error.field, error.rule), expected, "{keys:?}");
        }
    }

    #[test]
    fn keys_that_are_alike_in_part_only() {
        let wire = snapshot(&["a", "aa", "A", "é", "e\u{301}", "b"]);
        assert_eq!(decode_strict(ToClient, &wire), decode(ToClient, &wire));
        assert!(StateSnapshot::EMPTY.check_keys().is_ok());
    }

    #[test]
    fn any_other_fault_comes_first() {
        let mut wire = snapshot(&["a", "a"]);
        wire.push(0);
        assert_eq!(decode_strict(ToClient, &wire).unwrap_err().class, Trailing);
    }
}
