//! The sans-IO core: what a client knows and does, without sockets, clock or runtime.
//!
//! [`Session`] is the state machine: messages and the time go in, [`Output`]s come out. Everything else here is a part of it that
//! stands on its own: the [`Address`] of a room, the [`Cache`] of values, the checks of writes, the [`Backoff`] of reconnects.

mod address;
mod backoff;
mod cache;
mod config;
mod end;
mod event;
mod link;
mod output;
mod readiness;
mod relay_url;
mod session;
mod time;
mod write;

pub use address::{Address, AddressError, Mode, Part, Place, Version};
pub use backoff::{Backoff, is_worth_retrying};
pub use cache::{Cache, Held};
pub use config::Config;
pub use end::{ABNORMAL, By, Closed, End, NO_STATUS, NORMAL, Stage};
pub use event::{Event, ProtocolError, SaveTicket};
pub use link::LinkId;
pub use output::{Output, Status};
pub use relay_url::RelayUrl;
pub use session::Session;
pub use time::Time;
pub use write::{Target, WriteError};
