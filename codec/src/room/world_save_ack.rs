use nom::Parser as _;

use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::Layout;
use crate::field::{self, Parsed, Reject};
use crate::registry::opcode;

/// WORLD_SAVE_ACK, to a client: the oldest save of this member that was not yet answered is durable (spec 03-rooms,
/// "WORLD_SAVE_ACK").
///
/// ```text
/// F3
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorldSaveAck;

impl<'a> Decode<'a> for WorldSaveAck {
    const LAYOUT: Layout = Layout::new("WORLD_SAVE_ACK");

    #[inline(always)]
    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        (field::opcode, field::end).map(|(_, ())| Self).parse(message)
    }
}

impl WorldSaveAck {
    /// Length of the encoded frame in bytes.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        1
    }

    /// Encodes the frame at the start of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`EncodeError::BufferTooShort`] if `out` is shorter than [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        Writer::new(out, self.encoded_len())?.put(&[opcode::WORLD_SAVE_ACK])?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::WorldSaveAck;
    use crate::Direction::{ToClient, ToRelay};
    use crate::ErrorClass::{Direction, Trailing};
    use crate::testing::{encoded, error, frame};

    #[test]
    fn it_is_one_byte() {
        assert_eq!(frame(ToClient, &[0xF3]), WorldSaveAck.into());
        assert_eq!(encoded(WorldSaveAck), [0xF3]);
        assert_eq!(error(ToClient, &[0xF3, 0]), (Trailing, 1, "end", "PRIM-END-1"));
    }

    #[test]
    fn it_goes_to_clients_only() {
        assert_eq!(error(ToRelay, &[0xF3, 0]), (Direction, 0, "opcode", "OP-SPACE-3"));
    }
}
