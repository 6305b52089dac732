use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer, check_rev};
use crate::error::Layout;
use crate::field::{self, Parsed, Reject};
use crate::key::Key;
use crate::registry::opcode;

/// STATE_UPDATE, to a client: one committed write (spec 03-rooms, "STATE_UPDATE").
///
/// ```text
/// F5 | rev u32 | key_len u16 | key | value …
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateUpdate<'a> {
    /// Revision of the commit: 1 to 2^32 - 1, in commits of the room.
    pub rev: u32,
    /// The key that was written.
    pub key: Key<'a>,
    /// The value, opaque, 0 bytes allowed.
    pub value: &'a [u8],
}

/// Bytes before the key: opcode, rev and key_len.
const HEAD: usize = 7;

impl<'a> Decode<'a> for StateUpdate<'a> {
    const LAYOUT: Layout = Layout::new("STATE_UPDATE");

    #[inline(always)]
    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        let (input, _) = field::opcode(message)?;
        let (input, rev) = field::rev(input, "rev", 0)?;
        let (input, key) = field::key(input, "key_len", "key")?;
        let (end, value) = field::rest(input)?;
        Ok((end, Self { rev, key, value }))
    }
}

impl<'a> StateUpdate<'a> {
    /// Length of the encoded frame in bytes.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        self.value.len().saturating_add(HEAD).saturating_add(self.key.len())
    }

    /// Encodes the frame at the start of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`EncodeError::RevZero`], or [`EncodeError::BufferTooShort`] if `out` is shorter than
    /// [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        check_rev(self.rev)?;
        let [r0, r1, r2, r3] = self.rev.to_le_bytes();
        let [k0, k1] = self.key.wire_len();
        let head: [u8; HEAD] = [opcode::STATE_UPDATE, r0, r1, r2, r3, k0, k1];
        Writer::new(out, self.encoded_len())?.put(&head)?.put(self.key.as_bytes())?.put(self.value)?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::StateUpdate;
    use crate::Direction::{ToClient, ToRelay};
    use crate::ErrorClass::{Direction, Limit, Truncated, Value};
    use crate::testing::{encoded, error, frame};
    use crate::{EncodeError, Key};

    #[test]
    fn revisions_are_unsigned_and_little_endian() {
        let revs = [(*b"\x01\0\0\0", 1), (*b"\0\0\0\x80", 0x8000_0000), (*b"\xFF\xFF\xFF\xFF", u32::MAX)];
        for (bytes, rev) in revs {
            let update = StateUpdate { rev, key: Key::new(b"a").unwrap(), value: b"v" };
            let wire = [&[0xF5][..], &bytes, b"\x01\0av"].concat();
            assert_eq!(frame(ToClient, &wire), update.into());
            assert_eq!(encoded(update), wire);
        }
    }

    #[test]
    fn faults_are_found_in_wire_order() {
        assert_eq!(error(ToClient, b"\xF5\x01\0\0"), (Truncated, 1, "rev", "PRIM-FRAME-1"));
        assert_eq!(error(ToClient, b"\xF5\0\0\0\0"), (Value, 1, "rev", "ROOM-REV-1"));
        assert_eq!(error(ToClient, b"\xF5\x01\0\0\0\x01"), (Truncated, 5, "key_len", "PRIM-FRAME-1"));
        assert_eq!(error(ToClient, b"\xF5\x01\0\0\0\0\0"), (Limit, 5, "key_len", "ROOM-KEY-1"));
        assert_eq!(error(ToClient, b"\xF5\x01\0\0\0\x02\0a"), (Truncated, 7, "key", "PRIM-LEN-1"));
        assert_eq!(error(ToClient, b"\xF5\x01\0\0\0\x01\0\0"), (Value, 7, "key", "ROOM-KEY-2"));
        assert_eq!(error(ToClient, b"\xF5\0\0\0\0\0\0\xFF"), (Value, 1, "rev", "ROOM-REV-1"));
    }

    #[test]
    fn revision_0_is_not_encoded() {
        let update = StateUpdate { rev: 0, key: Key::new(b"a").unwrap(), value: b"" };
        assert_eq!(update.encode(&mut [0; 16]), Err(EncodeError::RevZero));
    }

    #[test]
    fn it_goes_to_clients_only() {
        assert_eq!(error(ToRelay, b"\xF5\xFF\xFF\xFF\xFF"), (Direction, 0, "opcode", "OP-SPACE-3"));
    }
}
