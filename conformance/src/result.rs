//! What the runner knows of a case after it has run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::hex::Hex;
use crate::vectors::Span;
use crate::verdict::Verdict;

/// Which part of the suite a case belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Golden frames.
    Codec,
    /// Scenarios.
    Relay,
    /// Client scenarios.
    Client,
}

impl Kind {
    /// As the reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Codec => "codec",
            Kind::Relay => "relay",
            Kind::Client => "client",
        }
    }
}

/// One thing that was not right.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where: an operation of a vector, or the path of a scenario's step (`/3/1`: the first step within the third).
    pub at: String,
    /// What.
    pub text: String,
    /// What should have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// The bytes that came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wire: Option<Hex>,
    /// The clause that it breaks, where the runner knows which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

impl Finding {
    /// A finding that is told by a text alone.
    pub fn text(at: &str, text: impl Into<String>) -> Self {
        Self { at: at.to_owned(), text: text.into(), ..Self::default() }
    }
}

/// The result of one case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Which part.
    pub kind: Kind,
    /// The part of the name before the slash.
    pub group: String,
    /// What it is about, for people.
    pub about: String,
    /// The clauses that it tests.
    pub reqs: Vec<String>,
    /// What it came to.
    pub verdict: Verdict,
    /// How many things were checked.
    pub checks: u32,
    /// How long it took.
    pub millis: u64,
    /// What was not right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Which arm of which clause's choice was taken.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arms: BTreeMap<String, String>,
    /// The vector's bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wire: Option<Hex>,
    /// What the bytes are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// What the runner is called with to run this case alone; in a report, the whole command.
    pub reproduce: String,
}

impl CaseResult {
    /// The clauses that are known to be broken, in the order in which that was found, and the others that the case cites.
    pub fn clauses(&self) -> (Vec<&str>, Vec<&str>) {
        let mut broken: Vec<&str> = Vec::new();
        for rule in self.findings.iter().filter_map(|finding| finding.rule.as_deref()) {
            if !broken.contains(&rule) {
                broken.push(rule);
            }
        }
        let cited = self.reqs.iter().map(String::as_str).filter(|req| !broken.contains(req)).collect();
        (broken, cited)
    }

    /// What the case does to its clauses, for people. Only a judgement says that one is broken, and that something
    /// does not come in time is none.
    pub fn about_clauses(&self) -> &'static str {
        match self.verdict {
            Verdict::Fail | Verdict::WrongReason | Verdict::Warn => "breaks",
            _ => "is about",
        }
    }
}
