//! The async client: the sans-IO core over sockets and a clock.

mod client;
mod close_frame;
mod dial;
mod events;
mod meter;
mod shared;
mod transport;

use std::sync::Arc;

pub use client::Client;
pub use events::Events;
pub use meter::Traffic;

use crate::core::{Address, Config};
use shared::Shared;

/// How to [`connect`].
#[derive(Clone, Debug)]
pub struct Options {
    /// Which room of which relay.
    pub address: Address,
    /// How to behave.
    pub config: Config,
}

impl Options {
    /// The defaults for that room, with a seed of its own.
    #[must_use]
    pub fn new(address: Address) -> Self {
        Self { address, config: Config { seed: fastrand::u64(..), ..Config::default() } }
    }
}

impl From<Address> for Options {
    fn from(address: Address) -> Self {
        Self::new(address)
    }
}

/// Why a client cannot even try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// [`connect`] was called outside a Tokio runtime.
    #[error("connect must be called inside a Tokio runtime")]
    NoRuntime,
    /// The relay's address begins with `wss://`, and this build has no TLS.
    #[error(
        "TLS is not supported by this build, so it cannot connect to wss:// addresses: give the relay's own ws:// address, or \
         let a TLS proxy on this machine (stunnel, socat) connect to the relay, and give the proxy's ws:// address"
    )]
    NoTls,
}

impl ConnectError {
    fn check(address: &Address) -> Result<(), Self> {
        if address.relay().is_tls() { Err(Self::NoTls) } else { Ok(()) }
    }
}

/// Joins a room. Returns at once; what comes of it is told by the events.
///
/// The client lives on the current Tokio runtime until the last [`Client`] is dropped, or [`Client::leave`] or [`Client::close`] is
/// called. It reads whether or not anyone takes the events, so that a paused game stays in the room (CLIENT-ALIVE-1); events that
/// nobody takes wait in memory, and dropping the [`Events`] discards them.
///
/// # Errors
///
/// A [`ConnectError`]. Whatever goes wrong later is an event.
///
/// ```no_run
/// use roomwire_client::{Address, Event, connect};
///
/// # async fn play() -> Result<(), Box<dyn std::error::Error>> {
/// let address = Address::new("ws://127.0.0.1:8080", "chess", "table-7")?;
/// let (client, mut events) = connect(address)?;
/// while let Some(event) = events.recv().await {
///     match event {
///         // The room as it is has come. Set only what nobody has set.
///         Event::Ready if client.get("turn").is_none() => client.set("turn", b"white")?,
///         Event::StateChanged { key, value, rev } => println!("{rev}: {key} = {value:?}"),
///         Event::Closed(closed) if closed.retry_in.is_none() => return Err(closed.to_string().into()),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub fn connect(options: impl Into<Options>) -> Result<(Client, Events), ConnectError> {
    let Options { address, config } = options.into();
    ConnectError::check(&address)?;
    let runtime = tokio::runtime::Handle::try_current().map_err(|_| ConnectError::NoRuntime)?;
    let (shared, receiver) = Shared::new(config, runtime);
    shared.with(|session, now| session.join(address, now));
    shared.spawn_timer();
    Ok((Client::new(Arc::clone(&shared)), Events::new(receiver)))
}
