//! The words that rows of the registry are made of.

use std::fmt;

use serde::Deserialize;

/// The types of the layouts. Numbers are little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    /// One byte.
    U8,
    /// Two bytes, unsigned.
    U16,
    /// Four bytes, unsigned.
    U32,
    /// Four bytes, two's complement.
    I32,
    /// UTF-8, as long as the field named by `len` says.
    Str,
    /// Bytes, as long as the field named by `len` says.
    Bytes,
    /// Bytes to the end of the frame.
    Rest,
    /// The fields of `of`, as many times as the field named by `count` says.
    Repeat,
}

impl FieldType {
    /// Size in bytes, where it is fixed.
    pub fn size(self) -> Option<usize> {
        match self {
            Self::U8 => Some(1),
            Self::U16 => Some(2),
            Self::U32 | Self::I32 => Some(4),
            Self::Str | Self::Bytes | Self::Rest | Self::Repeat => None,
        }
    }

    /// The least and greatest value that the type can hold; for text and bytes: that a length can have.
    pub fn span(self) -> (i64, i64) {
        match self {
            Self::U8 => (0, i64::from(u8::MAX)),
            Self::U16 => (0, i64::from(u16::MAX)),
            Self::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Self::U32 | Self::Str | Self::Bytes | Self::Rest | Self::Repeat => (0, i64::from(u32::MAX)),
        }
    }

    /// As the registry writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::Str => "str",
            Self::Bytes => "bytes",
            Self::Rest => "rest",
            Self::Repeat => "repeat",
        }
    }

    /// Whether the type may hold a length or a count.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a limit counts. The codec's constants take their type from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Bytes, a `usize`.
    Bytes,
    /// Keys of a room, a `usize`.
    Keys,
    /// Members of a room, a `usize`.
    Members,
    /// Commits of a room, a `u32`.
    Commits,
    /// Connections to a relay, a `usize`.
    Connections,
    /// Joins, a `u32`.
    Joins,
    /// Joins in a second, a `u32`.
    #[serde(rename = "joins/s")]
    JoinsPerSecond,
    /// Bytes in a second, a `u32`.
    #[serde(rename = "bytes/s")]
    BytesPerSecond,
    /// Milliseconds, a `u64`.
    Ms,
}

impl Unit {
    /// The Rust type of a constant in this unit.
    pub fn rust_type(self) -> &'static str {
        match self {
            Self::Bytes | Self::Keys | Self::Members | Self::Connections => "usize",
            Self::Commits | Self::Joins | Self::JoinsPerSecond | Self::BytesPerSecond => "u32",
            Self::Ms => "u64",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "bytes",
            Self::Keys => "keys",
            Self::Members => "members",
            Self::Commits => "commits",
            Self::Connections => "connections",
            Self::Joins => "joins",
            Self::JoinsPerSecond => "joins/s",
            Self::BytesPerSecond => "bytes/s",
            Self::Ms => "ms",
        })
    }
}

/// The capability that a frame belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Opening, keeping and closing a session.
    Session,
    /// Shared values and the world of a room.
    Room,
    /// Godot's own traffic between members.
    Peers,
    /// Versioned namespaces.
    Namespaces,
    /// Streams of a fleet of servers.
    Fleet,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Session => "session",
            Self::Room => "room",
            Self::Peers => "peers",
            Self::Namespaces => "namespaces",
            Self::Fleet => "fleet",
        })
    }
}

/// Who may send a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// A member sends it to the relay.
    ToRelay,
    /// The relay sends it to a member.
    ToClient,
    /// It travels both ways.
    Both,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ToRelay => "to-relay",
            Self::ToClient => "to-client",
            Self::Both => "both",
        })
    }
}
