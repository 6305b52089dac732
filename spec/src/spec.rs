//! The specification as a whole, read from the project's directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::chapter::Chapter;
use crate::check;
use crate::clauses::Clause;
use crate::problem::Problem;
use crate::registry::Registry;
use crate::render;

/// Registry and chapters.
#[derive(Debug, Clone)]
pub struct Spec {
    root: PathBuf,
    /// `spec/registry.toml`.
    pub registry: Registry,
    /// `spec/NN-*.md`, by number.
    pub chapters: Vec<Chapter>,
}

/// Why the specification could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or directory could not be read.
    #[error("{path}: {error}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The registry has not the shape of one.
    #[error("spec/registry.toml: {0}")]
    Registry(Box<toml::de::Error>),
    /// Standard output took no more.
    #[error("standard output: {0}")]
    Output(io::Error),
}

/// A file as it is rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Its path below the project's directory.
    pub path: String,
    /// Whether what is there differs.
    pub stale: bool,
    /// Its text.
    pub text: String,
}

/// The project's directory: that of the package that Cargo runs now, else that in which this package was built. They
/// differ where two checkouts share a target directory.
pub fn default_root() -> PathBuf {
    let running = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let running = running.filter(|package| package.join("../spec/registry.toml").is_file());
    let package = running.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    package.parent().map(Path::to_owned).unwrap_or(package)
}

/// The clauses of the specification that this package was built with, in the order of the chapters.
pub fn clauses() -> Result<Vec<Clause>, LoadError> {
    Ok(Spec::load(&default_root())?.clauses().cloned().collect())
}

impl Spec {
    /// Reads the specification of the project in `root`, the directory that holds `spec/` and `codec/`.
    pub fn load(root: &Path) -> Result<Self, LoadError> {
        let dir = root.join("spec");
        let registry = Registry::parse(&read(&dir.join("registry.toml"))?)
            .map_err(|error| LoadError::Registry(Box::new(error)))?;
        let io_error = |error| LoadError::Io { path: dir.clone(), error };
        let mut files = Vec::new();
        for entry in fs::read_dir(&dir).map_err(io_error)? {
            let name = entry.map_err(io_error)?.file_name();
            files.extend(name.to_str().filter(|name| is_chapter(name)).map(str::to_owned));
        }
        files.sort();
        let parse = |file: &String| Ok(Chapter::parse(file, &read(&dir.join(file))?));
        let chapters = files.iter().map(parse).collect::<Result<_, LoadError>>()?;
        Ok(Self { root: root.to_owned(), registry, chapters })
    }

    /// The clauses, in the order of the chapters.
    pub fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.chapters.iter().flat_map(|chapter| &chapter.clauses)
    }

    /// What is wrong with the registry by itself. While there is anything, nothing should be rendered.
    pub fn registry_problems(&self) -> Vec<Problem> {
        check::registry(&self.registry)
    }

    /// Everything that is wrong, in the registry and in the chapters.
    pub fn problems(&self) -> Vec<Problem> {
        let mut out = self.registry_problems();
        out.extend(check::chapters(&self.registry, &self.chapters, &self.root.join("spec")));
        out.extend(self.chapters.iter().flat_map(|c| render::chapter(&self.registry, &self.chapters, c).1));
        out
    }

    /// Every file that holds something rendered.
    pub fn rendered(&self) -> Vec<Rendered> {
        let mut out: Vec<Rendered> = Vec::new();
        for chapter in &self.chapters {
            let (text, _) = render::chapter(&self.registry, &self.chapters, chapter);
            out.push(Rendered { path: format!("spec/{}", chapter.file), stale: text != chapter.text, text });
        }
        let text = render::codec(&self.registry, self.clauses());
        let path = CODEC.to_owned();
        let stale = fs::read_to_string(self.root.join(&path)).map_or(true, |there| there != text);
        out.push(Rendered { path, stale, text });
        out
    }

    /// Writes what is stale, and returns those files.
    pub fn bless(&self) -> Result<Vec<Rendered>, LoadError> {
        let stale: Vec<Rendered> = self.rendered().into_iter().filter(|file| file.stale).collect();
        for file in &stale {
            let path = self.root.join(&file.path);
            fs::write(&path, &file.text).map_err(|error| LoadError::Io { path, error })?;
        }
        Ok(stale)
    }
}

/// The codec's constants.
const CODEC: &str = "codec/src/registry.rs";

/// Chapters are named by two digits, a hyphen and a word.
fn is_chapter(name: &str) -> bool {
    let bytes = name.as_bytes();
    matches!(bytes, [a, b, b'-', _, ..] if a.is_ascii_digit() && b.is_ascii_digit()) && name.ends_with(".md")
}

fn read(path: &Path) -> Result<String, LoadError> {
    fs::read_to_string(path).map_err(|error| LoadError::Io { path: path.to_owned(), error })
}
