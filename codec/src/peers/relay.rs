use super::{PeerId, sys};
use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::{EncodeError, Writer};
use crate::error::{Layout, Problem};
use crate::field::{self, Parsed, Reject, cut, fault};
use crate::registry::{rule, sys as registry};

/// RELAY, both ways: a Godot packet for other peers, or from one (spec 04-peers, "RELAY").
///
/// ```text
/// lead u8 | 03 | peer i32 | payload …
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Relay<'a> {
    /// First byte: its low three bits are 7, and the bits above mean nothing. The relay writes
    /// [`LEAD`](crate::registry::sys::LEAD) (PEER-SYS-2).
    pub lead: u8,
    /// To the relay, the target: > 0 that peer, 0 everyone, < 0 everyone but that peer; every number is allowed. To a client, the
    /// source, a [`PeerId`] (PEER-RELAY-2).
    pub peer: i32,
    /// The packet, at least 1 byte. It is never read (PEER-RELAY-5).
    pub payload: &'a [u8],
}

impl<'a> Decode<'a> for Relay<'a> {
    const LAYOUT: Layout = Layout { name: "RELAY", cut: rule::PEER_RELAY_1 };

    #[inline]
    fn parse<E: Reject>(direction: Direction, message: &'a [u8]) -> Parsed<'a, Self, E> {
        let (input, lead) = sys::lead(message)?;
        let (at_peer, _) = sys::command(input)?;
        let (at_payload, peer) = field::i32(at_peer, "peer")?;
        if direction == Direction::ToClient && PeerId::new(peer).is_none() {
            return fault(at_peer, "peer", Problem::Source(peer));
        }
        let (end, payload) = field::rest(at_payload)?;
        if payload.is_empty() {
            return cut(at_payload, "payload", 1);
        }
        Ok((end, Self { lead, peer, payload }))
    }
}

impl<'a> Relay<'a> {
    /// The frame in which the relay passes a payload on.
    #[inline]
    #[must_use]
    pub const fn from_peer(source: PeerId, payload: &'a [u8]) -> Self {
        Self { lead: registry::LEAD, peer: source.get(), payload }
    }

    /// Length of the encoded frame in bytes.
    #[inline]
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        self.payload.len().saturating_add(sys::HEAD)
    }

    /// Encodes the frame at the start of `out` and returns its length.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Lead`], [`EncodeError::NoPayload`], or [`EncodeError::BufferTooShort`] if `out` is shorter than
    /// [`encoded_len`](Self::encoded_len).
    #[inline]
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let head = sys::head(self.lead, registry::RELAY, self.peer)?;
        if self.payload.is_empty() {
            return Err(EncodeError::NoPayload);
        }
        Writer::new(out, self.encoded_len())?.put(&head)?.put(self.payload)?.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Relay;
    use crate::Direction::{ToClient, ToRelay};
    use crate::ErrorClass::{Truncated, Value};
    use crate::testing::{encoded, error, frame};
    use crate::{EncodeError, PeerId};

    #[test]
    fn towards_the_relay_every_target_is_allowed() {
        for peer in [0, 1, -1, 5, i32::MIN, i32::MAX] {
            let relay = Relay { lead: 0x17, peer, payload: b"\xF4" };
            let wire = [&[0x17, 3][..], &peer.to_le_bytes(), &[0xF4]].concat();
            assert_eq!(frame(ToRelay, &wire), relay.into());
            assert_eq!(encoded(relay), wire);
        }
    }

    #[test]
    fn towards_a_client_the_source_is_a_peer_id() {
        let relay = Relay::from_peer(PeerId::new(2).unwrap(), b"\0");
        assert_eq!(encoded(relay), b"\x07\x03\x02\0\0\0\0");
        assert_eq!(frame(ToClient, b"\x07\x03\x02\0\0\0\0"), relay.into());
        // The source is checked before the payload is looked for.
        assert_eq!(error(ToClient, b"\x07\x03\x01\0\0\0"), (Value, 2, "peer", "PEER-RELAY-2"));
    }

    #[test]
    fn it_has_a_payload() {
        for direction in [ToRelay, ToClient] {
            assert_eq!(error(direction, b"\x07\x03"), (Truncated, 2, "peer", "PEER-RELAY-1"));
            assert_eq!(error(direction, b"\x07\x03\x02\0\0"), (Truncated, 2, "peer", "PEER-RELAY-1"));
            assert_eq!(error(direction, b"\x07\x03\x02\0\0\0"), (Truncated, 6, "payload", "PEER-RELAY-1"));
        }
        let mut out = [0; 8];
        assert_eq!(Relay { lead: 7, peer: 2, payload: b"" }.encode(&mut out), Err(EncodeError::NoPayload));
        assert_eq!(
            Relay { lead: 3, peer: 2, payload: b"x" }.encode(&mut out),
            Err(EncodeError::Lead { lead: 3 })
        );
    }
}
