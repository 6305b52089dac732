//! Tests of the codec from outside, beside the golden frames: round trips, prefixes, and every text of an error.
//!
//! After a change of golden frames or of texts, `INSTA_UPDATE=always cargo test -p roomwire-codec` writes the snapshots anew;
//! read the difference before you commit it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

#[path = "../golden/cases.rs"]
mod cases;
mod golden;
#[path = "../golden/model.rs"]
mod model;
mod prefixes;
mod registry;
mod round_trip;
mod texts;
