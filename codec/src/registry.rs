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
pub mod rule {
    /// Integers MUST be read and written little-endian, and those of type `u16` and `u32` as unsigned: `00 00
    /// 00 80` as a `u32` is 2147483648.
    pub const PRIM_INT_1: &str = "PRIM-INT-1";
    /// Text MUST be well-formed UTF-8: no overlong form, no surrogate (U+D800 to U+DFFF), nothing above
    /// U+10FFFF, no sequence cut short. It is never normalised: `é` as `C3 A9` and as `65 CC 81` are two
    /// texts.
    pub const PRIM_TEXT_1: &str = "PRIM-TEXT-1";
    /// A receiver MUST compare a length with the number of bytes left, and never add it to a position first,
    /// so that a length near 2^32 cannot wrap.
    pub const PRIM_LEN_1: &str = "PRIM-LEN-1";
    /// Before it reserves memory or reads an item, a receiver MUST check that `count` items of the smallest
    /// possible size fit in the bytes left; if they do not, the error is `truncated`, at the count. The
    /// product is computed so that it cannot overflow.
    pub const PRIM_COUNT_1: &str = "PRIM-COUNT-1";
    /// A layout that does not end in a `rest` field MUST end with the frame. Bytes after it are the error
    /// `trailing`. The protocol grows by new opcodes and versions, never by bytes at the end of old ones.
    pub const PRIM_END_1: &str = "PRIM-END-1";
    /// A value MUST have one encoding: whatever a receiver accepts, it could have encoded to the very same
    /// bytes.
    pub const PRIM_CANON_1: &str = "PRIM-CANON-1";
    /// A frame MUST be decoded only when it is whole. Frames that end in `rest` need a transport that keeps
    /// message boundaries, as WebSocket does; on a byte stream they would need a length in front. A decoder
    /// never waits for more.
    pub const PRIM_FRAME_1: &str = "PRIM-FRAME-1";
    /// A receiver MUST choose by the whole first byte and by nothing else. Bytes inside a frame are never
    /// looked at for opcodes.
    pub const OP_SPACE_1: &str = "OP-SPACE-1";
    /// In version 1, a frame whose first byte has bit 3 set and low three bits other than 7 MUST be refused
    /// with the error `opcode`, whether or not another version assigns it.
    pub const OP_SPACE_2: &str = "OP-SPACE-2";
    /// A frame whose opcode travels only the other way MUST be refused with the error `direction`, whatever
    /// follows the opcode.
    pub const OP_SPACE_3: &str = "OP-SPACE-3";
    /// An empty message MUST be refused with the error `truncated`.
    pub const OP_SPACE_4: &str = "OP-SPACE-4";
    /// A message whose first byte is Godot's, and a SYS packet that chapter 4 does not name for that
    /// direction, MUST be accepted as opaque Godot traffic. The relay drops it; a client leaves it to Godot.
    pub const OP_SPACE_5: &str = "OP-SPACE-5";
    /// A decoder MUST report the first fault in wire order, field by field: for each field first whether the
    /// frame holds all of it (`truncated`), then whether its number is in range (`limit` for a length,
    /// `value` for anything else; a count that does not fit is `truncated`, by PRIM-COUNT-1), then the next
    /// field. A length out of its range is therefore `limit` even where the bytes that it announces are cut
    /// off.
    pub const ERR_ORDER_1: &str = "ERR-ORDER-1";
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
    /// A revision MUST NOT be used twice in a room, not after every member has left, not after a restart, and
    /// not after a crash.
    pub const ROOM_REV_3: &str = "ROOM-REV-3";
    /// The relay MUST NOT wrap revisions. When 4294967295 is in use, it refuses each further write by closing
    /// its author with 4500, and changes nothing.
    pub const ROOM_REV_4: &str = "ROOM-REV-4";
    /// A STATE_SET whose value equals the stored one MUST commit like any other. Whether a write is worth
    /// sending is for the writer to judge.
    pub const ROOM_REV_5: &str = "ROOM-REV-5";
    /// A key MUST have 1 to 1024 bytes. Both sides check it, and a length outside this range is the error
    /// `limit`.
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
    /// The STATE_UPDATEs of a room MUST reach each state member in the order of their revisions, each at most
    /// once. Slow readers may get several of them as one STATE_SNAPSHOT.
    pub const ROOM_SET_2: &str = "ROOM-SET-2";
    /// The entries of a STATE_SNAPSHOT MUST ascend by revision, no two alike; otherwise the error is `value`,
    /// at `entry.rev`.
    pub const ROOM_SNAP_1: &str = "ROOM-SNAP-1";
    /// A STATE_SNAPSHOT MUST NOT hold a key twice; otherwise the error is `value`, at the `entry.key` of the
    /// later one. A decoder that has no memory to remember keys leaves this check to the layer above it.
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
    /// The WORLD_SAVE_ACKs and STATE_UPDATEs that a member gets MUST be in commit order.
    pub const ROOM_WORLD_3: &str = "ROOM-WORLD-3";
    /// After a save, the relay MUST send a WORLD_LOAD to every state member that holds no world, or an older
    /// one, but never a save back to its own author. A member holds the newest world that its join data had,
    /// that it was sent, or whose save was acked to it.
    pub const ROOM_WORLD_4: &str = "ROOM-WORLD-4";
    /// The relay MUST NOT send the world saved in a room to the others more than once a second: the first
    /// save after a quiet second is sent at once, later ones wait for the second to end, and then the newest
    /// alone is sent. A WORLD_LOAD may therefore trail behind STATE_UPDATEs of later commits.
    pub const ROOM_WORLD_5: &str = "ROOM-WORLD-5";
    /// A member MUST NOT be sent a world that is older than the one it holds. Of two members that save at the
    /// same time, each ends with the newer world or with the ack of it.
    pub const ROOM_WORLD_6: &str = "ROOM-WORLD-6";
    /// A room MUST NOT hold more than 1,048,576 bytes, counted as the bytes of its world plus 10 + key bytes
    /// + value bytes for each key. The 10 bytes are what an entry costs in a snapshot: a room at its cap can
    /// always be joined.
    pub const ROOM_CAP_1: &str = "ROOM-CAP-1";
    /// A room MUST NOT hold more than 4,096 keys.
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
    /// A peer id MUST be from 2 to 2147483647, and its lowest byte, which is the first on the wire, is none
    /// of `F1` to `F6`, has bit 3 clear, and has low three bits other than 7. Otherwise the error is `value`.
    /// The existing client looks at the first byte of every message, and would take the id `0x001234F3` for
    /// an acknowledged save.
    pub const PEER_ID_2: &str = "PEER-ID-2";
    /// A peer id MUST be unique among the members of a room, and SHOULD NOT be predictable.
    pub const PEER_ID_3: &str = "PEER-ID-3";
    /// Towards a client, ADD_PEER and DEL_PEER MUST be exactly 6 bytes, and their peer a peer id as PEER-ID-2
    /// has it. A SYS packet towards a client that ends before its command is `truncated`, at `command`;
    /// towards the relay it is Godot traffic like any other that the relay drops.
    pub const PEER_SYS_1: &str = "PEER-SYS-1";
    /// The relay MUST write `07` as the first byte of every SYS packet that it sends.
    pub const PEER_SYS_2: &str = "PEER-SYS-2";
    /// When a peers member joins, the relay MUST send ADD_PEER with the new id to every other peers member,
    /// and ADD_PEER for each of them to the new one, in the order in which they joined.
    pub const PEER_SYS_3: &str = "PEER-SYS-3";
    /// When a peers member leaves, the relay MUST send DEL_PEER with its id once to every remaining peers
    /// member, after everything that it relayed for it. A member leaves when its connection ends, when its
    /// close frame arrives, or when the relay decides to close it, whichever is first; from then on it takes
    /// no place in the room and gets no frames.
    pub const PEER_SYS_4: &str = "PEER-SYS-4";
    /// The relay MUST NOT announce a member in mode `state`, nor send it ADD_PEER, DEL_PEER or RELAY.
    pub const PEER_SYS_5: &str = "PEER-SYS-5";
    /// The relay MUST NOT send `F1` to `F6` to a member in mode `peers`.
    pub const PEER_SYS_6: &str = "PEER-SYS-6";
    /// The relay MUST drop, and not pass on, Godot traffic that is not a RELAY: ADD_PEER and DEL_PEER from a
    /// client, other SYS commands, and packets to peer 1. It keeps the member connected.
    pub const PEER_SYS_7: &str = "PEER-SYS-7";
    /// A RELAY MUST have a payload of at least one byte. A SYS packet with the command 3 and fewer than 7
    /// bytes is `truncated`, at `peer` if it has fewer than 6, else at `payload`.
    pub const PEER_RELAY_1: &str = "PEER-RELAY-1";
    /// Towards a client, `peer` is the source and MUST be one of the numbers that PEER-ID-2 allows; otherwise
    /// the error is `value`. Towards the relay, `peer` is the target and every `i32` is allowed.
    pub const PEER_RELAY_2: &str = "PEER-RELAY-2";
    /// The relay MUST deliver the payload of a RELAY to these peers members, in a RELAY whose `peer` is the
    /// sender's id: if the target is above 0, the peer with that id; if it is 0, every peer; if it is below
    /// 0, every peer but the one whose id is its absolute value. (-2147483648 excludes nobody.)
    pub const PEER_RELAY_3: &str = "PEER-RELAY-3";
    /// The relay MUST NOT deliver a RELAY to its sender. A RELAY whose target is 1, the sender, or nobody in
    /// the room is dropped, and the sender stays connected.
    pub const PEER_RELAY_4: &str = "PEER-RELAY-4";
    /// The relay MUST pass a payload on as the bytes that it is, and MUST NOT read it: a payload that begins
    /// with `F4` sets nothing.
    pub const PEER_RELAY_5: &str = "PEER-RELAY-5";
    /// RELAYs from one member to another MUST arrive in the order in which they were sent. Between RELAYs and
    /// the frames of chapter 3 there is no order: a RELAY does not wait for a store.
    pub const PEER_RELAY_6: &str = "PEER-RELAY-6";
    /// The relay MUST drop a RELAY from a member in mode `state`: the others do not know its id.
    pub const PEER_RELAY_7: &str = "PEER-RELAY-7";
    /// The relay MUST close a member in mode `peers` that sends WORLD_SAVE or STATE_SET with 4400: it would
    /// never learn what became of its write.
    pub const PEER_MODE_1: &str = "PEER-MODE-1";
    /// The relay MUST take the path and the query apart as follows: the query is split at `&`, and empty
    /// pieces are ignored; each piece is split at its first `=`, and a piece without one has an empty value;
    /// then path segment, names and values are percent-decoded once. `+` stays `+`. Names are case-sensitive.
    /// Unknown parameters are ignored.
    pub const URL_1: &str = "URL-1";
    /// `v` MUST be present exactly once and its value be `1`; otherwise the relay closes with 4406, and the
    /// reason lists the versions that it serves. This is tested before anything else about the URL.
    pub const URL_2: &str = "URL-2";
    /// Room id and game id MUST be 1 to 64 bytes, each one of `A` to `Z`, `a` to `z`, `0` to `9`, `_`, `.`,
    /// `~`, `:`, `-`, and neither `.` nor `..` (URL libraries remove such segments). They are compared by
    /// bytes.
    pub const URL_3: &str = "URL-3";
    /// `u` MUST be at most 128 bytes of UTF-8 after decoding. It may be missing or empty.
    pub const URL_4: &str = "URL-4";
    /// The value of `m` MUST be `state` or `peers` where `m` is present.
    pub const URL_5: &str = "URL-5";
    /// The relay MUST close with 4404 if URL-3, URL-4 or URL-5 is broken, if a percent sign is not followed
    /// by two hexadecimal digits, if any parameter but `v`, known or not, stands more than once, or if the
    /// path is anything but `/r/` and one segment.
    pub const URL_6: &str = "URL-6";
    /// Rooms with the same room id and different game ids MUST be different rooms; `u` plays no part in it.
    pub const URL_7: &str = "URL-7";
    /// The relay MUST answer a WebSocket upgrade that it refuses by accepting the upgrade and then closing
    /// with a code and reason of chapter 7, before it sends anything else. Godot tells a game nothing of an
    /// HTTP error.
    pub const JOIN_ADMIT_1: &str = "JOIN-ADMIT-1";
    /// A room MUST NOT have more version 1 members than the relay's limit, 32 unless configured otherwise;
    /// every member counts, whatever its mode. The next one is closed with 4432. A place is free again as
    /// soon as a member has left.
    pub const JOIN_ADMIT_2: &str = "JOIN-ADMIT-2";
    /// A refused connection MUST leave no trace in the room: no ADD_PEER, no DEL_PEER, no place taken.
    pub const JOIN_ADMIT_3: &str = "JOIN-ADMIT-3";
    /// Joining MUST NOT create anything durable. A room exists in the store from its first commit.
    pub const JOIN_ADMIT_4: &str = "JOIN-ADMIT-4";
    /// The relay MUST send the join data in this order and in full before any live frame.
    pub const JOIN_ORDER_1: &str = "JOIN-ORDER-1";
    /// A room without keys MUST NOT cause a STATE_SNAPSHOT, and one without a world MUST NOT cause a
    /// WORLD_LOAD.
    pub const JOIN_ORDER_2: &str = "JOIN-ORDER-2";
    /// The snapshot at a join MUST hold every key of the room with the revision of its last write.
    pub const JOIN_ORDER_3: &str = "JOIN-ORDER-3";
    /// The join data MUST show the room as it is between two commits, the cut: every commit up to the cut is
    /// in the join data, every later one comes as a live frame; none comes twice, and none is lost.
    pub const JOIN_CUT_1: &str = "JOIN-CUT-1";
    /// The join data MUST NOT show a write that is not yet durable.
    pub const JOIN_CUT_2: &str = "JOIN-CUT-2";
    /// Presence MUST be cut in the same way: of any two peers members, each gets exactly one ADD_PEER for the
    /// other, and no RELAY from a peer arrives before the ADD_PEER that announces it or after its DEL_PEER.
    pub const JOIN_CUT_3: &str = "JOIN-CUT-3";
    /// The relay MUST send the STATE_UPDATE, the WORLD_SAVE_ACK and the WORLD_LOAD of a write, and let it
    /// appear in join data, only after the write is durable.
    pub const DUR_1: &str = "DUR-1";
    /// After a crash at any moment, every write that any member was told of MUST still be there, with the
    /// revision that was told.
    pub const DUR_2: &str = "DUR-2";
    /// A write that no member was told of MAY be lost in a crash, or be found in the room afterwards; in
    /// either case its revision is used at most once.
    pub const DUR_3: &str = "DUR-3";
    /// Writes of a room MUST become durable in the order of their revisions: if one is lost in a crash, so is
    /// every later one.
    pub const DUR_4: &str = "DUR-4";
    /// If the store fails to make a write durable, the relay MUST NOT tell anyone of that write, MUST NOT
    /// accept further writes, and ends; members are closed with 4500 where that is still possible. What a
    /// disk holds after a failed flush cannot be known without reading it again from the start.
    pub const DUR_5: &str = "DUR-5";
    /// If a room cannot be read from the store, the relay MUST close those who join it with 4500, and go on
    /// serving other rooms.
    pub const DUR_6: &str = "DUR-6";
    /// The relay MUST keep values and world when every member has left, and MAY forget the room in memory.
    pub const DUR_7: &str = "DUR-7";
    /// Two relay processes MUST NOT use the same store at the same time. The second refuses to start.
    pub const DUR_8: &str = "DUR-8";
    /// When it shuts down in order, the relay MUST finish the writes that it accepted and tell their members,
    /// close everyone with 1012, and close its store.
    pub const DUR_9: &str = "DUR-9";
    /// A relay that runs without a durable store MUST say so to its operator when it starts. It keeps every
    /// other rule, with its own lifetime in place of the store's.
    pub const DUR_10: &str = "DUR-10";
    /// The relay MUST accept messages of up to 4,194,304 bytes and close with 1009 above it, by the declared
    /// length and without reserving memory for it. (A WORLD_SAVE between the room's cap and this limit is
    /// closed with 4413.)
    pub const LIM_IN_1: &str = "LIM-IN-1";
    /// The relay MUST NOT send a version 1 member a message of more than 4,194,304 bytes, the buffer that the
    /// existing client asks for.
    pub const LIM_OUT_1: &str = "LIM-OUT-1";
    /// The relay MUST drop a connection that has not sent its whole upgrade request within the handshake
    /// time-out.
    pub const LIM_TIME_1: &str = "LIM-TIME-1";
    /// The relay MUST send a WebSocket ping to a member each `ping_interval`, and close it with 4408 when
    /// nothing at all came from it for `idle_timeout`.
    pub const LIM_TIME_2: &str = "LIM-TIME-2";
    /// `idle_timeout` MUST be at least 45 seconds by default: a paused game reads nothing for a while.
    pub const LIM_TIME_3: &str = "LIM-TIME-3";
    /// What the relay keeps for a connection, a room or a name that someone asks for MUST be bounded by the
    /// limits of this chapter. Names of rooms that hold nothing take no memory once their members have left.
    pub const LIM_MEM_1: &str = "LIM-MEM-1";
    /// A member that does not read MUST NOT delay or change what others get.
    pub const SLOW_1: &str = "SLOW-1";
    /// The relay MUST make each run of STATE_UPDATEs that waits in a member's queue into one STATE_SNAPSHOT
    /// with the newest entry of each key, ascending by revision. A run of one MAY stay a STATE_UPDATE. Frames
    /// of other kinds keep their place and end a run. So the member never sees an order that did not happen,
    /// though it may skip states in between.
    pub const SLOW_2: &str = "SLOW-2";
    /// The relay MUST close a member with 4409 when its queue has been above `queue_limit` for `queue_grace`
    /// without a break, and MAY close it at once when its queue is above `queue_hard_limit`. `queue_limit` is
    /// never less than the largest join data.
    pub const SLOW_3: &str = "SLOW-3";
    /// When it closes a slow member, the relay MUST finish a message of which it has sent a part, and SHOULD
    /// then send the close frame; the rest of the queue is dropped.
    pub const SLOW_4: &str = "SLOW-4";
    /// A close reason MUST begin with the stable prefix of its code. If details follow, they are separated by
    /// a colon and a space. The whole is UTF-8 of at most 123 bytes. Programs look at the code and, if they
    /// must, at the prefix; details are for people.
    pub const CLOSE_1: &str = "CLOSE-1";
    /// The reason of 4400 for a frame that does not decode SHOULD name the class, offset, field and rule.
    pub const CLOSE_2: &str = "CLOSE-2";
    /// The close code and reason MUST tell all that a client needs to know about the end: Godot cannot read
    /// data that arrives together with a close, so no frame may be needed to understand it.
    pub const CLOSE_3: &str = "CLOSE-3";
    /// A message that does not decode, that is not allowed in that direction or mode, or that is too short
    /// for its layout, MUST close its sender with 4400.
    pub const CLOSE_4: &str = "CLOSE-4";
    /// A text message MUST close its sender with 1003, whatever it holds.
    pub const CLOSE_5: &str = "CLOSE-5";
    /// A close for a member's own fault MUST NOT disturb any other member, except that peers members get its
    /// DEL_PEER.
    pub const CLOSE_6: &str = "CLOSE-6";
    /// When the relay has decided to close a member, it MUST ignore what that member still sends. Writes that
    /// it accepted before are committed as ever.
    pub const CLOSE_7: &str = "CLOSE-7";
    /// The relay MUST send what it queued for a member before the close frame, except where a rule says
    /// otherwise, and SHOULD wait a moment for the other side's close frame before it ends the connection, so
    /// that the reason is not lost.
    pub const CLOSE_8: &str = "CLOSE-8";
    /// The relay MUST close a member that sends a frame which only the relay may send with 4400, and MUST NOT
    /// pass it on.
    pub const SEC_FORGE_1: &str = "SEC-FORGE-1";
    /// The relay MUST NOT forward bytes of a member unencoded, except values, worlds and RELAY payloads, in
    /// the places that the layouts give them.
    pub const SEC_FORGE_2: &str = "SEC-FORGE-2";
    /// A message of a member, however malformed, MUST NOT end the relay, delay other members, or change
    /// anything but what it says.
    pub const SEC_ISOLATE_1: &str = "SEC-ISOLATE-1";
    /// The relay SHOULD NOT write values, worlds, payloads or user labels to its logs.
    pub const SEC_LOG_1: &str = "SEC-LOG-1";
    /// An implementation that claims a class and capability MUST pass every scored case of the suite for it.
    /// A case for a capability that is not claimed is skipped and shown as skipped.
    pub const CONF_1: &str = "CONF-1";
    /// An implementation MUST document which arm it takes where this document leaves a choice, and take the
    /// same arm every time.
    pub const CONF_2: &str = "CONF-2";
    /// A relay that serves version 1 MUST serve the unmodified `ZivaState` client and Godot's
    /// `WebSocketMultiplayerPeer` as this document describes.
    pub const COMPAT_1: &str = "COMPAT-1";
    /// The relay MUST send each frame as one unfragmented WebSocket frame: FIN set, opcode 2, reserved bits
    /// clear, unmasked, the shortest length form. Some Godot versions took the size of the first fragment for
    /// the size of the message.
    pub const WS_1: &str = "WS-1";
    /// The relay MUST accept fragmented messages from clients, and control frames between the fragments.
    pub const WS_2: &str = "WS-2";
    /// The relay MUST NOT negotiate an extension, and MUST NOT choose a subprotocol. Godot drops compressed
    /// frames, and fails a connection whose answer names a subprotocol that it did not ask for.
    pub const WS_3: &str = "WS-3";
    /// The relay's answer to an upgrade MUST have the status 101, `Upgrade: websocket`, `Connection: Upgrade`
    /// and the right `Sec-WebSocket-Accept`. `Connection` holds nothing else: Godot compares the whole value.
    pub const WS_4: &str = "WS-4";
    /// The relay MUST close with 1002 when a client breaks the WebSocket framing: an unmasked frame, a
    /// reserved bit or opcode, a control frame that is fragmented or longer than 125 bytes, a continuation
    /// without a beginning.
    pub const WS_5: &str = "WS-5";
    /// The relay MUST answer a ping with a pong that carries the same bytes, and a close frame with a close
    /// frame.
    pub const WS_6: &str = "WS-6";
    /// A request for `/r/` and one segment that is no WebSocket upgrade MUST be answered with an HTTP error,
    /// 426 where it is a GET. It changes nothing.
    pub const WS_7: &str = "WS-7";
    /// Every upgrade is answered as JOIN-ADMIT-1 says, on any path; only a request that is no valid upgrade
    /// at all (a missing key, a version other than 13) MAY be answered with an HTTP error.
    pub const WS_8: &str = "WS-8";
    /// A client MUST percent-encode room, game and user where it puts them into the URL, and MUST NOT produce
    /// a doubled slash when the relay's address ends in one.
    pub const CLIENT_URL_1: &str = "CLIENT-URL-1";
    /// A client SHOULD check room and game against URL-3 before it connects, and say which one is at fault.
    pub const CLIENT_URL_2: &str = "CLIENT-URL-2";
    /// A client MUST NOT report that it is ready before it has its peer id, and SHOULD wait for the join
    /// data: in version 1, until nothing has come for a short time after the peer id. A game that writes its
    /// first values at "ready" otherwise writes over a running game.
    pub const CLIENT_READY_1: &str = "CLIENT-READY-1";
    /// A client MUST accept messages of up to 4,194,304 bytes.
    pub const CLIENT_BUFFER_1: &str = "CLIENT-BUFFER-1";
    /// A client SHOULD go on reading, and answering pings, while its game is paused.
    pub const CLIENT_ALIVE_1: &str = "CLIENT-ALIVE-1";
    /// For each key, a client MUST keep the value with the highest revision that it got, and ignore an entry
    /// whose revision is not above the one that it holds, without an event.
    pub const CLIENT_APPLY_1: &str = "CLIENT-APPLY-1";
    /// A client MUST decode a frame as a whole before it applies any of it. A frame that does not decode
    /// changes nothing and is reported as an error; the client SHOULD then close with 4400.
    pub const CLIENT_APPLY_2: &str = "CLIENT-APPLY-2";
    /// A client MUST report each entry that it applied once, in the order of the frame.
    pub const CLIENT_APPLY_3: &str = "CLIENT-APPLY-3";
    /// What a client holds MUST be bound to the relay's address, the game and the room: joining another room
    /// starts empty. After a reconnect to the same room it keeps what it holds.
    pub const CLIENT_CACHE_1: &str = "CLIENT-CACHE-1";
    /// A client MUST NOT change what it holds when it sends a write, but when the STATE_UPDATE comes.
    pub const CLIENT_ECHO_1: &str = "CLIENT-ECHO-1";
    /// A client MUST let a game tell a key that is not set from one that holds an empty value.
    pub const CLIENT_GET_1: &str = "CLIENT-GET-1";
    /// A client MUST report each WORLD_LOAD, an empty one too, and each WORLD_SAVE_ACK, and let a game tell
    /// which of its saves an ack answers.
    pub const CLIENT_WORLD_1: &str = "CLIENT-WORLD-1";
    /// A write MUST fail towards its caller at once, and nothing be sent, if the key breaks ROOM-KEY-1 or
    /// ROOM-KEY-2, if the frame is larger than a relay accepts, or if there is no connection.
    pub const CLIENT_WRITE_1: &str = "CLIENT-WRITE-1";
    /// A client MUST NOT queue writes over a reconnect without being told to, and MUST NOT repeat by itself a
    /// write for which it was closed.
    pub const CLIENT_WRITE_2: &str = "CLIENT-WRITE-2";
    /// A client MUST report each end of a connection with code and reason, one that ended before it was open
    /// too.
    pub const CLIENT_CLOSE_1: &str = "CLIENT-CLOSE-1";
    /// A client that reconnects by itself MUST wait between attempts, longer after each failure up to a
    /// limit, and with a random part, so that the members of a relay that went down do not all come back at
    /// one moment.
    pub const CLIENT_RETRY_1: &str = "CLIENT-RETRY-1";
    /// A client SHOULD NOT reconnect by itself after 1003, 4400, 4404, 4406 or 4413: the same thing would
    /// happen again.
    pub const CLIENT_RETRY_2: &str = "CLIENT-RETRY-2";
    /// A client MUST take the first message of a connection as the peer id and no later one, and report peers
    /// from ADD_PEER and DEL_PEER. When the connection ends, all its peers are gone.
    pub const CLIENT_PEER_1: &str = "CLIENT-PEER-1";
    /// A client MUST treat a text message as an error and SHOULD close with 1003.
    pub const CLIENT_TEXT_1: &str = "CLIENT-TEXT-1";
}
