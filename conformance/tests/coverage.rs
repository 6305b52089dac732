//! `COVERAGE.md`: every row is there, and what it names exists.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use roomwire_conformance::run::Suite;

/// The rows that there have to be.
fn rows() -> BTreeSet<String> {
    let hazards = [42..=45, 46..=51, 53..=54, 58..=83, 85..=94, 98..=98, 132..=132, 134..=134, 136..=138];
    let hazards = hazards.into_iter().flatten().map(|number: u32| format!("H{number}"));
    (1..=82).map(|number: u32| format!("Z{number}")).chain(hazards).collect()
}

/// Rows that are about what a client does: a client scenario has to be among what tests them.
fn is_client_row(row: &str) -> bool {
    let number = |list| row.strip_prefix(list).and_then(|number: &str| number.parse::<u32>().ok());
    number('Z').is_some_and(|number| matches!(number, 19..=22 | 38..=43 | 47..=55 | 58..=66))
        || number('H').is_some_and(|number| matches!(number, 46 | 58 | 59 | 68 | 74 | 81 | 92 | 94))
}

#[test]
fn every_row_leads_to_clauses_and_cases_that_exist() {
    let suite = Suite::embedded().expect("the suite");
    let vectors = suite.vectors.iter().map(|vector| vector.id.as_str());
    let scenarios = suite.scenarios.iter().map(|scenario| scenario.id.as_str());
    let clients = suite.clients.iter().map(|scenario| scenario.id.as_str());
    let cases: BTreeSet<&str> = vectors.chain(scenarios).chain(clients).collect();
    let text = support::read("COVERAGE.md");
    let mut faults = Vec::new();
    let mut seen = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("| Z") || line.starts_with("| H")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [row, about, clauses, tests] = cells.as_slice() else {
            faults.push(format!("not four cells: {line}"));
            continue;
        };
        if seen.insert((*row).to_owned(), line).is_some() {
            faults.push(format!("{row} stands twice"));
        }
        if about.is_empty() || tests.is_empty() {
            faults.push(format!("{row} has an empty cell"));
        }
        if is_client_row(row) && !tests.split(' ').any(|case| case.starts_with('C')) {
            faults.push(format!("{row}: no client scenario"));
        }
        match *clauses {
            "none" if tests.contains("account") || tests.contains("billing") || tests.contains("pages") => {}
            "none" => faults.push(format!("{row}: only accounts, billing and missing pages have no clause")),
            clauses => {
                for clause in clauses.split(' ').filter(|clause| !suite.clauses.contains_key(*clause)) {
                    faults.push(format!("{row}: there is no clause {clause:?}"));
                }
                for case in tests.split(' ') {
                    match case.contains('#') {
                        true => faults.extend(support::fault_of_test(case)),
                        false if cases.contains(case) => {}
                        false => faults.push(format!("{row}: there is no case {case:?}")),
                    }
                }
            }
        }
    }
    let have: BTreeSet<String> = seen.into_keys().collect();
    faults.extend(rows().difference(&have).map(|row| format!("{row} is missing")));
    faults.extend(have.difference(&rows()).map(|row| format!("{row} is in neither list")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
