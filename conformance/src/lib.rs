//! The Roomwire conformance suite and its runner.
