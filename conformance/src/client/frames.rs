//! Frames to bytes, written from the specification alone: the codec that is tested elsewhere has no part in what clients are
//! sent, and may be told to send what it would refuse.

use roomwire_codec::registry::{opcode, sys};

use crate::frame_json::JsonFrame;

/// The bytes of a frame, whether or not it is valid.
pub(crate) fn encode(frame: &JsonFrame) -> Vec<u8> {
    let mut out = Vec::new();
    match frame {
        JsonFrame::WorldSave { blob } => {
            out.push(opcode::WORLD_SAVE);
            out.extend(blob.bytes());
        }
        JsonFrame::WorldLoad { blob } => {
            out.push(opcode::WORLD_LOAD);
            out.extend(blob.bytes());
        }
        JsonFrame::WorldSaveAck {} => out.push(opcode::WORLD_SAVE_ACK),
        JsonFrame::StateSet { key, value } => {
            out.push(opcode::STATE_SET);
            push_key(&mut out, key);
            out.extend(value.bytes());
        }
        JsonFrame::StateUpdate { rev, key, value } => {
            out.push(opcode::STATE_UPDATE);
            out.extend(rev.to_le_bytes());
            push_key(&mut out, key);
            out.extend(value.bytes());
        }
        JsonFrame::StateSnapshot { entries } => {
            out.push(opcode::STATE_SNAPSHOT);
            push_len(&mut out, entries.len());
            for entry in entries {
                out.extend(entry.rev.to_le_bytes());
                push_key(&mut out, &entry.key);
                push_len(&mut out, entry.value.bytes().len());
                out.extend(entry.value.bytes());
            }
        }
        JsonFrame::PeerId { peer } => out.extend(peer.to_le_bytes()),
        JsonFrame::AddPeer { lead, peer } => push_sys(&mut out, *lead, sys::ADD_PEER, *peer),
        JsonFrame::DelPeer { lead, peer } => push_sys(&mut out, *lead, sys::DEL_PEER, *peer),
        JsonFrame::Relay { lead, peer, payload } => {
            push_sys(&mut out, *lead, sys::RELAY, *peer);
            out.extend(payload.bytes());
        }
        JsonFrame::Godot { bytes } => out.extend(bytes.bytes()),
    }
    out
}

fn push_key(out: &mut Vec<u8>, key: &str) {
    out.extend(u16::try_from(key.len()).unwrap_or(u16::MAX).to_le_bytes());
    out.extend(key.as_bytes());
}

fn push_len(out: &mut Vec<u8>, len: usize) {
    out.extend(u32::try_from(len).unwrap_or(u32::MAX).to_le_bytes());
}

fn push_sys(out: &mut Vec<u8>, lead: u8, command: u8, peer: i32) {
    out.extend([lead, command]);
    out.extend(peer.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::{self, Expect};

    #[test]
    fn golden_frames() {
        let mut seen = 0;
        for vector in vectors::load(None).unwrap() {
            if let Expect::Accept(frame) = &vector.expect {
                assert_eq!(encode(frame), vector.wire.bytes(), "{}", vector.id);
                seen += 1;
            }
        }
        assert!(seen > 40);
    }
}
