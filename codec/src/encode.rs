//! Writing frames into the caller's buffer.

use core::fmt;

use crate::direction::Direction;
use crate::error::Bytes;
use crate::frame::Frame;
use crate::peers::{Godot, PeerId, Relay};

/// Encodes `frame` at the start of `out`, as a message that travels in `direction`, and returns its length: the counterpart of
/// [`decode`](crate::decode), which accepts what this makes (PRIM-ENCODE-1). The first message to a client is made with
/// [`PeerIdMessage::encode`](crate::PeerIdMessage::encode).
///
/// The `encode` of a frame itself leaves the direction to the caller and checks all else.
///
/// # Errors
///
/// [`EncodeError::Direction`], [`EncodeError::Source`], and those of [`Frame::encode`].
pub fn encode(direction: Direction, frame: &Frame<'_>, out: &mut [u8]) -> Result<usize, EncodeError> {
    let travels = match *frame {
        Frame::WorldSave(_) | Frame::StateSet(_) => direction == Direction::ToRelay,
        Frame::WorldLoad(_) | Frame::WorldSaveAck(_) => direction == Direction::ToClient,
        Frame::StateUpdate(_) | Frame::StateSnapshot(_) => direction == Direction::ToClient,
        Frame::AddPeer(_) | Frame::DelPeer(_) => direction == Direction::ToClient,
        Frame::Relay(Relay { peer, .. }) => {
            if direction == Direction::ToClient && PeerId::new(peer).is_none() {
                return Err(EncodeError::Source { peer });
            }
            true
        }
        Frame::Godot(godot) => Godot::new(direction, godot.bytes()).is_some(),
        Frame::PeerId(_) => false,
    };
    if travels { frame.encode(out) } else { Err(EncodeError::Direction { frame: frame.name(), direction }) }
}

/// Why a frame cannot be encoded. The buffer may have been written to, but nothing in it is a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The buffer is too short.
    BufferTooShort {
        /// Length of the encoded frame in bytes.
        needed: usize,
        /// Length of the buffer in bytes.
        available: usize,
    },
    /// A revision of 0 (ROOM-REV-1).
    RevZero,
    /// An entry's revision is not above the one before it (ROOM-SNAP-1).
    RevOrder {
        /// Revision of the entry before.
        before: u32,
        /// Revision of the entry that does not ascend.
        rev: u32,
    },
    /// More entries than a snapshot's `u32` can count.
    TooManyEntries,
    /// An entry's value is longer than its `u32` length can say.
    ValueTooLong {
        /// Length of the value in bytes.
        len: usize,
    },
    /// The first byte of a SYS packet whose low three bits are not 7.
    Lead {
        /// The byte.
        lead: u8,
    },
    /// A RELAY without a payload (PEER-RELAY-1).
    NoPayload,
    /// The source of a RELAY to a client that cannot be the peer id of a member (PEER-RELAY-2).
    Source {
        /// The number.
        peer: i32,
    },
    /// A frame that does not travel this way, or at the start only.
    Direction {
        /// Name of the frame.
        frame: &'static str,
        /// The way.
        direction: Direction,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BufferTooShort { needed, available } => {
                write!(f, "the frame takes {}, but the buffer has {available}", Bytes(needed))
            }
            Self::RevZero => f.write_str("revisions begin at 1"),
            Self::RevOrder { before, rev } => {
                write!(f, "revision {rev} does not ascend: the entry before it has {before}")
            }
            Self::TooManyEntries => write!(f, "a snapshot holds at most {} entries", u32::MAX),
            Self::ValueTooLong { len } => {
                write!(f, "the value is {} long, but must be at most {}", Bytes(len), u32::MAX)
            }
            Self::Lead { lead } => write!(f, "0x{lead:02X} is not the first byte of a SYS packet"),
            Self::NoPayload => f.write_str("the payload must have at least 1 byte"),
            Self::Source { peer } => write!(f, "{peer} cannot be the peer id of a member"),
            Self::Direction { frame, direction } => write!(f, "{frame} does not travel {direction}"),
        }
    }
}

impl core::error::Error for EncodeError {}

/// The part of the caller's buffer that a frame fills, from front to back.
pub(crate) struct Writer<'o> {
    left: &'o mut [u8],
    needed: usize,
    available: usize,
}

impl<'o> Writer<'o> {
    /// A writer for a frame of `needed` bytes at the start of `out`.
    ///
    /// The length is checked here once, for the whole frame; what `put` checks again can then not fail, and the compiler
    /// mostly sees so.
    #[inline(always)]
    pub(crate) fn new(out: &'o mut [u8], needed: usize) -> Result<Self, EncodeError> {
        let available = out.len();
        match out.split_at_mut_checked(needed) {
            Some((left, _)) => Ok(Self { left, needed, available }),
            None => Err(EncodeError::BufferTooShort { needed, available }),
        }
    }

    /// Writes `bytes`.
    #[inline(always)]
    pub(crate) fn put(self, bytes: &[u8]) -> Result<Self, EncodeError> {
        let Self { left, needed, available } = self;
        match left.split_at_mut_checked(bytes.len()) {
            Some((head, left)) => {
                head.copy_from_slice(bytes);
                Ok(Self { left, needed, available })
            }
            None => Err(EncodeError::BufferTooShort { needed, available }),
        }
    }

    /// The number of bytes written, the whole frame.
    #[inline(always)]
    pub(crate) fn finish(self) -> Result<usize, EncodeError> {
        Ok(self.needed)
    }
}

/// A fallible check of a field before it is written.
#[inline(always)]
pub(crate) fn check_rev(rev: u32) -> Result<(), EncodeError> {
    if rev == 0 { Err(EncodeError::RevZero) } else { Ok(()) }
}
