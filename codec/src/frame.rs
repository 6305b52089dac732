//! Which frame a message is.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::decode::Decode;
use crate::direction::Direction;
use crate::encode::EncodeError;
use crate::error::{DecodeError, Layout, Problem};
use crate::opcode_space::is_sys;
use crate::peers::{AddPeer, DelPeer, Godot, PeerIdMessage, Relay, sys as sys_packet};
use crate::registry::{OPCODES, OpcodeRow, Travel, opcode, sys};
#[cfg(feature = "alloc")]
use crate::room::Entry;
use crate::room::{StateSet, StateSnapshot, StateUpdate, WorldLoad, WorldSave, WorldSaveAck};

/// A message of version 1, borrowed from its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is documented at the struct that it holds")]
pub enum Frame<'a> {
    WorldSave(WorldSave<'a>),
    WorldLoad(WorldLoad<'a>),
    WorldSaveAck(WorldSaveAck),
    StateSet(StateSet<'a>),
    StateUpdate(StateUpdate<'a>),
    StateSnapshot(StateSnapshot<'a>),
    /// Only the first message to a client is one: [`decode`] never gives it, [`decode_first`] gives what it holds.
    PeerId(PeerIdMessage),
    AddPeer(AddPeer),
    DelPeer(DelPeer),
    Relay(Relay<'a>),
    Godot(Godot<'a>),
}

/// Decodes one whole message that travels in `direction` and is not the first one to a client.
///
/// Nothing is copied, no memory is taken, and only one encoding of a frame is accepted: what comes out encodes to the same
/// bytes.
///
/// # Errors
///
/// The first fault in wire order (ERR-ORDER-1). Duplicate keys of a snapshot are not looked for: see [`decode_strict`].
#[inline]
pub fn decode(direction: Direction, message: &[u8]) -> Result<Frame<'_>, DecodeError> {
    // An error is made by a call and moved here, so that the frame itself can stay in registers.
    attempt(direction, message).ok_or_else(|| explain(direction, message))
}

/// Decodes the first message to a client, its peer id.
///
/// # Errors
///
/// Anything but exactly 4 bytes that hold an id which a member can have (PEER-ID-1, PEER-ID-2).
pub fn decode_first(message: &[u8]) -> Result<PeerIdMessage, DecodeError> {
    PeerIdMessage::decode(Direction::ToClient, message)
}

/// Decodes as [`decode`] does, and also refuses a snapshot in which a key stands twice (ROOM-SNAP-2).
///
/// # Errors
///
/// As [`decode`]; a duplicate key is reported only when nothing else is wrong (ERR-ORDER-2).
#[cfg(feature = "alloc")]
pub fn decode_strict(direction: Direction, message: &[u8]) -> Result<Frame<'_>, DecodeError> {
    let frame = decode(direction, message)?;
    if let Frame::StateSnapshot(snapshot) = frame {
        snapshot.check_keys()?;
    }
    Ok(frame)
}

/// Decodes as [`decode`] does, and appends the entries of a STATE_SNAPSHOT (spec 03-rooms, "STATE_SNAPSHOT") to `entries`. Other
/// frames append nothing.
///
/// The same checks in the same order, but one walk over the message, where [`decode`] and an
/// [`iter`](StateSnapshot::iter) take two.
///
/// ```
/// use roomwire_codec::{Direction, decode_collecting};
///
/// let message = b"\xF6\x01\0\0\0\x07\0\0\0\x05\0score\x01\0\0\0\x2A";
/// let mut entries = Vec::new();
/// decode_collecting(Direction::ToClient, message, &mut entries)?;
/// assert_eq!((entries[0].rev, entries[0].key.as_str(), entries[0].value), (7, "score", &[42][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`decode`]; then `entries` holds what it held before.
#[cfg(feature = "alloc")]
pub fn decode_collecting<'a>(
    direction: Direction,
    message: &'a [u8],
    entries: &mut Vec<Entry<'a>>,
) -> Result<Frame<'a>, DecodeError> {
    if direction != Direction::ToClient || message.first() != Some(&opcode::STATE_SNAPSHOT) {
        return decode(direction, message);
    }
    let before = entries.len();
    StateSnapshot::attempt_collecting(message, entries).map(Frame::StateSnapshot).ok_or_else(|| {
        entries.truncate(before);
        StateSnapshot::explain(direction, message)
    })
}

/// The table of opcodes: the registry's constant, which way it travels, the frame. The dispatch is made of it, and so is the
/// check that no row of the registry is missing.
macro_rules! opcodes {
    ($($code:ident $travel:ident $frame:ident,)*) => {
        /// The frame, if the message can be decoded.
        ///
        /// Errors are made elsewhere, so that this part is small enough to be inlined where the caller looks for a frame.
        #[inline(always)]
        fn attempt(direction: Direction, message: &[u8]) -> Option<Frame<'_>> {
            match (direction, *message.first()?) {
                $((Direction::$travel, opcode::$code) => {
                    $frame::attempt(direction, message).map(Frame::$frame)
                })*
                (_, first) => attempt_packet(direction, first, message),
            }
        }

        /// Says why [`attempt`] gave nothing.
        #[cold]
        fn explain(direction: Direction, message: &[u8]) -> DecodeError {
            let Some(&first) = message.first() else { return empty() };
            match (direction, first) {
                $((Direction::$travel, opcode::$code) => $frame::explain(direction, message),)*
                $((_, opcode::$code) => wrong_way(&$frame::LAYOUT),)*
                _ => explain_packet(direction, first, message),
            }
        }

        const fn is_handled(row: &OpcodeRow) -> bool {
            match (row.code, row.direction) {
                $((opcode::$code, Travel::$travel) => true,)*
                _ => false,
            }
        }
    };
}

// They are compared in this order: first what comes most often.
opcodes! {
    STATE_SET      ToRelay  StateSet,
    STATE_UPDATE   ToClient StateUpdate,
    STATE_SNAPSHOT ToClient StateSnapshot,
    WORLD_SAVE     ToRelay  WorldSave,
    WORLD_LOAD     ToClient WorldLoad,
    WORLD_SAVE_ACK ToClient WorldSaveAck,
}

/// Every row of the registry must be in the table above, or the crate does not build.
const _: () = {
    let mut rows = OPCODES;
    while let [row, rest @ ..] = rows {
        if !is_handled(row) {
            // The compiler prints the row's name.
            panic!("{}", row.name);
        }
        rows = rest;
    }
};

/// Godot's packets, those with a meaning and the others.
#[inline(always)]
fn attempt_packet(direction: Direction, first: u8, message: &[u8]) -> Option<Frame<'_>> {
    if !is_sys(first) {
        return Godot::new(direction, message).map(Frame::Godot);
    }
    match (direction, message.get(1)) {
        (_, Some(&sys::RELAY)) => Relay::attempt(direction, message).map(Frame::Relay),
        (Direction::ToClient, Some(&sys::ADD_PEER)) => {
            AddPeer::attempt(direction, message).map(Frame::AddPeer)
        }
        (Direction::ToClient, Some(&sys::DEL_PEER)) => {
            DelPeer::attempt(direction, message).map(Frame::DelPeer)
        }
        _ => Godot::new(direction, message).map(Frame::Godot),
    }
}

fn explain_packet(direction: Direction, first: u8, message: &[u8]) -> DecodeError {
    match (is_sys(first), message.get(1)) {
        (false, _) => unknown(first),
        (true, Some(&sys::RELAY)) => Relay::explain(direction, message),
        (true, Some(&sys::ADD_PEER)) => AddPeer::explain(direction, message),
        (true, Some(&sys::DEL_PEER)) => DelPeer::explain(direction, message),
        (true, _) => no_command(),
    }
}

/// The frame's name where the first byte does not tell it.
const MESSAGE: Layout = Layout::new("message");

#[cold]
fn empty() -> DecodeError {
    DecodeError::new(&MESSAGE, 0, "opcode", Problem::Empty)
}

#[cold]
fn unknown(first: u8) -> DecodeError {
    DecodeError::new(&MESSAGE, 0, "opcode", Problem::UnknownOpcode(first))
}

#[cold]
fn wrong_way(layout: &Layout) -> DecodeError {
    DecodeError::new(layout, 0, "opcode", Problem::WrongWay)
}

#[cold]
fn no_command() -> DecodeError {
    DecodeError::new(&sys_packet::LAYOUT, 1, sys_packet::COMMAND, Problem::Cut { need: 1, left: 0 })
}

impl Frame<'_> {
    /// The frame's name, as in the registry; `GODOT` for what has none.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::WorldSave(_) => WorldSave::LAYOUT.name,
            Self::WorldLoad(_) => WorldLoad::LAYOUT.name,
            Self::WorldSaveAck(_) => WorldSaveAck::LAYOUT.name,
            Self::StateSet(_) => StateSet::LAYOUT.name,
            Self::StateUpdate(_) => StateUpdate::LAYOUT.name,
            Self::StateSnapshot(_) => StateSnapshot::LAYOUT.name,
            Self::PeerId(_) => PeerIdMessage::LAYOUT.name,
            Self::AddPeer(_) => AddPeer::LAYOUT.name,
            Self::DelPeer(_) => DelPeer::LAYOUT.name,
            Self::Relay(_) => Relay::LAYOUT.name,
            Self::Godot(_) => Godot::NAME,
        }
    }

    /// Length of the encoded frame in bytes.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        match self {
            Self::WorldSave(frame) => frame.encoded_len(),
            Self::WorldLoad(frame) => frame.encoded_len(),
            Self::WorldSaveAck(frame) => frame.encoded_len(),
            Self::StateSet(frame) => frame.encoded_len(),
            Self::StateUpdate(frame) => frame.encoded_len(),
            Self::StateSnapshot(frame) => frame.encoded_len(),
            Self::PeerId(frame) => frame.encoded_len(),
            Self::AddPeer(frame) => frame.encoded_len(),
            Self::DelPeer(frame) => frame.encoded_len(),
            Self::Relay(frame) => frame.encoded_len(),
            Self::Godot(frame) => frame.encoded_len(),
        }
    }

    /// Encodes the frame at the start of `out` and returns its length. Which way it may travel is left to the caller; see
    /// [`encode`](crate::encode).
    ///
    /// # Errors
    ///
    /// [`EncodeError::BufferTooShort`] if `out` is shorter than [`encoded_len`](Self::encoded_len), or what the frame itself may
    /// not hold.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        match self {
            Self::WorldSave(frame) => frame.encode(out),
            Self::WorldLoad(frame) => frame.encode(out),
            Self::WorldSaveAck(frame) => frame.encode(out),
            Self::StateSet(frame) => frame.encode(out),
            Self::StateUpdate(frame) => frame.encode(out),
            Self::StateSnapshot(frame) => frame.encode(out),
            Self::PeerId(frame) => frame.encode(out),
            Self::AddPeer(frame) => frame.encode(out),
            Self::DelPeer(frame) => frame.encode(out),
            Self::Relay(frame) => frame.encode(out),
            Self::Godot(frame) => frame.encode(out),
        }
    }
}
