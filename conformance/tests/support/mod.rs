//! What several tests need.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "not every test uses all of it")]

use std::fs;
use std::path::{Path, PathBuf};

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_owned()
}

/// The text of a file of this package.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

/// What is wrong with a reference to a test, `path/of/file.rs#function`: `None` if nothing is.
pub(crate) fn fault_of_test(reference: &str) -> Option<String> {
    let Some((path, function)) = reference.split_once('#') else {
        return Some(format!("{reference}: not path#function"));
    };
    match fs::read_to_string(root().join(path)) {
        Err(error) => Some(format!("{reference}: {error}")),
        Ok(text) if text.contains(&format!("fn {function}(")) => None,
        Ok(_) => Some(format!("{reference}: there is no such function in that file")),
    }
}
