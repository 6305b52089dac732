//! The Roomwire reference relay.
