//! Clauses.

/// A clause.
#[derive(Debug, Clone)]
pub struct Clause {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
}
