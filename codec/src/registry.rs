//! Every number of the protocol, from `spec/registry.toml`, and the rule ids, from the chapters in `spec/`.
//!
//! GENERATED: do not edit. After a change of the registry or of a chapter run `cargo run -p roomwire-spec -- bless`.

/// The protocol's versions, ascending.
pub const VERSIONS: &[u16] = &[1];

/// First bytes of the frames.
pub mod opcode {
    /// Replace the room's world.
    pub const WORLD_SAVE: u8 = 0xF1;
    /// The world, at the join or after another member's save.
    pub const WORLD_LOAD: u8 = 0xF2;
    /// The oldest save of this member that was not yet answered is durable.
    pub const WORLD_SAVE_ACK: u8 = 0xF3;
    /// Write one key.
    pub const STATE_SET: u8 = 0xF4;
    /// One committed write.
    pub const STATE_UPDATE: u8 = 0xF5;
    /// Several committed writes at once: the state at a join, or a backlog made shorter.
    pub const STATE_SNAPSHOT: u8 = 0xF6;
}

/// A row of [`OPCODES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpcodeRow {
    /// First byte of the frame.
    pub code: u8,
    /// Name, as in the specification.
    pub name: &'static str,
    /// The capability it belongs to, e.g. `room`.
    pub class: &'static str,
    /// Who may send it.
    pub direction: Travel,
    /// First protocol version that has it.
    pub since: u16,
}

/// Which way a frame travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Travel {
    /// From a member to the relay.
    ToRelay,
    /// From the relay to a member.
    ToClient,
    /// Both ways.
    Both,
}

/// Every opcode, in the registry's order.
pub const OPCODES: &[OpcodeRow] = &[
    OpcodeRow {
        code: opcode::WORLD_SAVE,
        name: "WORLD_SAVE",
        class: "room",
        direction: Travel::ToRelay,
        since: 1,
    },
    OpcodeRow {
        code: opcode::WORLD_LOAD,
        name: "WORLD_LOAD",
        class: "room",
        direction: Travel::ToClient,
        since: 1,
    },
    OpcodeRow {
        code: opcode::WORLD_SAVE_ACK,
        name: "WORLD_SAVE_ACK",
        class: "room",
        direction: Travel::ToClient,
        since: 1,
    },
    OpcodeRow {
        code: opcode::STATE_SET,
        name: "STATE_SET",
        class: "room",
        direction: Travel::ToRelay,
        since: 1,
    },
    OpcodeRow {
        code: opcode::STATE_UPDATE,
        name: "STATE_UPDATE",
        class: "room",
        direction: Travel::ToClient,
        since: 1,
    },
    OpcodeRow {
        code: opcode::STATE_SNAPSHOT,
        name: "STATE_SNAPSHOT",
        class: "room",
        direction: Travel::ToClient,
        since: 1,
    },
];

/// Names of the classes of a decode error, in the registry's order.
pub const ERROR_CLASSES: &[&str] = &["truncated", "limit", "value", "trailing", "opcode", "direction"];

/// Godot's SYS packets: a byte with certain low bits, a command, its fields.
pub mod sys {
    /// What the relay writes as byte 0.
    pub const LEAD: u8 = 0x07;
    /// What byte 0 of a SYS packet holds under [`LEAD_MASK`].
    pub const LEAD_LOW_BITS: u8 = 0x07;
    /// The bits of byte 0 that make a packet SYS.
    pub const LEAD_MASK: u8 = 0x07;
    /// A peer is present.
    pub const ADD_PEER: u8 = 1;
    /// A peer has left.
    pub const DEL_PEER: u8 = 2;
    /// A Godot packet for other peers (to the relay: `peer` is the target), or from one (to a client: `peer`
    /// is the source).
    pub const RELAY: u8 = 3;
}

/// Limits and times.
pub mod limit {
    /// Shortest key. Fixed, in bytes.
    pub const KEY_MIN: usize = 1;
    /// Longest key. Fixed, in bytes.
    pub const KEY_MAX: usize = 1_024;
    /// Last revision of a room. It is never passed and never wrapped. Fixed, in commits.
    pub const REV_MAX: u32 = 4_294_967_295;
    /// Smallest snapshot entry: rev, key\_len, one byte of key, val\_len. Fixed, in bytes.
    pub const SNAPSHOT_ENTRY_MIN: usize = 11;
    /// What an entry costs beside its key and value, in a snapshot and in the room's cap. Fixed, in bytes.
    pub const ENTRY_OVERHEAD: usize = 10;
    /// Cap of a room: world + the sum over its keys of (entry\_overhead + key + value). Fixed, in bytes.
    pub const ROOM_BYTES: usize = 1_048_576;
    /// Most keys in a room. Fixed, in keys.
    pub const ROOM_KEYS: usize = 4_096;
    /// Most version 1 members in a room, whatever their mode. Default, in members.
    pub const ROOM_MEMBERS_V1: usize = 32;
    /// Longest room id and longest game id. The shortest is 1. Fixed, in bytes.
    pub const NAME_MAX: usize = 64;
    /// Longest user label, after percent-decoding. Fixed, in bytes.
    pub const USER_MAX: usize = 128;
    /// Longest close reason (RFC 6455). Fixed, in bytes.
    pub const CLOSE_REASON_MAX: usize = 123;
    /// Largest message that a relay accepts. Above it: close 1009. Fixed, in bytes.
    pub const MAX_INBOUND_MESSAGE: usize = 4_194_304;
    /// Largest message that a relay sends to a version 1 member. Fixed, in bytes.
    pub const MAX_OUTBOUND_MESSAGE: usize = 4_194_304;
    /// Unsent bytes of one member above which its grace begins. Default, in bytes.
    pub const QUEUE_LIMIT: usize = 4_194_304;
    /// Unsent bytes of one member above which it is closed at once. Default, in bytes.
    pub const QUEUE_HARD_LIMIT: usize = 16_777_216;
    /// How long a member may stay above `queue_limit`. Default, in ms.
    pub const QUEUE_GRACE: u64 = 5_000;
    /// Least time between two fan-outs of a saved world in one room. Fixed, in ms.
    pub const WORLD_FANOUT_INTERVAL: u64 = 1_000;
    /// From the TCP connection to the whole upgrade request. Default, in ms.
    pub const HANDSHAKE_TIMEOUT: u64 = 10_000;
    /// Between WebSocket pings of the relay. Default, in ms.
    pub const PING_INTERVAL: u64 = 15_000;
    /// Silence of a member (no byte, no pong) after which it is closed. Default, in ms.
    pub const IDLE_TIMEOUT: u64 = 45_000;
    /// How long the relay waits for the other side of a close before it drops the connection. Default, in ms.
    pub const CLOSE_TIMEOUT: u64 = 2_000;
}

/// Close codes.
pub mod close {
    /// A close code and the stable prefix of its reason text.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Close {
        /// WebSocket close code.
        pub code: u16,
        /// Name, as in the specification.
        pub name: &'static str,
        /// Stable prefix of the reason text; `: ` and a text for people may follow.
        pub reason: &'static str,
    }

    /// The WebSocket framing itself is broken (RFC 6455).
    pub const WEBSOCKET: Close = Close { code: 1002, name: "WEBSOCKET", reason: "websocket" };
    /// A text message. Roomwire is binary.
    pub const TEXT: Close = Close { code: 1003, name: "TEXT", reason: "text" };
    /// A message over `max_inbound_message`.
    pub const TOO_BIG: Close = Close { code: 1009, name: "TOO_BIG", reason: "message too big" };
    /// The relay goes down or restarts. Come back after a moment.
    pub const RESTART: Close = Close { code: 1012, name: "RESTART", reason: "restart" };
    /// A message that does not decode, or that this member may not send.
    pub const MALFORMED: Close = Close { code: 4400, name: "MALFORMED", reason: "malformed" };
    /// The path, the room, the game or another URL parameter is not valid.
    pub const BAD_ROOM: Close = Close { code: 4404, name: "BAD_ROOM", reason: "bad room" };
    /// `v` is missing, repeated or not served. The reason lists what is.
    pub const VERSION: Close = Close { code: 4406, name: "VERSION", reason: "version" };
    /// Nothing came from the member for `idle_timeout`.
    pub const IDLE: Close = Close { code: 4408, name: "IDLE", reason: "idle" };
    /// The member reads too slowly: its queue stayed above `queue_limit` for `queue_grace`, or passed
    /// `queue_hard_limit`.
    pub const SLOW: Close = Close { code: 4409, name: "SLOW", reason: "too slow" };
    /// The write would pass a cap of the room. Nothing was changed.
    pub const TOO_LARGE: Close = Close { code: 4413, name: "TOO_LARGE", reason: "too large" };
    /// The room has as many members as it may have.
    pub const ROOM_FULL: Close = Close { code: 4432, name: "ROOM_FULL", reason: "room full" };
    /// The store cannot take or give what was asked, or the room has used up its revisions.
    pub const STORAGE: Close = Close { code: 4500, name: "STORAGE", reason: "storage" };

    /// Every close code, in the registry's order.
    pub const ALL: &[Close] = &[
        WEBSOCKET, TEXT, TOO_BIG, RESTART, MALFORMED, BAD_ROOM, VERSION, IDLE, SLOW, TOO_LARGE, ROOM_FULL,
        STORAGE,
    ];
}

/// Ids of the specification's clauses.
pub mod rule {}
