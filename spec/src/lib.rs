//! The Roomwire specification: its registry, its clauses, and what is rendered from them.
pub mod registry;
pub mod render;
pub mod clauses;
