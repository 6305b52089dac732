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
