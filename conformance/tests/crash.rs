//! Killing a relay under load finds what a broken one loses, and nothing in the reference relay.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use roomwire_conformance::crash::{self, Options, Report};
use roomwire_conformance::relay::{ReferenceRelay, RelayUnderTest};

fn killed(relay: &ReferenceRelay) -> Report {
    let options = Options { rounds: 3, acks: 60, ..Options::default() };
    let mut running = relay.open(&crash::scenario()).expect("the relay starts");
    crash::run(&options, running.as_mut(), &mut |_| {}).expect("three rounds")
}

fn reference() -> ReferenceRelay {
    ReferenceRelay::new(PathBuf::from(env!("CARGO_BIN_EXE_roomwire-conformance")), 1.0)
}

#[test]
fn the_reference_relay_loses_nothing() {
    let report = killed(&reference());
    assert_eq!(report.rounds, 3);
    assert!(report.acks >= 180 && report.in_flight > 0, "{report:?}");
    assert!(report.faults.is_empty(), "{report:?}");
}

#[test]
fn a_relay_that_tells_before_it_commits_is_found() {
    let report = killed(&reference().with_fault("commits some time after it acks"));
    assert!(!report.faults.is_empty(), "{report:?}");
}

#[test]
fn a_relay_that_forgets_the_world_is_found() {
    let report = killed(&reference().with_fault("forgets the world"));
    assert!(!report.faults.is_empty(), "{report:?}");
}
