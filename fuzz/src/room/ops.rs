//! What may happen to a room.

use std::time::Duration;

use arbitrary::{Result, Unstructured};
use roomwire_codec::registry::{limit, opcode, sys};
use roomwire_codec::{Frame, Key, StateSet, WorldSave};
use roomwire_relay::core::member::{MemberId, Mode};

use super::model::Model;

#[derive(Debug)]
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
            4..=8 => Self::Receive(member(u, model)?, set(u)?),
            9 => Self::Receive(member(u, model)?, encode(Frame::WorldSave(WorldSave { blob: &value(u)? }))),
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

fn set(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let key = match u.int_in_range(0..=15u8)? {
        0 => "k".repeat(limit::KEY_MAX),
        pick => format!("key{}", pick % 6),
    };
    let Ok(key) = Key::new(key.as_bytes()) else { return Err(arbitrary::Error::IncorrectFormat) };
    Ok(encode(Frame::StateSet(StateSet { key, value: &value(u)? })))
}

/// Mostly short; now and then so long that a few of them are more than a room holds.
fn value(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let byte: u8 = u.arbitrary()?;
    let len = match byte {
        0..=7 => limit::ROOM_BYTES / 2,
        8 => limit::ROOM_BYTES,
        9 => limit::ROOM_BYTES + 1,
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
