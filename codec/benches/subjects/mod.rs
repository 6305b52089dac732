//! What is measured: five frames, decoded and encoded by five codecs, all over the same values.

mod bincode;
pub(crate) mod data;
mod floor;
mod frames;
mod prost;
mod rmp;
mod roomwire;

use std::hint::black_box;

/// What is done with a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Case {
    DecodeUpdate,
    DecodeSet,
    /// Checked as a whole, its entries not yet looked at. Only what can borrow has this.
    CheckSnapshot,
    /// Checked, and every entry put into a `Vec`.
    DecodeSnapshot,
    DecodeWorld,
    DecodeRelay,
    EncodeUpdate,
    EncodeSet,
    EncodeSnapshot,
    EncodeWorld,
    EncodeRelay,
}

/// One pass over all frames of a case. What encodes writes to the start of the buffer, which is the same one for all: where it
/// lies matters to a long copy.
pub(crate) type Run = Box<dyn FnMut(&mut [u8])>;

/// A buffer for [`Run`].
pub(crate) fn buffer() -> Vec<u8> {
    vec![0; data::LONGEST]
}

/// Who does it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Subject {
    Floor,
    Roomwire,
    RoomwireTwice,
    Unchecked,
    Prost,
    Rmp,
    Bincode,
}

impl Subject {
    /// What it does in `case`, made ready; `None` where it does nothing of the kind.
    pub(crate) fn run(self, case: Case) -> Option<Run> {
        match self {
            Self::Floor => Some(floor::run(case)),
            Self::Roomwire => Some(roomwire::run(case)),
            Self::RoomwireTwice => roomwire::run_twice(case),
            Self::Unchecked => floor::run_unchecked(case),
            Self::Prost => prost::run(case),
            Self::Rmp => rmp::run(case),
            Self::Bincode => bincode::run(case),
        }
    }
}

/// Hands each of `wires` to `decode`, which hides what it made from the optimiser.
fn decoding<W: 'static>(wires: Vec<W>, mut decode: impl FnMut(&W) + 'static) -> Run {
    Box::new(move |_| wires.iter().for_each(|wire| decode(black_box(wire))))
}

/// Has each of `frames` written to the start of the buffer. `encode` gives the length, `None` for an error.
fn encoding<F: 'static>(
    frames: Vec<F>,
    mut encode: impl FnMut(&F, &mut [u8]) -> Option<usize> + 'static,
) -> Run {
    Box::new(move |mut out| {
        for frame in &frames {
            black_box(encode(black_box(frame), out).unwrap());
            out = black_box(out);
        }
    })
}
