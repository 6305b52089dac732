use crate::encode::{EncodeError, Writer};
use crate::error::Layout;
use crate::field::{self, Parsed};
use crate::registry::opcode;

/// WORLD_SAVE_ACK, to a client: the oldest save of this member that was not yet answered is durable (spec 03-rooms,
/// "WORLD_SAVE_ACK").
///
/// ```text
/// F3
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorldSaveAck;

impl WorldSaveAck {
    pub(crate) const LAYOUT: Layout = Layout::new("WORLD_SAVE_ACK");

    /// Parses what follows the opcode: nothing may (PRIM-END-1).
    #[inline(always)]
    pub(crate) fn parse(body: &[u8]) -> Parsed<'_, Self> {
        let (end, ()) = field::end(body)?;
        Ok((end, Self))
    }

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
