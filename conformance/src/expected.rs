//! Expected failures: known ones do not fail a run, and one that passes again does.
//!
//! ```toml
//! [[case]]
//! id = "S0012"
//! issue = "https://example.org/issues/7"
//!
//! [[case]]
//! id = "S0031"
//! issue = "https://example.org/issues/9"
//! flaky = true
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use crate::result::{CaseResult, Finding};
use crate::run::Suite;
use crate::verdict::Verdict;

/// The list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Its lines.
    #[serde(default, rename = "case")]
    pub cases: Vec<ExpectedCase>,
}

/// A line of the list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCase {
    /// The case.
    pub id: String,
    /// Where it is told why.
    pub issue: String,
    /// It fails at times: it is reported and not scored.
    #[serde(default)]
    pub flaky: bool,
}

impl Expected {
    /// Reads a list.
    ///
    /// # Errors
    /// A text that names the file and what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| at(&error))?;
        toml::from_str(&text).map_err(|error| at(&error))
    }

    /// The first id that names no case of the suite: a misspelt one would expect nothing.
    pub fn unknown(&self, suite: &Suite) -> Option<&str> {
        let vectors = suite.vectors.iter().map(|vector| vector.id.as_str());
        let scenarios = suite.scenarios.iter().map(|scenario| scenario.id.as_str());
        let clients = suite.clients.iter().map(|scenario| scenario.id.as_str());
        let ids: BTreeSet<&str> = vectors.chain(scenarios).chain(clients).collect();
        self.cases.iter().map(|line| line.id.as_str()).find(|id| !ids.contains(id))
    }

    /// Changes the verdicts of the cases that are listed.
    pub fn apply(&self, results: &mut [CaseResult]) {
        let lines: BTreeMap<&str, &ExpectedCase> =
            self.cases.iter().map(|line| (line.id.as_str(), line)).collect();
        for result in results {
            let Some(line) = lines.get(result.id.as_str()) else { continue };
            let (verdict, text) = match result.verdict {
                Verdict::Skip => continue,
                verdict if line.flaky => (Verdict::Flaky, format!("{}, listed as flaky", verdict.name())),
                verdict if verdict.is_failure() => {
                    (Verdict::Xfail, format!("{}, listed as an expected failure", verdict.name()))
                }
                verdict => {
                    (Verdict::StaleXfail, format!("{}, listed as an expected failure", verdict.name()))
                }
            };
            result.verdict = verdict;
            result.findings.insert(0, Finding::text("the list", format!("{text}: {}", line.issue)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Kind;

    fn result(id: &str, verdict: Verdict) -> CaseResult {
        CaseResult {
            id: id.into(),
            name: "a/b".into(),
            kind: Kind::Codec,
            group: "a".into(),
            about: String::new(),
            reqs: vec![],
            verdict,
            checks: 1,
            millis: 0,
            findings: vec![],
            arms: BTreeMap::new(),
            wire: None,
            spans: vec![],
            reproduce: String::new(),
        }
    }

    #[test]
    fn a_stale_line_fails_the_run() {
        let list: Expected = toml::from_str(
            "[[case]]\nid='F1'\nissue='x'\n[[case]]\nid='F2'\nissue='x'\n[[case]]\nid='F3'\nissue='x'\nflaky=true",
        )
        .unwrap();
        let mut results = [
            result("F1", Verdict::Fail),
            result("F2", Verdict::Pass),
            result("F3", Verdict::Fail),
            result("F4", Verdict::Fail),
        ];
        list.apply(&mut results);
        let verdicts: Vec<Verdict> = results.iter().map(|result| result.verdict).collect();
        assert_eq!(verdicts, [Verdict::Xfail, Verdict::StaleXfail, Verdict::Flaky, Verdict::Fail]);
    }
}
