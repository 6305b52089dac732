//! bincode 2, the last version that is a library: <https://docs.rs/bincode/2.0.1>. Nothing is copied when decoding.

use std::hint::black_box;

use bincode::config::standard;
use bincode::{BorrowDecode, Encode};

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

fn decodes<M: Encode + BorrowDecode<'static, ()>>(messages: Vec<M>) -> Run {
    let wire = |message| &*bincode::encode_to_vec(message, standard()).unwrap().leak();
    decoding(messages.iter().map(wire).collect(), |wire: &&'static [u8]| {
        black_box(bincode::borrow_decode_from_slice::<M, _>(wire, standard()).unwrap());
    })
}

fn encodes<M: Encode + 'static>(messages: Vec<M>) -> Run {
    encoding(messages, |message, out| bincode::encode_into_slice(message, out, standard()).ok())
}
