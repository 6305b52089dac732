//! Clauses: the rules of the chapters, each with a stable id.
//!
//! A clause is a list item or a paragraph that begins with its id in bold and a space. It ends where the list item or
//! the paragraph ends:
//!
//! ```text
//! - **ROOM-KEY-1** A key MUST have 1 to 1024 bytes. Both sides check it, and a
//!   length outside this range is the error `limit`.
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde::{Serialize, Serializer};

/// A rule of a chapter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Clause {
    /// Its id, e.g. `ROOM-KEY-1`.
    pub id: String,
    /// The strongest of the requirement words in it.
    pub level: Level,
    /// The chapter's file, e.g. `03-rooms.md`.
    pub chapter: String,
    /// The anchor of the section that it stands in, without `#`; empty before the first heading.
    pub section: String,
    /// The title of that section.
    pub section_title: String,
    /// The line that it begins on, from 1.
    pub line: usize,
    /// Its Markdown without the id, white space made single spaces.
    pub text: String,
}

impl Clause {
    /// Where it stands, as a relative link: `03-rooms.md#32-keys-and-values`.
    pub fn link(&self) -> String {
        if self.section.is_empty() {
            self.chapter.clone()
        } else {
            format!("{}#{}", self.chapter, self.section)
        }
    }
}

/// How much a clause demands (RFC 2119).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Absolute.
    Must,
    /// Absolute.
    MustNot,
    /// May be departed from for a good, documented reason.
    Should,
    /// May be departed from for a good, documented reason.
    ShouldNot,
    /// A choice that others accept.
    May,
}

impl Level {
    /// The word or words, as the chapters write them.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::May => "MAY",
        }
    }

    /// The strongest requirement in a clause's Markdown: of several that are equally strong, the first.
    fn of(markdown: &str) -> Option<Self> {
        let prose = prose(markdown);
        let words: Vec<&str> = words(&prose).collect();
        let negated = |index: usize| words.get(index + 1) == Some(&"NOT");
        let find = |word: &str, plain, not| {
            let index = words.iter().position(|w| *w == word)?;
            Some(if negated(index) { not } else { plain })
        };
        find("MUST", Self::Must, Self::MustNot)
            .or_else(|| find("SHOULD", Self::Should, Self::ShouldNot))
            .or_else(|| words.contains(&"MAY").then_some(Self::May))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A clause as it is found, before its place in the document is known.
pub(crate) struct Found {
    pub(crate) id: String,
    /// Where the text of the id begins.
    pub(crate) id_at: usize,
    /// From the start of the list item or paragraph to its end.
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
    pub(crate) level: Option<Level>,
    /// Whether a space follows the id.
    pub(crate) spaced: bool,
}

/// Finds the clauses among the Markdown events of `source`.
pub(crate) fn find(source: &str, events: &[(Event<'_>, Range<usize>)]) -> Vec<Found> {
    // By the offset of the bold id, since the paragraph in a list item of a loose list is found a second time.
    let mut found = BTreeMap::new();
    for (index, (event, range)) in events.iter().enumerate() {
        let rest = &events[index + 1..];
        let rest = match (event, rest) {
            (Event::Start(Tag::Item), [(Event::Start(Tag::Paragraph), _), rest @ ..]) => rest,
            (Event::Start(Tag::Item | Tag::Paragraph), rest) => rest,
            _ => continue,
        };
        let [
            (Event::Start(Tag::Strong), bold),
            (Event::Text(id), id_range),
            (Event::End(TagEnd::Strong), _),
            ..,
        ] = rest
        else {
            continue;
        };
        if !looks_like_id(id) {
            continue;
        }
        let body = source.get(bold.end..range.end).unwrap_or_default();
        let text = body.split_whitespace().collect::<Vec<_>>().join(" ");
        found.entry(bold.start).or_insert_with(|| Found {
            id: id.to_string(),
            id_at: id_range.start,
            range: range.clone(),
            level: Level::of(&text),
            spaced: body.starts_with(' '),
            text,
        });
    }
    found.into_values().collect()
}

/// The shape of an id: upper-case words and a number, joined by hyphens.
pub(crate) fn is_id(text: &str) -> bool {
    let mut parts: Vec<&str> = text.split('-').collect();
    let Some(number) = parts.pop() else { return false };
    !parts.is_empty()
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_uppercase()))
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
}

/// What was most likely meant to be an id: no spaces, a hyphen, a digit at the end.
fn looks_like_id(text: &str) -> bool {
    !text.contains(char::is_whitespace) && text.contains('-') && text.ends_with(|c: char| c.is_ascii_digit())
}

/// The words of a text: runs of letters and digits.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Markdown without code, markup and link targets.
fn prose(markdown: &str) -> String {
    let mut out = String::new();
    let mut in_code = false;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if !in_code => out.push_str(&text),
            Event::Code(_) => out.push('`'),
            _ => out.push(' '),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_of_ids() {
        for good in ["A-1", "ROOM-KEY-12"] {
            assert!(is_id(good), "{good}");
        }
        for bad in
            ["", "ROOM", "1", "-1", "ROOM-", "ROOM--1", "Room-KEY-1", "ROOM-KEY-1a", "R2-KEY-1", "ROOM_KEY-1"]
        {
            assert!(!is_id(bad), "{bad}");
        }
    }

    #[test]
    fn strongest_word_counts() {
        let level = |text| Level::of(text).map(Level::as_str);
        assert_eq!(level("A relay MAY do it, SHOULD say so and MUST NOT lie."), Some("MUST NOT"));
        assert_eq!(level("It MUST do this and MUST NOT do that."), Some("MUST"));
        assert_eq!(level("It SHOULD\nNOT."), Some("SHOULD NOT"));
        assert_eq!(level("It MAY."), Some("MAY"));
        assert_eq!(level("`MUST` [x](MUST.md) MUSTY must"), None);
    }
}
