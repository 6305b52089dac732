//! Frames out of a fuzzer's bytes, with the `arbitrary` feature. Everything made here may be encoded.

use alloc::vec::Vec;

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::registry::{limit, sys};
use crate::{
    AddPeer, DelPeer, Direction, Entry, Frame, Godot, Key, PeerId, Relay, StateSet, StateUpdate, WorldLoad,
    WorldSave, WorldSaveAck,
};

/// A frame of any kind that may travel in `direction`, but for STATE_SNAPSHOT, which has no entries of its own to borrow: see
/// [`entries`].
///
/// # Errors
///
/// Those of [`Unstructured`].
pub fn frame<'a>(direction: Direction, u: &mut Unstructured<'a>) -> Result<Frame<'a>> {
    let frame: Frame<'a> = match (direction, u.int_in_range(0..=3)?) {
        (Direction::ToRelay, 0) => WorldSave { blob: u.arbitrary()? }.into(),
        (Direction::ToRelay, 1) => StateSet { key: u.arbitrary()?, value: u.arbitrary()? }.into(),
        (Direction::ToClient, 0) => match u.int_in_range(0..=3)? {
            0 => WorldLoad { blob: u.arbitrary()? }.into(),
            1 => WorldSaveAck.into(),
            2 => AddPeer { lead: lead(u)?, peer: u.arbitrary()? }.into(),
            _ => DelPeer { lead: lead(u)?, peer: u.arbitrary()? }.into(),
        },
        (Direction::ToClient, 1) => {
            StateUpdate { rev: u.int_in_range(1..=u32::MAX)?, key: u.arbitrary()?, value: u.arbitrary()? }
                .into()
        }
        (_, 2) => {
            let peer = match direction {
                Direction::ToRelay => u.arbitrary()?,
                Direction::ToClient => PeerId::arbitrary(u)?.get(),
            };
            let payload = u.arbitrary()?;
            Relay { lead: lead(u)?, peer, payload: if payload == b"" { b"p" } else { payload } }.into()
        }
        _ => {
            let packet = Godot::new(direction, u.arbitrary()?).or_else(|| Godot::new(direction, b"\0"));
            packet.ok_or(arbitrary::Error::IncorrectFormat)?.into()
        }
    };
    Ok(frame)
}

/// Entries that ascend by revision; keys may come twice.
///
/// # Errors
///
/// Those of [`Unstructured`].
pub fn entries<'a>(u: &mut Unstructured<'a>) -> Result<Vec<Entry<'a>>> {
    let mut entries: Vec<Entry<'a>> = u.arbitrary_iter()?.collect::<Result<_>>()?;
    entries.sort_by_key(|entry| entry.rev);
    entries.dedup_by_key(|entry| entry.rev);
    Ok(entries)
}

/// The first byte of a SYS packet.
fn lead(u: &mut Unstructured<'_>) -> Result<u8> {
    Ok(u.arbitrary::<u8>()? | sys::LEAD_LOW_BITS)
}

impl<'a> Arbitrary<'a> for Entry<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Self { rev: u.int_in_range(1..=u32::MAX)?, key: u.arbitrary()?, value: u.arbitrary()? })
    }
}

impl<'a> Arbitrary<'a> for Key<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let text: &'a str = u.arbitrary()?;
        let text = text.trim_start_matches(['\0', '\u{FEFF}']);
        let text = text.split('\0').next().unwrap_or_default();
        let most = text.len().min(limit::KEY_MAX);
        let fitting = (0..=most).rev().find_map(|end| text.get(..end)).unwrap_or_default();
        Key::try_from(fitting).or_else(|_| Key::try_from("k")).map_err(|_| arbitrary::Error::IncorrectFormat)
    }
}

impl<'a> Arbitrary<'a> for PeerId {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let id = u.arbitrary::<i32>()? & i32::MAX;
        // With the lowest byte 0 and another bit set, every number is one.
        Self::new(id).or_else(|| Self::new(id & !0xFF | 0x100)).ok_or(arbitrary::Error::IncorrectFormat)
    }
}

impl<'a> Arbitrary<'a> for Direction {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        u.choose(&Self::ALL).copied()
    }
}
