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

#[cfg(test)]
mod tests {
    use super::AddPeer;
    use crate::Direction::{ToClient, ToRelay};
    use crate::ErrorClass::{Trailing, Truncated, Value};
    use crate::testing::{encoded, error, frame};
    use crate::{EncodeError, Frame, PeerId};

    #[test]
    fn the_lead_is_kept() {
        let peer = PeerId::new(0x0102_0304).unwrap();
        assert_eq!(encoded(AddPeer::new(peer)), b"\x07\x01\x04\x03\x02\x01");
        for lead in [0x07, 0x0F, 0xFF] {
            let wire = [lead, 0x01, 0x04, 0x03, 0x02, 0x01];
            assert_eq!(frame(ToClient, &wire), AddPeer { lead, peer }.into());
            assert_eq!(encoded(AddPeer { lead, peer }), wire);
        }
        let no_sys = AddPeer { lead: 0x06, peer };
        assert_eq!(no_sys.encode(&mut [0; 6]), Err(EncodeError::Lead { lead: 0x06 }));
    }

    #[test]
    fn it_is_6_bytes() {
        assert_eq!(error(ToClient, b"\x07\x01\x04\0\0"), (Truncated, 2, "peer", "PEER-SYS-1"));
        assert_eq!(error(ToClient, b"\x07\x01\x04\0\0\0\0"), (Trailing, 6, "end", "PRIM-END-1"));
        assert_eq!(error(ToClient, b"\x07\x01\x01\0\0\0\0"), (Value, 2, "peer", "PEER-ID-2"));
    }

    #[test]
    fn from_a_client_it_is_any_packet_of_godots() {
        assert!(matches!(frame(ToRelay, b"\x07\x01"), Frame::Godot(_)));
    }
}
