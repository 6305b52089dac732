//! Who a member is to the core, and which halves of the protocol it takes part in.

/// Names a member within one room. The caller chooses the numbers; **within a room they rise with each join** and are
/// never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberId(pub u64);

/// The URL parameter `m` (spec 04-peers).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Values, worlds and Godot traffic: what a client gets that knows nothing of modes.
    #[default]
    Both,
    /// Values and worlds only. Never announced as a peer.
    State,
    /// Godot traffic only. Never sent a value or a world.
    Peers,
}

impl Mode {
    /// Whether the member gets values and worlds, and may write them.
    pub const fn has_state(self) -> bool {
        matches!(self, Mode::Both | Mode::State)
    }

    /// Whether the member is announced as a peer, and sends and gets RELAYs.
    pub const fn has_peers(self) -> bool {
        matches!(self, Mode::Both | Mode::Peers)
    }
}
