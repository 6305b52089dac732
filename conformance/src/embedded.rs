//! The suite's data, as the binary carries it: it runs from any directory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// A file of the suite.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path below `vectors/` or `scenarios/`.
    pub path: String,
    /// Its text.
    pub text: Cow<'static, str>,
}

/// A clause of the specification.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Clause {
    /// Its id.
    pub id: String,
    /// `MUST`, `MUST NOT`, `SHOULD`, `SHOULD NOT` or `MAY`.
    pub level: String,
    /// The chapter's file.
    pub chapter: String,
    /// Its text, without the signs of Markdown.
    pub text: String,
}

impl Clause {
    /// May it be departed from?
    pub fn is_should(&self) -> bool {
        self.level.starts_with("SHOULD")
    }
}

/// Markdown as text for people: links keep what they show, and signs of emphasis go.
fn plain(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut rest = markdown;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once("](").and_then(|(text, more)| Some((text, more.split_once(')')?.1))) {
            Some((text, more)) if !text.contains(']') => {
                out.push_str(text);
                rest = more;
            }
            _ => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out.replace("**", "").replace('`', "")
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

fn files(table: &[(&str, &'static str)]) -> Vec<SourceFile> {
    table
        .iter()
        .map(|(path, text)| SourceFile { path: (*path).to_owned(), text: Cow::Borrowed(text) })
        .collect()
}

/// The golden frames' files.
pub fn vectors() -> Vec<SourceFile> {
    files(VECTORS)
}

/// The scenarios' files.
pub fn scenarios() -> Vec<SourceFile> {
    files(SCENARIOS)
}

/// The client scenarios' files.
pub fn clients() -> Vec<SourceFile> {
    files(CLIENTS)
}

/// The clauses of the specification, by id.
///
/// # Errors
/// A text, if the table that the build made is not what it should be.
pub fn clauses() -> Result<BTreeMap<String, Clause>, String> {
    let clauses: Vec<Clause> = serde_json::from_str(CLAUSES).map_err(|error| format!("clauses: {error}"))?;
    let plain = |clause: Clause| Clause { text: plain(&clause.text), ..clause };
    Ok(clauses.into_iter().map(|clause| (clause.id.clone(), plain(clause))).collect())
}

/// Every `.json` file below a directory, sorted by path.
///
/// # Errors
/// A text that names what could not be read.
pub fn read_dir(dir: &Path) -> Result<Vec<SourceFile>, String> {
    let mut found = Vec::new();
    walk(dir, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn walk(dir: &Path, found: &mut Vec<SourceFile>) -> Result<(), String> {
    let at = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    for entry in fs::read_dir(dir).map_err(|error| at(dir, error))? {
        let path = entry.map_err(|error| at(dir, error))?.path();
        if path.is_dir() {
            walk(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let text = fs::read_to_string(&path).map_err(|error| at(&path, error))?;
            found.push(SourceFile { path: path.display().to_string(), text: Cow::Owned(text) });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_text() {
        for (markdown, text) in [
            ("a `B` **C-1** d", "a B C-1 d"),
            ("see [4.2](04-peers.md#42) and [x](y).", "see 4.2 and x."),
            ("[07][cmd] (or not)", "[07][cmd] (or not)"),
        ] {
            assert_eq!(plain(markdown), text);
        }
    }
}
