//! This codec.

use std::hint::black_box;

use roomwire_codec::Direction::{ToClient, ToRelay};
use roomwire_codec::{
    Entry, Frame, Key, PeerId, Relay, StateSet, StateSnapshot, StateUpdate, WorldLoad, decode,
    decode_collecting,
};

use super::data::{self, Update};
use super::floor::{relay_wires, set_wires, snapshot_wires, update_wires, world_wires};
use super::{Case, Run, decoding, encoding};

pub(super) fn run(case: Case) -> Run {
    match case {
        Case::DecodeUpdate => decoding(update_wires(), |wire| {
            let Ok(Frame::StateUpdate(update)) = decode(ToClient, wire) else { refused() };
            black_box(update);
        }),
        Case::DecodeSet => decoding(set_wires(), |wire| {
            let Ok(Frame::StateSet(set)) = decode(ToRelay, wire) else { refused() };
            black_box(set);
        }),
        Case::CheckSnapshot => decoding(snapshot_wires(), |wire| {
            let Ok(Frame::StateSnapshot(snapshot)) = decode(ToClient, wire) else { refused() };
            black_box(snapshot);
        }),
        Case::DecodeSnapshot => {
            let mut entries = Vec::new();
            decoding(snapshot_wires(), move |wire| {
                entries.clear();
                let Ok(Frame::StateSnapshot(snapshot)) = decode_collecting(ToClient, wire, &mut entries)
                else {
                    refused()
                };
                assert_eq!(snapshot.len(), black_box(&mut entries).len());
            })
        }
        Case::DecodeWorld => decoding(world_wires(), |wire| {
            let Ok(Frame::WorldLoad(load)) = decode(ToClient, wire) else { refused() };
            black_box(load);
        }),
        Case::DecodeRelay => decoding(relay_wires(), |wire| {
            let Ok(Frame::Relay(relay)) = decode(ToClient, wire) else { refused() };
            black_box(relay);
        }),
        Case::EncodeUpdate => {
            let frame = |Update { rev, key, value }| StateUpdate { rev, key: Key::new(key).unwrap(), value };
            encoding(data::updates().into_iter().map(frame).collect(), |frame, out| frame.encode(out).ok())
        }
        Case::EncodeSet => {
            let frame = |Update { key, value, .. }| StateSet { key: Key::new(key).unwrap(), value };
            encoding(data::updates().into_iter().map(frame).collect(), |frame, out| frame.encode(out).ok())
        }
        Case::EncodeSnapshot => {
            let entry = |Update { rev, key, value }| Entry { rev, key: Key::new(key).unwrap(), value };
            let entries: Vec<_> = data::entries().into_iter().map(entry).collect();
            encoding(vec![entries], |entries, out| {
                StateSnapshot::encode_entries(entries.iter().copied(), out).ok()
            })
        }
        Case::EncodeWorld => encoding(data::worlds(), |blob, out| WorldLoad { blob }.encode(out).ok()),
        Case::EncodeRelay => {
            let frame =
                |data::Packet { peer, payload }| Relay::from_peer(PeerId::new(peer).unwrap(), payload);
            encoding(data::packets().into_iter().map(frame).collect(), |frame, out| frame.encode(out).ok())
        }
    }
}

/// The same entries as a caller gets them who iterates over what `decode` gives.
pub(super) fn run_twice(case: Case) -> Option<Run> {
    let Case::DecodeSnapshot = case else { return None };
    let mut entries = Vec::new();
    Some(decoding(snapshot_wires(), move |wire| {
        let Ok(Frame::StateSnapshot(snapshot)) = decode(ToClient, wire) else { refused() };
        entries.clear();
        entries.extend(snapshot);
        black_box(&mut entries);
    }))
}

fn refused() -> ! {
    panic!("a valid frame is refused")
}
