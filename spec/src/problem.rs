//! What the checks report.

use std::fmt;

/// Something that is wrong in the registry or in a chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: a row of the registry, or file and line of a chapter.
    pub place: String,
    /// What.
    pub text: String,
}

impl Problem {
    pub(crate) fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self { place: place.into(), text: text.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}
