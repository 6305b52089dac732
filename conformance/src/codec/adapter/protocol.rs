//! What runner and adapter say to each other: `schema/adapter.schema.json` in Rust.

use serde::{Deserialize, Serialize, Serializer};

use crate::codec::{Fault, To};
use crate::frame_json::JsonFrame;
use crate::hex::Hex;
use crate::scenario::model::Capability;
use crate::vectors::Op;

/// The version of these lines.
pub const PROTOCOL: u32 = 1;

/// A line to the adapter.
#[derive(Debug, Serialize)]
pub struct Request<'a> {
    /// The answer repeats it.
    pub seq: u64,
    /// What to do.
    #[serde(flatten)]
    pub command: &'a Command,
}

/// What an adapter can be told.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "cmd", rename_all = "lowercase")]
pub enum Command {
    /// Say what you are.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
    },
    /// Bytes to frame.
    Decode {
        /// Who gets the frame.
        to: To,
        /// Is it the first message to a version 1 client?
        #[serde(default)]
        first: bool,
        /// The message.
        wire: Hex,
    },
    /// Frame to bytes.
    Encode {
        /// Who gets the frame.
        to: To,
        /// Is it the first message to a version 1 client?
        #[serde(default)]
        first: bool,
        /// The frame.
        frame: JsonFrame,
    },
    /// Anything else, with a message that would decode.
    #[serde(untagged, skip_deserializing, serialize_with = "unknown")]
    Unknown(String),
}

fn unknown<S: Serializer>(name: &String, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::json!({"cmd": name, "to": "client", "first": false, "wire": "f3"}).serialize(serializer)
}

/// What an adapter says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Repeats the request's.
    #[serde(default, skip_serializing)]
    pub seq: u64,
    /// The version of these lines that it speaks.
    pub protocol: u32,
    /// The codec's name.
    pub name: String,
    /// The codec's version.
    pub version: String,
    /// What it is written in.
    pub language: String,
    /// What it can do.
    pub ops: Vec<Op>,
    /// The capabilities of the specification whose frames it knows.
    pub capabilities: Vec<Capability>,
    /// What it reports of an error beside the class.
    pub errors: Vec<Part>,
}

/// What may be known of an error, beside its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Where the field at fault begins.
    Offset,
    /// Its name.
    Field,
    /// The clause.
    Rule,
}

impl Hello {
    /// Why nothing can be tested, if that is so.
    pub fn fault(&self) -> Option<String> {
        if self.protocol != PROTOCOL {
            return Some(format!("it speaks protocol {}, the runner {PROTOCOL}", self.protocol));
        }
        let none = [("ops", self.ops.is_empty()), ("capabilities", self.capabilities.is_empty())];
        none.iter().find(|(_, empty)| *empty).map(|(what, _)| format!("it claims no {what}"))
    }
}

/// A line from the adapter. Which members it has depends on what was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Repeats the request's.
    pub seq: u64,
    /// The message is this frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<JsonFrame>,
    /// The message is rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
    /// The frame is these bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<Hex>,
    /// The frame may not be sent; why, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// `true`: this cannot be done at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<bool>,
}

impl Reply {
    /// Does it say that the command is not known, and nothing else?
    pub fn is_unsupported(&self) -> bool {
        *self == Self { seq: self.seq, unsupported: Some(true), ..Self::default() }
    }
}
