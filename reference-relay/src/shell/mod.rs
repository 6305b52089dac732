//! The relay's thin shell: sockets, HTTP, tasks and the clock around the sans-IO [core](crate::core).
//!
//! ```text
//! listener ── http ── session (one a connection: reads)
//!                        │ messages
//!                        ▼
//!             room (the core's Room behind a lock) ──── batches ───► store
//!                        │ effects                                     │
//!                        ▼                                             │
//!                     flusher (one a room: sends) ◄───── done ─────────┘
//!                        │
//!                        ▼
//!                     connection (one write; a queue and a task only where the socket is full)
//! ```
//!
//! Readers wake no task but the room's flusher, which encodes each frame once and writes to each member once a turn.

mod clock;
mod commits;
mod connection;
mod flusher;
mod frames;
mod http;
mod inbound;
mod listener;
mod outgoing;
mod rates;
mod relay;
mod room;
mod session;
#[cfg(test)]
mod tests;
mod turn;
mod wire;

pub use relay::{Handle, Limits, Relay, RelayError};
