//! Instructions of each case, counted by Valgrind: see README.md.
//!
//! ```text
//! cargo bench -p roomwire-codec --bench instructions
//! ```
//!
//! The functions below stand in the order in which each is compared with those before it, so the floor is the first.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a bench fails by a panic")]
#![allow(missing_docs, reason = "the macros make public modules")]

mod subjects;

use gungraun::{library_benchmark, library_benchmark_group, main};
use subjects::{Case, Run, Subject};

/// A case made ready: that part is not counted.
type Ready = (Run, Vec<u8>);

fn ready(subject: Subject, case: Case) -> Ready {
    let mut out = subjects::buffer();
    let mut run = subject.run(case).unwrap();
    // The first pass may allocate what later ones use again.
    run(&mut out);
    (run, out)
}

macro_rules! counted {
    ($function:ident $subject:ident: $($id:ident $case:ident),*) => {
        #[library_benchmark]
        $(#[bench::$id(ready(Subject::$subject, Case::$case))])*
        fn $function(ready: Ready) -> Ready {
            let (mut run, mut out) = ready;
            run(&mut out);
            (run, out)
        }
    };
    ($function:ident $subject:ident) => {
        counted! { $function $subject:
            decode_update DecodeUpdate, decode_set DecodeSet, decode_snapshot DecodeSnapshot, decode_world DecodeWorld,
            decode_relay DecodeRelay, encode_update EncodeUpdate, encode_set EncodeSet, encode_snapshot EncodeSnapshot,
            encode_world EncodeWorld, encode_relay EncodeRelay
        }
    };
}

counted! { floor Floor }
counted! { roomwire Roomwire }
counted! { roomwire_twice RoomwireTwice: decode_snapshot DecodeSnapshot }
counted! { unchecked Unchecked: decode_update DecodeUpdate, decode_snapshot DecodeSnapshot }
counted! { prost Prost }
counted! { rmp_serde Rmp }
counted! { bincode Bincode }
counted! { floor_view Floor: check_snapshot CheckSnapshot }
counted! { roomwire_view Roomwire: check_snapshot CheckSnapshot }

library_benchmark_group!(
    name = frames;
    compare_by_id = true;
    benchmarks = floor, roomwire, roomwire_twice, unchecked, prost, rmp_serde, bincode
);

library_benchmark_group!(
    name = view;
    compare_by_id = true;
    benchmarks = floor_view, roomwire_view
);

main!(library_benchmark_groups = frames, view);
