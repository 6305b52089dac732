//! The sans-IO session in virtual time: no sockets, no clock, no runtime.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod applying;
mod bench;
mod ending;
mod joining;
mod model;
mod peers;
mod writing;
