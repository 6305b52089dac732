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
            log: self.log,
        }
    }
}
