//! What is checked before anything is sent (spec 12-clients, "Writing").

use bytes::Bytes;
use roomwire_codec::registry::{limit, sys};
use roomwire_codec::{EncodeError, Frame, Key, KeyError, PeerId, Relay, StateSet, WorldSave};

use super::address::Mode;

/// Why a write was refused, at once and locally. Nothing was sent (CLIENT-WRITE-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The key is none (ROOM-KEY-1, ROOM-KEY-2).
    #[error(transparent)]
    Key(#[from] KeyError),
    /// More than any relay takes: a room holds at most 1 MiB (ROOM-CAP-1), and a packet is a message of at most 4 MiB (LIM-IN-1).
    #[error("{len} bytes are too many: at most {max} are accepted")]
    TooLarge {
        /// What it comes to in bytes: a world, a key with its value and what it costs beside them, or a message.
        len: usize,
        /// The limit that it passes, in bytes.
        max: usize,
    },
    /// A packet without a byte (PEER-RELAY-1).
    #[error("a packet must have at least 1 byte")]
    EmptyPacket,
    /// This connection's mode does not take part in that: values and worlds in mode `peers` (PEER-MODE-1), packets in mode `state`
    /// (PEER-RELAY-7).
    #[error("not possible in mode {mode}")]
    Mode {
        /// The mode of the address.
        mode: Mode,
    },
    /// There is no connection (H94).
    #[error("not connected")]
    NotConnected,
    /// The join data has not come yet. A write now could overwrite what a running game has; wait for
    /// [`Event::Ready`](super::Event::Ready) (H46).
    #[error("not ready: the room's state has not come yet")]
    NotReady,
    /// So much waits to be sent that this has no room. Try again later (H94).
    #[error("the connection takes no more for now: {unsent} bytes wait to be sent")]
    Backlog {
        /// Bytes that wait.
        unsent: usize,
    },
}

/// For whom a packet is (spec 04-peers, "RELAY").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// One peer. If it is not in the room, the packet is dropped.
    Peer(PeerId),
    /// Everyone else.
    All,
    /// Everyone else but one.
    AllBut(PeerId),
}

impl Target {
    /// The target as it stands on the wire.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Peer(peer) => peer.get(),
            Self::All => 0,
            // A peer id is positive, so this does not overflow.
            Self::AllBut(peer) => peer.get().wrapping_neg(),
        }
    }
}

/// The message that sets a key.
pub(super) fn set(mode: Mode, key: &str, value: &[u8]) -> Result<Bytes, WriteError> {
    let key = Key::try_from(key)?;
    if !mode.has_state() {
        return Err(WriteError::Mode { mode });
    }
    let cost = limit::ENTRY_OVERHEAD.saturating_add(key.len()).saturating_add(value.len());
    check_len(cost, limit::ROOM_BYTES)?;
    message(Frame::StateSet(StateSet { key, value }))
}

/// The message that saves the world.
pub(super) fn save(mode: Mode, blob: &[u8]) -> Result<Bytes, WriteError> {
    if !mode.has_state() {
        return Err(WriteError::Mode { mode });
    }
    check_len(blob.len(), limit::ROOM_BYTES)?;
    message(Frame::WorldSave(WorldSave { blob }))
}

/// The message that sends a packet to peers.
pub(super) fn packet(mode: Mode, target: Target, payload: &[u8]) -> Result<Bytes, WriteError> {
    if payload.is_empty() {
        return Err(WriteError::EmptyPacket);
    }
    if !mode.has_peers() {
        return Err(WriteError::Mode { mode });
    }
    message(Frame::Relay(Relay { lead: sys::LEAD, peer: target.number(), payload }))
}

fn check_len(len: usize, max: usize) -> Result<(), WriteError> {
    if len > max { Err(WriteError::TooLarge { len, max }) } else { Ok(()) }
}

fn message(frame: Frame<'_>) -> Result<Bytes, WriteError> {
    let len = frame.encoded_len();
    check_len(len, limit::MAX_INBOUND_MESSAGE)?;
    let mut message = vec![0; len];
    match frame.encode(&mut message) {
        Ok(_) => Ok(message.into()),
        // Neither can come: the buffer has the frame's own length, and the fields were checked.
        Err(EncodeError::NoPayload) => Err(WriteError::EmptyPacket),
        Err(_) => Err(WriteError::TooLarge { len, max: limit::MAX_INBOUND_MESSAGE }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLIENT-WRITE-1, Z36, Z37, H65: a key that breaks ROOM-KEY-1 or ROOM-KEY-2 fails, and the error says how.
    #[test]
    fn keys_are_checked() {
        let longest = "é".repeat(limit::KEY_MAX / 2);
        for good in ["a", "e\u{301}", "a\u{FEFF}", longest.as_str()] {
            assert!(set(Mode::Both, good, b"").is_ok(), "{good:?}");
        }
        let long = format!("{longest}x");
        for (bad, error) in [
            ("", KeyError::Length { len: 0 }),
            (long.as_str(), KeyError::Length { len: limit::KEY_MAX + 1 }),
            ("a\0b", KeyError::Nul { at: 1 }),
            ("\u{FEFF}a", KeyError::Bom),
        ] {
            assert_eq!(set(Mode::Both, bad, b""), Err(WriteError::Key(error)));
        }
    }

    /// CLIENT-WRITE-1: what no relay accepts is not sent.
    #[test]
    fn sizes_are_checked() {
        let max = limit::ROOM_BYTES;
        assert!(save(Mode::State, &vec![0; max]).is_ok());
        assert_eq!(save(Mode::State, &vec![0; max + 1]), Err(WriteError::TooLarge { len: max + 1, max }));
        let most = max - limit::ENTRY_OVERHEAD - 1;
        assert!(set(Mode::State, "k", &vec![0; most]).is_ok());
        assert_eq!(
            set(Mode::State, "k", &vec![0; most + 1]),
            Err(WriteError::TooLarge { len: max + 1, max })
        );
        let max = limit::MAX_INBOUND_MESSAGE;
        let head = packet(Mode::Peers, Target::All, b"x").unwrap().len() - 1;
        assert!(packet(Mode::Peers, Target::All, &vec![0; max - head]).is_ok());
        assert_eq!(
            packet(Mode::Peers, Target::All, &vec![0; max - head + 1]),
            Err(WriteError::TooLarge { len: max + 1, max })
        );
        assert_eq!(packet(Mode::Peers, Target::All, b""), Err(WriteError::EmptyPacket));
    }

    #[test]
    fn modes_are_checked() {
        let mode = Mode::Peers;
        assert_eq!(set(mode, "a", b""), Err(WriteError::Mode { mode }));
        assert_eq!(save(mode, b""), Err(WriteError::Mode { mode }));
        let mode = Mode::State;
        assert_eq!(packet(mode, Target::All, b"x"), Err(WriteError::Mode { mode }));
    }

    #[test]
    fn messages_are_the_wire() {
        assert_eq!(set(Mode::Both, "ab", &[1]).unwrap(), b"\xF4\x02\x00ab\x01"[..]);
        assert_eq!(save(Mode::Both, b"").unwrap(), b"\xF1"[..]);
        let peer = PeerId::new(0x0102).unwrap();
        assert_eq!(packet(Mode::Both, Target::Peer(peer), b"x").unwrap(), b"\x07\x03\x02\x01\x00\x00x"[..]);
        assert_eq!(packet(Mode::Both, Target::All, b"x").unwrap(), b"\x07\x03\x00\x00\x00\x00x"[..]);
        assert_eq!(packet(Mode::Both, Target::AllBut(peer), b"x").unwrap(), b"\x07\x03\xFE\xFE\xFF\xFFx"[..]);
    }
}
