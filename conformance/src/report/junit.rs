//! The report for build servers: `junit.xml`, in the form that they all read.
//!
//! | verdict | element |
//! |---|---|
//! | `FAIL`, `WRONG_REASON`, `INCONCLUSIVE`, `STALE_XFAIL` | `failure` |
//! | `CRASH`, `TIMEOUT`, `UNTESTABLE` | `error` |
//! | `SKIP`, `XFAIL`, `FLAKY` | `skipped` |
//! | `PASS`, `PASS_ALT`, `WARN`, `INFO` | none |

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::{Report, terminal};
use crate::embedded::Clause;
use crate::result::CaseResult;
use crate::verdict::Verdict;

/// Writes it.
///
/// # Errors
/// Those of the file.
pub fn write(report: &Report, clauses: &BTreeMap<String, Clause>, path: &Path) -> io::Result<()> {
    std::fs::write(path, xml(report, clauses))
}

/// The element of a verdict.
fn element(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Fail | Verdict::WrongReason | Verdict::Inconclusive | Verdict::StaleXfail => Some("failure"),
        Verdict::Crash | Verdict::Timeout | Verdict::Untestable => Some("error"),
        Verdict::Skip | Verdict::Xfail | Verdict::Flaky => Some("skipped"),
        Verdict::Pass | Verdict::PassAlt | Verdict::Warn | Verdict::Info => None,
    }
}

fn xml(report: &Report, clauses: &BTreeMap<String, Clause>) -> String {
    let mut suites: BTreeMap<(&str, &str), Vec<&CaseResult>> = BTreeMap::new();
    for case in &report.cases {
        suites.entry((case.kind.name(), case.group.as_str())).or_default().push(case);
    }
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&CaseResult> = report.cases.iter().collect();
    let _ = writeln!(out, "<testsuites{}>", counts(&report.suite, &all));
    for ((kind, group), cases) in suites {
        let name = format!("{kind}.{group}");
        let _ = writeln!(out, "  <testsuite{}>", counts(&name, &cases));
        for case in cases {
            write_case(case, &name, clauses, &mut out);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn counts(name: &str, cases: &[&CaseResult]) -> String {
    let count = |wanted| cases.iter().filter(|case| element(case.verdict) == Some(wanted)).count();
    let millis: u64 = cases.iter().map(|case| case.millis).sum();
    format!(
        " name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"",
        escape(name),
        cases.len(),
        count("failure"),
        count("error"),
        count("skipped"),
        seconds(millis)
    )
}

fn write_case(case: &CaseResult, suite: &str, clauses: &BTreeMap<String, Clause>, out: &mut String) {
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
        escape(suite),
        escape(&format!("{} {}", case.id, case.name)),
        seconds(case.millis)
    );
    let verdict = case.verdict.name();
    let why = case.findings.first().map_or(case.about.as_str(), |finding| finding.text.as_str());
    match element(case.verdict) {
        Some("skipped") => {
            let message = escape(&format!("{verdict}: {why}"));
            let _ = writeln!(out, ">\n      <skipped message=\"{message}\"/>\n    </testcase>");
        }
        Some(name) => {
            let message = escape(&format!("{verdict}: {why}"));
            let text = escape(terminal::failure(case, clauses).trim());
            let _ = writeln!(
                out,
                ">\n      <{name} type=\"{verdict}\" message=\"{message}\">{text}</{name}>\n    </testcase>"
            );
        }
        None if case.findings.is_empty() => out.push_str("/>\n"),
        None => {
            let text = escape(terminal::failure(case, clauses).trim());
            let _ = writeln!(out, ">\n      <system-out>{text}</system-out>\n    </testcase>");
        }
    }
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

/// Text for an element or an attribute. What XML has no way to write (control characters, and two that are no characters) is
/// shown by a symbol, since keys and closes come from whoever is tested.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\0'..' ' => out.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or(' ')),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_escaped() {
        assert_eq!(escape("<a b=\"c\">&'\n\t\r"), "&lt;a b=&quot;c&quot;&gt;&amp;'&#10;&#9;&#13;");
        assert_eq!(escape("\0\u{1b}\u{ffff}é\u{1f600}"), "\u{2400}\u{241b}\u{fffd}é\u{1f600}");
    }

    #[test]
    fn every_failure_is_told_as_one_and_nothing_else_is() {
        for verdict in Verdict::ALL {
            let told = matches!(element(verdict), Some("failure" | "error"));
            assert_eq!(told, verdict.is_failure(), "{verdict:?}");
        }
    }
}
