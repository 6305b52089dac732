//! What a new member gets before live frames (spec 05-joining, "The order of the join data").

use bytes::Bytes;
use roomwire_codec::{AddPeer, Frame, PeerId, PeerIdMessage};

use super::effect::{Audience, Effects, encode};
use super::member::{MemberId, Mode};

/// The room at the cut: committed state only (JOIN-CUT-2).
#[derive(Debug)]
pub(crate) struct Cut<P> {
    /// Ids of the peers members that are present, in the order in which they joined (PEER-SYS-3).
    pub(crate) peers: P,
    /// The STATE_SNAPSHOT, if the room has keys (JOIN-ORDER-2).
    pub(crate) snapshot: Option<Bytes>,
    /// The WORLD_LOAD, if the room has a world.
    pub(crate) world: Option<Bytes>,
}

/// Sends the join data to a member, in full and in order (JOIN-ORDER-1). What does not concern its mode is left out.
pub(crate) fn send(
    effects: &mut Effects,
    member: MemberId,
    mode: Mode,
    peer: PeerId,
    cut: Cut<impl Iterator<Item = PeerId>>,
) {
    let mut send = |frame| effects.send(Audience::One(member), frame);
    send(encode(Frame::PeerId(PeerIdMessage { peer })));
    if mode.has_peers() {
        cut.peers.for_each(|present| send(encode(Frame::AddPeer(AddPeer::new(present)))));
    }
    if mode.has_state() {
        cut.snapshot.into_iter().chain(cut.world).for_each(send);
    }
}
