use nom::Parser as _;

use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::Layout;
use crate::field::{self, Parsed, Reject};
use crate::registry::opcode;

/// WORLD_SAVE, to the relay: replace the room's world (spec 03-rooms, "WORLD_SAVE").
///
/// ```text
/// F1 | blob …
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorldSave<'a> {
    /// The new world, opaque, 0 bytes allowed. The room's cap ([`limit::ROOM_BYTES`](crate::registry::limit::ROOM_BYTES))
    /// is the relay's to check.
    pub blob: &'a [u8],
}

impl<'a> Decode<'a> for WorldSave<'a> {
    const LAYOUT: Layout = Layout::new("WORLD_SAVE");

    #[inline(always)]
    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        (field::opcode, field::rest).map(|(_, blob)| Self { blob }).parse(message)
    }
}

impl<'a> WorldSave<'a> {
    /// Length of the encoded frame in bytes.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        self.blob.len().saturating_add(1)
    }

    /// Encodes the frame at the start of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`EncodeError::BufferTooShort`] if `out` is shorter than [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        Writer::new(out, self.encoded_len())?.put(&[opcode::WORLD_SAVE])?.put(self.blob)?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::WorldSave;
    use crate::Direction::{ToClient, ToRelay};
    use crate::ErrorClass::Direction;
    use crate::testing::{encoded, error, frame};

    #[test]
    fn a_blob_is_all_that_follows_the_opcode() {
        for (wire, blob) in [(&[0xF1][..], &[][..]), (&[0xF1, 0xF1, 0], &[0xF1, 0])] {
            let save = WorldSave { blob };
            assert_eq!(frame(ToRelay, wire), save.into());
            assert_eq!(encoded(save), wire);
        }
    }

    #[test]
    fn it_goes_to_the_relay_only() {
        assert_eq!(error(ToClient, &[0xF1, 0]), (Direction, 0, "opcode", "OP-SPACE-3"));
    }
}
