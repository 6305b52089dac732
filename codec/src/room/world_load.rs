use crate::encode::{EncodeError, Writer};
use crate::error::Layout;
use crate::field::{self, Parsed};
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

impl<'a> WorldLoad<'a> {
    pub(crate) const LAYOUT: Layout = Layout::new("WORLD_LOAD");

    /// Parses what follows the opcode.
    #[inline(always)]
    pub(crate) fn parse(body: &'a [u8]) -> Parsed<'a, Self> {
        let (end, blob) = field::rest(body)?;
        Ok((end, Self { blob }))
    }

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
