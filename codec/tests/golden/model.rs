//! A frame that owns its parts, for what has to be kept, generated, read from JSON or shown.

use std::fmt;

use roomwire_codec::{
    AddPeer, DelPeer, Direction, Entry, Frame, Godot, Key, PeerId, PeerIdMessage, Relay, StateSet,
    StateSnapshot, StateUpdate, WorldLoad, WorldSave, WorldSaveAck,
};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Model {
    WorldSave { blob: Vec<u8> },
    WorldLoad { blob: Vec<u8> },
    WorldSaveAck,
    StateSet { key: String, value: Vec<u8> },
    StateUpdate { rev: u32, key: String, value: Vec<u8> },
    StateSnapshot { entries: Vec<(u32, String, Vec<u8>)> },
    PeerId { peer: i32 },
    AddPeer { lead: u8, peer: i32 },
    DelPeer { lead: u8, peer: i32 },
    Relay { lead: u8, peer: i32, payload: Vec<u8> },
    Godot { bytes: Vec<u8> },
}

impl Model {
    pub(crate) fn of(frame: Frame<'_>) -> Self {
        match frame {
            Frame::WorldSave(WorldSave { blob }) => Self::WorldSave { blob: blob.into() },
            Frame::WorldLoad(WorldLoad { blob }) => Self::WorldLoad { blob: blob.into() },
            Frame::WorldSaveAck(WorldSaveAck) => Self::WorldSaveAck,
            Frame::StateSet(StateSet { key, value }) => {
                Self::StateSet { key: key.as_str().into(), value: value.into() }
            }
            Frame::StateUpdate(StateUpdate { rev, key, value }) => {
                Self::StateUpdate { rev, key: key.as_str().into(), value: value.into() }
            }
            Frame::StateSnapshot(snapshot) => Self::StateSnapshot {
                entries: snapshot.iter().map(|e| (e.rev, e.key.as_str().into(), e.value.into())).collect(),
            },
            Frame::PeerId(PeerIdMessage { peer }) => Self::PeerId { peer: peer.get() },
            Frame::AddPeer(AddPeer { lead, peer }) => Self::AddPeer { lead, peer: peer.get() },
            Frame::DelPeer(DelPeer { lead, peer }) => Self::DelPeer { lead, peer: peer.get() },
            Frame::Relay(Relay { lead, peer, payload }) => {
                Self::Relay { lead, peer, payload: payload.into() }
            }
            Frame::Godot(godot) => Self::Godot { bytes: godot.bytes().into() },
        }
    }

    /// Encodes the frame; `direction` matters to Godot's packets alone.
    pub(crate) fn encode(&self, direction: Direction) -> Vec<u8> {
        let frame: Frame<'_> = match self {
            Self::WorldSave { blob } => WorldSave { blob }.into(),
            Self::WorldLoad { blob } => WorldLoad { blob }.into(),
            Self::WorldSaveAck => WorldSaveAck.into(),
            Self::StateSet { key, value } => StateSet { key: Key::try_from(&**key).unwrap(), value }.into(),
            Self::StateUpdate { rev, key, value } => {
                StateUpdate { rev: *rev, key: Key::try_from(&**key).unwrap(), value }.into()
            }
            Self::StateSnapshot { entries } => {
                let entries = entries.iter().map(|(rev, key, value)| Entry {
                    rev: *rev,
                    key: Key::try_from(&**key).unwrap(),
                    value,
                });
                let len = StateSnapshot::encoded_len_of(entries.clone());
                let wire = StateSnapshot::encode_entries_to_vec(entries).unwrap();
                assert_eq!(wire.len(), len);
                return wire;
            }
            Self::PeerId { peer } => PeerIdMessage { peer: PeerId::new(*peer).unwrap() }.into(),
            Self::AddPeer { lead, peer } => AddPeer { lead: *lead, peer: PeerId::new(*peer).unwrap() }.into(),
            Self::DelPeer { lead, peer } => DelPeer { lead: *lead, peer: PeerId::new(*peer).unwrap() }.into(),
            Self::Relay { lead, peer, payload } => Relay { lead: *lead, peer: *peer, payload }.into(),
            Self::Godot { bytes } => Godot::new(direction, bytes).unwrap().into(),
        };
        let wire = frame.encode_to_vec().unwrap();
        assert_eq!(wire.len(), frame.encoded_len());
        wire
    }
}

pub(crate) fn unhex(hex: &str) -> Vec<u8> {
    assert_eq!(hex.len() % 2, 0, "half a byte in {hex}");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// One line, with long parts cut short.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorldSave { blob } => write!(f, "WORLD_SAVE blob {}", Hex(blob)),
            Self::WorldLoad { blob } => write!(f, "WORLD_LOAD blob {}", Hex(blob)),
            Self::WorldSaveAck => write!(f, "WORLD_SAVE_ACK"),
            Self::StateSet { key, value } => write!(f, "STATE_SET key {}, value {}", Text(key), Hex(value)),
            Self::StateUpdate { rev, key, value } => {
                write!(f, "STATE_UPDATE rev {rev}, key {}, value {}", Text(key), Hex(value))
            }
            Self::StateSnapshot { entries } => {
                write!(f, "STATE_SNAPSHOT of {}", entries.len())?;
                for (rev, key, value) in entries.iter().take(4) {
                    write!(f, "; rev {rev}, key {}, value {}", Text(key), Hex(value))?;
                }
                if entries.len() > 4 { write!(f, "; …") } else { Ok(()) }
            }
            Self::PeerId { peer } => write!(f, "PEER_ID peer {peer}"),
            Self::AddPeer { lead, peer } => write!(f, "ADD_PEER lead {lead:02x}, peer {peer}"),
            Self::DelPeer { lead, peer } => write!(f, "DEL_PEER lead {lead:02x}, peer {peer}"),
            Self::Relay { lead, peer, payload } => {
                write!(f, "RELAY lead {lead:02x}, peer {peer}, payload {}", Hex(payload))
            }
            Self::Godot { bytes } => write!(f, "GODOT bytes {}", Hex(bytes)),
        }
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 16;
        if self.0.is_empty() {
            return write!(f, "empty");
        }
        self.0.iter().take(SHOWN).try_for_each(|byte| write!(f, "{byte:02x}"))?;
        if self.0.len() > SHOWN { write!(f, "… ({} bytes)", self.0.len()) } else { Ok(()) }
    }
}

struct Text<'a>(&'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 24;
        let start: String = self.0.chars().take(SHOWN).collect();
        write!(f, "{start:?}")?;
        if start.len() < self.0.len() { write!(f, "… ({} bytes)", self.0.len()) } else { Ok(()) }
    }
}
