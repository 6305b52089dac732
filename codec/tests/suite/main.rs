//! Tests of the codec from outside: the golden frames, round trips, prefixes, and every text of an error.
//!
//! After a change of golden frames or of texts, `INSTA_UPDATE=always cargo test -p roomwire-codec --test suite` writes the
//! snapshots anew; read the difference before you commit it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod golden;
mod model;
mod prefixes;
mod registry;
mod round_trip;
mod texts;
