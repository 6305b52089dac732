//! Golden frames: what they are, how they are loaded and how they are run.

pub mod check;
pub mod load;
pub mod run;

use serde::{Deserialize, Serialize};

use crate::codec::{Fault, To};
use crate::frame_json::JsonFrame;
use crate::hex::Hex;

pub use load::load;

/// One golden frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// `F` and four digits; never used for another frame.
    pub id: String,
    /// `group/what`.
    pub name: String,
    /// Counts changes.
    pub rev: u32,
    /// The version of the protocol that it belongs to first.
    pub since: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The clauses that it tests.
    pub reqs: Vec<String>,
    /// The capabilities that a codec needs for it.
    pub needs: Vec<crate::scenario::model::Capability>,
    /// The version of the wire.
    pub v: u16,
    /// Which way it travels.
    pub to: To,
    /// The first message to a version 1 client, which has no opcode.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first: bool,
    /// What a codec does with it.
    pub ops: Vec<Op>,
    /// What it is.
    pub kind: VectorKind,
    /// The bytes.
    pub wire: Hex,
    /// What the bytes are: they tile the wire of a valid frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// What must come of it.
    pub expect: Expect,
    /// The valid frame from which this invalid one differs by its one fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<String>,
    /// The fault, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Why the frame is worth having.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Where a golden frame comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Written by hand from the specification.
    Hand,
    /// Made by the second implementation.
    Second,
    /// Captured from a real Godot engine.
    Godot,
    /// Found by a fuzzer.
    Fuzz,
}

/// What a codec does with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Bytes to frame.
    Decode,
    /// Frame to bytes.
    Encode,
}

impl Op {
    /// As vectors write it.
    pub fn name(self) -> &'static str {
        match self {
            Op::Decode => "decode",
            Op::Encode => "encode",
        }
    }
}

/// What a golden frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VectorKind {
    /// Accepted.
    Valid,
    /// Rejected: exactly one fault.
    Invalid,
    /// Part of a frame, on a byte stream. Version 1 has none: its messages are whole.
    Incomplete,
    /// The specification leaves a choice.
    Choice,
}

/// What must come of a golden frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Expect {
    /// It decodes to this.
    Accept(JsonFrame),
    /// It is rejected.
    Reject(Reject),
    /// A clause leaves a choice: one of the arms, and the same one every time.
    Choice(Choice),
}

/// What a clause leaves open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The clause.
    pub clause: String,
    /// What it allows.
    pub arms: Vec<Arm>,
}

/// One arm of a choice: exactly one of `accept` and `reject`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Its name in reports.
    pub name: String,
    /// It decodes to this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<JsonFrame>,
    /// It is rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reject: Option<Reject>,
}

/// How a frame is rejected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reject {
    /// The error class.
    pub class: String,
    /// The first byte of the field at fault, where the specification settles it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// The field's name, where the specification settles it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The clause, where one alone is broken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Other classes that are right, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_ok: Vec<String>,
}

impl Reject {
    /// As a fault, for reports.
    pub fn as_fault(&self) -> Fault {
        Fault {
            class: self.class.clone(),
            offset: self.offset,
            field: self.field.clone(),
            rule: self.rule.clone(),
        }
    }
}

/// One field of a frame: `[bit offset, bit length, field, readable value]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span(
    /// Offset in bits.
    pub u64,
    /// Length in bits.
    pub u64,
    /// The field's name, as the layout gives it.
    pub String,
    /// Its value, for people.
    pub String,
);

impl Vector {
    /// The part of the name before the slash.
    pub fn group(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }
}
