use core::fmt;

use crate::error::Problem;
use crate::field::{self, Parsed, Reject, fault};
use crate::opcode_space::FirstByte;

/// Lowest id of a member: 0 means everyone and 1 is the relay itself.
const MIN: i32 = 2;

/// The peer id of a member (PEER-ID-2): 2 to 2147483647, and not one whose first byte on the wire a version 1 client would
/// take for an opcode or a SYS packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeerId(i32);

impl PeerId {
    /// `id` as a peer id, or `None` if no member can have it.
    #[inline]
    #[must_use]
    pub const fn new(id: i32) -> Option<Self> {
        let [first, ..] = id.to_le_bytes();
        if id >= MIN && matches!(FirstByte::of(first), FirstByte::Godot) { Some(Self(id)) } else { None }
    }

    /// The id as a number, 2 to 2147483647.
    #[inline]
    #[must_use]
    pub const fn get(self) -> i32 {
        self.0
    }

    /// The id as it stands on the wire.
    #[inline]
    #[must_use]
    pub const fn to_le_bytes(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }

    /// Reads a peer id.
    #[inline(always)]
    pub(crate) fn parse<E: Reject>(input: &[u8]) -> Parsed<'_, Self, E> {
        let (rest, id) = field::i32(input, "peer")?;
        match Self::new(id) {
            Some(peer) => Ok((rest, peer)),
            None => fault(input, "peer", Problem::PeerId(id)),
        }
    }
}

impl From<PeerId> for i32 {
    fn from(peer: PeerId) -> Self {
        peer.0
    }
}

impl TryFrom<i32> for PeerId {
    type Error = NotAPeerId;

    fn try_from(id: i32) -> Result<Self, NotAPeerId> {
        Self::new(id).ok_or(NotAPeerId(id))
    }
}

impl fmt::Debug for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A number that cannot be the peer id of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAPeerId(
    /// The number.
    pub i32,
);

impl fmt::Display for NotAPeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Problem::PeerId(self.0), f)
    }
}

impl core::error::Error for NotAPeerId {}

#[cfg(test)]
mod tests {
    use super::PeerId;

    #[test]
    fn neither_everyone_nor_the_relay_nor_a_negative_number() {
        for id in [0, 1, -1, i32::MIN, -0x100] {
            assert_eq!(PeerId::new(id), None, "{id}");
        }
        for id in [2, 0x100, i32::MAX & !0xFF] {
            assert_eq!(PeerId::new(id).map(PeerId::get), Some(id));
            assert_eq!(PeerId::try_from(id).map(i32::from), Ok(id));
        }
        assert!(PeerId::try_from(1).is_err());
    }

    #[test]
    fn a_first_byte_that_a_client_takes_for_something_else_is_left_out() {
        let first_bytes = (0..=0xFF).filter(|low| PeerId::new(0x100 | low).is_some());
        assert_eq!(first_bytes.count(), 106);
        for low in [0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0x07, 0xF7, 0x08, 0x1E, 0xFF] {
            assert_eq!(PeerId::new(0x1234_5600 | low), None, "{low:02x}");
        }
        for low in [0xF0, 0x00, 0x06, 0x10, 0xE6] {
            assert!(PeerId::new(0x1234_5600 | low).is_some(), "{low:02x}");
        }
    }
}
