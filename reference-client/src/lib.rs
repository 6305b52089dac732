//! The Roomwire reference client.
