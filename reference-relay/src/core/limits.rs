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
