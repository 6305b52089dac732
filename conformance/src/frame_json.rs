//! Frames as JSON: the form in which vectors, scenarios and reports write them.
//!
//! Field names are those of the layouts in `spec/registry.toml`; bytes are lowercase hex; a key is a JSON string.

use serde::{Deserialize, Serialize};

use crate::hex::{Hex, shorten};

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
pub enum JsonFrame {
    /// Replaces the world.
    WorldSave {
        /// The new world.
        blob: Hex,
    },
    /// The world.
    WorldLoad {
        /// The world.
        blob: Hex,
    },
    /// A save is durable.
    WorldSaveAck {},
    /// Writes one key.
    StateSet {
        /// The key.
        key: String,
        /// The value.
        value: Hex,
    },
    /// One committed write.
    StateUpdate {
        /// The commit.
        rev: u32,
        /// The key.
        key: String,
        /// The value.
        value: Hex,
    },
    /// Several committed writes.
    StateSnapshot {
        /// Ascending by revision.
        entries: Vec<JsonEntry>,
    },
    /// The first message to a version 1 member.
    PeerId {
        /// The member's id.
        peer: i32,
    },
    /// A peer is present.
    AddPeer {
        /// The first byte; its low three bits are 7.
        lead: u8,
        /// Who.
        peer: i32,
    },
    /// A peer has left.
    DelPeer {
        /// The first byte; its low three bits are 7.
        lead: u8,
        /// Who.
        peer: i32,
    },
    /// A Godot packet for other peers, or from one.
    Relay {
        /// The first byte; its low three bits are 7.
        lead: u8,
        /// Target towards the relay, source towards a client.
        peer: i32,
        /// Opaque.
        payload: Hex,
    },
    /// Any other Godot message.
    Godot {
        /// All of it.
        bytes: Hex,
    },
}

/// One entry of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonEntry {
    /// The commit.
    pub rev: u32,
    /// The key.
    pub key: String,
    /// The value.
    pub value: Hex,
}

impl JsonFrame {
    /// The frame's name in the registry; `GODOT` for opaque Godot traffic.
    pub fn name(&self) -> &'static str {
        match self {
            JsonFrame::WorldSave { .. } => "WORLD_SAVE",
            JsonFrame::WorldLoad { .. } => "WORLD_LOAD",
            JsonFrame::WorldSaveAck {} => "WORLD_SAVE_ACK",
            JsonFrame::StateSet { .. } => "STATE_SET",
            JsonFrame::StateUpdate { .. } => "STATE_UPDATE",
            JsonFrame::StateSnapshot { .. } => "STATE_SNAPSHOT",
            JsonFrame::PeerId { .. } => "PEER_ID",
            JsonFrame::AddPeer { .. } => "ADD_PEER",
            JsonFrame::DelPeer { .. } => "DEL_PEER",
            JsonFrame::Relay { .. } => "RELAY",
            JsonFrame::Godot { .. } => "GODOT",
        }
    }

    /// One line for people: long bytes are cut, and of a long snapshot only the ends are shown.
    pub fn brief(&self) -> String {
        const MAX: usize = 32;
        let name = self.name();
        match self {
            JsonFrame::WorldSave { blob } | JsonFrame::WorldLoad { blob } => {
                format!("{name} {{ blob: {} }}", shorten(blob.bytes(), MAX))
            }
            JsonFrame::WorldSaveAck {} => name.to_owned(),
            JsonFrame::StateSet { key, value } => {
                format!("{name} {{ key: {}, value: {} }}", brief_key(key), shorten(value.bytes(), MAX))
            }
            JsonFrame::StateUpdate { rev, key, value } => {
                format!(
                    "{name} {{ rev: {rev}, key: {}, value: {} }}",
                    brief_key(key),
                    shorten(value.bytes(), MAX)
                )
            }
            JsonFrame::StateSnapshot { entries } => {
                let mut shown: Vec<String> = entries.iter().take(4).map(JsonEntry::brief).collect();
                if entries.len() > 5 {
                    shown.push(format!("… {} entries in all …", entries.len()));
                }
                if entries.len() > 4 {
                    shown.extend(entries.last().map(JsonEntry::brief));
                }
                format!("{name} [{}]", shown.join(", "))
            }
            JsonFrame::PeerId { peer } => format!("{name} {peer}"),
            JsonFrame::AddPeer { lead, peer } | JsonFrame::DelPeer { lead, peer } => {
                format!("{name} {{ lead: {lead:#04x}, peer: {peer} }}")
            }
            JsonFrame::Relay { lead, peer, payload } => {
                format!(
                    "{name} {{ lead: {lead:#04x}, peer: {peer}, payload: {} }}",
                    shorten(payload.bytes(), MAX)
                )
            }
            JsonFrame::Godot { bytes } => format!("{name} {}", shorten(bytes.bytes(), MAX)),
        }
    }
}

impl JsonEntry {
    fn brief(&self) -> String {
        format!(
            "{{ rev: {}, key: {}, value: {} }}",
            self.rev,
            brief_key(&self.key),
            shorten(self.value.bytes(), 16)
        )
    }
}

fn brief_key(key: &str) -> String {
    match key.char_indices().nth(40) {
        Some((cut, _)) => format!("{:?}… ({} bytes)", key.get(..cut).unwrap_or_default(), key.len()),
        None => format!("{key:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_members_are_refused() {
        for bad in [
            r#"{"frame":"WORLD_SAVE_ACK","extra":1}"#,
            r#"{"frame":"WORLD_SAVE","blob":"00","extra":1}"#,
            r#"{"frame":"NO_SUCH_FRAME"}"#,
            r#"{"frame":"WORLD_SAVE","blob":"0"}"#,
        ] {
            assert!(serde_json::from_str::<JsonFrame>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_json_name_is_the_registry_name() {
        let frame = JsonFrame::StateUpdate { rev: 1, key: "a".into(), value: Hex(vec![]) };
        let json = serde_json::to_value(&frame).unwrap();
        assert_eq!(json, serde_json::json!({"frame":"STATE_UPDATE","rev":1,"key":"a","value":""}));
        assert_eq!(json["frame"], frame.name());
    }
}
