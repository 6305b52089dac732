//! The Roomwire specification: its registry, its clauses, and what is rendered from them.
