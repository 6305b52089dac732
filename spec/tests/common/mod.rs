//! A small specification that is sound, to be rendered, or to be broken in one place at a time.

// Each test crate uses a part of it.
#![allow(dead_code, reason = "shared by several test crates")]
#![allow(clippy::expect_used, reason = "a test helper that fails should stop the test")]

use std::fs;
use std::path::Path;

use roomwire_spec::registry::Registry;

pub(crate) const REGISTRY: &str = include_str!("registry.toml");
pub(crate) const FRAMES: &str = include_str!("01-frames.md");
pub(crate) const INDEX: &str = include_str!("02-index.md");

pub(crate) fn registry() -> Registry {
    Registry::parse(REGISTRY).expect("the small registry parses")
}

/// The text with its first `from` replaced; there must be one.
pub(crate) fn with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not there to be replaced");
    text.replacen(from, to, 1)
}

/// Writes the small project into a directory: `spec/` with registry and chapters, and an empty `codec/src/`.
pub(crate) fn write_project(root: &Path, registry: &str, frames: &str) {
    fs::create_dir_all(root.join("spec")).expect("spec/");
    fs::create_dir_all(root.join("codec/src")).expect("codec/src/");
    for (file, text) in [("registry.toml", registry), ("01-frames.md", frames), ("02-index.md", INDEX)] {
        fs::write(root.join("spec").join(file), text).expect(file);
    }
}
