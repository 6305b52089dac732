//! The async client over real sockets, against a relay that does what the test says.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod ends;
mod fake;
mod joins;
mod writes;
