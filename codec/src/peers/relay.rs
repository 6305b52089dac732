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
