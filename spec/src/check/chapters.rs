//! The chapters together, and the registry against them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{row, unique};
use crate::chapter::Chapter;
use crate::problem::Problem;
use crate::registry::{Field, Registry};

/// Checks the chapters, and what the registry says of them. `dir` is where the chapters stand; links to other files
/// are looked up from there.
pub fn chapters(registry: &Registry, chapters: &[Chapter], dir: &Path) -> Vec<Problem> {
    let mut out: Vec<Problem> = chapters.iter().flat_map(|chapter| chapter.problems.clone()).collect();
    let clauses = || chapters.iter().flat_map(|chapter| &chapter.clauses);
    let places = clauses().map(|c| (c.id.as_str(), format!("spec/{}:{}", c.chapter, c.line)));
    unique("clause id", places, &mut out);
    let ids: BTreeSet<&str> = clauses().map(|clause| clause.id.as_str()).collect();
    mentions(chapters, &ids, &mut out);
    links(chapters, dir, &mut out);
    layouts(registry, chapters, &ids, &mut out);
    out
}

/// `ROOM-KEY-9` in a text is a mistake where `ROOM-KEY-…` are clauses and that one is not.
fn mentions(chapters: &[Chapter], ids: &BTreeSet<&str>, out: &mut Vec<Problem>) {
    let families: BTreeSet<&str> = ids.iter().filter_map(|id| Some(id.rsplit_once('-')?.0)).collect();
    for chapter in chapters {
        for (line, id) in &chapter.mentions {
            let family = id.rsplit_once('-').map_or("", |(family, _)| family);
            if families.contains(family) && !ids.contains(id.as_str()) {
                out.push(Problem::new(
                    format!("spec/{}:{line}", chapter.file),
                    format!("there is no clause {id}"),
                ));
            }
        }
    }
}

fn links(chapters: &[Chapter], dir: &Path, out: &mut Vec<Problem>) {
    let mut anchors: BTreeMap<String, BTreeSet<String>> =
        chapters.iter().map(|chapter| (chapter.file.clone(), chapter.anchors.clone())).collect();
    for chapter in chapters {
        for (line, target) in chapter.links.iter().filter(|(_, target)| !is_external(target)) {
            let (path, anchor) =
                target.split_once('#').map_or((target.as_str(), None), |(p, a)| (p, Some(a)));
            let path = if path.is_empty() { chapter.file.as_str() } else { path };
            let fault = if !anchors.contains_key(path) && !dir.join(path).exists() {
                Some(format!("link to {target}: there is no such file"))
            } else {
                anchor.and_then(|anchor| {
                    let known = anchors.entry(path.to_owned()).or_insert_with(|| anchors_of(&dir.join(path)));
                    (!known.contains(anchor)).then(|| format!("link to {target}: there is no such heading"))
                })
            };
            out.extend(fault.map(|text| Problem::new(format!("spec/{}:{line}", chapter.file), text)));
        }
    }
}

fn is_external(target: &str) -> bool {
    let scheme = target.split(['/', '#', '?']).next().unwrap_or_default();
    scheme.contains(':') || target.starts_with("//")
}

/// The anchors of a Markdown file that is no chapter.
fn anchors_of(path: &Path) -> BTreeSet<String> {
    fs::read_to_string(path).map(|text| Chapter::parse("", &text).anchors).unwrap_or_default()
}

/// Each layout is rendered in the chapter that its row names, and each rule is a clause.
fn layouts(registry: &Registry, chapters: &[Chapter], ids: &BTreeSet<&str>, out: &mut Vec<Problem>) {
    for frame in registry.frames() {
        let place = row(frame.kind, frame.name);
        match chapters.iter().find(|chapter| chapter.file == frame.chapter) {
            None => out.push(Problem::new(place.clone(), format!("there is no chapter {}", frame.chapter))),
            Some(chapter) if chapter.layout_region(frame.name).is_none() => out.push(Problem::new(
                place.clone(),
                format!("{} lacks the marker `<!-- generated: layout {} -->`", frame.chapter, frame.name),
            )),
            Some(_) => {}
        }
        rules(frame.layout, &place, ids, out);
    }
}

fn rules(fields: &[Field], place: &str, ids: &BTreeSet<&str>, out: &mut Vec<Problem>) {
    for field in fields {
        if let Some(rule) = field.rule.as_deref().filter(|rule| !ids.contains(rule)) {
            let text = format!("field {}: no chapter defines the clause {rule}", field.name);
            out.push(Problem::new(place, text));
        }
        rules(&field.of, place, ids, out);
    }
}
