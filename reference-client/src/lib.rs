#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod core;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "tokio")]
mod shell;

pub use core::{
    Address, AddressError, Backoff, By, Closed, Config, Event, Held, Mode, ProtocolError, SaveTicket, Stage,
    Status, Target, WriteError,
};
pub use roomwire_codec::{DecodeError, KeyError, PeerId};
#[cfg(feature = "tokio")]
pub use shell::{Client, ConnectError, Events, Options, Traffic, connect};
