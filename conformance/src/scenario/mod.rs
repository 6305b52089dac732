//! Relay scenarios: what they are made of, how they are loaded, and the engine that plays them.

pub mod actor;
pub mod engine;
pub mod load;
pub mod model;
pub mod steps;
pub mod template;
pub mod vars;
pub mod watch;

pub use load::load;
pub use model::Scenario;
