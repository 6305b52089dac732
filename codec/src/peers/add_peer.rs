use nom::Parser as _;

use super::{PeerId, sys};
use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::Layout;
use crate::field::{self, Parsed, Reject};
use crate::registry::{rule, sys as registry};

/// ADD_PEER, to a client: a peer is present (spec 04-peers, "ADD_PEER and DEL_PEER").
///
/// ```text
/// lead u8 | 01 | peer i32
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AddPeer {
    /// First byte: its low three bits are 7, and the bits above mean nothing. The relay writes
    /// [`LEAD`](crate::registry::sys::LEAD) (PEER-SYS-2).
    pub lead: u8,
    /// Who is present.
    pub peer: PeerId,
}

impl<'a> Decode<'a> for AddPeer {
    const LAYOUT: Layout = Layout { name: "ADD_PEER", cut: rule::PEER_SYS_1 };

    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        (sys::lead, sys::command, PeerId::parse, field::end)
            .map(|(lead, _, peer, ())| Self { lead, peer })
            .parse(message)
    }
}

impl AddPeer {
    /// The frame as the relay writes it.
    #[inline]
    #[must_use]
    pub const fn new(peer: PeerId) -> Self {
        Self { lead: registry::LEAD, peer }
    }

    /// Length of the encoded frame in bytes.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        sys::HEAD
    }

    /// Encodes the frame at the start of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Lead`], or [`EncodeError::BufferTooShort`] if `out` is shorter than
    /// [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let head = sys::head(self.lead, registry::ADD_PEER, self.peer.get())?;
        Writer::new(out, self.encoded_len())?.put(&head)?.finish()
    }
}
