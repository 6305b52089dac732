//! Peer ids and Godot's own packets (spec 04-peers).

mod add_peer;
mod del_peer;
mod godot;
mod id;
mod peer_id;
mod relay;
pub(crate) mod sys;

pub use add_peer::AddPeer;
pub use del_peer::DelPeer;
pub use godot::Godot;
pub use id::{NotAPeerId, PeerId};
pub use peer_id::PeerIdMessage;
pub use relay::Relay;
