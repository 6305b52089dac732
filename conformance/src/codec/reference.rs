//! The reference codec as a codec under test: the mapping between its frames and their JSON.

use std::panic::{AssertUnwindSafe, catch_unwind};

use roomwire_codec::{
    AddPeer, DecodeError, DelPeer, Direction, EncodeError, Entry, Frame, Godot, Key, PeerId, PeerIdMessage,
    Relay, StateSet, StateSnapshot, StateUpdate, WorldLoad, WorldSave, WorldSaveAck,
};

use super::{Answer, CodecUnderTest, Fault, Reports, To};
use crate::frame_json::{JsonEntry, JsonFrame};
use crate::hex::Hex;

/// The codec of this repository, in the runner's own process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceCodec;

impl CodecUnderTest for ReferenceCodec {
    fn name(&self) -> String {
        format!("roomwire-codec {}", env!("CARGO_PKG_VERSION"))
    }

    fn reports(&self) -> Reports {
        Reports { offset: true, field: true, rule: true }
    }

    fn decode(&self, to: To, first: bool, wire: &[u8]) -> Answer<JsonFrame> {
        guarded(|| {
            let frame = match (to, first) {
                (To::Client, true) => roomwire_codec::decode_first(wire).map(Frame::PeerId),
                _ => roomwire_codec::decode_strict(direction(to), wire),
            };
            match frame {
                Ok(frame) => Answer::Done(to_json(&frame)),
                Err(error) => Answer::Rejected(fault(&error)),
            }
        })
    }

    fn encode(&self, to: To, frame: &JsonFrame) -> Answer<Vec<u8>> {
        guarded(|| match encode(to, frame) {
            Ok(wire) => Answer::Done(wire),
            Err(text) => Answer::Rejected(Fault { class: text, offset: None, field: None, rule: None }),
        })
    }
}

fn guarded<T>(call: impl FnOnce() -> Answer<T>) -> Answer<T> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Answer::Crash(text.unwrap_or_else(|| "a panic".to_owned()))
    })
}

fn direction(to: To) -> Direction {
    match to {
        To::Relay => Direction::ToRelay,
        To::Client => Direction::ToClient,
    }
}

fn fault(error: &DecodeError) -> Fault {
    Fault {
        class: error.class.name().to_owned(),
        offset: Some(error.offset),
        field: Some(error.field.to_owned()),
        rule: Some(error.rule.to_owned()),
    }
}

/// A decoded frame as JSON.
pub fn to_json(frame: &Frame<'_>) -> JsonFrame {
    match frame {
        Frame::WorldSave(frame) => JsonFrame::WorldSave { blob: Hex::from(frame.blob) },
        Frame::WorldLoad(frame) => JsonFrame::WorldLoad { blob: Hex::from(frame.blob) },
        Frame::WorldSaveAck(WorldSaveAck) => JsonFrame::WorldSaveAck {},
        Frame::StateSet(frame) => {
            JsonFrame::StateSet { key: frame.key.as_str().to_owned(), value: Hex::from(frame.value) }
        }
        Frame::StateUpdate(frame) => JsonFrame::StateUpdate {
            rev: frame.rev,
            key: frame.key.as_str().to_owned(),
            value: Hex::from(frame.value),
        },
        Frame::StateSnapshot(frame) => JsonFrame::StateSnapshot {
            entries: frame
                .iter()
                .map(|entry| JsonEntry {
                    rev: entry.rev,
                    key: entry.key.as_str().to_owned(),
                    value: Hex::from(entry.value),
                })
                .collect(),
        },
        Frame::PeerId(frame) => JsonFrame::PeerId { peer: frame.peer.get() },
        Frame::AddPeer(frame) => JsonFrame::AddPeer { lead: frame.lead, peer: frame.peer.get() },
        Frame::DelPeer(frame) => JsonFrame::DelPeer { lead: frame.lead, peer: frame.peer.get() },
        Frame::Relay(frame) => {
            JsonFrame::Relay { lead: frame.lead, peer: frame.peer, payload: Hex::from(frame.payload) }
        }
        Frame::Godot(frame) => JsonFrame::Godot { bytes: Hex::from(frame.bytes()) },
    }
}

fn encode(to: To, frame: &JsonFrame) -> Result<Vec<u8>, String> {
    let built = match frame {
        JsonFrame::WorldSave { blob } => Frame::WorldSave(WorldSave { blob: blob.bytes() }),
        JsonFrame::WorldLoad { blob } => Frame::WorldLoad(WorldLoad { blob: blob.bytes() }),
        JsonFrame::WorldSaveAck {} => Frame::WorldSaveAck(WorldSaveAck),
        JsonFrame::StateSet { key: name, value } => {
            Frame::StateSet(StateSet { key: key(name)?, value: value.bytes() })
        }
        JsonFrame::StateUpdate { rev, key: name, value } => {
            Frame::StateUpdate(StateUpdate { rev: *rev, key: key(name)?, value: value.bytes() })
        }
        JsonFrame::StateSnapshot { entries } => return encode_snapshot(entries),
        JsonFrame::PeerId { peer: id } => Frame::PeerId(PeerIdMessage { peer: peer(*id)? }),
        JsonFrame::AddPeer { lead, peer: id } => Frame::AddPeer(AddPeer { lead: *lead, peer: peer(*id)? }),
        JsonFrame::DelPeer { lead, peer: id } => Frame::DelPeer(DelPeer { lead: *lead, peer: peer(*id)? }),
        JsonFrame::Relay { lead, peer, payload } => {
            Frame::Relay(Relay { lead: *lead, peer: *peer, payload: payload.bytes() })
        }
        JsonFrame::Godot { bytes } => {
            Frame::Godot(Godot::new(direction(to), bytes.bytes()).ok_or("not an opaque Godot packet")?)
        }
    };
    let mut out = vec![0; built.encoded_len()];
    let len = built.encode(&mut out).map_err(text)?;
    out.truncate(len);
    Ok(out)
}

fn encode_snapshot(entries: &[JsonEntry]) -> Result<Vec<u8>, String> {
    let entries: Vec<Entry<'_>> = entries
        .iter()
        .map(|entry| Ok(Entry { rev: entry.rev, key: key(&entry.key)?, value: entry.value.bytes() }))
        .collect::<Result<_, String>>()?;
    let mut out = vec![0; StateSnapshot::encoded_len_of(entries.iter().copied())];
    let len = StateSnapshot::encode_entries(entries, &mut out).map_err(text)?;
    out.truncate(len);
    Ok(out)
}

fn key(text: &str) -> Result<Key<'_>, String> {
    Key::new(text.as_bytes()).map_err(|error| error.to_string())
}

fn peer(id: i32) -> Result<PeerId, String> {
    PeerId::new(id).ok_or_else(|| format!("{id} is no peer id"))
}

fn text(error: EncodeError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_keep_their_fields_both_ways() {
        for (to, first, wire) in [
            (To::Relay, false, &b"\xF1\x00\xFF"[..]),
            (To::Client, false, b"\xF2"),
            (To::Client, false, b"\xF3"),
            (To::Relay, false, b"\xF4\x01\x00a\x01"),
            (To::Client, false, b"\xF5\x01\x00\x00\x00\x01\x00a"),
            (To::Client, false, b"\xF6\x01\x00\x00\x00\x07\x00\x00\x00\x01\x00a\x01\x00\x00\x00\x09"),
            (To::Client, true, b"\x00\x02\x00\x00"),
            (To::Client, false, b"\x07\x01\x00\x02\x00\x00"),
            (To::Client, false, b"\x07\x02\x00\x02\x00\x00"),
            (To::Relay, false, b"\x0F\x03\xFB\xFF\xFF\xFF\xFF"),
            (To::Relay, false, b"\x07\x01\x00"),
            (To::Client, false, b"\x20"),
        ] {
            let Answer::Done(frame) = ReferenceCodec.decode(to, first, wire) else { panic!("{wire:?}") };
            assert_eq!(ReferenceCodec.encode(to, &frame), Answer::Done(wire.to_vec()), "{frame:?}");
        }
    }

    #[test]
    fn a_rejection_says_where() {
        let Answer::Rejected(fault) = ReferenceCodec.decode(To::Client, false, b"\xF3\x00") else { panic!() };
        assert_eq!(fault.brief(), "trailing at 1, end (PRIM-END-1)");
    }
}
