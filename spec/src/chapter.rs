//! One chapter: what the checks and the renderers need to know of its Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::clauses::{self, Clause};
use crate::problem::Problem;
use crate::regions::{Region, RegionKind, regions};

/// A chapter, read.
#[derive(Debug, Clone)]
pub struct Chapter {
    /// The file's name, e.g. `03-rooms.md`.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Its headings, in order.
    pub headings: Vec<Heading>,
    /// Its clauses, in order.
    pub clauses: Vec<Clause>,
    /// Its marked regions, in order.
    pub regions: Vec<Region>,
    /// Where its links go: line and target.
    pub links: Vec<(usize, String)>,
    /// Every fragment that a link may name.
    pub anchors: BTreeSet<String>,
    /// What looks like a clause's id in its text: line and id.
    pub mentions: Vec<(usize, String)>,
    /// What is wrong with the chapter by itself.
    pub problems: Vec<Problem>,
}

/// A heading of a chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// Byte offset of its start.
    pub offset: usize,
    /// Its text, without markup.
    pub title: String,
    /// Its anchor, without `#`, as GitHub makes it.
    pub anchor: String,
}

/// Words that may stand in capitals only in clauses.
const RESERVED: [&str; 3] = ["MUST", "SHOULD", "SHALL"];

impl Chapter {
    /// Reads a chapter.
    pub fn parse(file: &str, text: &str) -> Self {
        let (regions, faults) = regions(text);
        let events: Vec<_> = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter().collect();
        let headings = headings(&events);
        let mut chapter = Self {
            file: file.to_owned(),
            text: text.to_owned(),
            anchors: anchors(&headings, &events),
            headings,
            regions,
            clauses: Vec::new(),
            links: Vec::new(),
            mentions: Vec::new(),
            problems: Vec::new(),
        };
        for (line, fault) in faults {
            chapter.problem(line, fault);
        }
        chapter.read_clauses(&events);
        chapter.read_text(&events);
        chapter
    }

    /// The section that an offset stands in.
    pub fn section(&self, offset: usize) -> Option<&Heading> {
        self.headings.iter().rev().find(|heading| heading.offset <= offset)
    }

    /// The region that renders the layout of that name.
    pub fn layout_region(&self, name: &str) -> Option<&Region> {
        self.regions.iter().find(|region| match &region.kind {
            RegionKind::Generated(words) => words.iter().eq(["layout", name]),
            RegionKind::Terms => false,
        })
    }

    fn read_clauses(&mut self, events: &[(Event<'_>, Range<usize>)]) {
        let mut outer: Option<(String, usize)> = None;
        for found in clauses::find(&self.text, events) {
            if self.in_region(found.range.start) {
                continue;
            }
            let line = self.line(found.range.start);
            let id = &found.id;
            if !clauses::is_id(id) {
                self.problem(line, format!("`{id}` is not the shape of a clause's id, such as ROOM-KEY-1"));
                continue;
            }
            if !found.spaced {
                self.problem(line, format!("clause {id}: a space must follow the id"));
            }
            if let Some((name, _)) = outer.as_ref().filter(|(_, end)| found.range.start < *end) {
                self.problem(line, format!("clause {id} stands inside clause {name}"));
            }
            outer = Some((id.clone(), found.range.end));
            let Some(level) = found.level else {
                self.problem(line, format!("clause {id} has none of the words MUST, SHOULD, MAY"));
                continue;
            };
            let section = self.section(found.range.start).cloned();
            self.clauses.push(Clause {
                level,
                chapter: self.file.clone(),
                section: section.as_ref().map(|s| s.anchor.clone()).unwrap_or_default(),
                section_title: section.map(|s| s.title).unwrap_or_default(),
                line,
                text: found.text,
                id: found.id,
            });
        }
    }

    /// Links, mentions of clauses, and requirement words where they do not belong.
    fn read_text(&mut self, events: &[(Event<'_>, Range<usize>)]) {
        let clauses = clauses::find(&self.text, events);
        let mut in_code = false;
        for (event, range) in events {
            let line = self.line(range.start);
            match event {
                Event::Start(Tag::CodeBlock(_)) => in_code = true,
                Event::End(TagEnd::CodeBlock) => in_code = false,
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    self.links.push((line, dest_url.to_string()));
                }
                Event::Text(text) if !in_code && !self.in_region(range.start) => {
                    if clauses.iter().any(|clause| clause.id_at == range.start) {
                        continue;
                    }
                    let ids = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                    self.mentions.extend(ids.filter(|id| clauses::is_id(id)).map(|id| (line, id.to_owned())));
                    if clauses.iter().any(|clause| clause.range.contains(&range.start)) {
                        continue;
                    }
                    for word in clauses::words(text).filter(|word| RESERVED.contains(word)) {
                        self.problem(line, format!("{word} outside a clause"));
                    }
                }
                _ => {}
            }
        }
    }

    fn in_region(&self, offset: usize) -> bool {
        self.regions.iter().any(|region| region.inner.contains(&offset))
    }

    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn problem(&mut self, line: usize, text: String) {
        self.problems.push(Problem::new(format!("spec/{}:{line}", self.file), text));
    }
}

fn headings(events: &[(Event<'_>, Range<usize>)]) -> Vec<Heading> {
    let mut out: Vec<Heading> = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut open: Option<(usize, String)> = None;
    for (event, range) in events {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { .. }), _) => open = Some((range.start, String::new())),
            (Event::Text(text) | Event::Code(text), Some((_, title))) => title.push_str(text),
            (Event::End(TagEnd::Heading(_)), Some((offset, title))) => {
                let slug = slug(title);
                let count = seen.entry(slug.clone()).or_default();
                let anchor = if *count == 0 { slug } else { format!("{slug}-{count}") };
                *count += 1;
                out.push(Heading { offset: *offset, title: std::mem::take(title), anchor });
                open = None;
            }
            _ => {}
        }
    }
    out
}

/// A heading's anchor as GitHub makes it.
fn slug(title: &str) -> String {
    let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The headings' anchors, and those of `<a id="…">`.
fn anchors(headings: &[Heading], events: &[(Event<'_>, Range<usize>)]) -> BTreeSet<String> {
    let mut out: BTreeSet<String> = headings.iter().map(|heading| heading.anchor.clone()).collect();
    for (event, _) in events {
        if let Event::Html(html) | Event::InlineHtml(html) = event {
            let ids = html.split("id=\"").skip(1).filter_map(|rest| rest.split_once('"'));
            out.extend(ids.map(|(id, _)| id.to_owned()));
        }
    }
    out
}
