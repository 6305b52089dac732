//! One result, several renderings.

pub mod coverage;
pub mod html;
pub mod json;
pub mod junit;
pub mod terminal;

use std::collections::BTreeMap;

use serde::Serialize;

pub use coverage::{ChapterReport, ClauseReport};

use crate::result::CaseResult;
use crate::verdict::{Exit, Verdict};

/// All that is reported of a run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The version of this format.
    pub format: u32,
    /// The suite's version.
    pub suite: String,
    /// The codec that was tested, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codec: Option<String>,
    /// The relay that was tested, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay: Option<String>,
    /// The client that was tested, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// When it began: seconds since 1970.
    pub started: u64,
    /// How long it took.
    pub millis: u64,
    /// What the run was seeded with.
    pub seed: u64,
    /// How many cases came to what.
    pub summary: BTreeMap<&'static str, usize>,
    /// What the process exits with.
    pub exit: u8,
    /// Which arm of which clause's choice the implementation takes.
    pub choices: BTreeMap<String, String>,
    /// The cases, golden frames first.
    pub cases: Vec<CaseResult>,
    /// The chapters of the specification: how much of each the suite covers, and what the run showed of it.
    pub coverage: Vec<ChapterReport>,
    /// Every clause of the specification.
    pub clauses: BTreeMap<String, ClauseReport>,
}

/// What a run with these results exits with.
pub fn exit_of(results: &[CaseResult]) -> Exit {
    if results.iter().any(|result| result.verdict.is_failure()) {
        return Exit::Failure;
    }
    // A run that skipped everything shows nothing.
    if results.iter().all(|result| result.verdict == Verdict::Skip) { Exit::Usage } else { Exit::Clean }
}

/// How many cases came to what; verdicts without a case are left out.
pub fn summarize(results: &[CaseResult]) -> BTreeMap<&'static str, usize> {
    let mut summary = BTreeMap::new();
    for result in results {
        *summary.entry(result.verdict.name()).or_default() += 1;
    }
    summary
}

/// `12 PASS, 1 FAIL`, in the order of the verdicts.
pub fn sentence(summary: &BTreeMap<&'static str, usize>) -> String {
    let parts = Verdict::ALL
        .iter()
        .filter_map(|verdict| summary.get(verdict.name()).map(|count| format!("{count} {}", verdict.name())));
    parts.collect::<Vec<_>>().join(", ")
}
