use nom::Parser as _;

use super::PeerId;
use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::Layout;
use crate::field::{self, Parsed, Reject};
use crate::registry::rule;

/// PEER_ID, to a client: the member's own peer id, the first message that it gets and never a later one (spec 04-peers, "Peer
/// ids").
///
/// ```text
/// peer i32
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PeerIdMessage {
    /// The member's id.
    pub peer: PeerId,
}

impl<'a> Decode<'a> for PeerIdMessage {
    const LAYOUT: Layout = Layout { name: "PEER_ID", cut: rule::PEER_ID_1 };

    fn parse<E: Reject>(_: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        (PeerId::parse, field::end).map(|(peer, ())| Self { peer }).parse(message)
    }
}

impl PeerIdMessage {
    /// Length of the encoded message in bytes.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        size_of::<i32>()
    }

    /// Encodes the message at the start of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`EncodeError::BufferTooShort`] if `out` is shorter than [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        Writer::new(out, self.encoded_len())?.put(&self.peer.to_le_bytes())?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{PeerId, PeerIdMessage};
    use crate::ErrorClass::{Trailing, Truncated, Value};
    use crate::decode_first;
    use crate::testing::encoded;

    #[test]
    fn it_is_4_bytes_and_has_no_opcode() {
        let message = PeerIdMessage { peer: PeerId::new(0x7FFF_FF00).unwrap() };
        assert_eq!(decode_first(b"\x00\xFF\xFF\x7F"), Ok(message));
        assert_eq!(encoded(message), b"\x00\xFF\xFF\x7F");
    }

    #[test]
    fn anything_else_is_refused() {
        let cases = [
            (&b""[..], (Truncated, 0, "peer", "PEER-ID-1")),
            (b"\x02\0\0", (Truncated, 0, "peer", "PEER-ID-1")),
            (b"\x02\0\0\0\0", (Trailing, 4, "end", "PRIM-END-1")),
            (b"\x01\0\0\0\0", (Value, 0, "peer", "PEER-ID-2")),
            (b"\xF3\x34\x12\0", (Value, 0, "peer", "PEER-ID-2")),
        ];
        for (message, expected) in cases {
            let error = decode_first(message).unwrap_err();
            assert_eq!((error.class, error.offset, error.field, error.rule), expected);
        }
    }
}
