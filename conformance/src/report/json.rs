//! The report for programs: `report.json`, described by `schema/report.schema.json`.

use std::io;
use std::path::Path;

use super::Report;

/// Writes it.
///
/// # Errors
/// Those of the file.
pub fn write(report: &Report, path: &Path) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(report).map_err(io::Error::other)?;
    text.push('\n');
    std::fs::write(path, text)
}
