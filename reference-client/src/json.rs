//! Frames as JSON, the form in which the tool, vectors and reports write them.
//!
//! Names of frames and fields are those of `spec/registry.toml`; bytes are lowercase hex; a key is a JSON string:
//!
//! ```
//! use roomwire_client::json::JsonFrame;
//! use roomwire_codec::{Direction, decode_strict};
//!
//! let frame = decode_strict(Direction::ToClient, b"\xF5\x07\0\0\0\x04\0turn\x02")?;
//! let json = serde_json::to_string(&JsonFrame::from(frame))?;
//! assert_eq!(json, r#"{"frame":"STATE_UPDATE","rev":7,"key":"turn","value":"02"}"#);
//!
//! let frame: JsonFrame = serde_json::from_str(&json)?;
//! assert_eq!(frame.encode()?, b"\xF5\x07\0\0\0\x04\0turn\x02");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use roomwire_codec::registry::rule;
use roomwire_codec::{
    AddPeer, DelPeer, Direction, EncodeError, Entry, ErrorClass, Frame, Godot, Key, KeyError, PeerId,
    PeerIdMessage, Relay, StateSet, StateSnapshot, StateUpdate, WorldLoad, WorldSave, WorldSaveAck,
};
use serde::{Deserialize, Serialize};

pub use event::{JsonError, JsonEvent, JsonValue};
pub use hex::Hex;

mod event;
mod hex;

/// One frame. Members that its layout does not have are refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of the registry's layouts")]
pub enum JsonFrame {
    /// Replaces the world.
    WorldSave { blob: Hex },
    /// The world.
    WorldLoad { blob: Hex },
    /// A save is durable.
    WorldSaveAck {},
    /// Writes one key.
    StateSet { key: String, value: Hex },
    /// One committed write.
    StateUpdate { rev: u32, key: String, value: Hex },
    /// Several committed writes.
    StateSnapshot { entries: Vec<JsonEntry> },
    /// The first message to a client.
    PeerId { peer: i32 },
    /// A peer is present.
    AddPeer { lead: u8, peer: i32 },
    /// A peer has left.
    DelPeer { lead: u8, peer: i32 },
    /// A packet for other peers, or from one.
    Relay { lead: u8, peer: i32, payload: Hex },
    /// Any other Godot message.
    Godot { bytes: Hex },
}

/// One entry of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of the registry's layouts")]
pub struct JsonEntry {
    pub rev: u32,
    pub key: String,
    pub value: Hex,
}

impl From<Frame<'_>> for JsonFrame {
    fn from(frame: Frame<'_>) -> Self {
        match frame {
            Frame::WorldSave(WorldSave { blob }) => Self::WorldSave { blob: blob.into() },
            Frame::WorldLoad(WorldLoad { blob }) => Self::WorldLoad { blob: blob.into() },
            Frame::WorldSaveAck(WorldSaveAck) => Self::WorldSaveAck {},
            Frame::StateSet(StateSet { key, value }) => {
                Self::StateSet { key: key.as_str().into(), value: value.into() }
            }
            Frame::StateUpdate(StateUpdate { rev, key, value }) => {
                Self::StateUpdate { rev, key: key.as_str().into(), value: value.into() }
            }
            Frame::StateSnapshot(snapshot) => Self::StateSnapshot {
                entries: snapshot
                    .iter()
                    .map(|Entry { rev, key, value }| JsonEntry {
                        rev,
                        key: key.as_str().into(),
                        value: value.into(),
                    })
                    .collect(),
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
}

/// Why a frame that is well-formed JSON has no encoding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{class} in {field}: {problem} [{rule}]")]
pub struct CannotEncode {
    /// The class that a decoder would report.
    pub class: ErrorClass,
    /// The field at fault.
    pub field: &'static str,
    /// The clause that it breaks.
    pub rule: &'static str,
    /// What is wrong, for people.
    pub problem: String,
}

impl JsonFrame {
    /// The frame's bytes.
    ///
    /// # Errors
    ///
    /// [`CannotEncode`]: a field holds what it must not hold, so the frame has no encoding.
    pub fn encode(&self) -> Result<Vec<u8>, CannotEncode> {
        match self {
            Self::WorldSave { blob } => bytes(Frame::WorldSave(WorldSave { blob })),
            Self::WorldLoad { blob } => bytes(Frame::WorldLoad(WorldLoad { blob })),
            Self::WorldSaveAck {} => bytes(Frame::WorldSaveAck(WorldSaveAck)),
            Self::StateSet { key, value } => {
                bytes(Frame::StateSet(StateSet { key: checked_key(key, "key_len", "key")?, value }))
            }
            Self::StateUpdate { rev, key, value } => {
                let key = checked_key(key, "key_len", "key")?;
                bytes(Frame::StateUpdate(StateUpdate { rev: *rev, key, value }))
            }
            Self::StateSnapshot { entries } => snapshot(entries),
            Self::PeerId { peer } => bytes(Frame::PeerId(PeerIdMessage { peer: checked_peer(*peer)? })),
            Self::AddPeer { lead, peer } => {
                bytes(Frame::AddPeer(AddPeer { lead: *lead, peer: checked_peer(*peer)? }))
            }
            Self::DelPeer { lead, peer } => {
                bytes(Frame::DelPeer(DelPeer { lead: *lead, peer: checked_peer(*peer)? }))
            }
            Self::Relay { lead, peer, payload } => {
                bytes(Frame::Relay(Relay { lead: *lead, peer: *peer, payload }))
            }
            Self::Godot { bytes: packet } => {
                // What is opaque in one direction only may be meant.
                match Direction::ALL.into_iter().find_map(|direction| Godot::new(direction, packet)) {
                    Some(godot) => bytes(Frame::Godot(godot)),
                    None => Err(CannotEncode {
                        class: if packet.is_empty() { ErrorClass::Truncated } else { ErrorClass::Opcode },
                        field: "opcode",
                        rule: rule::OP_SPACE_5,
                        problem: "these bytes do not begin like other Godot traffic".into(),
                    }),
                }
            }
        }
    }
}

fn bytes(frame: Frame<'_>) -> Result<Vec<u8>, CannotEncode> {
    let mut bytes = vec![0; frame.encoded_len()];
    frame.encode(&mut bytes).map_err(|error| cannot(error, "rev"))?;
    Ok(bytes)
}

fn snapshot(entries: &[JsonEntry]) -> Result<Vec<u8>, CannotEncode> {
    let mut checked = Vec::with_capacity(entries.len());
    for JsonEntry { rev, key, value } in entries {
        checked.push(Entry { rev: *rev, key: checked_key(key, "entry.key_len", "entry.key")?, value });
    }
    let mut bytes = vec![0; StateSnapshot::encoded_len_of(checked.iter().copied())];
    StateSnapshot::encode_entries(checked, &mut bytes).map_err(|error| cannot(error, "entry.rev"))?;
    // Keys that come twice are the one thing that encoding does not see.
    match roomwire_codec::decode_strict(Direction::ToClient, &bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(CannotEncode {
            class: error.class,
            field: error.field,
            rule: error.rule,
            problem: error.to_string(),
        }),
    }
}

fn checked_key<'a>(
    key: &'a str,
    len_field: &'static str,
    field: &'static str,
) -> Result<Key<'a>, CannotEncode> {
    Key::try_from(key).map_err(|error| {
        let (class, field) = match error {
            KeyError::Length { .. } => (ErrorClass::Limit, len_field),
            _ => (ErrorClass::Value, field),
        };
        CannotEncode { class, field, rule: error.rule(), problem: error.to_string() }
    })
}

fn checked_peer(peer: i32) -> Result<PeerId, CannotEncode> {
    PeerId::try_from(peer).map_err(|error| CannotEncode {
        class: ErrorClass::Value,
        field: "peer",
        rule: rule::PEER_ID_2,
        problem: error.to_string(),
    })
}

fn cannot(error: EncodeError, rev_field: &'static str) -> CannotEncode {
    let (class, field, rule) = match error {
        EncodeError::RevZero => (ErrorClass::Value, rev_field, rule::ROOM_REV_1),
        EncodeError::RevOrder { .. } => (ErrorClass::Value, rev_field, rule::ROOM_SNAP_1),
        EncodeError::Lead { .. } => (ErrorClass::Value, "lead", rule::OP_SPACE_1),
        EncodeError::NoPayload => (ErrorClass::Truncated, "payload", rule::PEER_RELAY_1),
        EncodeError::ValueTooLong { .. } => (ErrorClass::Limit, "entry.val_len", rule::PRIM_LEN_1),
        EncodeError::TooManyEntries => (ErrorClass::Limit, "count", rule::PRIM_COUNT_1),
        // A buffer of the frame's own length is not too short.
        _ => (ErrorClass::Limit, "end", rule::PRIM_FRAME_1),
    };
    CannotEncode { class, field, rule, problem: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roomwire_codec::{decode_first, decode_strict};
    use serde_json::{Value, json};

    fn encode(value: Value) -> Result<Vec<u8>, CannotEncode> {
        serde_json::from_value::<JsonFrame>(value).unwrap().encode()
    }

    #[test]
    fn every_frame_there_and_back() {
        for (direction, value) in [
            (Direction::ToRelay, json!({"frame": "WORLD_SAVE", "blob": "00ff"})),
            (Direction::ToClient, json!({"frame": "WORLD_LOAD", "blob": ""})),
            (Direction::ToClient, json!({"frame": "WORLD_SAVE_ACK"})),
            (Direction::ToRelay, json!({"frame": "STATE_SET", "key": "é", "value": "01"})),
            (
                Direction::ToClient,
                json!({"frame": "STATE_UPDATE", "rev": 4294967295u32, "key": "a", "value": ""}),
            ),
            (
                Direction::ToClient,
                json!({"frame": "STATE_SNAPSHOT", "entries": [
                    {"rev": 1, "key": "a", "value": ""}, {"rev": 3, "key": "b", "value": "ff"},
                ]}),
            ),
            (Direction::ToClient, json!({"frame": "STATE_SNAPSHOT", "entries": []})),
            (Direction::ToClient, json!({"frame": "ADD_PEER", "lead": 7, "peer": 256})),
            (Direction::ToClient, json!({"frame": "DEL_PEER", "lead": 0xF7, "peer": 256})),
            (Direction::ToRelay, json!({"frame": "RELAY", "lead": 7, "peer": -5, "payload": "f4"})),
            (Direction::ToClient, json!({"frame": "RELAY", "lead": 7, "peer": 256, "payload": "f4"})),
            (Direction::ToRelay, json!({"frame": "GODOT", "bytes": "2001"})),
            (Direction::ToRelay, json!({"frame": "GODOT", "bytes": "0701"})),
        ] {
            let bytes = encode(value.clone()).unwrap();
            let frame = decode_strict(direction, &bytes).unwrap();
            assert_eq!(value["frame"], frame.name());
            assert_eq!(serde_json::to_value(JsonFrame::from(frame)).unwrap(), value);
        }
        let value = json!({"frame": "PEER_ID", "peer": 512});
        let bytes = encode(value.clone()).unwrap();
        let frame = Frame::PeerId(decode_first(&bytes).unwrap());
        assert_eq!(serde_json::to_value(JsonFrame::from(frame)).unwrap(), value);
    }

    #[test]
    fn what_has_no_encoding_says_why() {
        for (value, class, field, rule) in [
            (json!({"frame": "STATE_SET", "key": "", "value": ""}), "limit", "key_len", "ROOM-KEY-1"),
            (json!({"frame": "STATE_SET", "key": "a\u{0}", "value": ""}), "value", "key", "ROOM-KEY-2"),
            (
                json!({"frame": "STATE_UPDATE", "rev": 0, "key": "a", "value": ""}),
                "value",
                "rev",
                "ROOM-REV-1",
            ),
            (json!({"frame": "PEER_ID", "peer": 1}), "value", "peer", "PEER-ID-2"),
            (json!({"frame": "ADD_PEER", "lead": 7, "peer": 0xF1}), "value", "peer", "PEER-ID-2"),
            (
                json!({"frame": "RELAY", "lead": 7, "peer": 0, "payload": ""}),
                "truncated",
                "payload",
                "PEER-RELAY-1",
            ),
            (json!({"frame": "ADD_PEER", "lead": 8, "peer": 256}), "value", "lead", "OP-SPACE-1"),
            (json!({"frame": "GODOT", "bytes": ""}), "truncated", "opcode", "OP-SPACE-5"),
            (json!({"frame": "GODOT", "bytes": "f1"}), "opcode", "opcode", "OP-SPACE-5"),
            (
                json!({"frame": "STATE_SNAPSHOT", "entries": [
                    {"rev": 2, "key": "a", "value": ""}, {"rev": 2, "key": "b", "value": ""},
                ]}),
                "value",
                "entry.rev",
                "ROOM-SNAP-1",
            ),
            (
                json!({"frame": "STATE_SNAPSHOT", "entries": [
                    {"rev": 1, "key": "a", "value": ""}, {"rev": 2, "key": "a", "value": ""},
                ]}),
                "value",
                "entry.key",
                "ROOM-SNAP-2",
            ),
        ] {
            let error = encode(value.clone()).unwrap_err();
            assert_eq!((error.class.name(), error.field, error.rule), (class, field, rule), "{value}");
        }
    }

    #[test]
    fn json_that_is_no_frame_is_refused() {
        for text in [
            r#"{"frame":"WORLD_SAVE_ACK","extra":1}"#,
            r#"{"frame":"STATE_SET","key":"a"}"#,
            r#"{"frame":"HELLO"}"#,
            r#"{"frame":"WORLD_SAVE","blob":"0"}"#,
            r#"{"frame":"WORLD_SAVE","blob":"0G"}"#,
            r#"{"frame":"STATE_UPDATE","rev":4294967296,"key":"a","value":""}"#,
        ] {
            assert!(serde_json::from_str::<JsonFrame>(text).is_err(), "{text}");
        }
    }
}
