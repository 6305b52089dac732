//! The data of the suite: shapes, counts, and whether every clause has a case.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use roomwire_conformance::embedded::{self, SourceFile};
use roomwire_conformance::run::Suite;
use roomwire_conformance::vectors::Origin;
use serde::Deserialize;

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
}

/// `conformance/untested.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Untested {
    clause: Vec<UntestedClause>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UntestedClause {
    id: String,
    reason: String,
    #[serde(default)]
    tests: Vec<String>,
}

#[test]
fn every_clause_has_a_case_or_a_reason() {
    let suite = suite();
    let untested: Untested = toml::from_str(&support::read("untested.toml")).expect("untested.toml");
    let untested: BTreeMap<&str, &UntestedClause> =
        untested.clause.iter().map(|clause| (clause.id.as_str(), clause)).collect();
    let vectors = suite.vectors.iter().flat_map(|vector| &vector.reqs);
    let scenarios = suite.scenarios.iter().flat_map(|scenario| &scenario.reqs);
    let cited: BTreeSet<&str> = vectors.chain(scenarios).map(String::as_str).collect();
    let mut faults = Vec::new();
    for (id, clause) in &suite.clauses {
        let is_cited = cited.contains(id.as_str());
        match untested.get(id.as_str()) {
            None if !is_cited && clause.level != "MAY" => {
                faults.push(format!("{id}: no case cites it, and untested.toml gives no reason"));
            }
            Some(_) if is_cited => faults.push(format!("{id}: a case cites it, so untested.toml need not")),
            _ => {}
        }
    }
    for (id, clause) in untested {
        if !suite.clauses.contains_key(id) {
            faults.push(format!("{id}: untested.toml names it, and it does not exist"));
        }
        if clause.reason.trim().is_empty() {
            faults.push(format!("{id}: untested.toml gives no reason"));
        }
        faults.extend(clause.tests.iter().filter_map(|test| support::fault_of_test(test)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
