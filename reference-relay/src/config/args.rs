//! Flags and environment.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use roomwire_codec::registry::limit;

use super::{LISTEN, LOG, Settings, StoreKind};

/// The Roomwire reference relay: shared, durable rooms for games, over WebSocket.
///
/// Each setting is taken from its flag, else from its environment variable, else from the file that --config names (whose
/// keys are the flags' names with _ for -), else it has its default. The first line on standard output is
/// {"listening":"ADDRESS:PORT"}; logs go to standard error. The relay ends in order on SIGINT and SIGTERM. Exit codes: 0
/// it was told to end, 1 it failed, 2 the command line or the configuration is wrong.
#[derive(Clone, Debug, Default, Parser)]
#[command(name = "roomwire-relay", version)]
pub struct Args {
    /// A TOML file with settings. It must exist.
    #[arg(long, value_name = "FILE", env = "ROOMWIRE_CONFIG")]
    pub(super) config: Option<PathBuf>,

    #[arg(long, value_name = "ADDRESS:PORT", env = "ROOMWIRE_LISTEN", help = default("Where to listen; port 0 takes a free one", LISTEN, ""), value_parser = address)]
    listen: Option<SocketAddr>,

    /// The directory where rooms are kept; made if it is missing. Needed unless --store is memory.
    #[arg(long, value_name = "DIR", env = "ROOMWIRE_DATA")]
    data: Option<PathBuf>,

    #[arg(long, value_name = "KIND", env = "ROOMWIRE_STORE", help = default("Where rooms last", "sqlite", ""))]
    store: Option<StoreKind>,

    #[arg(long, value_name = "COUNT", env = "ROOMWIRE_MEMBERS", help = default("Most version 1 members in a room", limit::ROOM_MEMBERS_V1, ""))]
    members: Option<usize>,

    #[arg(long, value_name = "MS", env = "ROOMWIRE_HANDSHAKE_TIMEOUT", help = default("From the connection to the whole upgrade request", limit::HANDSHAKE_TIMEOUT, " ms"))]
    handshake_timeout: Option<u64>,

    #[arg(long, value_name = "MS", env = "ROOMWIRE_PING_INTERVAL", help = default("Between pings to a member", limit::PING_INTERVAL, " ms"))]
    ping_interval: Option<u64>,

    #[arg(long, value_name = "MS", env = "ROOMWIRE_IDLE_TIMEOUT", help = default("Silence of a member after which it is closed", limit::IDLE_TIMEOUT, " ms"))]
    idle_timeout: Option<u64>,

    #[arg(long, value_name = "MS", env = "ROOMWIRE_CLOSE_TIMEOUT", help = default("How long to wait for the other side of a close", limit::CLOSE_TIMEOUT, " ms"))]
    close_timeout: Option<u64>,

    #[arg(long, value_name = "BYTES", env = "ROOMWIRE_QUEUE_LIMIT", help = default("Unsent bytes of a member above which its grace begins; at least the largest join data", limit::QUEUE_LIMIT, " bytes"))]
    queue_limit: Option<usize>,

    #[arg(long, value_name = "BYTES", env = "ROOMWIRE_QUEUE_HARD_LIMIT", help = default("Unsent bytes of a member above which it is closed at once", limit::QUEUE_HARD_LIMIT, " bytes"))]
    queue_hard_limit: Option<usize>,

    #[arg(long, value_name = "MS", env = "ROOMWIRE_QUEUE_GRACE", help = default("How long a member may stay above the queue limit", limit::QUEUE_GRACE, " ms"))]
    queue_grace: Option<u64>,

    #[arg(long, value_name = "COUNT", env = "ROOMWIRE_CONNECTIONS", help = default("Most connections at a time; 0 for no bound", limit::CONNECTIONS, ""))]
    connections: Option<usize>,

    #[arg(long, value_name = "COUNT", env = "ROOMWIRE_CONNECTIONS_PER_ADDRESS", help = default("Most connections of one client address; 0 for no bound", limit::CONNECTIONS_PER_ADDRESS, ""))]
    connections_per_address: Option<usize>,

    /// Take client addresses from the last entry of X-Forwarded-For. Only where every connection comes through a proxy
    /// that sets it; without it clients behind a proxy on another host count as one address.
    #[arg(long, value_name = "BOOL", env = "ROOMWIRE_FORWARDED", num_args = 0..=1, default_missing_value = "true")]
    forwarded: Option<bool>,

    /// Bound connections and joins from this host as well. Not done by default: they are the operator's own, or those of a
    /// proxy that does not say for whom it speaks.
    #[arg(long, value_name = "BOOL", env = "ROOMWIRE_BOUND_LOOPBACK", num_args = 0..=1, default_missing_value = "true")]
    bound_loopback: Option<bool>,

    #[arg(long, value_name = "COUNT", env = "ROOMWIRE_JOIN_RATE_ADDRESS", help = default("Joins of one client address in a second, in the long run; 0 for no bound, as for every rate", limit::JOIN_RATE_ADDRESS, ""))]
    join_rate_address: Option<u32>,

    #[arg(long, value_name = "COUNT", env = "ROOMWIRE_JOIN_BURST_ADDRESS", help = default("Joins of one client address at once", limit::JOIN_BURST_ADDRESS, ""))]
    join_burst_address: Option<u32>,

    #[arg(long, value_name = "COUNT", env = "ROOMWIRE_JOIN_RATE_ROOM", help = default("Joins of one room in a second, in the long run", limit::JOIN_RATE_ROOM, ""))]
    join_rate_room: Option<u32>,

    #[arg(long, value_name = "COUNT", env = "ROOMWIRE_JOIN_BURST_ROOM", help = default("Joins of one room at once", limit::JOIN_BURST_ROOM, ""))]
    join_burst_room: Option<u32>,

    #[arg(long, value_name = "BYTES", env = "ROOMWIRE_SEND_RATE", help = default("What one member sends in a second, in the long run; above it the relay reads more slowly", limit::SEND_RATE, " bytes"))]
    send_rate: Option<u32>,

    #[arg(long, value_name = "BYTES", env = "ROOMWIRE_SEND_BURST", help = default("What one member sends at once", limit::SEND_BURST, " bytes"))]
    send_burst: Option<u32>,

    #[arg(long, value_name = "BYTES", env = "ROOMWIRE_SEND_RATE_ROOM", help = default("What all members of a room send together in a second, in the long run", limit::SEND_RATE_ROOM, " bytes"))]
    send_rate_room: Option<u32>,

    #[arg(long, value_name = "BYTES", env = "ROOMWIRE_SEND_BURST_ROOM", help = default("What all members of a room send together at once", limit::SEND_BURST_ROOM, " bytes"))]
    send_burst_room: Option<u32>,

    /// Threads that serve connections. The store has one of its own. [default: one less than the machine has cores, at
    /// least 1]
    #[arg(long, value_name = "COUNT", env = "ROOMWIRE_THREADS")]
    threads: Option<usize>,

    #[arg(long, value_name = "FILTER", env = "ROOMWIRE_LOG", help = default("What to log: error, warn, info, debug, trace, or a filter such as roomwire_relay=debug", LOG, ""))]
    log: Option<String>,
}

fn address(value: &str) -> Result<SocketAddr, String> {
    let hint = "an IP address and a port are needed, as in 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080";
    value.parse().map_err(|_| hint.to_owned())
}

fn default(what: &str, value: impl std::fmt::Display, unit: &str) -> String {
    format!("{what} [default: {value}{unit}]")
}

impl Args {
    pub(super) fn settings(self) -> Settings {
        Settings {
            listen: self.listen,
            data: self.data,
            store: self.store,
            members: self.members,
            handshake_timeout: self.handshake_timeout,
            ping_interval: self.ping_interval,
            idle_timeout: self.idle_timeout,
            close_timeout: self.close_timeout,
            queue_limit: self.queue_limit,
            queue_hard_limit: self.queue_hard_limit,
            queue_grace: self.queue_grace,
            connections: self.connections,
            connections_per_address: self.connections_per_address,
            forwarded: self.forwarded,
            bound_loopback: self.bound_loopback,
            join_rate_address: self.join_rate_address,
            join_burst_address: self.join_burst_address,
            join_rate_room: self.join_rate_room,
            join_burst_room: self.join_burst_room,
            send_rate: self.send_rate,
            send_burst: self.send_burst,
            send_rate_room: self.send_rate_room,
            send_burst_room: self.send_burst_room,
            threads: self.threads,
            log: self.log,
        }
    }
}
