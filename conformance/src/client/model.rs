//! A client scenario, as data: what the runner does as a relay, what it has the client do, and what it must see.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hex::Hex;

/// One scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientScenario {
    /// `C` and four digits; never used for another scenario.
    pub id: String,
    /// `group/what`.
    pub name: String,
    /// Counts changes.
    pub rev: u32,
    /// The version of the protocol that it belongs to first.
    pub since: String,
    /// What it shows, in one or two sentences.
    pub about: String,
    /// The clauses that it tests.
    pub reqs: Vec<String>,
    /// The capabilities that a client needs for it.
    pub needs: Vec<ClientCapability>,
    /// `ready` must come just where it stands in a list of events; else it may come earlier.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict_ready: bool,
    /// What happens.
    pub steps: Vec<ClientStep>,
}

impl ClientScenario {
    /// The part of the name before the slash.
    pub fn group(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Why a client that only follows its URL cannot play it; `None` if it can.
    pub fn needs_a_driver(&self) -> Option<&'static str> {
        let mut connects = 0_u32;
        for step in &self.steps {
            match step {
                ClientStep::Connect(connect) => {
                    connects = connects.saturating_add(1);
                    if connects > 1 || *connect != Connect::default() {
                        return Some("the client is told where and how to connect");
                    }
                }
                ClientStep::Ask(_) => return Some("the client is told what to do"),
                ClientStep::Events(_) | ClientStep::Fence(_) => {
                    return Some("it looks at the client's events");
                }
                _ => {}
            }
        }
        None
    }
}

/// What a client may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientCapability {
    /// Values and worlds.
    Room,
    /// Godot's traffic.
    Peers,
    /// It connects again by itself.
    Reconnect,
    /// Its game can be paused: the commands `pause` and `resume`.
    Pause,
}

impl ClientCapability {
    /// As an adapter writes it.
    pub fn name(self) -> &'static str {
        match self {
            ClientCapability::Room => "room",
            ClientCapability::Peers => "peers",
            ClientCapability::Reconnect => "reconnect",
            ClientCapability::Pause => "pause",
        }
    }

    /// By that name.
    pub fn of(name: &str) -> Option<Self> {
        [Self::Room, Self::Peers, Self::Reconnect, Self::Pause].into_iter().find(|have| have.name() == name)
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientStep {
    /// The client joins a room.
    Connect(Connect),
    /// The client is given a command and answers it.
    Ask(Ask),
    /// Its next connection comes, and its upgrade is answered.
    Accept(Accept),
    /// The relay sends, in one write.
    Send(Send),
    /// The relay sends a ping; its pong must come.
    Ping(Ping),
    /// The next messages of the client are these.
    Expect(Expect),
    /// The next messages of the client are the writes that it took and that no step has asked about yet, in their order.
    ExpectWrites(On),
    /// The relay pings, and nothing comes before the pong.
    Nothing(On),
    /// The next events of the client are these.
    Events(Events),
    /// The relay sends a value of its own, and the next event is about it.
    Fence(Fence),
    /// The relay sends a close frame.
    Close(Close),
    /// The client's close frame comes next.
    ExpectClose(ExpectClose),
    /// The connection ends, with a close frame of the client or without one; messages before it are a failure.
    ExpectEnd(On),
    /// The relay ends the TCP connection without a close frame.
    Drop(Drop),
    /// The relay stops to read, or goes on.
    Stall(Stall),
    /// No connection waits to be accepted.
    NoConnection(On),
    /// Steps, several times; `$i` in texts counts from 1.
    Repeat(Repeat),
}

/// Which connection a step is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct On {
    /// Its number in the order of acceptance, from 1; the newest if it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<usize>,
}

/// See [`ClientStep::Connect`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Connect {
    /// The second relay in place of the first: another port of this machine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other_relay: bool,
    /// What follows the port in the relay's address.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The game.
    pub game: String,
    /// The room.
    pub room: String,
    /// The user label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// `both`, `state` or `peers`.
    pub mode: String,
    /// The client refuses.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
}

impl Default for Connect {
    fn default() -> Self {
        Self {
            other_relay: false,
            path: String::new(),
            game: "game".into(),
            room: "room".into(),
            user: None,
            mode: "both".into(),
            refused: false,
        }
    }
}

/// See [`ClientStep::Ask`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The command, with its name in `cmd`.
    pub command: Value,
    /// What its answer must have.
    pub answer: Value,
}

/// See [`ClientStep::Accept`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Accept {
    /// At the second relay.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub other_relay: bool,
    /// The path of the request, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The parameters of the query in any order, byte for byte: `["g=game", "v=1"]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<Vec<String>>,
    /// What the upgrade is answered with.
    #[serde(skip_serializing_if = "Upgrade::is_right")]
    pub upgrade: Upgrade,
    /// What is sent in the same write as the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub send: Vec<Item>,
}

/// What an upgrade is answered with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Upgrade {
    /// 101, as it should be.
    #[default]
    Right,
    /// This HTTP status.
    Status(u16),
    /// 101 with the key of another request.
    WrongKey,
    /// 101 and a header that the client did not ask for.
    Header(String),
    /// 101 without the header of that name.
    Without(String),
    /// No answer.
    Never,
    /// Something that is no HTTP, and the end of the connection.
    Garbage,
}

impl Upgrade {
    fn is_right(&self) -> bool {
        *self == Upgrade::Right
    }
}

/// Something to send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// A frame, as one message.
    Frame(Value),
    /// A message, as bytes.
    Message(Value),
    /// One WebSocket frame.
    Ws(WsFrame),
    /// Bytes of the stream.
    Bytes(Hex),
}

/// A WebSocket frame, right or wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WsFrame {
    /// The opcode of RFC 6455.
    pub op: u8,
    /// The last fragment of its message.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub fin: bool,
    /// The reserved bits.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rsv: u8,
    /// Is it masked, as only a client's is?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// The payload.
    #[serde(default)]
    pub payload: Value,
    /// Only the first bytes of the frame are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<usize>,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

/// See [`ClientStep::Send`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Send {
    /// Over which connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<usize>,
    /// What.
    pub items: Vec<Item>,
}

/// See [`ClientStep::Ping`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ping {
    /// The payload, which the pong repeats.
    pub payload: Hex,
}

/// See [`ClientStep::Expect`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// On which connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<usize>,
    /// The frames.
    pub frames: Vec<Value>,
}

/// See [`ClientStep::Events`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// What the events must have, in this order.
    pub list: Vec<Value>,
}

/// See [`ClientStep::Fence`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fence {
    /// That the client ends the connection, and tells so, will do as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub or_closed: bool,
}

/// See [`ClientStep::Close`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Close {
    /// The code; the frame is empty without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// The reason.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// See [`ClientStep::ExpectClose`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExpectClose {
    /// On which connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<usize>,
    /// The codes that will do; any, if none is listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<u16>,
    /// That the connection ends without a close frame will do as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub or_end: bool,
    /// Keeps under this name and `.code` and `.reason` what the client has to tell of an end that it began: what its close frame
    /// has, 1005 if that is empty, 1006 if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<String>,
}

/// See [`ClientStep::Drop`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Drop {
    /// By a TCP reset.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
}

/// See [`ClientStep::Stall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// Stop, or go on.
    pub on: bool,
}

/// See [`ClientStep::Repeat`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// How often.
    pub times: u32,
    /// What.
    pub steps: Vec<ClientStep>,
}
