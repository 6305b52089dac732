//! Fuzz targets for Roomwire, with bodies that also run as tests on stable.
//!
//! A body takes a fuzzer's bytes and panics where something is not as it must be. `fuzz_targets/` has a shim for each; `tests/`
//! runs them over the golden frames and over changes of these.

mod backlog;
mod decode;
mod oracle;
mod room;
mod round_trip;

pub use backlog::{Queue, backlog, backlog_with};
pub use decode::{Way, decode, decode_with, fields, sound};
pub use oracle::{Field, Verdict};
pub use room::{Core, Reach, room, room_trace, room_trace_with, room_with};
pub use round_trip::{round_trip, round_trip_wire};
