//! `registry.toml` as typed rows. Reading it refuses unknown members; [`crate::check`] says whether the rows make sense.

mod words;

use std::fmt;

use serde::Deserialize;

pub use words::{Class, Direction, FieldType, Unit};

/// The whole table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    /// The protocol itself.
    pub protocol: Protocol,
    /// Frames that begin with a Roomwire opcode.
    #[serde(default, rename = "opcode")]
    pub opcodes: Vec<Opcode>,
    /// Messages that carry no opcode.
    #[serde(default, rename = "message")]
    pub messages: Vec<Message>,
    /// How a Godot SYS packet is recognised.
    pub sys: Sys,
    /// Commands of a SYS packet.
    #[serde(default, rename = "sys_command")]
    pub sys_commands: Vec<Opcode>,
    /// Classes of a decode error.
    #[serde(default, rename = "error_class")]
    pub error_classes: Vec<ErrorClass>,
    /// WebSocket close codes.
    #[serde(default, rename = "close")]
    pub closes: Vec<Close>,
    /// Limits and times.
    #[serde(default, rename = "limit")]
    pub limits: Vec<Limit>,
}

impl Registry {
    /// Reads the table from the text of `registry.toml`. The error shows the line at fault.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    /// Everything that has a layout: opcodes, then messages, then SYS commands, in the table's order.
    pub fn frames(&self) -> impl Iterator<Item = Frame<'_>> {
        let opcodes = self.opcodes.iter().map(|row| Frame::coded(Kind::Opcode, row));
        let messages = self.messages.iter().map(Frame::message);
        let commands = self.sys_commands.iter().map(|row| Frame::coded(Kind::SysCommand, row));
        opcodes.chain(messages).chain(commands)
    }

    /// The limit of that name.
    pub fn limit(&self, name: &str) -> Option<&Limit> {
        self.limits.iter().find(|limit| limit.name == name)
    }

    /// What a bound comes to; `None` if it names no limit.
    pub fn bound(&self, bound: &Bound) -> Option<i64> {
        match bound {
            Bound::Number(number) => Some(*number),
            Bound::Limit(name) => i64::try_from(self.limit(name)?.value).ok(),
        }
    }
}

/// What the protocol is called and which versions of it there are.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// Its name.
    pub name: String,
    /// The versions that `since` and `until` may name, ascending.
    pub versions: Vec<u16>,
}

/// A row of `[[opcode]]` or `[[sys_command]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opcode {
    /// First byte of the frame, or second byte of the SYS packet.
    pub code: u8,
    /// Upper-case name, unique among all that has a layout.
    pub name: String,
    /// The capability it belongs to.
    pub class: Class,
    /// Who may send it.
    pub direction: Direction,
    /// First protocol version that has it.
    pub since: u16,
    /// Last protocol version that has it; none while it is in use.
    pub until: Option<u16>,
    /// The chapter that holds its layout, e.g. `03-rooms.md`.
    pub chapter: String,
    /// One sentence.
    pub summary: String,
    /// The fields in wire order.
    pub layout: Vec<Field>,
}

/// A row of `[[message]]`: as [`Opcode`], without a code.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Upper-case name, unique among all that has a layout.
    pub name: String,
    /// The capability it belongs to.
    pub class: Class,
    /// Who may send it.
    pub direction: Direction,
    /// First protocol version that has it.
    pub since: u16,
    /// Last protocol version that has it; none while it is in use.
    pub until: Option<u16>,
    /// The chapter that holds its layout.
    pub chapter: String,
    /// One sentence.
    pub summary: String,
    /// The fields in wire order.
    pub layout: Vec<Field>,
}

/// One field of a layout.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Lower-case name, unique in its layout.
    pub name: String,
    /// How its bytes are read.
    #[serde(rename = "type")]
    pub kind: FieldType,
    /// Least value (of a number) or length in bytes (of text and bytes).
    pub min: Option<Bound>,
    /// Greatest value or length.
    pub max: Option<Bound>,
    /// What a number counts.
    pub unit: Option<String>,
    /// What else there is to say, one phrase.
    pub doc: Option<String>,
    /// The clause that a violation of this field breaks.
    pub rule: Option<String>,
    /// For `str` and `bytes`: the earlier field that holds the length in bytes.
    pub len: Option<String>,
    /// For `repeat`: the earlier field that holds how many items there are.
    pub count: Option<String>,
    /// For `repeat`: the fields of one item.
    #[serde(default)]
    pub of: Vec<Field>,
}

/// One end of a field's range. A number that is a limit of the protocol stands in `[[limit]]` alone, and is named here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Bound {
    /// As it is.
    Number(i64),
    /// The value of the limit of that name.
    Limit(String),
}

/// How a SYS packet is recognised, and what the relay writes.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sys {
    /// What the relay writes as byte 0.
    pub lead: u8,
    /// What byte 0 holds under the mask.
    pub lead_low_bits: u8,
    /// Which bits of byte 0 tell.
    pub lead_mask: u8,
}

/// A row of `[[error_class]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorClass {
    /// Lower-case name.
    pub name: String,
    /// One sentence.
    pub summary: String,
}

/// A row of `[[close]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Close {
    /// WebSocket close code.
    pub code: u16,
    /// Upper-case name.
    pub name: String,
    /// The stable prefix of the reason text.
    pub reason: String,
    /// First protocol version that has it.
    pub since: u16,
    /// Last protocol version that has it.
    pub until: Option<u16>,
    /// One sentence: when it is used.
    pub summary: String,
}

/// A row of `[[limit]]`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Lower-case name.
    pub name: String,
    /// The number.
    pub value: u64,
    /// What it counts.
    pub unit: Unit,
    /// Whether it is part of the protocol (`true`) or the reference relay's default.
    #[serde(default)]
    pub fixed: bool,
    /// One sentence.
    pub summary: String,
}

/// What kind of row a [`Frame`] comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `[[opcode]]`.
    Opcode,
    /// `[[message]]`.
    Message,
    /// `[[sys_command]]`.
    SysCommand,
}

impl Kind {
    /// The field that holds the row's code, for the kinds that have one.
    pub fn code_field(self) -> Option<&'static str> {
        match self {
            Self::Opcode => Some("opcode"),
            Self::Message => None,
            Self::SysCommand => Some("command"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Opcode => "opcode",
            Self::Message => "message",
            Self::SysCommand => "sys_command",
        })
    }
}

/// The common view of everything that has a layout.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Which table the row stands in.
    pub kind: Kind,
    /// Its code, where it has one.
    pub code: Option<u8>,
    /// Its name.
    pub name: &'a str,
    /// The capability it belongs to.
    pub class: Class,
    /// Who may send it.
    pub direction: Direction,
    /// First protocol version that has it.
    pub since: u16,
    /// Last protocol version that has it.
    pub until: Option<u16>,
    /// The chapter that holds its layout.
    pub chapter: &'a str,
    /// One sentence.
    pub summary: &'a str,
    /// The fields in wire order.
    pub layout: &'a [Field],
}

impl<'a> Frame<'a> {
    fn coded(kind: Kind, row: &'a Opcode) -> Self {
        Self {
            kind,
            code: Some(row.code),
            name: &row.name,
            class: row.class,
            direction: row.direction,
            since: row.since,
            until: row.until,
            chapter: &row.chapter,
            summary: &row.summary,
            layout: &row.layout,
        }
    }

    fn message(row: &'a Message) -> Self {
        Self {
            kind: Kind::Message,
            code: None,
            name: &row.name,
            class: row.class,
            direction: row.direction,
            since: row.since,
            until: row.until,
            chapter: &row.chapter,
            summary: &row.summary,
            layout: &row.layout,
        }
    }
}
