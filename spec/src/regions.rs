//! The marked regions of a chapter:
//!
//! ```text
//! <!-- generated: layout STATE_SET -->      <!-- terms -->
//! what `bless` writes                       where MUST and SHOULD are defined
//! <!-- /generated -->                       <!-- /terms -->
//! ```
//!
//! A marker stands alone on its line. Markers inside code fences are text.

use std::ops::Range;

/// A region between an opening and a closing marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// Line of the opening marker, from 1.
    pub line: usize,
    /// The bytes between the line of the opening marker and that of the closing one.
    pub inner: Range<usize>,
}

/// What a region is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegionKind {
    /// Rendered text; holds the words after `generated:`.
    Generated(Vec<String>),
    /// Where the requirement words are defined.
    Terms,
}

enum Marker {
    Open(RegionKind),
    Close(&'static str),
}

/// Finds the regions of a chapter; the second list holds what is wrong: line and text.
pub(crate) fn regions(text: &str) -> (Vec<Region>, Vec<(usize, String)>) {
    let mut found = Vec::new();
    let mut wrong = Vec::new();
    let mut open: Option<Region> = None;
    let mut fence: Option<&str> = None;
    let mut end = 0;
    for (index, raw) in text.split_inclusive('\n').enumerate() {
        let (line, start) = (index + 1, end);
        end += raw.len();
        let trimmed = raw.trim();
        match fence {
            Some(mark) if trimmed.starts_with(mark) && trimmed.trim_start_matches(&mark[..1]).is_empty() => {
                fence = None
            }
            Some(_) => continue,
            None => fence = fence_mark(trimmed),
        }
        match (marker(trimmed), open.take()) {
            (None, still) => open = still,
            (Some(Marker::Open(kind)), None) => open = Some(Region { kind, line, inner: end..end }),
            (Some(Marker::Open(_)), Some(outer)) => {
                wrong.push((line, format!("a marker inside the region that line {} opens", outer.line)));
                open = Some(outer);
            }
            (Some(Marker::Close(name)), Some(mut region)) if name == region.kind.name() => {
                region.inner.end = start;
                found.push(region);
            }
            (Some(Marker::Close(name)), still) => {
                wrong.push((line, format!("`<!-- /{name} -->` closes nothing")));
                open = still;
            }
        }
    }
    if let Some(region) = open {
        wrong.push((region.line, format!("`<!-- /{} -->` is missing", region.kind.name())));
    }
    (found, wrong)
}

impl RegionKind {
    fn name(&self) -> &'static str {
        match self {
            Self::Generated(_) => "generated",
            Self::Terms => "terms",
        }
    }
}

fn marker(line: &str) -> Option<Marker> {
    let inner = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    match inner {
        "terms" => Some(Marker::Open(RegionKind::Terms)),
        "/terms" => Some(Marker::Close("terms")),
        "/generated" => Some(Marker::Close("generated")),
        _ => {
            let words = inner.strip_prefix("generated:")?.split_whitespace();
            Some(Marker::Open(RegionKind::Generated(words.map(str::to_owned).collect())))
        }
    }
}

fn fence_mark(line: &str) -> Option<&str> {
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(first).len();
    (length >= 3).then(|| &line[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> Vec<(usize, String)> {
        regions(text).1
    }

    #[test]
    fn finds_both_kinds() {
        let text = "a\n<!-- generated: layout X -->\nold\n<!-- /generated -->\n<!-- terms -->\nMUST\n<!-- /terms -->\n";
        let (found, wrong) = regions(text);
        assert_eq!(wrong, []);
        let inner: Vec<_> = found.iter().map(|region| &text[region.inner.clone()]).collect();
        assert_eq!(inner, ["old\n", "MUST\n"]);
        assert_eq!(found[0].kind, RegionKind::Generated(vec!["layout".into(), "X".into()]));
        assert_eq!((found[0].line, found[1].line), (2, 5));
    }

    #[test]
    fn text_in_fences_is_no_marker() {
        let text = "````md\n```\n<!-- generated: limits -->\n````\n~~~\n<!-- terms -->\n~~~\n";
        assert_eq!(regions(text), (vec![], vec![]));
    }

    #[test]
    fn each_fault_is_told() {
        let nested = "<!-- terms -->\n<!-- generated: limits -->\n<!-- /terms -->\n";
        assert_eq!(wrong(nested), [(2, "a marker inside the region that line 1 opens".to_owned())]);
        assert_eq!(
            wrong("x\n<!-- /generated -->\n"),
            [(2, "`<!-- /generated -->` closes nothing".to_owned())]
        );
        assert_eq!(wrong("<!-- terms -->\n"), [(1, "`<!-- /terms -->` is missing".to_owned())]);
        assert_eq!(
            wrong("<!-- terms -->\n<!-- /generated -->\n"),
            [
                (2, "`<!-- /generated -->` closes nothing".to_owned()),
                (1, "`<!-- /terms -->` is missing".to_owned())
            ]
        );
    }
}
