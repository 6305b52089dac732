//! From clauses to cases, and back: every MUST and SHOULD of the specification has a case or a written reason, and the cases
//! of a clause that was reworded are read again.
//!
//! `clauses.toml` keeps a fingerprint of each clause's text as it was when its cases were last read against it. Where the
//! text has another one now, a test fails until somebody has read them again and says so (`clauses --accept`).

pub mod cli;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use sha1::{Digest as _, Sha1};

use crate::embedded::Clause;

/// The command that says that the cases of reworded clauses were read again.
pub const ACCEPT: &str = "cargo run -p roomwire-conformance -- clauses --accept";

/// A line of `untested.toml`: a clause that no case cites.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UntestedClause {
    /// The clause.
    pub id: String,
    /// Why no case can show it.
    pub reason: String,
    /// Tests that hold it all the same, as `path/of/file.rs#function`.
    #[serde(default)]
    pub tests: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UntestedFile {
    clause: Vec<UntestedClause>,
}

/// The lines of `untested.toml`.
///
/// # Errors
/// A text that tells what is wrong with the file.
pub fn untested() -> Result<Vec<UntestedClause>, String> {
    let file: UntestedFile = toml::from_str(include_str!("../../untested.toml"))
        .map_err(|error| format!("untested.toml: {error}"))?;
    Ok(file.clause)
}

/// This package's directory: where Cargo runs it, else where it was built.
pub fn directory() -> PathBuf {
    let running = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    running
        .filter(|dir| dir.join("clauses.toml").is_file())
        .unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into())
}

/// What a clause says, in twelve digits. White space and signs of Markdown do not count.
pub fn fingerprint(clause: &Clause) -> String {
    let words: Vec<&str> = clause.text.split_whitespace().collect();
    let digest = Sha1::digest(format!("{} {}", clause.level, words.join(" ")));
    crate::hex::Hex::from(digest.get(..6).unwrap_or_default()).to_string()
}

/// Clauses, the cases that cite each, and what the two files say of them.
pub struct Trace<'a> {
    /// The specification's clauses.
    pub clauses: &'a BTreeMap<String, Clause>,
    /// Ids of the cases that cite a clause.
    pub citations: BTreeMap<&'a str, Vec<&'a str>>,
    /// `untested.toml`.
    pub untested: &'a [UntestedClause],
    /// `clauses.toml`.
    pub fingerprints: &'a BTreeMap<String, String>,
}

impl Trace<'_> {
    /// Clauses whose texts are not those that their cases were read against, with these cases.
    pub fn reworded(&self) -> Vec<(&str, Vec<&str>)> {
        let mut out = Vec::new();
        for (id, clause) in self.clauses {
            if self.fingerprints.get(id).is_some_and(|print| *print != fingerprint(clause)) {
                out.push((id.as_str(), self.citations.get(id.as_str()).cloned().unwrap_or_default()));
            }
        }
        out
    }

    /// Everything that is wrong, one line each. Empty: nothing.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = self.uncovered();
        faults.extend(self.orphaned());
        for (id, cases) in self.reworded() {
            let cases = match self.untested.iter().find(|line| line.id == id) {
                Some(line) if line.tests.is_empty() => "its line in untested.toml".to_owned(),
                Some(line) => format!("its line in untested.toml, {}", line.tests.join(", ")),
                None => cases.join(" "),
            };
            faults.push(format!("{id} was reworded. Read again: {cases}. Then: {ACCEPT}"));
        }
        let fresh = self.clauses.keys().filter(|id| !self.fingerprints.contains_key(*id));
        faults.extend(fresh.map(|id| format!("{id} is new: clauses.toml does not have it. {ACCEPT}")));
        faults
    }

    fn uncovered(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (id, clause) in self.clauses {
            let cited = self.citations.contains_key(id.as_str());
            let excused = self.untested.iter().any(|line| line.id == *id);
            match (cited, excused) {
                (false, false) if clause.level != "MAY" => {
                    faults.push(format!("{id}: no case cites it, and untested.toml gives no reason"));
                }
                (true, true) => faults.push(format!("{id}: a case cites it, so untested.toml need not")),
                _ => {}
            }
        }
        faults
    }

    fn orphaned(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (id, cases) in &self.citations {
            if !self.clauses.contains_key(*id) {
                faults.push(format!("{id}: {} cite it, and it does not exist", cases.join(" ")));
            }
        }
        for (at, line) in self.untested.iter().enumerate() {
            let id = &line.id;
            if !self.clauses.contains_key(id) {
                faults.push(format!("{id}: untested.toml names it, and it does not exist"));
            }
            if line.reason.trim().is_empty() {
                faults.push(format!("{id}: untested.toml gives no reason"));
            }
            if self.untested.iter().take(at).any(|other| other.id == *id) {
                faults.push(format!("{id} stands twice in untested.toml"));
            }
        }
        let gone = self.fingerprints.keys().filter(|id| !self.clauses.contains_key(*id));
        faults.extend(gone.map(|id| format!("{id} does not exist any more: clauses.toml has it. {ACCEPT}")));
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause(id: &str, level: &str, text: &str) -> (String, Clause) {
        let clause =
            Clause { id: id.into(), level: level.into(), chapter: "01-x.md".into(), text: text.into() };
        (id.into(), clause)
    }

    fn line(id: &str, reason: &str) -> UntestedClause {
        UntestedClause { id: id.into(), reason: reason.into(), tests: vec![] }
    }

    /// `A-1` has a case, `A-2` a reason, `A-3` is a MAY and has neither.
    fn clauses() -> BTreeMap<String, Clause> {
        [
            clause("A-1", "MUST", "It MUST."),
            clause("A-2", "SHOULD", "It SHOULD."),
            clause("A-3", "MAY", "It MAY."),
        ]
        .into()
    }

    fn faults(
        clauses: &BTreeMap<String, Clause>,
        cited: &[(&'static str, &'static str)],
        untested: &[UntestedClause],
        read: &BTreeMap<String, Clause>,
    ) -> Vec<String> {
        let fingerprints = read.iter().map(|(id, clause)| (id.clone(), fingerprint(clause))).collect();
        let mut citations: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (id, case) in cited {
            citations.entry(id).or_default().push(case);
        }
        Trace { clauses, citations, untested, fingerprints: &fingerprints }.faults()
    }

    #[test]
    fn what_is_traced_is_in_order() {
        let clauses = clauses();
        assert_eq!(faults(&clauses, &[("A-1", "F0001")], &[line("A-2", "why")], &clauses), [""; 0]);
    }

    #[test]
    fn a_clause_without_a_case_or_a_reason() {
        let clauses = clauses();
        let told = |cited: &[(&'static str, &'static str)], untested: &[UntestedClause]| {
            faults(&clauses, cited, untested, &clauses)
        };
        assert_eq!(
            told(&[], &[line("A-2", "why")]),
            ["A-1: no case cites it, and untested.toml gives no reason"]
        );
        assert_eq!(
            told(&[("A-1", "F0001")], &[]),
            ["A-2: no case cites it, and untested.toml gives no reason"]
        );
        assert_eq!(told(&[("A-1", "F0001")], &[line("A-2", " ")]), ["A-2: untested.toml gives no reason"]);
        assert_eq!(
            told(&[("A-1", "F0001"), ("A-2", "F0002")], &[line("A-2", "why")]),
            ["A-2: a case cites it, so untested.toml need not"]
        );
    }

    #[test]
    fn what_names_no_clause_is_an_orphan() {
        let clauses = clauses();
        let cited = [("A-1", "F0001"), ("A-9", "F0002"), ("A-9", "S0001")];
        let untested = [line("A-2", "why"), line("A-8", "why"), line("A-2", "why")];
        assert_eq!(
            faults(&clauses, &cited, &untested, &clauses),
            [
                "A-9: F0002 S0001 cite it, and it does not exist",
                "A-8: untested.toml names it, and it does not exist",
                "A-2 stands twice in untested.toml",
            ]
        );
        let mut read = clauses.clone();
        read.extend([clause("A-7", "MUST", "It MUST.")]);
        assert_eq!(
            faults(&clauses, &[("A-1", "F0001")], &[line("A-2", "why")], &read),
            [format!("A-7 does not exist any more: clauses.toml has it. {ACCEPT}")]
        );
    }

    #[test]
    fn a_reworded_clause_names_what_is_to_be_read_again() {
        let read = clauses();
        let mut now = read.clone();
        now.extend([
            clause("A-1", "MUST", "It MUST not."),
            clause("A-2", "SHOULD", "It SHOULD not."),
            clause("A-4", "MAY", "New."),
        ]);
        let mut excused = line("A-2", "why");
        excused.tests.push("a.rs#b".into());
        assert_eq!(
            faults(&now, &[("A-1", "F0001"), ("A-1", "S0002")], &[excused], &read),
            [
                format!("A-1 was reworded. Read again: F0001 S0002. Then: {ACCEPT}"),
                format!("A-2 was reworded. Read again: its line in untested.toml, a.rs#b. Then: {ACCEPT}"),
                format!("A-4 is new: clauses.toml does not have it. {ACCEPT}"),
            ]
        );
        // Where the line breaks is no matter.
        now = read.clone();
        now.extend([clause("A-1", "MUST", "It\n  MUST.")]);
        assert_eq!(faults(&now, &[("A-1", "F0001")], &[line("A-2", "why")], &read), [""; 0]);
    }
}
