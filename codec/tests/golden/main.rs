//! The golden frames of `conformance/vectors` and nothing else, so that a mutation of the codec that lives through this target
//! shows a frame that is missing there (see "Mutants" in CONTRIBUTING.md).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by a panic")]

mod accepted;
mod cases;
mod expect;
mod loose;
mod model;
mod refused;
mod shown;
