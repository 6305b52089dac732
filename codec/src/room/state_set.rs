use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::Layout;
use crate::field::{self, Parsed, Reject};
use crate::key::Key;
use crate::registry::opcode;

/// STATE_SET, to the relay: write one key (spec 03-rooms, "STATE_SET").
///
/// ```text
/// F4 | key_len u16 | key | value …
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateSet<'a> {
    /// The key to write.
    pub key: Key<'a>,
    /// The new value, opaque, 0 bytes allowed. The room's cap ([`limit::ROOM_BYTES`](crate::registry::limit::ROOM_BYTES))
    /// is the relay's to check.
    pub value: &'a [u8],
}

/// Bytes before the key: opcode and key_len.
const HEAD: usize = 3;

impl<'a> Decode<'a> for StateSet<'a> {
    const LAYOUT: Layout = Layout::new("STATE_SET");

    #[inline(always)]
    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        let (input, _) = field::opcode(message)?;
        let (input, key) = field::key(input, "key_len", "key")?;
        let (end, value) = field::rest(input)?;
        Ok((end, Self { key, value }))
    }
}

impl<'a> StateSet<'a> {
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
    /// [`EncodeError::BufferTooShort`] if `out` is shorter than [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let [low, high] = self.key.wire_len();
        let head: [u8; HEAD] = [opcode::STATE_SET, low, high];
        Writer::new(out, self.encoded_len())?.put(&head)?.put(self.key.as_bytes())?.put(self.value)?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::StateSet;
    use crate::Direction::{ToClient, ToRelay};
    use crate::ErrorClass::{Direction, Limit, Truncated, Value};
    use crate::Key;
    use crate::testing::{encoded, error, frame};

    #[test]
    fn the_value_is_all_that_follows_the_key() {
        for (wire, value) in [(&b"\xF4\x02\0ab"[..], &b""[..]), (b"\xF4\x02\0ab\0\xF4", b"\0\xF4")] {
            let set = StateSet { key: Key::new(b"ab").unwrap(), value };
            assert_eq!(frame(ToRelay, wire), set.into());
            assert_eq!(encoded(set), wire);
        }
    }

    #[test]
    fn the_length_of_the_key_is_checked_before_the_key_is_read() {
        assert_eq!(error(ToRelay, b"\xF4"), (Truncated, 1, "key_len", "PRIM-FRAME-1"));
        assert_eq!(error(ToRelay, b"\xF4\x01"), (Truncated, 1, "key_len", "PRIM-FRAME-1"));
        assert_eq!(error(ToRelay, b"\xF4\0\0a"), (Limit, 1, "key_len", "ROOM-KEY-1"));
        assert_eq!(error(ToRelay, b"\xF4\x01\x04"), (Limit, 1, "key_len", "ROOM-KEY-1"));
        assert_eq!(error(ToRelay, b"\xF4\0\x04a"), (Truncated, 3, "key", "PRIM-LEN-1"));
        assert_eq!(error(ToRelay, b"\xF4\x01\0\xFF"), (Value, 3, "key", "ROOM-KEY-2"));
    }

    #[test]
    fn it_goes_to_the_relay_only() {
        assert_eq!(error(ToClient, b"\xF4"), (Direction, 0, "opcode", "OP-SPACE-3"));
    }
}
