//! What the golden frames expect.

use roomwire_codec::{DecodeError, Entry, Frame, Key, decode_collecting, decode_first, decode_strict};
use serde_json::Value;

use crate::cases::{Mode, cases};
use crate::model::{Model, unhex};

/// The cases of one kind, of which there must be some.
pub(crate) fn cases_of(kind: &str) -> Vec<Value> {
    let cases: Vec<_> = cases().filter(|case| case["kind"] == kind).collect();
    assert!(!cases.is_empty(), "no {kind} frames");
    cases
}

impl Mode {
    pub(crate) fn decode_strict(self, message: &[u8]) -> Result<Frame<'_>, DecodeError> {
        match self {
            Self::First => decode_first(message).map(Frame::from),
            Self::Later(direction) => decode_strict(direction, message),
        }
    }

    /// [`decode_collecting`] does what [`decode`](Self::decode) does, and appends a snapshot's entries behind what is there.
    pub(crate) fn assert_collects(self, message: &[u8]) {
        let Self::Later(direction) = self else { return };
        let there = Entry { rev: u32::MAX, key: Key::new(b"there before").unwrap(), value: b"" };
        let mut entries = vec![there];
        let collected = decode_collecting(direction, message, &mut entries);
        assert_eq!(collected, self.decode(message), "{message:02x?}");
        let mut expected = vec![there];
        if let Ok(Frame::StateSnapshot(snapshot)) = collected {
            expected.extend(snapshot);
        }
        assert_eq!(entries, expected, "{message:02x?}");
    }
}

impl Model {
    /// Reads a frame as the golden frames have it.
    pub(crate) fn from_json(json: &Value) -> Self {
        let bytes = |name: &str| unhex(json[name].as_str().unwrap());
        let text = |name: &str| json[name].as_str().unwrap().to_owned();
        let number = |name: &str| json[name].as_i64().unwrap();
        let rev = || number("rev").try_into().unwrap();
        let lead = || number("lead").try_into().unwrap();
        let peer = || number("peer").try_into().unwrap();
        match json["frame"].as_str().unwrap() {
            "WORLD_SAVE" => Self::WorldSave { blob: bytes("blob") },
            "WORLD_LOAD" => Self::WorldLoad { blob: bytes("blob") },
            "WORLD_SAVE_ACK" => Self::WorldSaveAck,
            "STATE_SET" => Self::StateSet { key: text("key"), value: bytes("value") },
            "STATE_UPDATE" => Self::StateUpdate { rev: rev(), key: text("key"), value: bytes("value") },
            "STATE_SNAPSHOT" => Self::StateSnapshot {
                entries: json["entries"].as_array().unwrap().iter().map(entry_from_json).collect(),
            },
            "PEER_ID" => Self::PeerId { peer: peer() },
            "ADD_PEER" => Self::AddPeer { lead: lead(), peer: peer() },
            "DEL_PEER" => Self::DelPeer { lead: lead(), peer: peer() },
            "RELAY" => Self::Relay { lead: lead(), peer: peer(), payload: bytes("payload") },
            "GODOT" => Self::Godot { bytes: bytes("bytes") },
            other => panic!("no frame is called {other}"),
        }
    }
}

fn entry_from_json(json: &Value) -> (u32, String, Vec<u8>) {
    let rev = json["rev"].as_u64().unwrap().try_into().unwrap();
    (rev, json["key"].as_str().unwrap().to_owned(), unhex(json["value"].as_str().unwrap()))
}
