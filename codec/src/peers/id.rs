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
