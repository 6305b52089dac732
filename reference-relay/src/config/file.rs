//! The configuration file.

use std::path::Path;

use super::{ConfigError, Settings};

/// Reads a file that was named: that it is missing is an error, and so is a key that means nothing.
pub(super) fn read(path: &Path) -> Result<Settings, ConfigError> {
    let text =
        std::fs::read_to_string(path).map_err(|error| ConfigError::Read { path: path.to_owned(), error })?;
    toml::from_str(&text)
        .map_err(|error| ConfigError::Parse { path: path.to_owned(), error: Box::new(error) })
}
