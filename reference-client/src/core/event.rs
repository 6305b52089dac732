//! What a client tells its game.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use roomwire_codec::{DecodeError, PeerId};

use super::end::Closed;

/// Names a save of this client, so that its ack can be told from others (CLIENT-WORLD-1). Tickets count up from 1 and go on
/// counting over reconnects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SaveTicket(pub(crate) u64);

impl SaveTicket {
    /// The ticket as a number, 1 for the first save.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for SaveTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Something that happened, in the order in which it did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An attempt to connect begins.
    Connecting {
        /// Which attempt since a connection last held, counted from 1.
        attempt: u32,
    },
    /// The WebSocket is open. The relay may still refuse; nothing of the room is known yet.
    Opened,
    /// The relay has let this client in.
    Joined {
        /// This client's own id in the room, for this connection.
        peer: PeerId,
    },
    /// The join data has come: what is held is the room. **Write from here on.** Comes once a connection, after the events of the
    /// join data and before those of a frame that shows that it is over (CLIENT-READY-2).
    Ready,
    /// A value that is newer than what was held: the join data's, another member's, or the echo of this client's own write.
    StateChanged {
        /// The key.
        key: Arc<str>,
        /// The value, opaque, which may be empty.
        value: Bytes,
        /// The commit that wrote it, 1 to 4294967295.
        rev: u32,
    },
    /// The world: at the join if one was ever saved, and after another member's save (CLIENT-WORLD-1).
    WorldLoaded {
        /// The world, opaque, which may be empty.
        blob: Bytes,
    },
    /// A save of this client is durable.
    WorldSaved {
        /// Which.
        save: SaveTicket,
    },
    /// A peer is present.
    PeerAdded {
        /// Who.
        peer: PeerId,
    },
    /// A peer has left, or the connection ended, and with it all peers are gone (CLIENT-PEER-1).
    PeerRemoved {
        /// Who.
        peer: PeerId,
    },
    /// A packet from a peer.
    Packet {
        /// Who sent it; the relay vouches for that.
        from: PeerId,
        /// The packet, opaque, at least 1 byte.
        payload: Bytes,
    },
    /// Other Godot traffic, which is Godot's to understand (OP-SPACE-5).
    Godot {
        /// The whole message, at least 1 byte.
        message: Bytes,
    },
    /// The relay broke the protocol. The connection is closed next.
    Error(ProtocolError),
    /// A connection, or an attempt at one, ended (CLIENT-CLOSE-1).
    Closed(Closed),
}

/// How the relay broke the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtocolError {
    /// A message that does not decode. Nothing of it was applied (CLIENT-APPLY-2).
    Decode(DecodeError),
    /// A text message (CLIENT-TEXT-1).
    Text,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Decode(error) => error.fmt(f),
            Self::Text => f.write_str("a text message came, but Roomwire is binary"),
        }
    }
}

impl std::error::Error for ProtocolError {}
