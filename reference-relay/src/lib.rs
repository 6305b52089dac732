//! The Roomwire reference relay: the server of the protocol that `spec/` describes, version 1.
//!
//! # Where to look
//!
//! | for | see |
//! |---|---|
//! | what the relay decides: rooms, joins, peers, slow readers | [`core`], sans-IO |
//! | where rooms last | [`store`] |
//! | sockets, HTTP, fan-out | [`shell`] |
//! | flags, environment, file | [`config`] |
//! | the program, for binaries that contain it | [`run`] |
//!
//! # A relay in a program of one's own
//!
//! ```
//! use std::sync::Arc;
//!
//! use roomwire_relay::shell::{Limits, Relay};
//! use roomwire_relay::store::MemoryStore;
//!
//! # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let listen = "127.0.0.1:0".parse()?;
//! let relay = Relay::start(listen, Limits::default(), Arc::new(MemoryStore::new())).await?;
//! println!("ws://{}/r/table-7?g=chess&v=1", relay.local_addr());
//! let handle = relay.handle();
//! // Some other task calls `handle.shutdown()`; here it has done so already.
//! handle.shutdown();
//! relay.wait().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! - `shell` (default): everything that needs a runtime. Without it this crate is [`core`] and [`store`], and does not
//!   depend on tokio.
//! - `sqlite` (default): the store that lasts.
//! - `test-support`: doubles of a store, for tests.

#[cfg(feature = "shell")]
pub mod config;
pub mod core;
#[cfg(feature = "shell")]
pub mod run;
#[cfg(feature = "shell")]
pub mod shell;
pub mod store;
