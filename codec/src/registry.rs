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
    /// Smallest snapshot entry: rev, key_len, one byte of key, val_len. Fixed, in bytes.
    pub const SNAPSHOT_ENTRY_MIN: usize = 11;
    /// What an entry costs beside its key and value, in a snapshot and in the room's cap. Fixed, in bytes.
    pub const ENTRY_OVERHEAD: usize = 10;
    /// Cap of a room: world + the sum over its keys of (entry_overhead + key + value). Fixed, in bytes.
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
    /// Longest head of an HTTP request, the upgrade included. Default, in bytes.
    pub const MAX_REQUEST_HEAD: usize = 16_384;
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
    /// Most connections at a time. Default, in connections.
    pub const CONNECTIONS: usize = 16_384;
    /// Most connections of one client address at a time. Default, in connections.
    pub const CONNECTIONS_PER_ADDRESS: usize = 256;
    /// Joins of one client address, in the long run. Default, in joins/s.
    pub const JOIN_RATE_ADDRESS: u32 = 16;
    /// Joins of one client address at once. Default, in joins.
    pub const JOIN_BURST_ADDRESS: u32 = 256;
    /// Joins of one room, in the long run. Default, in joins/s.
    pub const JOIN_RATE_ROOM: u32 = 16;
    /// Joins of one room at once. Default, in joins.
    pub const JOIN_BURST_ROOM: u32 = 256;
    /// What a message from a member counts beside its own bytes, in the rates of what members send. Default,
    /// in bytes.
    pub const MESSAGE_COST: usize = 64;
    /// What one member sends, in the long run. Default, in bytes/s.
    pub const SEND_RATE: u32 = 1_048_576;
    /// What one member sends at once. Default, in bytes.
    pub const SEND_BURST: usize = 16_777_216;
    /// What all members of a room send together, in the long run. Default, in bytes/s.
    pub const SEND_RATE_ROOM: u32 = 4_194_304;
    /// What all members of a room send together, at once. Default, in bytes.
    pub const SEND_BURST_ROOM: usize = 67_108_864;
    /// From the TCP connection to the whole upgrade request. Default, in ms.
    pub const HANDSHAKE_TIMEOUT: u64 = 10_000;
    /// Between WebSocket pings of the relay. Default, in ms.
    pub const PING_INTERVAL: u64 = 15_000;
    /// Silence of a member (no byte, no pong) after which it is closed. Default, in ms.
    pub const IDLE_TIMEOUT: u64 = 45_000;
    /// From the decision to close a connection to its end, whatever is still unsent or unanswered. Default,
    /// in ms.
    pub const CLOSE_TIMEOUT: u64 = 2_000;
    /// Of a client: how long nothing has to come before it takes its join data for complete. Default, in ms.
    pub const READY_QUIET: u64 = 250;
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
    /// Too many joins of the room, joins or connections of the client address, or connections in all. Come
    /// back after a moment.
    pub const RATE: Close = Close { code: 4429, name: "RATE", reason: "rate" };
    /// The room has as many members as it may have.
    pub const ROOM_FULL: Close = Close { code: 4432, name: "ROOM_FULL", reason: "room full" };
    /// The store cannot take or give what was asked, or the room has used up its revisions.
    pub const STORAGE: Close = Close { code: 4500, name: "STORAGE", reason: "storage" };

    /// Every close code, in the registry's order.
    pub const ALL: &[Close] = &[
        WEBSOCKET, TEXT, TOO_BIG, RESTART, MALFORMED, BAD_ROOM, VERSION, IDLE, SLOW, TOO_LARGE, RATE,
        ROOM_FULL, STORAGE,
    ];
}

/// Ids of the specification's clauses.
pub mod rule {
    /// Integers MUST be read and written little-endian, those of type `u16` and `u32` as unsigned, those of
    /// type `i32` as two's complement: `00 00 00 80` is 2147483648 as a `u32`, and `FF FF FF FF` is -1 as an
    /// `i32`.
    pub const PRIM_INT_1: &str = "PRIM-INT-1";
    /// Text MUST be well-formed UTF-8: no overlong form, no surrogate (U+D800 to U+DFFF), nothing above
    /// U+10FFFF, no sequence cut short. It is never normalised: `é` as `C3 A9` and as `65 CC 81` are two
    /// texts.
    pub const PRIM_TEXT_1: &str = "PRIM-TEXT-1";
    /// A length that is in its range and announces more bytes than are left, however large it is, MUST be the
    /// error `truncated` at the field that it measures, on every platform. (Compare it with the number of
    /// bytes left; do not add it to a position, where a sum near 2^32 may wrap.)
    pub const PRIM_LEN_1: &str = "PRIM-LEN-1";
    /// A count of more items than could fit in the bytes left, at the smallest size of an item, MUST be the
    /// error `truncated` at the count, before memory is reserved for them. (Compute the product so that it
    /// cannot overflow.)
    pub const PRIM_COUNT_1: &str = "PRIM-COUNT-1";
    /// A layout that does not end in a `rest` field MUST end with the frame. Bytes after it are the error
    /// `trailing`. The protocol grows by new opcodes and versions, never by bytes at the end of old ones.
    pub const PRIM_END_1: &str = "PRIM-END-1";
    /// To decode a frame and encode the result MUST give the same bytes: there is one encoding of everything.
    pub const PRIM_CANON_1: &str = "PRIM-CANON-1";
    /// An encoder MUST refuse what a decoder of the same direction would refuse. (Without memory it leaves
    /// duplicate keys to its caller, as in ROOM-SNAP-2.)
    pub const PRIM_ENCODE_1: &str = "PRIM-ENCODE-1";
    /// A field that the frame ends before or within MUST be the error `truncated`; a decoder never waits for
    /// more. (Frames that end in `rest` need a transport that keeps message boundaries, as WebSocket does; on
    /// a byte stream they would need a length in front.)
    pub const PRIM_FRAME_1: &str = "PRIM-FRAME-1";
    /// Apart from a client's first message, a receiver MUST tell what a message is from its whole first byte,
    /// and in a SYS packet from its second byte too. Bytes further inside are never looked at for opcodes.
    pub const OP_SPACE_1: &str = "OP-SPACE-1";
    /// In version 1, a frame whose first byte has bit 3 set and low three bits other than 7 MUST be refused
    /// with the error `opcode`, whether or not another version assigns it. (Where the low three bits are 7
    /// the packet is SYS, and bit 3 is not tested: `0F` is SYS like `07`.)
    pub const OP_SPACE_2: &str = "OP-SPACE-2";
    /// A frame whose opcode travels only the other way MUST be refused with the error `direction`, whatever
    /// follows the opcode.
    pub const OP_SPACE_3: &str = "OP-SPACE-3";
    /// An empty message MUST be refused with the error `truncated`.
    pub const OP_SPACE_4: &str = "OP-SPACE-4";
    /// A message whose first byte is Godot's, and a SYS packet that chapter 4 does not name for that
    /// direction, MUST be accepted as opaque Godot traffic. The relay drops it; a client leaves it to Godot.
    pub const OP_SPACE_5: &str = "OP-SPACE-5";
    /// A decoder MUST test the fields in wire order, all of one before the next, and report the first fault
    /// that it meets.
    pub const ERR_ORDER_1: &str = "ERR-ORDER-1";
    /// Of one field, a decoder MUST test first whether the frame holds all of it (`truncated`), and then what
    /// it holds: `limit` for a length that is out of its range, `truncated` for a count that does not fit,
    /// `value` for all else. A length out of its range is therefore `limit` even where the bytes that it
    /// announces are cut off.
    pub const ERR_ORDER_4: &str = "ERR-ORDER-4";
    /// A decoder MUST report `trailing` only when every field is whole and valid, and a duplicate key in a
    /// snapshot only when nothing else is wrong.
    pub const ERR_ORDER_2: &str = "ERR-ORDER-2";
    /// Of several duplicate keys, a decoder that looks for them MUST report the first entry, in wire order,
    /// whose key stood before.
    pub const ERR_ORDER_3: &str = "ERR-ORDER-3";
    /// An implementation that reports offsets and fields MUST report those named above; for a text that is
    /// not allowed, the offset is where the text begins, not where the bad byte stands.
    pub const ERR_OFFSET_1: &str = "ERR-OFFSET-1";
    /// A frame that does not decode MUST change nothing: not one entry of a snapshot is applied if any of it
    /// is at fault.
    pub const ERR_EFFECT_1: &str = "ERR-EFFECT-1";
    /// A revision MUST be a number from 1 to 4294967295. Revision 0 is malformed: it would never be newer
    /// than what a client holds for a key that it has not seen.
    pub const ROOM_REV_1: &str = "ROOM-REV-1";
    /// The relay MUST give the commits of a room consecutive revisions, starting at 1: each accepted
    /// STATE_SET and each accepted WORLD_SAVE takes the next one. State members therefore see gaps where
    /// worlds were saved.
    pub const ROOM_REV_2: &str = "ROOM-REV-2";
    /// Two commits of a room MUST NOT have the same revision, not even after every member has left, after a
    /// restart, or after a crash.
    pub const ROOM_REV_3: &str = "ROOM-REV-3";
    /// The relay MUST NOT wrap revisions. When 4294967295 (`rev_max`) has been given to an accepted write, it
    /// refuses each further write by closing its author with 4500, and changes nothing.
    pub const ROOM_REV_4: &str = "ROOM-REV-4";
    /// A STATE_SET whose value equals the stored one MUST commit like any other. Whether a write is worth
    /// sending is for the writer to judge.
    pub const ROOM_REV_5: &str = "ROOM-REV-5";
    /// A key MUST have 1 to 1024 bytes (`key_min`, `key_max`). Both sides check it, and a length outside this
    /// range is the error `limit`.
    pub const ROOM_KEY_1: &str = "ROOM-KEY-1";
    /// A key MUST be well-formed UTF-8 (PRIM-TEXT-1), hold no U+0000 and not begin with U+FEFF; otherwise the
    /// error is `value`. Godot ends a string at U+0000, skips a leading U+FEFF and replaces what is not
    /// UTF-8, so such keys would merge with others on some clients and not on others.
    pub const ROOM_KEY_2: &str = "ROOM-KEY-2";
    /// Keys MUST be compared by bytes: no case folding, no normalisation.
    pub const ROOM_KEY_3: &str = "ROOM-KEY-3";
    /// A value MUST be kept and passed on as the bytes that it is. An empty value is a value: the key is set.
    pub const ROOM_VALUE_1: &str = "ROOM-VALUE-1";
    /// When a STATE_SET is committed, the relay MUST send a STATE_UPDATE with its revision, key and value to
    /// every state member of the room, the author included.
    pub const ROOM_SET_1: &str = "ROOM-SET-1";
    /// The relay MUST handle the messages of one member in the order in which they arrive, so that its writes
    /// commit in that order.
    pub const ROOM_SET_3: &str = "ROOM-SET-3";
    /// Every message that arrived whole before a member's close frame or the end of its stream MUST be
    /// handled, unless the relay decided before that to close the member or to stop (CLOSE-7, DUR-9); writes
    /// that were accepted are committed even if their author has left by then.
    pub const ROOM_SET_4: &str = "ROOM-SET-4";
    /// For a write, the relay MUST test in this order and act on the first that fails: whether it decodes
    /// (4400), the member's mode (4400), the caps (4413), the revisions (4500).
    pub const ROOM_SET_5: &str = "ROOM-SET-5";
    /// The STATE_UPDATEs of a room MUST reach each state member in the order of their revisions, each at most
    /// once. Slow readers may get several of them as one STATE_SNAPSHOT.
    pub const ROOM_SET_2: &str = "ROOM-SET-2";
    /// The entries of a STATE_SNAPSHOT MUST ascend by revision, no two alike; otherwise the error is `value`,
    /// at `entry.rev`.
    pub const ROOM_SNAP_1: &str = "ROOM-SNAP-1";
    /// A STATE_SNAPSHOT MUST NOT hold a key twice; otherwise the error is `value`, at the `entry.key` of the
    /// later one. A decoder that has no memory to remember keys MAY leave this to the layer above it; a
    /// client refuses the frame in any case.
    pub const ROOM_SNAP_2: &str = "ROOM-SNAP-2";
    /// A decoder MUST accept a STATE_SNAPSHOT without entries; the relay MUST NOT send one to a version 1
    /// member, since Godot's own multiplayer logs an error at it.
    pub const ROOM_SNAP_3: &str = "ROOM-SNAP-3";
    /// A save MUST replace the whole world. A world of 0 bytes is a world; a room has no world until the
    /// first save.
    pub const ROOM_WORLD_1: &str = "ROOM-WORLD-1";
    /// When a save is committed, the relay MUST send its author one WORLD_SAVE_ACK. Acks carry no number: a
    /// member's acks answer its saves in the order in which it sent them, so that n acks mean that its first
    /// n saves are durable.
    pub const ROOM_WORLD_2: &str = "ROOM-WORLD-2";
    /// The WORLD_SAVE_ACKs and STATE_UPDATEs that a member gets MUST be in commit order. A WORLD_LOAD comes
    /// after those of all commits before its save.
    pub const ROOM_WORLD_3: &str = "ROOM-WORLD-3";
    /// After a save, the relay MUST send a WORLD_LOAD to every state member that holds no world, or an older
    /// one. A member holds the newest world that its join data had, that was sent to it, or whose save was
    /// acked to it; so an author is never sent its own save.
    pub const ROOM_WORLD_4: &str = "ROOM-WORLD-4";
    /// A fan-out is the moment at which the newest world is sent to every state member that does not hold it;
    /// one that would reach nobody is none. Between two fan-outs of a room at least a second
    /// (`world_fanout_interval`) MUST pass. A save that is committed when it has passed is fanned out at
    /// once; otherwise the fan-out waits for its end, and the newest world alone is sent then. A WORLD_LOAD
    /// may therefore trail behind STATE_UPDATEs of later commits. Of saves that become durable together the
    /// newest alone may be fanned out. When the relay shuts down, any fan-out that was not yet made MAY be
    /// dropped; once no member is left, the relay may forget when the last one was.
    pub const ROOM_WORLD_5: &str = "ROOM-WORLD-5";
    /// A member MUST NOT be sent a world that is older than the one it holds. Of two members that save at the
    /// same time, each ends with the newer world or with the ack of it.
    pub const ROOM_WORLD_6: &str = "ROOM-WORLD-6";
    /// A room MUST NOT hold more than 1,048,576 bytes (`room_bytes`), counted as the bytes of its world plus
    /// 10 + key bytes + value bytes for each key. The 10 bytes are what an entry costs in a snapshot: a room
    /// at its cap can always be joined.
    pub const ROOM_CAP_1: &str = "ROOM-CAP-1";
    /// A room MUST NOT hold more than 4,096 keys (`room_keys`).
    pub const ROOM_CAP_2: &str = "ROOM-CAP-2";
    /// The relay MUST test a write against what the room would hold after it and after all writes accepted
    /// before it: what the write replaces does not count, so that a world of 1 MiB can be replaced by
    /// another.
    pub const ROOM_CAP_3: &str = "ROOM-CAP-3";
    /// The relay MUST refuse a write that would pass a cap by closing its author with 4413. The stored state
    /// stays as it was, and nobody else is told.
    pub const ROOM_CAP_4: &str = "ROOM-CAP-4";
    /// If a write would pass a cap and the room is also out of revisions, the close MUST be 4413.
    pub const ROOM_CAP_5: &str = "ROOM-CAP-5";
    /// The first message to every version 1 member, whatever its mode, MUST be its peer id: exactly 4 bytes.
    /// A client takes the first message as the peer id without looking at an opcode, and no later message is
    /// one.
    pub const PEER_ID_1: &str = "PEER-ID-1";
    /// A peer id MUST be from 2 to 2147483647, and for its lowest byte, which is the first on the wire, three
    /// things MUST hold: it is not one of `F1` to `F6`, its bit 3 is clear, and its low three bits are not 7.
    /// Otherwise the error is `value`. (The existing client looks at the first byte of every message, and
    /// would take the id `0x001234F3` for an acknowledged save.)
    pub const PEER_ID_2: &str = "PEER-ID-2";
    /// A peer id MUST be unique among the members of a room.
    pub const PEER_ID_3: &str = "PEER-ID-3";
    /// The relay SHOULD choose peer ids at random among all that are allowed, so that they cannot be
    /// predicted and one that was used is not soon used again.
    pub const PEER_ID_4: &str = "PEER-ID-4";
    /// Towards a client, ADD_PEER and DEL_PEER MUST be exactly 6 bytes, and their peer one of the numbers
    /// that PEER-ID-2 allows; a SYS packet that ends before its command is `truncated`, at `command`.
    /// (Towards the relay they are Godot traffic, see PEER-SYS-7.)
    pub const PEER_SYS_1: &str = "PEER-SYS-1";
    /// The relay MUST write `07` as the first byte of every SYS packet that it sends.
    pub const PEER_SYS_2: &str = "PEER-SYS-2";
    /// When a peers member joins, the relay MUST send ADD_PEER with the new id to every other peers member,
    /// and ADD_PEER for each of them to the new one, in the order in which they joined.
    pub const PEER_SYS_3: &str = "PEER-SYS-3";
    /// When a peers member leaves, the relay MUST send DEL_PEER with its id once to every remaining peers
    /// member, after everything that it relayed for it. When the relay shuts down it closes everyone and
    /// sends no DEL_PEER for it.
    pub const PEER_SYS_4: &str = "PEER-SYS-4";
    /// The relay MUST NOT announce a member in mode `state`, nor send it ADD_PEER, DEL_PEER or RELAY.
    pub const PEER_SYS_5: &str = "PEER-SYS-5";
    /// The relay MUST NOT send `F1` to `F6` to a member in mode `peers`.
    pub const PEER_SYS_6: &str = "PEER-SYS-6";
    /// The relay MUST drop Godot traffic that is not a RELAY, and keep its sender connected: ADD_PEER and
    /// DEL_PEER from a client, other SYS commands, a SYS packet without a command, and packets to peer 1.
    pub const PEER_SYS_7: &str = "PEER-SYS-7";
    /// The payload of a RELAY MUST have at least one byte. A RELAY that ends within `peer` is `truncated`
    /// there, offset 2; one that ends before its payload is `truncated` at `payload`, offset 6, unless an
    /// earlier field is at fault.
    pub const PEER_RELAY_1: &str = "PEER-RELAY-1";
    /// Towards a client, `peer` is the source and MUST be one of the numbers that PEER-ID-2 allows; otherwise
    /// the error is `value`. Towards the relay, `peer` is the target and every `i32` is allowed.
    pub const PEER_RELAY_2: &str = "PEER-RELAY-2";
    /// The relay MUST deliver the payload of a RELAY to these peers members, in a RELAY whose `peer` is the
    /// sender's id: if the target is above 0, the peer with that id; if it is 0, every peer; if it is below
    /// 0, every peer but the one whose id is its absolute value. (-1 and -2147483648 exclude nobody; the
    /// absolute value of the latter does not fit an `i32`.)
    pub const PEER_RELAY_3: &str = "PEER-RELAY-3";
    /// The relay MUST NOT deliver a RELAY to its sender. A RELAY whose target is 1, the sender, or nobody in
    /// the room is dropped, and the sender stays connected.
    pub const PEER_RELAY_4: &str = "PEER-RELAY-4";
    /// The relay MUST pass a payload on as the bytes that it is, and MUST NOT read it: a payload that begins
    /// with `F4` sets nothing.
    pub const PEER_RELAY_5: &str = "PEER-RELAY-5";
    /// RELAYs from one member to another MUST arrive in the order in which they were sent. Between RELAYs and
    /// the frames of chapter 3 there is no order when they are sent, since a RELAY need not wait for a store;
    /// once they are in a member's queue they keep their places.
    pub const PEER_RELAY_6: &str = "PEER-RELAY-6";
    /// The relay MUST drop a RELAY from a member in mode `state`, and keep it connected: the others do not
    /// know its id. (One that does not decode closes it like any other.)
    pub const PEER_RELAY_7: &str = "PEER-RELAY-7";
    /// The relay MUST close with 4400 a member in mode `peers` that sends WORLD_SAVE or STATE_SET: it would
    /// never learn what became of its write.
    pub const PEER_MODE_1: &str = "PEER-MODE-1";
    /// The relay MUST take the request's target apart as follows. An absolute-form target is taken by its
    /// path and query; a `#` and what follows it, which no client should send, may be dropped. The target is
    /// split at its first `?`. The path is the bytes `/r/` and then one segment without `/`, compared before
    /// decoding. The query is split at `&`, and empty pieces are ignored; each piece is split at its first
    /// `=`, and a piece without one has an empty value. Then segment, names and values are percent-decoded
    /// once; `+` stays `+`. Names are compared by bytes; an empty name is a name. Unknown parameters are
    /// ignored.
    pub const URL_1: &str = "URL-1";
    /// `v` MUST be present exactly once and its value, decoded, be `1`; otherwise the relay closes with 4406,
    /// and the reason lists the versions that it serves as decimal numbers, separated by a comma and a space.
    /// This is tested before any other fault of the URL: a piece whose name holds a bad percent sign is not
    /// `v`, and a value that holds one is not `1`.
    pub const URL_2: &str = "URL-2";
    /// Room id and game id MUST be 1 to 64 bytes (`name_max`), each one of `A` to `Z`, `a` to `z`, `0` to
    /// `9`, `_`, `.`, `~`, `:`, `-`, and neither `.` nor `..` (URL libraries remove such segments). A missing
    /// `g` breaks this rule. They are compared by bytes.
    pub const URL_3: &str = "URL-3";
    /// `u` MUST be at most 128 bytes (`user_max`) of UTF-8 after decoding. It may be missing or empty.
    pub const URL_4: &str = "URL-4";
    /// The value of `m` MUST be `state` or `peers` where `m` is present. (`both` is what its absence means,
    /// and no value of it.)
    pub const URL_5: &str = "URL-5";
    /// The relay MUST close with 4404 if URL-3, URL-4 or URL-5 is broken, if a percent sign is not followed
    /// by two hexadecimal digits, if any parameter but `v`, known or not, stands more than once, or if the
    /// path is anything but `/r/` and one segment.
    pub const URL_6: &str = "URL-6";
    /// Rooms with the same room id and different game ids MUST be different rooms; `u` plays no part in it.
    pub const URL_7: &str = "URL-7";
    /// But for what LIM-IN-2, RATE-CONN-1 and DUR-9 allow, the relay MUST answer a valid upgrade that it
    /// refuses by accepting the upgrade and then closing with a code and reason of chapter 7, before it sends
    /// anything else. Godot tells a game nothing of an HTTP error.
    pub const JOIN_ADMIT_1: &str = "JOIN-ADMIT-1";
    /// A room MUST NOT have more version 1 members than the relay's limit, 32 (`room_members_v1`) unless
    /// configured otherwise; every member counts, whatever its mode. The next one is closed with 4432. A
    /// place is free again as soon as its member has left (LEAVE-1).
    pub const JOIN_ADMIT_2: &str = "JOIN-ADMIT-2";
    /// A refused connection MUST leave no trace in the room: no ADD_PEER, no DEL_PEER, no place taken.
    pub const JOIN_ADMIT_3: &str = "JOIN-ADMIT-3";
    /// The relay MUST test in this order: URL-2 (4406), URL-6 (4404), whether it is shutting down (1012),
    /// RATE-CONN-1 (4429), RATE-JOIN-1 (4429), whether the room can be read from the store (4500), the number
    /// of members (4432). It sends the peer id only when all have passed. A connection takes a place at its
    /// cut; the number of members, and once more whether the relay is shutting down, are tested in the same
    /// step.
    pub const JOIN_ADMIT_5: &str = "JOIN-ADMIT-5";
    /// Joining MUST NOT create anything durable. A room exists in the store from its first commit.
    pub const JOIN_ADMIT_4: &str = "JOIN-ADMIT-4";
    /// The relay MUST send the join data in this order and in full before any live frame.
    pub const JOIN_ORDER_1: &str = "JOIN-ORDER-1";
    /// A client MAY send from the moment of the upgrade; the relay MUST handle such messages after the
    /// member's cut. If the connection is refused, they are dropped. The client's close frame, the end of its
    /// stream, and what breaks WS-5 or LIM-IN-1 may be found before the cut, and then it never becomes a
    /// member and its messages are dropped; or in their turn after it. (A client library of chapter 12 waits:
    /// CLIENT-WRITE-1.)
    pub const JOIN_ORDER_4: &str = "JOIN-ORDER-4";
    /// A room without keys MUST NOT cause a STATE_SNAPSHOT, and one without a world MUST NOT cause a
    /// WORLD_LOAD.
    pub const JOIN_ORDER_2: &str = "JOIN-ORDER-2";
    /// The snapshot at a join MUST hold every key of the room with the revision of its last write.
    pub const JOIN_ORDER_3: &str = "JOIN-ORDER-3";
    /// The join data MUST show the room as it is between two commits, the cut. Every commit up to the cut is
    /// in the join data, and no live frame carries it again. Every later commit takes effect by live frames:
    /// a value by its STATE_UPDATE, or merged as SLOW-2 says; a save by its ack or by a WORLD_LOAD as
    /// ROOM-WORLD-4 to ROOM-WORLD-6 say.
    pub const JOIN_CUT_1: &str = "JOIN-CUT-1";
    /// The join data MUST NOT show a write that is not yet durable.
    pub const JOIN_CUT_2: &str = "JOIN-CUT-2";
    /// Presence MUST be cut in the same way: of any two peers members, each gets exactly one ADD_PEER for the
    /// other unless one leaves first, and no RELAY from a peer arrives before the ADD_PEER that announces it
    /// or after its DEL_PEER.
    pub const JOIN_CUT_3: &str = "JOIN-CUT-3";
    /// A member leaves when its connection ends, when its close frame or the end of its stream has arrived
    /// and what came before it is handled, or when the relay decides to close it, whichever is first. From
    /// then on it takes no place, is no peer, and the relay MUST NOT send it frames.
    pub const LEAVE_1: &str = "LEAVE-1";
    /// What was in a member's queue when it left MUST be delivered before the close frame if the relay closes
    /// it for anything but SLOW-3, within the time of CLOSE-9, and MAY be dropped if the member closed.
    /// Writes that are accepted and not yet durable are committed without telling it.
    pub const LEAVE_2: &str = "LEAVE-2";
    /// The relay MUST send the STATE_UPDATE, the WORLD_SAVE_ACK and the WORLD_LOAD of a write, and let it
    /// appear in join data, only after the write is durable.
    pub const DUR_1: &str = "DUR-1";
    /// After a crash at any moment, every write that any member was told of MUST still be there, with the
    /// revision that was told.
    pub const DUR_2: &str = "DUR-2";
    /// A write of which no member was told MAY be lost in a crash, or be found in the room afterwards. The
    /// first write after the crash takes the revision that follows the last one found, which may be the
    /// number of a lost write: that was never a commit.
    pub const DUR_3: &str = "DUR-3";
    /// Writes of a room MUST become durable in the order of their revisions: if one is lost in a crash, so is
    /// every later one.
    pub const DUR_4: &str = "DUR-4";
    /// If the store fails to make a write durable, the relay MUST NOT tell anyone of that write, MUST NOT
    /// accept another, and MUST shut down; members are closed with 4500 where that is still possible, and new
    /// upgrades with 4500 or 1012 or not answered. What a disk holds after a failed flush cannot be known
    /// without reading it again from the start.
    pub const DUR_5: &str = "DUR-5";
    /// If a room cannot be read from the store, or what is read breaks the rules of chapter 3, the relay MUST
    /// close those who join it with 4500, serve nothing of it, and go on serving other rooms. What a crash
    /// leaves behind, such as a write cut short at the end of a log, is no damage: the store's own recovery
    /// drops it.
    pub const DUR_6: &str = "DUR-6";
    /// The relay MUST keep values and world when every member has left. (It may forget the room in memory.)
    pub const DUR_7: &str = "DUR-7";
    /// Two relay processes MUST NOT use the same store at the same time. The second refuses to start.
    pub const DUR_8: &str = "DUR-8";
    /// When it is told to shut down, the relay MUST, in this order: stop letting members in (new upgrades are
    /// closed with 1012, or no longer answered); ignore what members still send; make the accepted writes
    /// durable and send their STATE_UPDATEs and acks; close every member with 1012; close its store and end.
    pub const DUR_9: &str = "DUR-9";
    /// A relay that runs without a durable store MUST say so to its operator when it starts. It keeps every
    /// other rule, with its own lifetime in place of the store's.
    pub const DUR_10: &str = "DUR-10";
    /// The relay MUST accept messages of up to 4,194,304 bytes (`max_inbound_message`) and close with 1009
    /// when a frame, or the fragments of a message so far together, are longer. It goes by the declared
    /// length of a frame and reserves no memory for it; the sum of fragments it may test when a fragment has
    /// come whole. (A WORLD_SAVE between the room's cap and this limit is closed with 4413.)
    pub const LIM_IN_1: &str = "LIM-IN-1";
    /// The relay MUST refuse, with an HTTP error or by dropping the connection, a request whose head is
    /// longer than a bound that it documents (`max_request_head`); it may refuse one with more than 100
    /// header fields.
    pub const LIM_IN_2: &str = "LIM-IN-2";
    /// The relay MUST NOT send a version 1 member a message of more than 4,194,304 bytes
    /// (`max_outbound_message`), the buffer that the existing client asks for.
    pub const LIM_OUT_1: &str = "LIM-OUT-1";
    /// The relay MUST drop a connection that has not sent its whole upgrade request within the handshake
    /// time-out, whatever else it asked meanwhile.
    pub const LIM_TIME_1: &str = "LIM-TIME-1";
    /// The relay MUST send a WebSocket ping to a member each `ping_interval` until it begins to close it, and
    /// close it with 4408 when not one byte came from it for `idle_timeout`. Time in which the relay itself
    /// did not read (LIM-MEM-2, or because it did not run) does not count.
    pub const LIM_TIME_2: &str = "LIM-TIME-2";
    /// The default of `idle_timeout` MUST NOT be below 45 seconds: a paused game reads nothing for a while.
    /// (In a busy room its queue may fill before; see SLOW-3.)
    pub const LIM_TIME_3: &str = "LIM-TIME-3";
    /// A time of this chapter but `close_timeout` is a lower bound. What is to happen when it ends SHOULD
    /// happen within a second of it, or a tenth of it if that is longer, on a relay that is not overloaded.
    pub const LIM_TIME_4: &str = "LIM-TIME-4";
    /// What the relay keeps for one connection, and for one room, MUST have a bound that follows from this
    /// chapter. A name that holds nothing, and a client address, MUST take no memory once its members and
    /// connections have gone and its rates (7.4) are whole again.
    pub const LIM_MEM_1: &str = "LIM-MEM-1";
    /// When accepted writes that are not yet durable pass a bound that the relay documents, it MUST read no
    /// more from the room's writers until they shrink. Nothing is lost by it: what they send waits in their
    /// connections. A wait of this kind ends when the relay decides to close the member; until then it puts
    /// off that the relay sees the member leave.
    pub const LIM_MEM_2: &str = "LIM-MEM-2";
    /// A member that does not read MUST NOT change what others get, and nothing sent to them waits for it.
    pub const SLOW_1: &str = "SLOW-1";
    /// When it takes frames from a queue whose connection refused data since they were put there, the relay
    /// MUST make each run of STATE_UPDATEs in it into one STATE_SNAPSHOT with the newest entry of each key,
    /// ascending by revision; a run of one MAY stay a STATE_UPDATE. Frames of every other kind, RELAYs too,
    /// keep their place and end a run. So the member never sees an order that did not happen, though it may
    /// skip states in between. For a member whose connection takes all that is sent, nothing is merged.
    pub const SLOW_2: &str = "SLOW-2";
    /// The relay MUST close a member with 4409 when the size of its queue has been above `queue_limit` for
    /// `queue_grace` without a break, and at once when it would pass `queue_hard_limit`. The size is that of
    /// the messages in it, after the merging of SLOW-2, as far as they were not handed to the operating
    /// system. `queue_limit` is never less than the largest join data.
    pub const SLOW_3: &str = "SLOW-3";
    /// When it closes a slow member, the relay MUST drop its queue but for the rest of a message of which a
    /// part was sent, and then send the close frame if the connection takes it within the time of CLOSE-9.
    pub const SLOW_4: &str = "SLOW-4";
    /// The reason of a close that the relay begins MUST begin with the stable prefix of its code. If details
    /// follow, they are separated by a colon and a space. The whole is UTF-8 of at most 123 bytes
    /// (`close_reason_max`). Programs look at the code and, if they must, at the prefix; details are for
    /// people.
    pub const CLOSE_1: &str = "CLOSE-1";
    /// The reason of 4400 for a frame that does not decode SHOULD name the class, offset, field and rule.
    pub const CLOSE_2: &str = "CLOSE-2";
    /// The close code and reason MUST tell all that a client needs to know about the end: Godot cannot read
    /// data that arrives together with a close, so no frame may be needed to understand it.
    pub const CLOSE_3: &str = "CLOSE-3";
    /// A message that does not decode, and a WORLD_SAVE or STATE_SET from a member in mode `peers`, MUST
    /// close its sender with 4400. No other message does.
    pub const CLOSE_4: &str = "CLOSE-4";
    /// A text message MUST close its sender with 1003, at its first frame or when it is whole, whatever it
    /// holds, be it empty or not UTF-8. (If it is too long or its framing is broken as well, the relay may
    /// find that first.)
    pub const CLOSE_5: &str = "CLOSE-5";
    /// A close for a member's own fault MUST NOT disturb any other member, except that peers members get its
    /// DEL_PEER.
    pub const CLOSE_6: &str = "CLOSE-6";
    /// When the relay has decided to close a member, it MUST ignore what that member still sends but for its
    /// close frame. Writes that it accepted before are committed as ever.
    pub const CLOSE_7: &str = "CLOSE-7";
    /// After it sent a close frame, the relay MUST go on reading, and discarding, until the other side's
    /// close frame, the end of the stream, or the time of CLOSE-9: an end with unread bytes would reset the
    /// connection and lose the reason.
    pub const CLOSE_8: &str = "CLOSE-8";
    /// The relay MUST end a connection at the latest `close_timeout` after it decided to close it or the
    /// client's close frame came, whichever was first, whatever is still unsent or unanswered. When both
    /// close frames have passed, it ends its half of the connection at once.
    pub const CLOSE_9: &str = "CLOSE-9";
    /// Each rate has a burst. In any t seconds no more than burst + rate × t MUST pass it, and what keeps
    /// within that passes.
    pub const RATE_RULE_1: &str = "RATE-RULE-1";
    /// The relay MUST bound how often a room is joined, and how often one client address joins, by rates and
    /// bursts that it documents (`join_rate_room`, `join_burst_room`, `join_rate_address`,
    /// `join_burst_address`). The address is tested first. A join above one of the rates is refused with
    /// 4429. It counts for each rate that lets it pass, whatever refuses it afterwards, and for no other.
    pub const RATE_JOIN_1: &str = "RATE-JOIN-1";
    /// The bursts of RATE-JOIN-1 MUST NOT be below twice the most members that a room may have: a full room
    /// that comes back at once comes in, and so does one that all of it tries twice.
    pub const RATE_JOIN_2: &str = "RATE-JOIN-2";
    /// The relay MUST bound how fast it reads binary messages, of one member and of all members of a room
    /// together, by rates and bursts that it documents (`send_rate`, `send_burst`, `send_rate_room`,
    /// `send_burst_room`). A message counts as its bytes and `message_cost` when it is whole; control frames
    /// do not count. It passes its member's rate and then its room's before it is handled, and until then the
    /// relay reads no more from that member. What it sends waits in its connection, as in LIM-MEM-2, and
    /// nothing is lost or reordered.
    pub const RATE_SEND_1: &str = "RATE-SEND-1";
    /// Of several members that wait for the rate of their room, the one that has waited longest MUST go
    /// first.
    pub const RATE_SEND_3: &str = "RATE-SEND-3";
    /// The bursts of RATE-SEND-1 MUST NOT be below the largest message that the relay accepts and its
    /// `message_cost`.
    pub const RATE_SEND_2: &str = "RATE-SEND-2";
    /// The relay MUST bound how many connections it has, in all and with one client address (`connections`,
    /// `connections_per_address`). A valid upgrade above the bound of its address is answered with 4429. A
    /// connection above the bound of all, or above twice that of its address, MAY be ended without an answer.
    pub const RATE_CONN_1: &str = "RATE-CONN-1";
    /// A client address MUST be an IPv4 address, an IPv4-mapped IPv6 address being one, or the first 64 bits
    /// of another IPv6 address. Where the operator says that a proxy stands before the relay, it is the
    /// address that the proxy names. A relay MAY leave out its own host by default (the suite runs there),
    /// but MUST be able to bound it as well.
    pub const RATE_ADDR_1: &str = "RATE-ADDR-1";
    /// The relay MUST NOT pass on a frame that only the relay may send: for `F2`, `F3`, `F5` and `F6` it
    /// closes the sender with 4400, ADD_PEER and DEL_PEER it drops.
    pub const SEC_FORGE_1: &str = "SEC-FORGE-1";
    /// The relay MUST write every frame that it sends itself. Of a member's bytes only keys, values, worlds
    /// and RELAY payloads go into it, in the fields that the layouts give them.
    pub const SEC_FORGE_2: &str = "SEC-FORGE-2";
    /// A message of a member, however malformed, MUST NOT end the relay, or change anything but what it says.
    pub const SEC_ISOLATE_1: &str = "SEC-ISOLATE-1";
    /// The relay SHOULD NOT write values, worlds, payloads or user labels to its logs.
    pub const SEC_LOG_1: &str = "SEC-LOG-1";
    /// An implementation that claims a class and capability MUST pass every scored case of the suite for it.
    /// A case for a capability that is not claimed is skipped and shown as skipped.
    pub const CONF_1: &str = "CONF-1";
    /// A relay that claims only `room` MUST serve members without `m` as in mode `state` and close `m=peers`
    /// with 4404; one that claims only `peers` MUST serve members without `m` as in mode `peers` and close
    /// `m=state` with 4404. A client that claims only `room` MUST join with `m=state`, one that claims only
    /// `peers` with `m=peers`.
    pub const CONF_3: &str = "CONF-3";
    /// For each choice in the table below, an implementation MUST document the arm that it takes and keep to
    /// it. Other things that a rule leaves open need no documentation.
    pub const CONF_2: &str = "CONF-2";
    /// A relay that serves version 1 MUST serve the unmodified `ZivaState` client (capability `room`) and
    /// Godot's `WebSocketMultiplayerPeer` (capability `peers`) as this document describes, for the
    /// capabilities that it claims (chapter 9).
    pub const COMPAT_1: &str = "COMPAT-1";
    /// The relay MUST send each frame as one unfragmented WebSocket frame: FIN set, opcode 2, reserved bits
    /// clear, unmasked, the shortest length form. Some Godot versions took the size of the first fragment for
    /// the size of the message.
    pub const WS_1: &str = "WS-1";
    /// The relay MUST accept fragmented messages from clients, and control frames between the fragments.
    pub const WS_2: &str = "WS-2";
    /// The relay MUST NOT negotiate an extension or choose a subprotocol, whatever the request offers. Godot
    /// drops compressed frames, and fails a connection whose answer names a subprotocol that it did not ask
    /// for. (A browser that offers one fails the connection: do not offer one.)
    pub const WS_3: &str = "WS-3";
    /// The relay's answer to an upgrade MUST have the status 101, `Upgrade: websocket`, `Connection: Upgrade`
    /// and the right `Sec-WebSocket-Accept`. `Connection` holds nothing else: Godot compares the whole value.
    pub const WS_4: &str = "WS-4";
    /// The relay MUST close with 1002 when a client breaks the WebSocket framing. These are the ways: an
    /// unmasked frame, a reserved bit or opcode, a control frame that is fragmented or longer than 125 bytes,
    /// a continuation without a beginning, a data frame inside an unfinished message, a close frame of one
    /// byte, with a code outside 1000 to 1003, 1007 to 1014 and 3000 to 4999, or with a reason that is not
    /// UTF-8, a length of 64 bits whose first bit is set. A length that is not in its shortest form MAY be
    /// accepted or closed with 1002. Where a header is broken and its length over the limit, either code will
    /// do. A broken close frame counts as broken framing: the close with 1002 is the relay's.
    pub const WS_5: &str = "WS-5";
    /// The relay MUST answer a ping with a pong that carries the same bytes, and a client's close frame with
    /// one that carries the same code, or none if it had none; if it has decided to close by then, its own
    /// close frame is the answer. Where a message just before the client's close frame is one that closes,
    /// either may be. If several pings wait to be answered, the newest answer is enough (RFC 6455, 5.5.3).
    /// Pongs count in the member's queue.
    pub const WS_6: &str = "WS-6";
    /// A request is a valid upgrade if it is a GET over HTTP/1.1 with `websocket` in `Upgrade`, the token
    /// `Upgrade` in `Connection` (both in any case, and among others), one `Sec-WebSocket-Key`,
    /// `Sec-WebSocket-Version: 13`, and a target of printable ASCII. The relay MUST answer a valid upgrade,
    /// on any path but those that it serves for its operator, as JOIN-ADMIT-1 says. It MAY hold a request for
    /// none if its key is not the base64 of 16 bytes, if it has no `Host` or more than one, or if it
    /// announces a body.
    pub const WS_7: &str = "WS-7";
    /// Any other request, on any path but those, MUST be answered with an HTTP error and change nothing: 426
    /// for a GET of `/r/` and one segment that has no `Upgrade` header, otherwise a 4xx. (It may be dropped
    /// as LIM-IN-2, LIM-TIME-1 and RATE-CONN-1 say.)
    pub const WS_8: &str = "WS-8";
    /// A client MUST percent-encode room, game and user where it puts them into the URL, all bytes but `A` to
    /// `Z`, `a` to `z`, `0` to `9`, `-`, `.`, `_`, `~`; it appends `/r/` and the rest to the path of the
    /// relay's address without a doubled slash, and refuses an address that has a query.
    pub const CLIENT_URL_1: &str = "CLIENT-URL-1";
    /// A client SHOULD check room and game against URL-3 before it connects, and say which one is at fault.
    pub const CLIENT_URL_2: &str = "CLIENT-URL-2";
    /// A client MUST keep RFC 6455: its request is a valid upgrade (WS-7) and offers no subprotocol, it masks
    /// what it sends, each frame of its is one binary message, and it answers a ping with a pong that carries
    /// the same bytes and a close frame with a close frame.
    pub const CLIENT_WS_1: &str = "CLIENT-WS-1";
    /// A client MUST take a message that comes in fragments, with control frames between them, for the one
    /// message that it is.
    pub const CLIENT_WS_2: &str = "CLIENT-WS-2";
    /// When the relay breaks the WebSocket framing, in one of the ways of WS-5 with a masked frame in place
    /// of an unmasked one (where a header is broken and its length over the limit, 1009 will do as well), or
    /// when its answer to the upgrade is one that RFC 6455, section 4.1, tells a client to refuse, a client
    /// MUST end the connection, report the end, and act on nothing that follows.
    pub const CLIENT_WS_3: &str = "CLIENT-WS-3";
    /// After broken framing, a client SHOULD close with 1002.
    pub const CLIENT_WS_4: &str = "CLIENT-WS-4";
    /// A client MUST report once in each connection that it is ready, and not before it has its peer id.
    pub const CLIENT_READY_1: &str = "CLIENT-READY-1";
    /// A client SHOULD wait for the join data before it reports that it is ready: in version 1, until nothing
    /// of a binary message has come for a short time (`ready_quiet`) after the peer id, or until a frame
    /// comes that can only be a live one. That is any frame but ADD_PEER, STATE_SNAPSHOT and WORLD_LOAD in
    /// the order of 5.3, the latter two once; ready is reported before such a frame is applied. Godot's own
    /// packets, a frame that CLIENT-STRANGE-1 ignores and one that does not decode show nothing; the quiet
    /// begins again with each of them. Control frames need not count. A game that writes its first values at
    /// "ready" otherwise writes over a running game.
    pub const CLIENT_READY_2: &str = "CLIENT-READY-2";
    /// A client MUST accept messages of up to 4,194,304 bytes.
    pub const CLIENT_BUFFER_1: &str = "CLIENT-BUFFER-1";
    /// A client SHOULD go on reading, and answering pings, while its game is paused.
    pub const CLIENT_ALIVE_1: &str = "CLIENT-ALIVE-1";
    /// For each key and within one connection, a client MUST keep the value with the highest revision that it
    /// got, and ignore an entry whose revision is not above the one that it holds, without an event.
    pub const CLIENT_APPLY_1: &str = "CLIENT-APPLY-1";
    /// A client MUST decode a frame as a whole before it applies any of it. A frame that does not decode
    /// changes nothing and is reported as an error.
    pub const CLIENT_APPLY_2: &str = "CLIENT-APPLY-2";
    /// After a frame that does not decode, a client SHOULD close with 4400.
    pub const CLIENT_APPLY_4: &str = "CLIENT-APPLY-4";
    /// A client MUST report exactly once each entry that it applied, in the order of the frame, but for what
    /// CLIENT-CACHE-2 says of entries that it held before.
    pub const CLIENT_APPLY_3: &str = "CLIENT-APPLY-3";
    /// What a client holds MUST be bound to the relay's address, the game and the room: joining another room
    /// starts empty.
    pub const CLIENT_CACHE_1: &str = "CLIENT-CACHE-1";
    /// A client MUST NOT act on what comes over a connection that it has begun to close, but for answering
    /// the close frame; pings need no answer any more.
    pub const CLIENT_LATE_1: &str = "CLIENT-LATE-1";
    /// After a reconnect to the same room a client MUST go on holding what it held, but revisions from before
    /// MUST NOT make it ignore what the new connection brings: the first entry for a key on a connection
    /// counts whatever its revision is, and is not reported again if its revision and value are those held.
    /// What the new connection does not bring stays held: version 1 cannot say that a key is gone. (A relay
    /// that lost its store begins at 1 again.)
    pub const CLIENT_CACHE_2: &str = "CLIENT-CACHE-2";
    /// A client MUST NOT change what it holds when it sends a write; it changes it when an entry for the key
    /// comes.
    pub const CLIENT_ECHO_1: &str = "CLIENT-ECHO-1";
    /// A client MUST let a game tell a key that is not set from one that holds an empty value.
    pub const CLIENT_GET_1: &str = "CLIENT-GET-1";
    /// A client MUST report each WORLD_LOAD, an empty one too, and each WORLD_SAVE_ACK, and let a game tell
    /// which of its saves an ack answers: the oldest one that was sent over the same connection and is not
    /// yet answered. With the report of the end of a connection, or before it, it MUST tell which of the
    /// saves that did not fail were not answered.
    pub const CLIENT_WORLD_1: &str = "CLIENT-WORLD-1";
    /// If the key breaks ROOM-KEY-1 or ROOM-KEY-2, if a room could never hold what is written, if the message
    /// would be longer than `max_inbound_message`, if the client's mode does not allow it, or if the client
    /// has not reported that its connection is ready or has begun to close it (and was not told to keep the
    /// write, CLIENT-WRITE-2), a write MUST fail towards its caller at once, and nothing is sent. A RELAY is
    /// a write in this chapter; one without payload fails like a key that breaks a rule.
    pub const CLIENT_WRITE_1: &str = "CLIENT-WRITE-1";
    /// A client MUST NOT keep a write for a connection that comes later, or until one is ready, without being
    /// told to. After 4400, 4413 or 4500 it MUST NOT repeat by itself a write that was not answered.
    pub const CLIENT_WRITE_2: &str = "CLIENT-WRITE-2";
    /// A write that did not fail towards its caller MUST be sent, after those before it, and before the close
    /// frame if the game then closes, unless the connection ends first.
    pub const CLIENT_WRITE_3: &str = "CLIENT-WRITE-3";
    /// A client MUST report each end of a connection once, with code and reason, one that ended before it was
    /// open too: those that the client itself closed with, if it sent its close frame before one had come;
    /// else those of the relay's close frame; 1006 and an empty reason where there was neither. A close frame
    /// without a code counts as 1005 and an empty reason, whoever sent it.
    pub const CLIENT_CLOSE_1: &str = "CLIENT-CLOSE-1";
    /// A client that reconnects by itself MUST wait between attempts, longer after each failure up to a
    /// limit, and with a random part, so that the members of a relay that went down do not all come back at
    /// one moment. An attempt that ends before it is ready is a failure, and only a connection that was ready
    /// MAY make the wait short again.
    pub const CLIENT_RETRY_1: &str = "CLIENT-RETRY-1";
    /// A client SHOULD NOT reconnect by itself after 1002, 1003, 1009, 4400, 4404, 4406 or 4413, whichever
    /// side closed with it: the same thing would happen again.
    pub const CLIENT_RETRY_2: &str = "CLIENT-RETRY-2";
    /// A client MUST take the first message of a connection as the peer id and no later one, and report peers
    /// from ADD_PEER and DEL_PEER. When the connection ends, all its peers are gone; each MUST be reported
    /// gone before the end is.
    pub const CLIENT_PEER_1: &str = "CLIENT-PEER-1";
    /// A client MUST ignore an ADD_PEER for a peer that it has or is, a DEL_PEER for one that it has not, a
    /// RELAY from one that it has not, and an ack when no save of its is unanswered. It MAY ignore a frame
    /// that its mode leaves out, without decoding it. A first message that is no PEER_ID is an error: it MUST
    /// end the connection, as CLIENT-APPLY-4 and CLIENT-TEXT-2 say, and act on nothing that follows.
    pub const CLIENT_STRANGE_1: &str = "CLIENT-STRANGE-1";
    /// A client MUST treat a text message as an error, whatever it holds.
    pub const CLIENT_TEXT_1: &str = "CLIENT-TEXT-1";
    /// After a text message, a client SHOULD close with 1003.
    pub const CLIENT_TEXT_2: &str = "CLIENT-TEXT-2";
}
