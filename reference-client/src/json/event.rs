//! Events and errors as JSON, one object a line.

use roomwire_codec::DecodeError;
use serde::{Deserialize, Serialize};

use super::{CannotEncode, Hex};
use crate::core::{By, Event, Held, ProtocolError, Stage};

/// An [`Event`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "variants and fields are those of the event")]
pub enum JsonEvent {
    Connecting {
        attempt: u32,
    },
    Opened,
    Joined {
        peer: i32,
    },
    Ready,
    State(JsonValue),
    World {
        blob: Hex,
    },
    Saved {
        save: u64,
    },
    PeerAdded {
        peer: i32,
    },
    PeerRemoved {
        peer: i32,
    },
    Packet {
        peer: i32,
        payload: Hex,
    },
    Godot {
        bytes: Hex,
    },
    /// A message that does not decode.
    Error(JsonError),
    /// A text message.
    Text,
    Closed {
        code: u16,
        reason: String,
        /// What went wrong where there was no close frame.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        detail: String,
        by: String,
        stage: String,
        retry_in_ms: Option<u64>,
        /// Saves that were not answered (CLIENT-WORLD-1).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unanswered: Vec<u64>,
    },
}

/// A key and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the registry's layouts")]
pub struct JsonValue {
    pub rev: u32,
    pub key: String,
    pub value: Hex,
    /// The value as text, if it is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Why a frame does not decode, or has no encoding; then there is no offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the codec's error")]
pub struct JsonError {
    pub class: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    pub field: String,
    pub rule: String,
}

impl JsonValue {
    /// A key and what is held for it.
    #[must_use]
    pub fn new(key: &str, held: &Held) -> Self {
        let Held { rev, value } = held;
        let text = std::str::from_utf8(value).ok().map(str::to_owned);
        Self { rev: *rev, key: key.into(), value: value.as_ref().into(), text }
    }
}

impl From<&DecodeError> for JsonError {
    fn from(error: &DecodeError) -> Self {
        let DecodeError { class, offset, field, rule, .. } = *error;
        Self { class: class.name().into(), offset: Some(offset), field: field.into(), rule: rule.into() }
    }
}

impl From<&CannotEncode> for JsonError {
    fn from(error: &CannotEncode) -> Self {
        let CannotEncode { class, field, rule, .. } = *error;
        Self { class: class.name().into(), offset: None, field: field.into(), rule: rule.into() }
    }
}

impl From<&Event> for JsonEvent {
    fn from(event: &Event) -> Self {
        match event {
            Event::Connecting { attempt } => Self::Connecting { attempt: *attempt },
            Event::Opened => Self::Opened,
            Event::Joined { peer } => Self::Joined { peer: peer.get() },
            Event::Ready => Self::Ready,
            Event::StateChanged { key, value, rev } => {
                Self::State(JsonValue::new(key, &Held { rev: *rev, value: value.clone() }))
            }
            Event::WorldLoaded { blob } => Self::World { blob: blob.as_ref().into() },
            Event::WorldSaved { save } => Self::Saved { save: save.get() },
            Event::PeerAdded { peer } => Self::PeerAdded { peer: peer.get() },
            Event::PeerRemoved { peer } => Self::PeerRemoved { peer: peer.get() },
            Event::Packet { from, payload } => {
                Self::Packet { peer: from.get(), payload: payload.as_ref().into() }
            }
            Event::Godot { message } => Self::Godot { bytes: message.as_ref().into() },
            Event::Error(ProtocolError::Decode(error)) => Self::Error(error.into()),
            Event::Error(ProtocolError::Text) => Self::Text,
            Event::Closed(closed) => Self::Closed {
                code: closed.code,
                reason: closed.reason.clone(),
                detail: closed.detail.clone(),
                by: by(closed.by).into(),
                stage: stage(closed.stage).into(),
                retry_in_ms: closed.retry_in.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
                unanswered: closed.unanswered_saves.iter().map(|save| save.get()).collect(),
            },
        }
    }
}

fn by(by: By) -> &'static str {
    match by {
        By::Relay => "relay",
        By::Client => "client",
        By::Network => "network",
    }
}

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Connecting => "connecting",
        Stage::Open => "open",
        Stage::Joining => "joining",
        Stage::Ready => "ready",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Closed, SaveTicket};

    #[test]
    fn events_are_flat_objects() {
        let value =
            |bytes: &'static [u8]| Event::StateChanged { key: "k".into(), value: bytes.into(), rev: 7 };
        let refused = Closed {
            code: 4432,
            reason: "room full".into(),
            detail: String::new(),
            by: By::Relay,
            stage: Stage::Open,
            retry_in: Some(std::time::Duration::from_millis(300)),
            unanswered_saves: Vec::new(),
        };
        let broken = Closed {
            code: 1006,
            reason: String::new(),
            detail: "reset".into(),
            by: By::Network,
            unanswered_saves: vec![SaveTicket(3), SaveTicket(4)],
            ..refused.clone()
        };
        let error = roomwire_codec::decode(roomwire_codec::Direction::ToClient, &[]).unwrap_err();
        for (event, expected) in [
            (Event::Ready, r#"{"event":"ready"}"#),
            (value(b"X"), r#"{"event":"state","rev":7,"key":"k","value":"58","text":"X"}"#),
            (value(b"\xFF"), r#"{"event":"state","rev":7,"key":"k","value":"ff"}"#),
            (Event::WorldSaved { save: SaveTicket(3) }, r#"{"event":"saved","save":3}"#),
            (
                Event::Error(ProtocolError::Decode(error)),
                r#"{"event":"error","class":"truncated","offset":0,"field":"opcode","rule":"OP-SPACE-4"}"#,
            ),
            (
                Event::Closed(refused),
                r#"{"event":"closed","code":4432,"reason":"room full","by":"relay","stage":"open","retry_in_ms":300}"#,
            ),
            (
                Event::Closed(broken),
                r#"{"event":"closed","code":1006,"reason":"","detail":"reset","by":"network","stage":"open","retry_in_ms":300,"unanswered":[3,4]}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&JsonEvent::from(&event)).unwrap(), expected);
        }
    }
}
