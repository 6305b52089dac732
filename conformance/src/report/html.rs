//! The report for people: one HTML file that needs nothing else.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use askama::Template;

use super::{Report, sentence};
use crate::hex::Hex;
use crate::result::CaseResult;
use crate::vectors::Span;
use crate::verdict::Verdict;

/// Writes it.
///
/// # Errors
/// Those of the file.
pub fn write(report: &Report, path: &Path) -> io::Result<()> {
    std::fs::write(path, page(report).render().map_err(io::Error::other)?)
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    sentence: String,
    seconds: String,
    verdicts: Vec<Verdict>,
    groups: Vec<Group<'a>>,
    clauses: Vec<ClauseRow<'a>>,
    chapter_verdicts: Vec<Verdict>,
}

struct Group<'a> {
    kind: &'static str,
    name: &'a str,
    cases: Vec<Row<'a>>,
    counts: Vec<usize>,
}

struct Row<'a> {
    result: &'a CaseResult,
    verdict: &'static str,
    class: &'static str,
    fields: Vec<Field>,
    clauses: Vec<(&'a str, &'a str, &'a str)>,
    search: String,
}

struct ClauseRow<'a> {
    id: &'a str,
    level: &'a str,
    chapter: &'a str,
    text: &'a str,
    cases: String,
    reason: &'a str,
    class: &'static str,
}

/// A field's bytes, coloured.
struct Field {
    hex: String,
    colour: usize,
    name: String,
    value: String,
}

fn page(report: &Report) -> Page<'_> {
    let verdicts: Vec<Verdict> =
        Verdict::ALL.into_iter().filter(|verdict| report.summary.contains_key(verdict.name())).collect();
    let mut groups: BTreeMap<(&'static str, &str), Vec<Row<'_>>> = BTreeMap::new();
    for result in &report.cases {
        groups.entry((result.kind.name(), &result.group)).or_default().push(row(result, report));
    }
    let groups = groups.into_iter().map(|((kind, name), cases)| {
        let count = |verdict: &Verdict| cases.iter().filter(|row| row.result.verdict == *verdict).count();
        Group { kind, name, counts: verdicts.iter().map(count).collect(), cases }
    });
    let groups = groups.collect();
    let clauses = report.clauses.iter().map(|(id, clause)| ClauseRow {
        id,
        level: &clause.level,
        chapter: &clause.chapter,
        text: &clause.text,
        cases: clause.cases.join(" "),
        reason: clause.reason.as_deref().unwrap_or_default(),
        class: clause.verdict.map_or("", class),
    });
    Page {
        report,
        sentence: sentence(&report.summary),
        seconds: format!("{:.1}", report.millis as f64 / 1000.0),
        groups,
        clauses: clauses.collect(),
        chapter_verdicts: Verdict::ALL
            .into_iter()
            .filter(|v| report.coverage.iter().any(|chapter| chapter.verdicts.contains_key(v.name())))
            .collect(),
        verdicts,
    }
}

fn row<'a>(result: &'a CaseResult, report: &'a Report) -> Row<'a> {
    let (broken, cited) = result.clauses();
    let clause =
        |id: &'a str| report.clauses.get(id).map(|clause| (id, clause.level.as_str(), clause.text.as_str()));
    Row {
        result,
        verdict: result.verdict.name(),
        class: class(result.verdict),
        fields: result.wire.as_ref().map(|wire| fields(wire, &result.spans)).unwrap_or_default(),
        clauses: broken.into_iter().chain(cited).filter_map(clause).collect(),
        search: format!("{} {} {} {}", result.id, result.name, result.verdict.name(), result.reqs.join(" "))
            .to_lowercase(),
    }
}

fn class(verdict: Verdict) -> &'static str {
    if verdict.is_failure() {
        "bad"
    } else if verdict.is_pass() {
        "good"
    } else {
        "other"
    }
}

/// The bytes by field. What no span names (the bytes of an invalid frame, perhaps) stays uncoloured. Long fields are
/// cut.
fn fields(wire: &Hex, spans: &[Span]) -> Vec<Field> {
    const COLOURS: usize = 6;
    const LONGEST: usize = 48;
    let bytes = wire.bytes();
    let cut = |part: &[u8]| crate::hex::shorten(part, LONGEST);
    let mut out = Vec::new();
    let mut at = 0;
    for (index, Span(offset, len, name, value)) in spans.iter().enumerate() {
        let from = usize::try_from(offset / 8).unwrap_or(usize::MAX);
        let to = from.saturating_add(usize::try_from(len / 8).unwrap_or(usize::MAX));
        let Some(part) = bytes.get(from..to) else { break };
        let value = value.chars().take(80).map(printable).collect();
        out.push(Field { hex: cut(part), colour: index % COLOURS, name: name.clone(), value });
        at = to;
    }
    if let Some(rest) = bytes.get(at..)
        && !rest.is_empty()
    {
        out.push(Field { hex: cut(rest), colour: COLOURS, name: String::new(), value: String::new() });
    }
    out
}

/// A key may hold control characters, which have no place in a page: they are shown by their Unicode symbols.
fn printable(character: char) -> char {
    match u32::from(character) {
        control @ 0..0x20 => char::from_u32(0x2400 + control).unwrap_or(' '),
        0x7f => '\u{2421}',
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_without_a_span_are_shown_too() {
        let fields = fields(&Hex(vec![0xf3, 0]), &[Span(0, 8, "opcode".into(), "0xF3".into())]);
        let seen: Vec<_> = fields.iter().map(|field| (field.hex.as_str(), field.name.as_str())).collect();
        assert_eq!(seen, [("f3", "opcode"), ("00", "")]);
    }
}
