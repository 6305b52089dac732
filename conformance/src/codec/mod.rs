//! The codec side of the suite: what a codec under test has to be able to do.

pub mod adapter;
pub mod reference;

use serde::{Deserialize, Serialize};

use crate::frame_json::JsonFrame;
use crate::scenario::model::Capability;
use crate::vectors::Op;

pub use adapter::AdapterCodec;
pub use reference::ReferenceCodec;

/// Which way a frame travels, as vectors write it (`to`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum To {
    /// From a client.
    Relay,
    /// From the relay.
    Client,
}

impl To {
    /// As vectors write it.
    pub fn name(self) -> &'static str {
        match self {
            To::Relay => "relay",
            To::Client => "client",
        }
    }
}

/// Why a codec rejects a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The error class.
    pub class: String,
    /// The first byte of the field at fault; `None` from a codec that does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// The field's name; `None` from a codec that does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The clause; `None` from a codec that does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

impl Fault {
    /// `class at offset, field (rule)`, as far as it is known.
    pub fn brief(&self) -> String {
        let offset = self.offset.map(|offset| format!(" at {offset}")).unwrap_or_default();
        let field = self.field.as_deref().map(|field| format!(", {field}")).unwrap_or_default();
        let rule = self.rule.as_deref().map(|rule| format!(" ({rule})")).unwrap_or_default();
        // Whatever an adapter says, a terminal shows it.
        format!("{}{offset}{field}{rule}", self.class).escape_debug().to_string()
    }
}

/// What came of one command to a codec.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<T> {
    /// It did it.
    Done(T),
    /// It rejected the input, with a reason.
    Rejected(Fault),
    /// It ended or panicked.
    Crash(String),
    /// It did not answer in time.
    Timeout,
    /// It says that it cannot do this at all.
    Unsupported,
    /// It answered something else than what it was asked.
    Garbage(String),
    /// It cannot be asked any more.
    Lost(String),
}

/// What a codec reports of an error beside its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reports {
    /// Where the field at fault begins.
    pub offset: bool,
    /// The field's name.
    pub field: bool,
    /// The clause.
    pub rule: bool,
}

/// A codec under test. Ids and expectations of cases are never given to it.
pub trait CodecUnderTest: Send + Sync {
    /// Its name and version, for the reports.
    fn name(&self) -> String;

    /// What does it report of an error, beside the class? That is compared, too.
    fn reports(&self) -> Reports;

    /// Does it claim this capability? Else what needs it is skipped.
    fn claims(&self, _capability: Capability) -> bool {
        true
    }

    /// Does it claim to do this?
    fn does(&self, _op: Op) -> bool {
        true
    }

    /// Decodes a whole frame; `first` is the first message to a version 1 client.
    fn decode(&self, to: To, first: bool, wire: &[u8]) -> Answer<JsonFrame>;

    /// Encodes a frame that travels that way.
    fn encode(&self, to: To, frame: &JsonFrame) -> Answer<Vec<u8>>;
}
