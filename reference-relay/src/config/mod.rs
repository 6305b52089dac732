//! Configuration: flags before environment before file before defaults.

mod args;
mod file;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

pub use args::Args;
use roomwire_codec::registry::limit;

use crate::core::limits::{QueueLimits, Rate, RateLimits, RoomLimits, Timing};
use crate::shell::Limits;

/// Where rooms last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoreKind {
    /// In an SQLite file in the data directory.
    #[default]
    Sqlite,
    /// Nowhere: everything is lost when the relay ends.
    Memory,
}

/// Everything that an operator may set, complete and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where to listen. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// The directory of the store; needed by [`StoreKind::Sqlite`] only.
    pub data: Option<PathBuf>,
    /// Where rooms last.
    pub store: StoreKind,
    /// Limits and times.
    pub limits: Limits,
    /// Threads that serve connections, 1 or more. The store has one of its own.
    pub threads: usize,
    /// What is logged: a filter of `tracing`, such as `info` or `roomwire_relay=debug`.
    pub log: String,
}

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file that was named cannot be read.
    #[error("the configuration file {path} cannot be read: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is no TOML, or holds a key or a value that means nothing.
    #[error("the configuration file {path} is not valid: {error}")]
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: Box<toml::de::Error>,
    },
    /// A setting is outside its range, or does not go with another.
    #[error("{0}")]
    Value(String),
}

/// Settings as one source gives them; what it does not give is left to the next.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    listen: Option<SocketAddr>,
    data: Option<PathBuf>,
    store: Option<StoreKind>,
    members: Option<usize>,
    handshake_timeout: Option<u64>,
    ping_interval: Option<u64>,
    idle_timeout: Option<u64>,
    close_timeout: Option<u64>,
    queue_limit: Option<usize>,
    queue_hard_limit: Option<usize>,
    queue_grace: Option<u64>,
    connections: Option<usize>,
    connections_per_address: Option<usize>,
    forwarded: Option<bool>,
    bound_loopback: Option<bool>,
    join_rate_address: Option<u32>,
    join_burst_address: Option<u32>,
    join_rate_room: Option<u32>,
    join_burst_room: Option<u32>,
    send_rate: Option<u32>,
    send_burst: Option<u32>,
    send_rate_room: Option<u32>,
    send_burst_room: Option<u32>,
    threads: Option<usize>,
    log: Option<String>,
}

/// The address where a relay listens that is not told otherwise.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
const LOG: &str = "info";

impl Config {
    /// The configuration that flags, environment and file give together.
    ///
    /// # Errors
    /// [`ConfigError`], which names the file or the setting.
    pub fn resolve(args: Args) -> Result<Self, ConfigError> {
        let file = match &args.config {
            Some(path) => file::read(path)?,
            None => Settings::default(),
        };
        Self::check(args.settings().or(file))
    }

    fn check(settings: Settings) -> Result<Self, ConfigError> {
        let members = settings.members.unwrap_or(limit::ROOM_MEMBERS_V1);
        let limits = Limits {
            room: RoomLimits { members_v1: at_least("members", members, 1)?, ..RoomLimits::default() },
            queue: settings.queue(members)?,
            timing: settings.timing()?,
            rates: settings.rates(members)?,
        };
        let store = settings.store.unwrap_or_default();
        if store == StoreKind::Sqlite && settings.data.is_none() {
            return Err(ConfigError::Value(
                "--data is missing: name a directory, or keep nothing with --store memory".to_owned(),
            ));
        }
        Ok(Self {
            listen: settings.listen.unwrap_or(LISTEN),
            data: settings.data,
            store,
            limits,
            threads: at_least("threads", settings.threads.unwrap_or_else(threads), 1)?,
            log: settings.log.unwrap_or_else(|| LOG.to_owned()),
        })
    }
}

impl Settings {
    fn or(self, other: Self) -> Self {
        Self {
            listen: self.listen.or(other.listen),
            data: self.data.or(other.data),
            store: self.store.or(other.store),
            members: self.members.or(other.members),
            handshake_timeout: self.handshake_timeout.or(other.handshake_timeout),
            ping_interval: self.ping_interval.or(other.ping_interval),
            idle_timeout: self.idle_timeout.or(other.idle_timeout),
            close_timeout: self.close_timeout.or(other.close_timeout),
            queue_limit: self.queue_limit.or(other.queue_limit),
            queue_hard_limit: self.queue_hard_limit.or(other.queue_hard_limit),
            queue_grace: self.queue_grace.or(other.queue_grace),
            connections: self.connections.or(other.connections),
            connections_per_address: self.connections_per_address.or(other.connections_per_address),
            forwarded: self.forwarded.or(other.forwarded),
            bound_loopback: self.bound_loopback.or(other.bound_loopback),
            join_rate_address: self.join_rate_address.or(other.join_rate_address),
            join_burst_address: self.join_burst_address.or(other.join_burst_address),
            join_rate_room: self.join_rate_room.or(other.join_rate_room),
            join_burst_room: self.join_burst_room.or(other.join_burst_room),
            send_rate: self.send_rate.or(other.send_rate),
            send_burst: self.send_burst.or(other.send_burst),
            send_rate_room: self.send_rate_room.or(other.send_rate_room),
            send_burst_room: self.send_burst_room.or(other.send_burst_room),
            threads: self.threads.or(other.threads),
            log: self.log.or(other.log),
        }
    }

    fn queue(&self, members: usize) -> Result<QueueLimits, ConfigError> {
        // SLOW-3: never less than the largest join data.
        let least = QueueLimits::least(members);
        let limit =
            at_least("queue_limit", self.queue_limit.unwrap_or(limit::QUEUE_LIMIT.max(least)), least)?;
        let hard_limit = self.queue_hard_limit.unwrap_or(limit::QUEUE_HARD_LIMIT.max(limit));
        Ok(QueueLimits {
            limit,
            hard_limit: at_least("queue_hard_limit", hard_limit, limit)?,
            grace: Duration::from_millis(self.queue_grace.unwrap_or(limit::QUEUE_GRACE)),
        })
    }

    fn rates(&self, members: usize) -> Result<RateLimits, ConfigError> {
        let defaults = RateLimits::default();
        // RATE-JOIN-2, RATE-SEND-2.
        let (joins, sends) = (RateLimits::least_join_burst(members), RateLimits::least_send_burst());
        Ok(RateLimits {
            connections: self.connections.unwrap_or(defaults.connections),
            connections_per_address: self.connections_per_address.unwrap_or(defaults.connections_per_address),
            forwarded: self.forwarded.unwrap_or(defaults.forwarded),
            bound_loopback: self.bound_loopback.unwrap_or(defaults.bound_loopback),
            join_address: rate(
                ("join_rate_address", self.join_rate_address),
                ("join_burst_address", self.join_burst_address),
                defaults.join_address,
                joins,
            )?,
            join_room: rate(
                ("join_rate_room", self.join_rate_room),
                ("join_burst_room", self.join_burst_room),
                defaults.join_room,
                joins,
            )?,
            send: rate(("send_rate", self.send_rate), ("send_burst", self.send_burst), defaults.send, sends)?,
            send_room: rate(
                ("send_rate_room", self.send_rate_room),
                ("send_burst_room", self.send_burst_room),
                defaults.send_room,
                sends,
            )?,
        })
    }

    fn timing(&self) -> Result<Timing, ConfigError> {
        let time = |name, value: Option<u64>, default| {
            at_least(name, value.unwrap_or(default), 1).map(Duration::from_millis)
        };
        let timing = Timing {
            handshake_timeout: time("handshake_timeout", self.handshake_timeout, limit::HANDSHAKE_TIMEOUT)?,
            ping_interval: time("ping_interval", self.ping_interval, limit::PING_INTERVAL)?,
            idle_timeout: time("idle_timeout", self.idle_timeout, limit::IDLE_TIMEOUT)?,
            close_timeout: time("close_timeout", self.close_timeout, limit::CLOSE_TIMEOUT)?,
        };
        // A member with nothing to say is heard when it answers a ping.
        let (ping, idle) = (timing.ping_interval, timing.idle_timeout);
        if idle <= ping {
            return Err(ConfigError::Value(format!(
                "idle_timeout is {} ms, but must be above ping_interval, {} ms: who is not asked does not answer",
                idle.as_millis(),
                ping.as_millis()
            )));
        }
        Ok(timing)
    }
}

/// A core is left to the store's thread, which works whenever somebody writes.
fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    cores.saturating_sub(1).max(1)
}

/// A rate that is 0 or in its range, and a burst that is `least` or more.
fn rate(
    (name, per_second): (&str, Option<u32>),
    (burst_name, burst): (&str, Option<u32>),
    default: Rate,
    least: u32,
) -> Result<Rate, ConfigError> {
    let per_second = per_second.unwrap_or(default.per_second);
    if per_second > Rate::MAX {
        return Err(ConfigError::Value(format!("{name} is {per_second}, but must be at most {}", Rate::MAX)));
    }
    let burst = at_least(burst_name, burst.unwrap_or(default.burst.max(least)), least)?;
    Ok(Rate { per_second, burst })
}

fn at_least<T: PartialOrd + std::fmt::Display>(name: &str, value: T, least: T) -> Result<T, ConfigError> {
    if value < least {
        return Err(ConfigError::Value(format!("{name} is {value}, but must be at least {least}")));
    }
    Ok(value)
}
