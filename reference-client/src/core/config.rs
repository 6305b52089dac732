//! What can be set, and the defaults.

use std::time::Duration;

use roomwire_codec::registry::limit;

use super::backoff::Backoff;

/// How a [`Session`](super::Session) behaves. The defaults suit games; tests and tools change them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// How long nothing must have come, after the peer id and what follows it, until the join data counts as complete
    /// (CLIENT-READY-2). Default: the registry's `ready_quiet`, 250 ms.
    pub quiet: Duration,
    /// How long an attempt may take up to the peer id. Default: 20 s.
    pub join_timeout: Duration,
    /// After this time without a byte from the relay the client sends a ping. Default: the relay's own interval, 15 s.
    pub ping_interval: Duration,
    /// After this time without a byte from the relay the connection counts as dead. Default: 45 s.
    pub idle_timeout: Duration,
    /// Whether and when to connect again after a connection ended. Default: [`Backoff::default`]; `None` never does.
    pub reconnect: Option<Backoff>,
    /// How long a connection must have been ready for the next failure to count as the first. Default: 10 s.
    pub settle: Duration,
    /// Most bytes of writes that may wait to be sent; further ones are refused. At least the largest frame, so that an idle
    /// connection takes any frame. Default: twice the largest frame, 8 MiB.
    pub send_buffer: usize,
    /// Seed of the random part of the waits between attempts. Two clients must not have the same one.
    pub seed: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            quiet: Duration::from_millis(limit::READY_QUIET),
            join_timeout: Duration::from_secs(20),
            ping_interval: Duration::from_millis(limit::PING_INTERVAL),
            idle_timeout: Duration::from_millis(limit::IDLE_TIMEOUT),
            reconnect: Some(Backoff::default()),
            settle: Duration::from_secs(10),
            send_buffer: limit::MAX_INBOUND_MESSAGE.saturating_mul(2),
            seed: 0,
        }
    }
}
