//! Hand-written slicing: what decoding and encoding cost at least. Straight loads and splits, no library, no error but `None`.
//!
//! `decode` functions make the checks that the codec makes. Those of [`run_unchecked`] look at lengths alone, as a quick
//! reader of one's own would: no key is checked, nor any revision or peer id.

use std::hint::black_box;

use roomwire_codec::registry::{limit, opcode, sys};

use super::data::{self, Packet, Update};
use super::{Case, Run, decoding, encoding};

pub(super) fn run(case: Case) -> Run {
    match case {
        Case::DecodeUpdate => decoding(update_wires(), |wire| {
            black_box(update(wire).unwrap());
        }),
        Case::DecodeSet => decoding(set_wires(), |wire| {
            black_box(set(wire).unwrap());
        }),
        Case::CheckSnapshot => decoding(snapshot_wires(), |wire| {
            black_box(snapshot(wire, |_| ()).unwrap());
        }),
        Case::DecodeSnapshot => {
            let mut entries = Vec::new();
            decoding(snapshot_wires(), move |wire| {
                entries.clear();
                let (count, _) = snapshot(wire, |entry| entries.push(entry)).unwrap();
                assert_eq!(count as usize, black_box(&mut entries).len());
            })
        }
        Case::DecodeWorld => decoding(world_wires(), |wire| {
            black_box(world(wire).unwrap());
        }),
        Case::DecodeRelay => decoding(relay_wires(), |wire| {
            black_box(relay(wire).unwrap());
        }),
        Case::EncodeUpdate => encoding(data::updates(), encode_update),
        Case::EncodeSet => encoding(data::updates(), encode_set),
        Case::EncodeSnapshot => encoding(vec![data::entries()], |entries, out| encode_snapshot(entries, out)),
        Case::EncodeWorld => encoding(data::worlds(), |blob, out| encode_world(blob, out)),
        Case::EncodeRelay => encoding(data::packets(), encode_relay),
    }
}

pub(super) fn run_unchecked(case: Case) -> Option<Run> {
    match case {
        Case::DecodeUpdate => Some(decoding(update_wires(), |wire| {
            black_box(unchecked_update(wire).unwrap());
        })),
        Case::DecodeSnapshot => {
            let mut entries = Vec::new();
            Some(decoding(snapshot_wires(), move |wire| {
                entries.clear();
                unchecked_snapshot(wire, &mut entries).unwrap();
                black_box(&mut entries);
            }))
        }
        _ => None,
    }
}

fn wires<F>(frames: Vec<F>, encode: impl Fn(&F, &mut [u8]) -> Option<usize>) -> Vec<&'static [u8]> {
    let wire = |frame| {
        let mut out = vec![0; data::LONGEST];
        let len = encode(frame, &mut out).unwrap();
        out.truncate(len);
        out.shrink_to_fit();
        &*out.leak()
    };
    frames.iter().map(wire).collect()
}

pub(super) fn update_wires() -> Vec<&'static [u8]> {
    wires(data::updates(), encode_update)
}

pub(super) fn set_wires() -> Vec<&'static [u8]> {
    wires(data::updates(), encode_set)
}

pub(super) fn snapshot_wires() -> Vec<&'static [u8]> {
    wires(vec![data::entries()], |entries, out| encode_snapshot(entries, out))
}

pub(super) fn world_wires() -> Vec<&'static [u8]> {
    wires(data::worlds(), |blob, out| encode_world(blob, out))
}

pub(super) fn relay_wires() -> Vec<&'static [u8]> {
    wires(data::packets(), encode_relay)
}

#[inline]
fn update(wire: &[u8]) -> Option<Update<'_>> {
    let (&[opcode::STATE_UPDATE, r0, r1, r2, r3, k0, k1], rest) = wire.split_first_chunk()? else {
        return None;
    };
    let rev = u32::from_le_bytes([r0, r1, r2, r3]);
    let (key, value) = rest.split_at_checked(u16::from_le_bytes([k0, k1]).into())?;
    (rev != 0 && is_key(key)).then_some(Update { rev, key, value })
}

#[inline]
fn set(wire: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[opcode::STATE_SET, k0, k1], rest) = wire.split_first_chunk()? else { return None };
    let (key, value) = rest.split_at_checked(u16::from_le_bytes([k0, k1]).into())?;
    is_key(key).then_some((key, value))
}

#[inline]
fn snapshot<'a>(wire: &'a [u8], mut take: impl FnMut(Update<'a>)) -> Option<(u32, &'a [u8])> {
    let (&[opcode::STATE_SNAPSHOT, c0, c1, c2, c3], entries) = wire.split_first_chunk()? else { return None };
    let count = u32::from_le_bytes([c0, c1, c2, c3]);
    if count as usize > entries.len() / limit::SNAPSHOT_ENTRY_MIN {
        return None;
    }
    let (mut before, mut rest) = (0, entries);
    for _ in 0..count {
        let (entry, behind) = entry(rest)?;
        if entry.rev <= before || !is_key(entry.key) {
            return None;
        }
        take(entry);
        (before, rest) = (entry.rev, behind);
    }
    rest.is_empty().then_some((count, entries))
}

#[inline]
fn entry(wire: &[u8]) -> Option<(Update<'_>, &[u8])> {
    let (&[r0, r1, r2, r3, k0, k1], rest) = wire.split_first_chunk()?;
    let (key, rest) = rest.split_at_checked(u16::from_le_bytes([k0, k1]).into())?;
    let (len, rest) = rest.split_first_chunk()?;
    let (value, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
    Some((Update { rev: u32::from_le_bytes([r0, r1, r2, r3]), key, value }, rest))
}

#[inline]
fn world(wire: &[u8]) -> Option<&[u8]> {
    let (&opcode::WORLD_LOAD, blob) = wire.split_first()? else { return None };
    Some(blob)
}

/// Towards a client, where the source has to be a peer id.
#[inline]
fn relay(wire: &[u8]) -> Option<(u8, Packet<'_>)> {
    let (&[lead, sys::RELAY, p0, p1, p2, p3], payload) = wire.split_first_chunk()? else { return None };
    let peer = i32::from_le_bytes([p0, p1, p2, p3]);
    let is_sys = lead & sys::LEAD_MASK == sys::LEAD_LOW_BITS;
    (is_sys && is_peer(peer) && !payload.is_empty()).then_some((lead, Packet { peer, payload }))
}

#[inline]
fn is_peer(peer: i32) -> bool {
    let [first, ..] = peer.to_le_bytes();
    peer >= 2 && first & 0x08 == 0 && first & 0x07 != 0x07 && !(0xF1..=0xF6).contains(&first)
}

/// 1 to 1,024 bytes of UTF-8 without NUL, not beginning with U+FEFF. Plain ASCII, nearly every key, is told by words of 8 bytes.
#[inline]
fn is_key(key: &[u8]) -> bool {
    (limit::KEY_MIN..=limit::KEY_MAX).contains(&key.len()) && (is_plain(key) || is_text(key))
}

#[inline]
fn is_plain(key: &[u8]) -> bool {
    let mut rest = key;
    while let Some((word, behind)) = rest.split_first_chunk() {
        if !is_plain_word(*word) {
            return false;
        }
        rest = behind;
    }
    match key.last_chunk() {
        _ if rest.is_empty() => true,
        Some(last) => is_plain_word(*last),
        None => rest.iter().all(|byte| matches!(byte, 0x01..=0x7F)),
    }
}

#[inline]
fn is_plain_word(word: [u8; 8]) -> bool {
    let word = u64::from_le_bytes(word);
    (word | word.wrapping_sub(0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 == 0
}

#[cold]
fn is_text(key: &[u8]) -> bool {
    core::str::from_utf8(key).is_ok_and(|text| !text.starts_with('\u{FEFF}') && !text.contains('\0'))
}

#[inline]
fn unchecked_update(wire: &[u8]) -> Option<Update<'_>> {
    let (&[opcode::STATE_UPDATE, r0, r1, r2, r3, k0, k1], rest) = wire.split_first_chunk()? else {
        return None;
    };
    let (key, value) = rest.split_at_checked(u16::from_le_bytes([k0, k1]).into())?;
    Some(Update { rev: u32::from_le_bytes([r0, r1, r2, r3]), key, value })
}

#[inline]
fn unchecked_snapshot<'a>(wire: &'a [u8], entries: &mut Vec<Update<'a>>) -> Option<()> {
    let (&[opcode::STATE_SNAPSHOT, c0, c1, c2, c3], mut rest) = wire.split_first_chunk()? else {
        return None;
    };
    for _ in 0..u32::from_le_bytes([c0, c1, c2, c3]) {
        let (entry, behind) = entry(rest)?;
        entries.push(entry);
        rest = behind;
    }
    rest.is_empty().then_some(())
}

#[inline]
fn encode_update(frame: &Update<'_>, out: &mut [u8]) -> Option<usize> {
    let Update { rev, key, value } = *frame;
    let key_end = 7 + key.len();
    let len = key_end + value.len();
    let out = out.get_mut(..len).filter(|_| rev != 0)?;
    out[0] = opcode::STATE_UPDATE;
    out[1..5].copy_from_slice(&rev.to_le_bytes());
    out[5..7].copy_from_slice(&(key.len() as u16).to_le_bytes());
    out[7..key_end].copy_from_slice(key);
    out[key_end..].copy_from_slice(value);
    Some(len)
}

#[inline]
fn encode_set(frame: &Update<'_>, out: &mut [u8]) -> Option<usize> {
    let Update { key, value, .. } = *frame;
    let key_end = 3 + key.len();
    let len = key_end + value.len();
    let out = out.get_mut(..len)?;
    out[0] = opcode::STATE_SET;
    out[1..3].copy_from_slice(&(key.len() as u16).to_le_bytes());
    out[3..key_end].copy_from_slice(key);
    out[key_end..].copy_from_slice(value);
    Some(len)
}

#[inline]
fn encode_snapshot(entries: &[Update<'_>], out: &mut [u8]) -> Option<usize> {
    let (head, _) = out.split_first_chunk_mut::<5>()?;
    head[0] = opcode::STATE_SNAPSHOT;
    head[1..].copy_from_slice(&u32::try_from(entries.len()).ok()?.to_le_bytes());
    let (mut at, mut before) = (5, 0);
    for &Update { rev, key, value } in entries {
        let (key_end, head_len) = (6 + key.len(), 10 + key.len());
        let out = out.get_mut(at..at + head_len + value.len()).filter(|_| rev > before)?;
        out[..4].copy_from_slice(&rev.to_le_bytes());
        out[4..6].copy_from_slice(&(key.len() as u16).to_le_bytes());
        out[6..key_end].copy_from_slice(key);
        out[key_end..head_len].copy_from_slice(&u32::try_from(value.len()).ok()?.to_le_bytes());
        out[head_len..].copy_from_slice(value);
        (at, before) = (at + out.len(), rev);
    }
    Some(at)
}

#[inline]
fn encode_world(blob: &[u8], out: &mut [u8]) -> Option<usize> {
    let out = out.get_mut(..=blob.len())?;
    out[0] = opcode::WORLD_LOAD;
    out[1..].copy_from_slice(blob);
    Some(out.len())
}

#[inline]
fn encode_relay(frame: &Packet<'_>, out: &mut [u8]) -> Option<usize> {
    let Packet { peer, payload } = *frame;
    let out = out.get_mut(..6 + payload.len()).filter(|_| !payload.is_empty())?;
    out[..2].copy_from_slice(&[sys::LEAD, sys::RELAY]);
    out[2..6].copy_from_slice(&peer.to_le_bytes());
    out[6..].copy_from_slice(payload);
    Some(out.len())
}
