//! What SYS packets have in common: `lead u8 | command u8 | peer i32` (spec 04-peers, "SYS packets").

use crate::encode::EncodeError;
use crate::error::Layout;
use crate::field::{self, Parsed, Reject};
use crate::opcode_space::is_sys;
use crate::registry::rule;

/// A packet of which nothing is known but its first byte.
pub(crate) const LAYOUT: Layout = Layout { name: "SYS", cut: rule::PEER_SYS_1 };

/// Name of the second byte.
pub(crate) const COMMAND: &str = "command";

/// Bytes of lead, command and peer.
pub(crate) const HEAD: usize = 6;

/// The first byte, which the dispatch has already looked at.
#[inline(always)]
pub(crate) fn lead<E: Reject>(input: &[u8]) -> Parsed<'_, u8, E> {
    field::u8(input, "lead")
}

/// The second byte, which the dispatch has already looked at.
#[inline(always)]
pub(crate) fn command<E: Reject>(input: &[u8]) -> Parsed<'_, u8, E> {
    field::u8(input, COMMAND)
}

/// The head of a packet, if `lead` makes it a SYS packet.
#[inline(always)]
pub(crate) fn head(lead: u8, command: u8, peer: i32) -> Result<[u8; HEAD], EncodeError> {
    if !is_sys(lead) {
        return Err(EncodeError::Lead { lead });
    }
    let [p0, p1, p2, p3] = peer.to_le_bytes();
    Ok([lead, command, p0, p1, p2, p3])
}
