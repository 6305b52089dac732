//! The client scenarios find every broken client, by the scenario that is named for it.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use roomwire_conformance::client::ClientUnderTest;
use roomwire_conformance::mutants::clients::{ClientMutant, all};
use roomwire_conformance::run::Suite;
use roomwire_conformance::select::Filter;
use roomwire_conformance::verdict::Verdict;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_roomwire-conformance"))
}

/// What is known not to come is waited for only so long.
fn run(suite: &Suite, mutant: &ClientMutant) -> Result<(), String> {
    let patience = Duration::from_secs(if mutant.verdict == Verdict::Timeout { 3 } else { 15 });
    let client = ClientUnderTest::reference(program(), Some(mutant.name), patience).expect("a client");
    let filter = Filter { patterns: vec![mutant.killed_by.to_owned()], ..Filter::default() };
    let results = suite.select(&filter).run_clients(&client, 1, &|_| {});
    let [result] = results.as_slice() else {
        return Err(format!("{}: {} is no one scenario", mutant.name, mutant.killed_by));
    };
    if result.verdict == mutant.verdict {
        return Ok(());
    }
    let (name, seen) = (mutant.name, result.verdict.name());
    Err(format!("{name}: {} comes to {seen} {:?}", mutant.killed_by, result.findings))
}

#[test]
fn each_is_killed_by_its_scenario() {
    let suite = Suite::embedded().expect("the suite");
    let mutants = all();
    assert!(mutants.len() >= 8);
    let next = AtomicUsize::new(0);
    let alive = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if let Err(text) = run(&suite, mutant) {
                        alive.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let alive = alive.into_inner().unwrap();
    assert!(alive.is_empty(), "not found as expected:\n{}", alive.join("\n"));
}

#[test]
fn the_reference_client_passes_everything() {
    let suite = Suite::embedded().expect("the suite");
    let client = ClientUnderTest::reference(program(), None, Duration::from_secs(30)).expect("a client");
    let selected = suite.select(&Filter::default());
    assert!(selected.clients.len() >= 40, "{} client scenarios", selected.clients.len());
    for result in selected.run_clients(&client, 4, &|_| {}) {
        assert_eq!(result.verdict, Verdict::Pass, "{} {:?}", result.id, result.findings);
    }
}
