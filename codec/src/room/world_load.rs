use nom::Parser as _;

use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::Layout;
use crate::field::{self, Parsed, Reject};
use crate::registry::opcode;

/// WORLD_LOAD, to a client: the world, at the join or after another member's save (spec 03-rooms, "WORLD_LOAD").
///
/// ```text
/// F2 | blob …
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorldLoad<'a> {
    /// The world, opaque, 0 bytes allowed.
    pub blob: &'a [u8],
}

impl<'a> Decode<'a> for WorldLoad<'a> {
    const LAYOUT: Layout = Layout::new("WORLD_LOAD");

    #[inline(always)]
    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        (field::opcode, field::rest).map(|(_, blob)| Self { blob }).parse(message)
    }
}

impl<'a> WorldLoad<'a> {
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
        Writer::new(out, self.encoded_len())?.put(&[opcode::WORLD_LOAD])?.put(self.blob)?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::WorldLoad;
    use crate::Direction::{ToClient, ToRelay};
    use crate::ErrorClass::Direction;
    use crate::testing::{encoded, error, frame};

    #[test]
    fn a_blob_is_all_that_follows_the_opcode() {
        for (wire, blob) in [(&[0xF2][..], &[][..]), (&[0xF2, 0xF2, 0], &[0xF2, 0])] {
            let load = WorldLoad { blob };
            assert_eq!(frame(ToClient, wire), load.into());
            assert_eq!(encoded(load), wire);
        }
    }

    #[test]
    fn it_goes_to_clients_only() {
        assert_eq!(error(ToRelay, &[0xF2]), (Direction, 0, "opcode", "OP-SPACE-3"));
    }
}
