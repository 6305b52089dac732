//! The scenarios find every broken relay, by the scenario that is named for it.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use roomwire_conformance::mutants::proxy::ProxiedRelay;
use roomwire_conformance::mutants::relays::{Fault, RelayMutant, all};
use roomwire_conformance::relay::{ReferenceRelay, RelayUnderTest};
use roomwire_conformance::run::{Options, Suite};
use roomwire_conformance::scenario::engine::Settings;
use roomwire_conformance::select::Filter;
use roomwire_conformance::verdict::Verdict;

fn reference() -> ReferenceRelay {
    ReferenceRelay::new(PathBuf::from(env!("CARGO_BIN_EXE_roomwire-conformance")), 1.0)
}

fn verdict(suite: &Suite, id: &str, relay: &dyn RelayUnderTest, patience: Duration) -> (Verdict, String) {
    let filter = Filter { patterns: vec![id.to_owned()], ..Filter::default() };
    let options = Options { settings: Settings { seed: 7, patience }, jobs: 1 };
    let results = suite.select(&filter).run_scenarios(relay, options, &|_| {});
    relay.finish();
    let result = results.first().expect("a scenario");
    (result.verdict, format!("{:?}", result.findings))
}

/// A frame that never comes is waited for only so long where it is known not to come.
fn patience(mutant: &RelayMutant) -> Duration {
    Duration::from_secs(if mutant.verdict == Verdict::Timeout { 3 } else { 15 })
}

fn run(suite: &Suite, mutant: &RelayMutant) -> Result<(), String> {
    let (seen, why) = match &mutant.fault {
        Fault::Proxy(tamper) => {
            let relay = ProxiedRelay::new(reference(), mutant.name, *tamper);
            verdict(suite, mutant.killed_by, &relay, patience(mutant))
        }
        Fault::Store(fault) => {
            verdict(suite, mutant.killed_by, &reference().with_fault(fault), patience(mutant))
        }
    };
    if seen == mutant.verdict {
        return Ok(());
    }
    Err(format!("{}: {} comes to {} {why}", mutant.name, mutant.killed_by, seen.name()))
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
fn the_same_scenarios_pass_on_the_reference_relay_and_through_an_honest_proxy() {
    let suite = Suite::embedded().expect("the suite");
    let mut ids: Vec<String> = all().iter().map(|mutant| mutant.killed_by.to_owned()).collect();
    ids.sort();
    ids.dedup();
    let options = Options { settings: Settings { seed: 7, patience: Duration::from_secs(15) }, jobs: 4 };
    let proxied = |mutant: &RelayMutant| matches!(mutant.fault, Fault::Proxy(_));
    let through: Vec<String> =
        all().iter().filter(|mutant| proxied(mutant)).map(|mutant| mutant.killed_by.to_owned()).collect();
    let honest = ProxiedRelay::new(
        reference(),
        "an honest proxy",
        roomwire_conformance::mutants::proxy::Tamper::NOTHING,
    );
    let plain = reference();
    for (relay, patterns) in [(&plain as &dyn RelayUnderTest, ids), (&honest, through)] {
        let filter = Filter { patterns, ..Filter::default() };
        for result in suite.select(&filter).run_scenarios(relay, options, &|_| {}) {
            assert_eq!(
                result.verdict,
                Verdict::Pass,
                "{}: {} {:?}",
                relay.name(),
                result.id,
                result.findings
            );
        }
        relay.finish();
    }
}
