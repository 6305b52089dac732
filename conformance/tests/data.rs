//! The data of the suite: shapes, counts, and whether every clause has a case.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::path::Path;

use roomwire_conformance::embedded::{self, SourceFile};
use roomwire_conformance::run::Suite;
use roomwire_conformance::trace::{self, Trace};
use roomwire_conformance::vectors::Origin;

fn suite() -> Suite {
    Suite::embedded().expect("the suite loads and its checks hold")
}

fn validate(schema: &str, files: &[SourceFile]) {
    let schema = serde_json::from_str(&support::read(schema)).expect("a schema is JSON");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema is a schema");
    assert!(!files.is_empty());
    for file in files {
        let data = serde_json::from_str(&file.text).expect(&file.path);
        let faults: Vec<String> =
            validator.iter_errors(&data).take(5).map(|e| format!("{} {e}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{}:\n{}", file.path, faults.join("\n"));
    }
}

#[test]
fn golden_frames_have_the_shape_of_their_schema() {
    validate("schema/vectors.schema.json", &embedded::vectors());
}

#[test]
fn scenarios_have_the_shape_of_their_schema() {
    validate("schema/scenarios.schema.json", &embedded::scenarios());
}

#[test]
fn client_scenarios_have_the_shape_of_their_schema() {
    validate("schema/clients.schema.json", &embedded::clients());
}

#[test]
fn there_are_enough_of_each() {
    let suite = suite();
    assert!(suite.vectors.len() >= 90, "{} golden frames", suite.vectors.len());
    let captured = suite.vectors.iter().filter(|vector| vector.origin == Origin::Godot).count();
    assert!(captured >= 20, "{captured} golden frames were captured from Godot");
    assert!(suite.scenarios.len() >= 30, "{} scenarios", suite.scenarios.len());
}

#[test]
fn a_scenario_reads_and_writes_the_same() {
    for scenario in suite().scenarios {
        let text = serde_json::to_string(&scenario).unwrap();
        assert_eq!(serde_json::from_str(&text).ok(), Some(scenario.clone()), "{}", scenario.id);
    }
    for scenario in suite().clients {
        let text = serde_json::to_string(&scenario).unwrap();
        assert_eq!(serde_json::from_str(&text).ok(), Some(scenario.clone()), "{}", scenario.id);
    }
}

#[test]
fn every_clause_has_a_case_or_a_reason_and_says_what_its_cases_were_read_against() {
    let suite = suite();
    let untested = trace::untested().expect("untested.toml");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("clauses.toml");
    let fingerprints = trace::cli::read(&path).expect("clauses.toml");
    let trace = Trace {
        clauses: &suite.clauses,
        citations: suite.citations(),
        untested: &untested,
        fingerprints: &fingerprints,
    };
    let mut faults = trace.faults();
    let tests = untested.iter().flat_map(|line| &line.tests);
    faults.extend(tests.filter_map(|test| support::fault_of_test(test)));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
