//! How much of the specification the cases cover, and what the run showed of it: by clause and by chapter.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::result::CaseResult;
use crate::run::Suite;
use crate::trace::UntestedClause;
use crate::verdict::Verdict;

/// A clause, and the cases that cite it.
#[derive(Debug, Serialize)]
pub struct ClauseReport {
    /// `MUST` and so on.
    pub level: String,
    /// Where it stands.
    pub chapter: String,
    /// Its text.
    pub text: String,
    /// Ids of the cases of this run that cite it.
    pub cases: Vec<String>,
    /// The worst that came of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why no case of the suite cites it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A chapter of the specification.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChapterReport {
    /// Its file.
    pub chapter: String,
    /// How many clauses it has.
    pub clauses: usize,
    /// How many of them a case of the suite cites, whether or not it ran.
    pub with_case: usize,
    /// How many have a written reason for having none.
    pub with_reason: usize,
    /// How many are a MAY and have neither.
    pub optional: usize,
    /// How many clauses came to what in this run: the worst of a clause's cases. Clauses of which no case ran are left
    /// out.
    pub verdicts: BTreeMap<&'static str, usize>,
}

/// Every clause of the specification, and what came of it.
pub fn clauses(
    results: &[CaseResult],
    suite: &Suite,
    untested: &[UntestedClause],
) -> BTreeMap<String, ClauseReport> {
    let mut out: BTreeMap<String, ClauseReport> = BTreeMap::new();
    for (id, clause) in &suite.clauses {
        let reason = untested.iter().find(|line| line.id == *id).map(|line| line.reason.clone());
        let report = ClauseReport {
            level: clause.level.clone(),
            chapter: clause.chapter.clone(),
            text: clause.text.clone(),
            cases: vec![],
            verdict: None,
            reason,
        };
        out.insert(id.clone(), report);
    }
    for result in results {
        for id in result.reqs.iter().collect::<BTreeSet<_>>() {
            let Some(clause) = out.get_mut(id) else { continue };
            clause.cases.push(result.id.clone());
            let worst = clause.verdict.unwrap_or(result.verdict);
            clause.verdict =
                Some(if weight(result.verdict) > weight(worst) { result.verdict } else { worst });
        }
    }
    out
}

/// The chapters that have clauses, in order.
pub fn chapters(clauses: &BTreeMap<String, ClauseReport>, suite: &Suite) -> Vec<ChapterReport> {
    let citations = suite.citations();
    let mut chapters: BTreeMap<&str, ChapterReport> = BTreeMap::new();
    for (id, clause) in clauses {
        let chapter = chapters.entry(&clause.chapter).or_default();
        chapter.chapter.clone_from(&clause.chapter);
        chapter.clauses += 1;
        let (cited, excused) = (citations.contains_key(id.as_str()), clause.reason.is_some());
        chapter.with_case += usize::from(cited);
        chapter.with_reason += usize::from(excused);
        chapter.optional += usize::from(!cited && !excused && clause.level == "MAY");
        if let Some(verdict) = clause.verdict {
            *chapter.verdicts.entry(verdict.name()).or_default() += 1;
        }
    }
    chapters.into_values().collect()
}

/// Which of two verdicts says more of a clause: one failure outweighs all, and a pass outweighs what was skipped.
fn weight(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Skip => 0,
        Verdict::Info => 1,
        Verdict::Pass => 2,
        Verdict::PassAlt => 3,
        Verdict::Flaky => 4,
        Verdict::Xfail => 5,
        Verdict::Warn => 6,
        Verdict::StaleXfail => 7,
        Verdict::Inconclusive => 8,
        Verdict::Untestable => 9,
        Verdict::Timeout => 10,
        Verdict::Crash => 11,
        Verdict::WrongReason => 12,
        Verdict::Fail => 13,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::ReferenceCodec;
    use crate::select::Filter;

    #[test]
    fn a_chapter_counts_its_clauses_and_what_came_of_them() {
        let suite = Suite::embedded().unwrap();
        let filter = Filter { patterns: vec!["F0020".into(), "F0001".into()], ..Filter::default() };
        let mut results = suite.select(&filter).run_vectors(&ReferenceCodec, &|_| {});
        let failed = results.iter_mut().find(|result| result.id == "F0020").unwrap();
        failed.verdict = Verdict::Fail;
        let untested = crate::trace::untested().unwrap();
        let clauses = clauses(&results, &suite, &untested);
        assert_eq!(clauses.len(), suite.clauses.len());
        assert_eq!(clauses["PRIM-END-1"].verdict, Some(Verdict::Fail));
        assert_eq!(clauses["PRIM-END-1"].cases, ["F0020"]);
        assert_eq!(clauses["ROOM-CAP-1"].verdict, None);
        assert!(clauses["SEC-LOG-1"].reason.is_some());
        let chapters = chapters(&clauses, &suite);
        let total: usize = chapters.iter().map(|chapter| chapter.clauses).sum();
        assert_eq!(total, suite.clauses.len());
        let covered = chapters.iter().map(|c| c.with_case + c.with_reason + c.optional).sum::<usize>();
        assert_eq!(covered, total, "a clause has a case, a reason, or is a MAY");
        let primitives = chapters.iter().find(|chapter| chapter.chapter == "02-primitives.md").unwrap();
        assert!(
            primitives.with_case > 5 && primitives.with_case + primitives.with_reason <= primitives.clauses
        );
        assert_eq!(primitives.verdicts["FAIL"], 2, "PRIM-END-1 and ERR-OFFSET-1: {primitives:?}");
    }

    #[test]
    fn every_verdict_has_a_weight_of_its_own() {
        let weights: BTreeSet<u8> = Verdict::ALL.into_iter().map(weight).collect();
        assert_eq!(weights.len(), Verdict::ALL.len());
        assert!(Verdict::ALL.iter().filter(|v| v.is_failure()).all(|v| weight(*v) > weight(Verdict::Warn)));
    }
}
