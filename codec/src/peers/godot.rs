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

#[cfg(test)]
mod tests {
    use super::Godot;
    use crate::Direction::{self, ToClient, ToRelay};
    use crate::testing::{encoded, frame};
    use crate::{Frame, decode};

    #[test]
    fn whatever_decodes_as_godots_can_be_made_and_nothing_else() {
        for direction in Direction::ALL {
            for first in 0..=u8::MAX {
                for message in [&[first][..], &[first, 0], &[first, 1], &[first, 2], &[first, 3], &[first, 4]]
                {
                    let decoded = decode(direction, message);
                    let made = Godot::new(direction, message);
                    match decoded {
                        Ok(Frame::Godot(godot)) => assert_eq!(made, Some(godot)),
                        _ => assert_eq!(made, None, "{direction}: {message:02x?}"),
                    }
                }
            }
            assert_eq!(Godot::new(direction, b""), None);
        }
    }

    #[test]
    fn it_is_kept_as_it_is() {
        for (direction, wire) in [(ToRelay, &b"\x07"[..]), (ToRelay, b"\x07\x01"), (ToClient, b"\x20\x01")] {
            let godot = Godot::new(direction, wire).unwrap();
            assert_eq!(frame(direction, wire), godot.into());
            assert_eq!(godot.bytes(), wire);
            assert_eq!(encoded(godot), wire);
        }
    }
}
