//! The times of the protocol, and how they are scaled for tests.

use std::time::Duration;

use roomwire_codec::registry::limit;

/// A time of the protocol by the name of its limit.
pub fn default_time(name: &str) -> Option<Duration> {
    let millis = match name {
        "handshake_timeout" => limit::HANDSHAKE_TIMEOUT,
        "ping_interval" => limit::PING_INTERVAL,
        "idle_timeout" => limit::IDLE_TIMEOUT,
        "queue_grace" => limit::QUEUE_GRACE,
        "close_timeout" => limit::CLOSE_TIMEOUT,
        "world_fanout_interval" => limit::WORLD_FANOUT_INTERVAL,
        _ => return None,
    };
    Some(Duration::from_millis(millis))
}

/// May a relay change it? The others are part of the protocol.
pub fn is_scalable(name: &str) -> bool {
    default_time(name).is_some() && name != "world_fanout_interval"
}
