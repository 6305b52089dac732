//! MessagePack: <https://docs.rs/rmp-serde>. Structs are arrays, byte strings are `bin`, and nothing is copied when decoding.

use std::hint::black_box;

use serde::{Deserialize, Serialize};

use super::{Case, Run, decoding, encoding, frames};

pub(super) fn run(case: Case) -> Option<Run> {
    Some(match case {
        Case::DecodeUpdate => decodes(frames::updates()),
        Case::DecodeSet => decodes(frames::sets()),
        Case::CheckSnapshot => return None,
        Case::DecodeSnapshot => decodes(frames::snapshots()),
        Case::DecodeWorld => decodes(frames::worlds()),
        Case::DecodeRelay => decodes(frames::packets()),
        Case::EncodeUpdate => encodes(frames::updates()),
        Case::EncodeSet => encodes(frames::sets()),
        Case::EncodeSnapshot => encodes(frames::snapshots()),
        Case::EncodeWorld => encodes(frames::worlds()),
        Case::EncodeRelay => encodes(frames::packets()),
    })
}

fn decodes<M: Serialize + Deserialize<'static>>(messages: Vec<M>) -> Run {
    let wires = messages.iter().map(|message| &*rmp_serde::to_vec(message).unwrap().leak()).collect();
    decoding(wires, |wire: &&'static [u8]| {
        black_box(rmp_serde::from_slice::<M>(wire).unwrap());
    })
}

fn encodes<M: Serialize + 'static>(messages: Vec<M>) -> Run {
    encoding(messages, |message, mut out| {
        let available = out.len();
        rmp_serde::encode::write(&mut out, message).ok().map(|()| available - out.len())
    })
}
