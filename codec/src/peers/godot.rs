use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::opcode_space::FirstByte;
use crate::registry::sys;

/// Any other Godot packet (OP-SPACE-5): the relay drops it, and a client leaves it to Godot.
///
/// ```text
/// bytes …
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Godot<'a>(&'a [u8]);

impl<'a> Godot<'a> {
    pub(crate) const NAME: &'static str = "GODOT";

    /// `bytes` as an opaque packet, or `None` if they are empty or begin like something that has a meaning in `direction`.
    #[inline]
    #[must_use]
    pub fn new(direction: Direction, bytes: &'a [u8]) -> Option<Self> {
        let (&first, rest) = bytes.split_first()?;
        let opaque = match (FirstByte::of(first), direction, rest.first()) {
            (FirstByte::Godot, ..) => true,
            (FirstByte::Opcode | FirstByte::Unassigned, ..) => false,
            (FirstByte::Sys, Direction::ToRelay, command) => command != Some(&sys::RELAY),
            (FirstByte::Sys, Direction::ToClient, None) => false,
            (FirstByte::Sys, Direction::ToClient, Some(&command)) => {
                !matches!(command, sys::ADD_PEER | sys::DEL_PEER | sys::RELAY)
            }
        };
        opaque.then_some(Self(bytes))
    }

    /// Takes bytes that the dispatch has sorted.
    #[inline(always)]
    pub(crate) const fn sorted(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The whole packet, at least 1 byte.
    #[inline]
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Length of the encoded packet in bytes.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        self.0.len()
    }

    /// Copies the packet to the start of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`EncodeError::BufferTooShort`] if `out` is shorter than [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        Writer::new(out, self.encoded_len())?.put(self.0)?.finish()
    }
}
