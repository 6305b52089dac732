//! The Roomwire reference relay.

#[cfg(feature = "shell")]
pub mod config;
pub mod core;
#[cfg(feature = "shell")]
pub mod run;
#[cfg(feature = "shell")]
pub mod shell;
pub mod store;
