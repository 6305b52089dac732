//! The Roomwire reference relay.

pub mod store;
