//! What a decode says when it refuses a message.

use core::fmt;

use crate::key::KeyError;
use crate::registry::{limit, rule};

/// Class of a decode error (spec 02-primitives, "Errors").
///
/// The class, the offset and the field are part of the protocol: every implementation gives the same ones for the same
/// bytes. The text is for people and may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorClass {
    /// The frame ends inside a field, or before the items that a count announces could fit.
    Truncated,
    /// A length is outside the range that the layout allows.
    Limit,
    /// A field is whole but holds what it must not hold.
    Value,
    /// Bytes follow the last field of a layout that has no rest field.
    Trailing,
    /// The first byte is an opcode that this version does not have.
    Opcode,
    /// The opcode is known and travels only the other way.
    Direction,
}

impl ErrorClass {
    /// Every class, in the order of the registry.
    pub const ALL: [Self; 6] =
        [Self::Truncated, Self::Limit, Self::Value, Self::Trailing, Self::Opcode, Self::Direction];

    /// The class's name in the registry, in vectors and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Limit => "limit",
            Self::Value => "value",
            Self::Trailing => "trailing",
            Self::Opcode => "opcode",
            Self::Direction => "direction",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a message was refused: what is wrong, where, and which rule of the spec it breaks.
///
/// `Display` gives one English sentence, such as
/// `STATE_SET: limit at byte 1 (key_len): the key is 0 bytes long, but must be 1 to 1024 [ROOM-KEY-1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// Class of the error.
    pub class: ErrorClass,
    /// Offset in bytes from the start of the message to the first byte of the field at fault. Never more than the
    /// message's length.
    pub offset: usize,
    /// Name of the field at fault, as in the registry's layouts. Fields of a snapshot's entry begin with `entry.`;
    /// bytes after the last field are the field `end`.
    pub field: &'static str,
    /// Id of the rule that is broken, as in the spec's chapters.
    pub rule: &'static str,
    /// Name of the frame that was being read; `message` where that is not known.
    pub frame: &'static str,
    problem: Problem,
}

impl DecodeError {
    #[cold]
    pub(crate) const fn new(layout: &Layout, offset: usize, field: &'static str, problem: Problem) -> Self {
        let rule = problem.rule(layout);
        Self { class: problem.class(), offset, field, rule, frame: layout.name, problem }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, offset, field, rule, frame, problem } = self;
        write!(f, "{frame}: {class} at byte {offset} ({field}): {problem} [{rule}]")
    }
}

impl core::error::Error for DecodeError {}

/// What a layout is called, and the rule that a message breaks by ending before the layout does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) cut: &'static str,
}

impl Layout {
    /// A layout that has no rule of its own about its length.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self { name, cut: rule::PRIM_FRAME_1 }
    }
}

/// What exactly is wrong with a field, with the numbers that the text needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The message has no byte at all.
    Empty,
    /// The field needs more bytes than are left.
    Cut { need: usize, left: usize },
    /// A length announces more bytes than are left.
    Announced { len: u32, left: usize },
    /// So many items cannot fit into what is left.
    Count { count: u32, left: usize },
    /// Bytes after the last field.
    Trailing { extra: usize },
    /// A first byte that no opcode of this version has.
    UnknownOpcode(u8),
    /// An opcode that travels only the other way.
    WrongWay,
    /// A key's length or text.
    Key(KeyError),
    /// A key that an earlier entry of the same snapshot has.
    #[cfg_attr(not(feature = "alloc"), expect(dead_code, reason = "finding it takes memory"))]
    DuplicateKey,
    /// A revision of 0.
    RevZero,
    /// A revision that is not above the entry before it.
    RevOrder { before: u32, rev: u32 },
    /// A peer id that no member can have.
    PeerId(i32),
    /// The same, as the source of a RELAY.
    Source(i32),
}

impl Problem {
    const fn class(self) -> ErrorClass {
        match self {
            Self::Empty | Self::Cut { .. } | Self::Announced { .. } | Self::Count { .. } => {
                ErrorClass::Truncated
            }
            Self::Key(KeyError::Length { .. }) => ErrorClass::Limit,
            Self::Key(_) | Self::DuplicateKey => ErrorClass::Value,
            Self::RevZero | Self::RevOrder { .. } | Self::PeerId(_) | Self::Source(_) => ErrorClass::Value,
            Self::Trailing { .. } => ErrorClass::Trailing,
            Self::UnknownOpcode(_) => ErrorClass::Opcode,
            Self::WrongWay => ErrorClass::Direction,
        }
    }

    const fn rule(self, layout: &Layout) -> &'static str {
        match self {
            Self::Empty => rule::OP_SPACE_4,
            Self::Cut { .. } => layout.cut,
            Self::Announced { .. } => rule::PRIM_LEN_1,
            Self::Count { .. } => rule::PRIM_COUNT_1,
            Self::Trailing { .. } => rule::PRIM_END_1,
            Self::UnknownOpcode(_) => rule::OP_SPACE_2,
            Self::WrongWay => rule::OP_SPACE_3,
            Self::Key(error) => error.rule(),
            Self::DuplicateKey => rule::ROOM_SNAP_2,
            Self::RevZero => rule::ROOM_REV_1,
            Self::RevOrder { .. } => rule::ROOM_SNAP_1,
            Self::PeerId(_) => rule::PEER_ID_2,
            Self::Source(_) => rule::PEER_RELAY_2,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Empty => f.write_str("the message is empty"),
            Self::Cut { need, left } => write!(f, "the field needs {}, but {}", Bytes(need), Left(left)),
            Self::Announced { len, left } => write!(f, "its length is {}, but {}", Bytes(len), Left(left)),
            Self::Count { count, left } => {
                let least = Bytes(limit::SNAPSHOT_ENTRY_MIN);
                match count {
                    1 => write!(f, "1 entry of at least {least}")?,
                    _ => write!(f, "{count} entries of at least {least} each")?,
                }
                write!(f, " cannot fit: {}", Left(left))
            }
            Self::Trailing { extra } => {
                let verb = if extra == 1 { "follows" } else { "follow" };
                write!(f, "the layout ends here, but {} {verb}", Bytes(extra))
            }
            Self::UnknownOpcode(first) => write!(f, "this version has no opcode 0x{first:02X}"),
            Self::WrongWay => f.write_str("this frame travels only the other way"),
            Self::Key(error) => error.fmt(f),
            Self::DuplicateKey => f.write_str("an earlier entry has the same key"),
            Self::RevZero => f.write_str("revisions begin at 1"),
            Self::RevOrder { before, rev } => {
                write!(f, "revision {rev} does not ascend: the entry before it has {before}")
            }
            Self::PeerId(peer) | Self::Source(peer) => write!(f, "{peer} cannot be the peer id of a member"),
        }
    }
}

/// "1 byte", "2 bytes".
pub(crate) struct Bytes<N>(pub(crate) N);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Bytes<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.0 == N::from(1) { "byte" } else { "bytes" };
        write!(f, "{} {unit}", self.0)
    }
}

/// "none are left", "only 1 byte is left", "only 2 bytes are left".
struct Left(usize);

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("none are left"),
            1 => f.write_str("only 1 byte is left"),
            left => write!(f, "only {left} bytes are left"),
        }
    }
}
