//! What is checked in equals what is rendered, and the specification contradicts itself nowhere.

#![allow(clippy::expect_used, reason = "a test helper that fails should stop the test")]

use roomwire_spec::{Spec, clauses, default_root};

fn spec() -> Spec {
    Spec::load(&default_root()).expect("the specification can be read")
}

#[test]
fn rendered_files_are_fresh() {
    let stale: Vec<String> =
        spec().rendered().into_iter().filter(|file| file.stale).map(|file| file.path).collect();
    assert!(
        stale.is_empty(),
        "stale: {}. To mend it, run: cargo run -p roomwire-spec -- bless",
        stale.join(", ")
    );
}

#[test]
fn registry_and_chapters_are_sound() {
    let problems: Vec<String> = spec().problems().iter().map(ToString::to_string).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn clauses_are_found_from_anywhere() {
    let clauses = clauses().expect("the specification can be read");
    assert!(clauses.iter().any(|clause| clause.id == "ROOM-KEY-1"));
}
