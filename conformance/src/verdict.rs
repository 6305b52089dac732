//! What a case can come to, and what a run exits with.

use serde::Serialize;

/// The outcome of one case.
///
/// A crash is never a rejection, a skip never a pass, and a case that checked nothing never a pass either: a runner
/// that made no check reports [`Verdict::Inconclusive`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// Everything was as the specification says.
    Pass,
    /// Right, with another of the allowed reasons (`also_ok`).
    PassAlt,
    /// Only a SHOULD was missed.
    Warn,
    /// Nothing to be right or wrong: what was seen is reported.
    Info,
    /// Not as the specification says.
    Fail,
    /// Rejected or closed, as it should be, but for another reason than the fault.
    WrongReason,
    /// The implementation under test ended or panicked.
    Crash,
    /// The implementation under test gave no answer in time.
    Timeout,
    /// Declared by the implementation, and yet it could not be reached.
    Untestable,
    /// The case proves nothing: its valid twin failed too, or nothing was checked.
    Inconclusive,
    /// Not declared by the implementation under test, so not run.
    Skip,
    /// Failed, as a line in the list of expected failures says.
    Xfail,
    /// Listed as an expected failure, and passes now: the line has to go.
    StaleXfail,
    /// Listed as flaky; reported and not scored.
    Flaky,
}

impl Verdict {
    /// All of them, in the order of the tables.
    pub const ALL: [Verdict; 14] = [
        Verdict::Pass,
        Verdict::PassAlt,
        Verdict::Warn,
        Verdict::Info,
        Verdict::Fail,
        Verdict::WrongReason,
        Verdict::Crash,
        Verdict::Timeout,
        Verdict::Untestable,
        Verdict::Inconclusive,
        Verdict::Skip,
        Verdict::Xfail,
        Verdict::StaleXfail,
        Verdict::Flaky,
    ];

    /// As the reports spell it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::PassAlt => "PASS_ALT",
            Verdict::Warn => "WARN",
            Verdict::Info => "INFO",
            Verdict::Fail => "FAIL",
            Verdict::WrongReason => "WRONG_REASON",
            Verdict::Crash => "CRASH",
            Verdict::Timeout => "TIMEOUT",
            Verdict::Untestable => "UNTESTABLE",
            Verdict::Inconclusive => "INCONCLUSIVE",
            Verdict::Skip => "SKIP",
            Verdict::Xfail => "XFAIL",
            Verdict::StaleXfail => "STALE_XFAIL",
            Verdict::Flaky => "FLAKY",
        }
    }

    /// Does the run fail with it?
    pub fn is_failure(self) -> bool {
        match self {
            Verdict::Fail
            | Verdict::WrongReason
            | Verdict::Crash
            | Verdict::Timeout
            | Verdict::Untestable
            | Verdict::Inconclusive
            | Verdict::StaleXfail => true,
            Verdict::Pass
            | Verdict::PassAlt
            | Verdict::Warn
            | Verdict::Info
            | Verdict::Skip
            | Verdict::Xfail
            | Verdict::Flaky => false,
        }
    }

    /// Did the case pass?
    pub fn is_pass(self) -> bool {
        matches!(self, Verdict::Pass | Verdict::PassAlt)
    }
}

/// What the process exits with. Never a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Nothing failed.
    Clean = 0,
    /// A case failed, or an expectation is stale.
    Failure = 1,
    /// The command line is wrong, or a filter matched no case.
    Usage = 2,
    /// The suite itself failed: a file that does not load, a relay that does not start, a run that was interrupted.
    Harness = 3,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_reports() {
        for verdict in Verdict::ALL {
            let json = serde_json::to_string(&verdict).unwrap();
            assert_eq!(json, format!("\"{}\"", verdict.name()));
        }
    }

    #[test]
    fn no_verdict_is_both_a_pass_and_a_failure() {
        for verdict in Verdict::ALL {
            assert!(!(verdict.is_pass() && verdict.is_failure()), "{verdict:?}");
        }
    }
}
