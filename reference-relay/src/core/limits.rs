//! The limits and times that an operator may change. Everything else is fixed by the protocol.

use std::time::Duration;

use roomwire_codec::registry::limit;

/// Limits of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomLimits {
    /// Most version 1 members at a time, whatever their mode; at least 1 (JOIN-ADMIT-2).
    pub members_v1: usize,
    /// Bytes of writes that wait for the store, and of effects that wait to be sent, above which the room is
    /// [congested](crate::core::room::Room::is_congested).
    pub congestion_bytes: usize,
    /// Longest time after a commit for which the next batch waits for the members that wrote a moment ago. Zero takes
    /// a batch as soon as there is a write.
    pub patience: Duration,
}

/// A few milliseconds: short for whoever waits for a write to come back, long for those who are about to write.
const PATIENCE: Duration = Duration::from_millis(4);

impl Default for RoomLimits {
    fn default() -> Self {
        Self {
            members_v1: limit::ROOM_MEMBERS_V1,
            congestion_bytes: limit::MAX_INBOUND_MESSAGE,
            patience: PATIENCE,
        }
    }
}

/// Limits of one member's queue (SLOW-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Unsent bytes above which the grace begins. At least [`QueueLimits::least`].
    pub limit: usize,
    /// Unsent bytes above which the member is closed at once. At least `limit`.
    pub hard_limit: usize,
    /// How long the queue may stay above `limit`.
    pub grace: Duration,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self {
            limit: limit::QUEUE_LIMIT,
            hard_limit: limit::QUEUE_HARD_LIMIT,
            grace: Duration::from_millis(limit::QUEUE_GRACE),
        }
    }
}

impl QueueLimits {
    /// The least that `limit` may be where a room takes `members` members: the largest join data, with the heads of
    /// its WebSocket frames.
    pub const fn least(members: usize) -> usize {
        // One frame for the peer id and one for each other peer; every frame costs at most a head of 10 bytes. The
        // entries of the snapshot and the world are together no more than the room's cap (ROOM-CAP-1).
        const HEAD: usize = 10;
        const SMALL_FRAME: usize = HEAD + 6;
        const SNAPSHOT: usize = HEAD + 5;
        const WORLD: usize = HEAD + 1;
        SMALL_FRAME.saturating_mul(members).saturating_add(SNAPSHOT + WORLD + limit::ROOM_BYTES)
    }
}

/// How often and how fast (spec 07-limits-and-closes, "Rates"). A rate of 0 bounds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Most connections at a time (RATE-CONN-1); 0 bounds nothing.
    pub connections: usize,
    /// Most connections of one client address at a time (RATE-CONN-1); 0 bounds nothing.
    pub connections_per_address: usize,
    /// Every connection comes through a proxy, and the last address in its X-Forwarded-For is the client's.
    pub forwarded: bool,
    /// This host is bounded by address as well (RATE-ADDR-1).
    pub bound_loopback: bool,
    /// Joins of one client address (RATE-JOIN-1).
    pub join_address: Rate,
    /// Joins of one room (RATE-JOIN-1).
    pub join_room: Rate,
    /// Bytes that one member sends (RATE-SEND-1).
    pub send: Rate,
    /// Bytes that all members of a room send together (RATE-SEND-1).
    pub send_room: Rate,
}

/// A rate and how much may come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// In a second, in the long run; at most [`Rate::MAX`].
    pub per_second: u32,
    /// At once.
    pub burst: u32,
}

impl Rate {
    /// The highest rate that is not 0.
    pub const MAX: u32 = 1_000_000_000;
    /// No bound.
    pub const NONE: Self = Self { per_second: 0, burst: 0 };
}

impl Default for RateLimits {
    fn default() -> Self {
        let rate = |per_second, burst| Rate { per_second, burst };
        Self {
            connections: limit::CONNECTIONS,
            connections_per_address: limit::CONNECTIONS_PER_ADDRESS,
            forwarded: false,
            bound_loopback: false,
            join_address: rate(limit::JOIN_RATE_ADDRESS, limit::JOIN_BURST_ADDRESS),
            join_room: rate(limit::JOIN_RATE_ROOM, limit::JOIN_BURST_ROOM),
            send: rate(limit::SEND_RATE, bytes(limit::SEND_BURST)),
            send_room: rate(limit::SEND_RATE_ROOM, bytes(limit::SEND_BURST_ROOM)),
        }
    }
}

impl RateLimits {
    /// The least that the bursts of what is sent may be: the largest message (RATE-SEND-2).
    pub fn least_send_burst() -> u32 {
        message_cost(limit::MAX_INBOUND_MESSAGE)
    }

    /// The least that the bursts of joins may be where a room takes `members` members (RATE-JOIN-2).
    pub fn least_join_burst(members: usize) -> u32 {
        bytes(members.saturating_mul(2))
    }
}

/// What a message of `len` bytes counts (RATE-SEND-1).
pub fn message_cost(len: usize) -> u32 {
    bytes(len.saturating_add(limit::MESSAGE_COST))
}

fn bytes(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// When a silent connection is asked, and when it is given up (LIM-TIME-1, LIM-TIME-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the TCP connection to the whole upgrade request.
    pub handshake_timeout: Duration,
    /// Between pings of the relay.
    pub ping_interval: Duration,
    /// Silence after which a member is closed.
    pub idle_timeout: Duration,
    /// How long the relay waits for the other side of a close.
    pub close_timeout: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            handshake_timeout: Duration::from_millis(limit::HANDSHAKE_TIMEOUT),
            ping_interval: Duration::from_millis(limit::PING_INTERVAL),
            idle_timeout: Duration::from_millis(limit::IDLE_TIMEOUT),
            close_timeout: Duration::from_millis(limit::CLOSE_TIMEOUT),
        }
    }
}
