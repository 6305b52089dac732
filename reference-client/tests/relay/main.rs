//! The async client against the reference relay.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod reconnects;
mod rooms;
#[path = "../support/relay.rs"]
mod running;
