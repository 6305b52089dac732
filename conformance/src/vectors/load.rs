//! Reads golden frames, from the binary itself or from a directory.

use std::path::Path;

use super::Vector;
use crate::embedded::{self, SourceFile};

/// Loads every golden frame: from `dir` if one is given, else those that the binary carries. Sorted by id.
///
/// # Errors
/// A text that names the file and what is wrong with it.
pub fn load(dir: Option<&Path>) -> Result<Vec<Vector>, String> {
    let files = match dir {
        Some(dir) => embedded::read_dir(dir)?,
        None => embedded::vectors(),
    };
    let mut all = Vec::new();
    for SourceFile { path, text } in files {
        let vectors: Vec<Vector> = serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
        all.extend(vectors);
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}
