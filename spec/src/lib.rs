//! The Roomwire specification: its registry, its clauses, and what is rendered from them.
//!
//! `spec/registry.toml` holds every number of the protocol, `spec/NN-*.md` every rule. From both, [`Spec::bless`]
//! renders the tables and byte diagrams between the chapters' markers (see [`render`]) and `codec/src/registry.rs`.
//! What is rendered is checked in; the test `fresh` fails when it is stale. [`Spec::problems`] tells what contradicts
//! itself: two rows with one code, a rule that no chapter defines, a link that leads nowhere.

pub mod chapter;
pub mod check;
pub mod clauses;
mod problem;
pub mod regions;
pub mod registry;
pub mod render;
mod spec;

pub use clauses::Clause;
pub use problem::Problem;
pub use spec::{LoadError, Rendered, Spec, clauses, default_root};
