//! The tool `roomwire`, as its users run it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod frames;
mod rooms;
mod run;
#[path = "../support/relay.rs"]
mod running;
mod watch;
