//! The runner's own WebSocket client: raw enough to see what a relay's frames look like and to send broken ones.

pub mod connection;
pub mod frame;
pub mod handshake;

pub use connection::{Connection, End, Event, Options};
