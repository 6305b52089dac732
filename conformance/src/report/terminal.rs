//! What is shown while a run goes on, and at its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};

use super::{ChapterReport, sentence};
use crate::embedded::Clause;
use crate::hex::shorten;
use crate::out::complain;
use crate::result::CaseResult;
use crate::verdict::Verdict;

/// Shows how far a run is: a bar on a terminal, else a line for each failure and every so many cases.
pub struct Progress {
    bar: Option<ProgressBar>,
    total: usize,
    done: std::sync::atomic::AtomicUsize,
}

impl Progress {
    /// For so many cases.
    pub fn new(total: usize, what: &str) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            let style = ProgressStyle::with_template("{prefix} {bar:40} {pos}/{len} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(what.to_owned());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        if bar.is_none() {
            complain(&format!("{what}: {total} {}", if total == 1 { "case" } else { "cases" }));
        }
        Self { bar, total, done: std::sync::atomic::AtomicUsize::new(0) }
    }

    /// One more case is done.
    pub fn done(&self, result: &CaseResult) {
        let done = self.done.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
        match &self.bar {
            Some(bar) => {
                bar.inc(1);
                bar.set_message(format!("{} {}", result.id, result.name));
                if result.verdict.is_failure() {
                    bar.suspend(|| {
                        complain(&format!("{} {} {}", result.verdict.name(), result.id, result.name))
                    });
                }
            }
            None if result.verdict.is_failure() => {
                complain(&format!("{} {} {}", result.verdict.name(), result.id, result.name));
            }
            None if done.is_multiple_of(50) || done == self.total => {
                complain(&format!("  {done}/{}", self.total))
            }
            None => {}
        }
    }

    /// All cases are done.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A row for each group, and what its cases came to.
pub fn table(results: &[CaseResult]) -> Table {
    let mut groups: BTreeMap<(&str, &str), BTreeMap<Verdict, usize>> = BTreeMap::new();
    let mut shown: std::collections::BTreeSet<Verdict> = [Verdict::Pass].into();
    let mut checks: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for result in results {
        let group = (result.kind.name(), result.group.as_str());
        *groups.entry(group).or_default().entry(result.verdict).or_default() += 1;
        *checks.entry(group).or_default() += u64::from(result.checks);
        shown.insert(result.verdict);
    }
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    let mut header = vec!["".to_owned(), "group".into(), "cases".into(), "checks".into()];
    header.extend(shown.iter().map(|verdict| verdict.name().to_owned()));
    table.set_header(header);
    let number = |value: u64| Cell::new(value).set_alignment(CellAlignment::Right);
    for (group, counts) in &groups {
        let total: usize = counts.values().sum();
        let mut row = vec![Cell::new(group.0), Cell::new(group.1), number(total as u64)];
        row.push(number(checks.get(group).copied().unwrap_or(0)));
        for verdict in &shown {
            let count = counts.get(verdict).copied().unwrap_or(0);
            let cell = if count == 0 { Cell::new("") } else { number(count as u64) };
            row.push(if verdict.is_failure() { cell.fg(Color::Red) } else { cell });
        }
        table.add_row(row);
    }
    table
}

/// A row for each chapter of which a case has run, and one for all chapters.
pub fn coverage(chapters: &[ChapterReport]) -> Table {
    let shown: Vec<Verdict> = Verdict::ALL
        .into_iter()
        .filter(|verdict| chapters.iter().any(|chapter| chapter.verdicts.contains_key(verdict.name())))
        .collect();
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    let head = ["chapter", "clauses", "with a case", "with a reason", "other MAYs"].into_iter();
    table.set_header(head.chain(shown.iter().map(|verdict| verdict.name())));
    let number = |value: usize| Cell::new(value).set_alignment(CellAlignment::Right);
    let mut row = |name: &str, chapters: &[&ChapterReport]| {
        let sum = |get: &dyn Fn(&ChapterReport) -> usize| chapters.iter().map(|chapter| get(chapter)).sum();
        let mut row = vec![Cell::new(name), number(sum(&|c| c.clauses)), number(sum(&|c| c.with_case))];
        row.push(number(sum(&|c| c.with_reason)));
        row.push(number(sum(&|c| c.optional)));
        for verdict in &shown {
            let count = sum(&|c| c.verdicts.get(verdict.name()).copied().unwrap_or(0));
            let cell = if count == 0 { Cell::new("") } else { number(count) };
            row.push(if verdict.is_failure() { cell.fg(Color::Red) } else { cell });
        }
        table.add_row(row);
    };
    for chapter in chapters.iter().filter(|chapter| !chapter.verdicts.is_empty()) {
        row(&chapter.chapter, &[chapter]);
    }
    row("all chapters", &chapters.iter().collect::<Vec<_>>());
    table
}

/// Why cases were skipped, and how many for each reason.
pub fn skipped(results: &[CaseResult]) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for result in results.iter().filter(|result| result.verdict == Verdict::Skip) {
        let reason = result.findings.first().map_or("no reason", |finding| finding.text.as_str());
        *reasons.entry(reason).or_default() += 1;
    }
    let mut reasons: Vec<(&str, usize)> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut out = String::new();
    for (reason, count) in reasons {
        let _ = writeln!(out, "{count:>5} skipped: {reason}");
    }
    out
}

/// How many cases that did not pass are told in full. More than that have few causes, and hide the first ones.
const TOLD: usize = 8;

/// Everything that is to be known of the first cases that did not pass, and what the others are. `report` has them all.
pub fn failures(results: &[CaseResult], clauses: &BTreeMap<String, Clause>, report: &Path) -> String {
    let worth = |verdict: Verdict| verdict.is_failure() || verdict == Verdict::Warn;
    let mut failed = results.iter().filter(|result| worth(result.verdict));
    let mut out: String = failed.by_ref().take(TOLD).map(|result| failure(result, clauses)).collect();
    let mut others: BTreeMap<(Verdict, &str), Vec<&str>> = BTreeMap::new();
    for result in failed {
        others.entry((result.verdict, result.group.as_str())).or_default().push(&result.id);
    }
    if !others.is_empty() {
        let count: usize = others.values().map(Vec::len).sum();
        let _ = writeln!(out, "\nand {count} more, which {} tells of:", report.display());
    }
    for ((verdict, group), ids) in others {
        let _ = writeln!(out, "  {} {group}: {}", verdict.name(), listed(&ids));
    }
    out
}

/// Some ids, and how many there are beside them.
fn listed(ids: &[&str]) -> String {
    const SHOWN: usize = 12;
    let (shown, others) = ids.split_at(ids.len().min(SHOWN));
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    format!("{}{more}", shown.join(" "))
}

/// Everything that is to be known of one case.
pub fn failure(result: &CaseResult, clauses: &BTreeMap<String, Clause>) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "\n{} {} {}", result.verdict.name(), result.id, result.name);
    if !result.about.is_empty() {
        let _ = writeln!(out, "  {}", result.about);
    }
    if let Some(wire) = &result.wire {
        let _ = writeln!(out, "  the frame: {}", shorten(wire.bytes(), 48));
        for span in result.spans.iter().take(12) {
            let _ = writeln!(out, "    {:>5}  {:<14} {}", span.0 / 8, span.2, span.3);
        }
    }
    for finding in &result.findings {
        let _ = writeln!(out, "  at {}: {}", finding.at, finding.text);
        if let Some(expected) = &finding.expected {
            let _ = writeln!(out, "    expected: {expected}");
        }
        if let Some(got) = &finding.got {
            let _ = writeln!(out, "    got:      {got}");
        }
        if let Some(wire) = &finding.wire {
            let _ = writeln!(out, "    bytes:    {}", shorten(wire.bytes(), 48));
        }
    }
    out.push_str(&clauses_of(result, clauses));
    let _ = writeln!(out, "  again: {}", result.reproduce);
    out
}

/// The clauses of a case that did not pass: what is broken first, with its text.
fn clauses_of(result: &CaseResult, clauses: &BTreeMap<String, Clause>) -> String {
    let mut out = String::new();
    let text = |id: &str| clauses.get(id).map_or("", |clause| clause.text.as_str());
    let (broken, cited) = result.clauses();
    match (broken.as_slice(), cited.as_slice()) {
        ([], [one]) => {
            let _ = writeln!(out, "  {} {one}: {}", result.about_clauses(), text(one));
        }
        ([], several) => {
            let _ = writeln!(out, "  {} one of these:", result.about_clauses());
            for id in several {
                let _ = writeln!(out, "    {id}: {}", beginning(text(id)));
            }
        }
        (broken, cited) => {
            for id in broken {
                let _ = writeln!(out, "  {} {id}: {}", result.about_clauses(), text(id));
            }
            if !cited.is_empty() {
                let _ = writeln!(out, "  the case is about {}, too", cited.join(", "));
            }
        }
    }
    out
}

/// As much of a clause as tells which one it is, where several are listed. The HTML report has all of it.
fn beginning(text: &str) -> String {
    const MAX: usize = 120;
    match text.char_indices().nth(MAX) {
        Some((end, _)) => {
            let cut = text.get(..end).unwrap_or_default();
            let cut = cut.rsplit_once(' ').map_or(cut, |(words, _)| words);
            format!("{cut} …")
        }
        None => text.to_owned(),
    }
}

/// The last line of a run.
pub fn closing(results: &[CaseResult], millis: u64) -> String {
    let summary = super::summarize(results);
    let cases = if results.len() == 1 { "case" } else { "cases" };
    format!("{} {cases} in {:.1} s: {}", results.len(), millis as f64 / 1000.0, sentence(&summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_ids_some_are_listed() {
        assert_eq!(listed(&["F0001", "F0002"]), "F0001 F0002");
        assert_eq!(listed(&["F0001"; 20]), format!("{} and 8 more", ["F0001"; 12].join(" ")));
    }

    #[test]
    fn long_clauses_are_cut_between_words() {
        assert_eq!(beginning("It MUST."), "It MUST.");
        let cut = beginning(&"wörds ".repeat(40));
        assert!(cut.ends_with("wörds …") && cut.chars().count() <= 122, "{cut}");
    }
}
