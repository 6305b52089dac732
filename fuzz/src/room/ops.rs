//! What may happen to a room.

use std::fmt;
use std::time::Duration;

use arbitrary::{Result, Unstructured};
use roomwire_codec::registry::{limit, opcode, sys};
use roomwire_codec::{Direction, Frame, Key, StateSet, WorldSave, decode};
use roomwire_relay::core::member::{MemberId, Mode};

use super::model::Model;

pub(super) enum Op {
    Join(Mode),
    Leave(MemberId),
    Receive(MemberId, Vec<u8>),
    /// The shell asks for a batch.
    Take,
    /// The store has committed it.
    Commit,
    /// The store has failed, and the batch was durable or not.
    Fail {
        durable: bool,
    },
    Pass(Duration),
    /// The relay goes down in order, and starts again.
    Stop,
    /// The room leaves memory, if it is idle, and is loaded again.
    Reload,
}

impl Op {
    pub(super) fn make(u: &mut Unstructured<'_>, model: &Model) -> Result<Self> {
        let kind: u8 = u.arbitrary()?;
        Ok(match kind % 24 {
            0..=2 => Self::Join(*u.choose(&[Mode::Both, Mode::State, Mode::Peers])?),
            3 => Self::Leave(member(u, model)?),
            4..=8 => Self::Receive(member(u, model)?, set(u, model)?),
            9 => {
                let (member, blob) = (member(u, model)?, value(u, model.longest(None))?);
                Self::Receive(member, encode(Frame::WorldSave(WorldSave { blob: &blob })))
            }
            10..=12 => Self::Receive(member(u, model)?, relay(u, model)?),
            13 => Self::Receive(member(u, model)?, forged(u)?),
            14 => {
                let len = u.int_in_range(0..=24)?;
                Self::Receive(member(u, model)?, u.bytes(len)?.to_vec())
            }
            15 | 16 => Self::Take,
            17..=19 => Self::Commit,
            20 => Self::Pass(Duration::from_millis(u.int_in_range(0..=1500)?)),
            21 => Self::Pass(Duration::from_millis(5)),
            22 => Self::Reload,
            _ => match u.int_in_range(0..=7)? {
                0 => Self::Stop,
                1 => Self::Fail { durable: u.arbitrary()? },
                _ => Self::Take,
            },
        })
    }
}

/// Mostly a member that is there.
fn member(u: &mut Unstructured<'_>, model: &Model) -> Result<MemberId> {
    let ids = model.ids();
    let pick: u8 = u.arbitrary()?;
    Ok(ids.get(usize::from(pick) % ids.len().max(1)).copied().unwrap_or(MemberId(u64::from(pick))))
}

/// The key of that number. Those that fill a room have the numbers from 0 on.
pub(super) fn key(number: usize) -> String {
    format!("key{number}")
}

fn set(u: &mut Unstructured<'_>, model: &Model) -> Result<Vec<u8>> {
    let key = match u.int_in_range(0..=15u8)? {
        0 => "k".repeat(limit::KEY_MAX),
        // The last that a room holds, and more.
        1..=4 => key(limit::ROOM_KEYS - 4 + u.int_in_range(0..=7)?),
        pick => key(usize::from(pick % 6)),
    };
    let value = value(u, model.longest(Some(key.as_bytes())))?;
    let Ok(key) = Key::new(key.as_bytes()) else { return Err(arbitrary::Error::IncorrectFormat) };
    Ok(encode(Frame::StateSet(StateSet { key, value: &value })))
}

/// Mostly short; now and then so long that a few of them are more than a room holds, or the `longest` that it takes, or one byte
/// more.
fn value(u: &mut Unstructured<'_>, longest: Option<usize>) -> Result<Vec<u8>> {
    let byte: u8 = u.arbitrary()?;
    let len = match byte {
        0..=7 => limit::ROOM_BYTES / 2,
        8 => limit::ROOM_BYTES,
        9 => limit::ROOM_BYTES + 1,
        10..=17 => longest.unwrap_or(0),
        18..=21 => longest.map_or(0, |longest| longest + 1),
        _ => usize::from(byte % 8),
    };
    Ok(vec![byte; len])
}

fn relay(u: &mut Unstructured<'_>, model: &Model) -> Result<Vec<u8>> {
    let peers = model.peer_ids();
    let some = |u: &mut Unstructured<'_>| Ok(*u.choose(&peers).unwrap_or(&7));
    let peer = match u.int_in_range(0..=5u8)? {
        0 => 0,
        1 => some(u)?.saturating_neg(),
        2 => u.arbitrary()?,
        3 => i32::MIN,
        _ => some(u)?,
    };
    let mut message = vec![sys::LEAD, sys::RELAY];
    message.extend(peer.to_le_bytes());
    message.extend(u.arbitrary::<[u8; 2]>()?);
    Ok(message)
}

/// Frames that only the relay may send.
fn forged(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut message = match u.int_in_range(0..=5u8)? {
        0 => vec![opcode::WORLD_LOAD],
        1 => vec![opcode::WORLD_SAVE_ACK],
        2 => [&[opcode::STATE_UPDATE, 1, 0, 0, 0, 1, 0][..], b"kv"].concat(),
        3 => vec![opcode::STATE_SNAPSHOT, 0, 0, 0, 0],
        4 => vec![sys::LEAD, sys::ADD_PEER, 2, 1, 0, 0],
        _ => vec![sys::LEAD, sys::DEL_PEER, 2, 1, 0, 0],
    };
    let extra = u.int_in_range(0..=2)?;
    message.extend(u.bytes(extra)?);
    Ok(message)
}

fn encode(frame: Frame<'_>) -> Vec<u8> {
    frame.encode_to_vec().unwrap_or_default()
}

/// For people, in a line: of what is long, the length and how it begins.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Join(mode) => write!(f, "Join({mode:?})"),
            Self::Leave(MemberId(id)) => write!(f, "Leave({id})"),
            Self::Receive(MemberId(id), message) => {
                write!(f, "Receive({id}, ")?;
                match decode(Direction::ToRelay, message) {
                    Ok(Frame::StateSet(set)) => {
                        let key = set.key.as_str();
                        let key = if key.len() > MOST {
                            format!("a key of {} bytes", key.len())
                        } else {
                            key.to_owned()
                        };
                        write!(f, "STATE_SET {key} = {}", Brief(set.value))?;
                    }
                    Ok(Frame::WorldSave(save)) => write!(f, "WORLD_SAVE {}", Brief(save.blob))?,
                    Ok(Frame::Relay(relay)) => write!(f, "RELAY to {} {}", relay.peer, Brief(relay.payload))?,
                    _ => write!(f, "{}", Brief(message))?,
                }
                f.write_str(")")
            }
            Self::Take => f.write_str("Take"),
            Self::Commit => f.write_str("Commit"),
            Self::Fail { durable } => write!(f, "Fail {{ durable: {durable} }}"),
            Self::Pass(time) => write!(f, "Pass({time:?})"),
            Self::Stop => f.write_str("Stop"),
            Self::Reload => f.write_str("Reload"),
        }
    }
}

/// Bytes that are shown.
const MOST: usize = 16;

pub(super) struct Brief<'a>(pub(super) &'a [u8]);

impl fmt::Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.0.len())?;
        let shown = self.0.get(..MOST).unwrap_or(self.0);
        if !shown.is_empty() {
            f.write_str(" ")?;
            shown.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        f.write_str(if shown.len() < self.0.len() { "…" } else { "" })
    }
}
