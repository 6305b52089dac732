//! What each step says.

use serde::{Deserialize, Serialize};

use super::Step;
use crate::scenario::template::{Bytes, Frame, Num};

/// Names one actor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actor {
    /// Who.
    pub actor: String,
}

/// See [`Step::Connect`]. The id is kept as `$actor.id`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connect {
    /// Who. A name can be used again after its connection has ended.
    pub actor: String,
    /// Which room of this scenario; `{i}` is filled.
    #[serde(default = "main_room")]
    pub room: String,
    /// Which game of this scenario.
    #[serde(default = "main_game")]
    pub game: String,
    /// In which mode.
    #[serde(default)]
    pub mode: Mode,
    /// More of the query, from `&` on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// More headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// Bytes of the kernel's receive buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recv_buffer: Option<usize>,
    /// Never answer pings.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mute: bool,
    /// Never answer a close frame, and never end the connection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deaf: bool,
    /// Frames to send right after the upgrade, before the peer id is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub eager: Vec<Frame>,
    /// Frames that it is not asked about are no failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loose: bool,
    /// Nobody saves a world in its room: the revisions of its updates follow each other without a gap, beginning after
    /// those of the join data.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dense: bool,
}

fn main_room() -> String {
    "main".into()
}

fn main_game() -> String {
    "game".into()
}

/// The modes of version 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// No `m` in the URL.
    #[default]
    Both,
    /// `m=state`.
    State,
    /// `m=peers`.
    Peers,
}

/// See [`Step::Refused`]. In a target, `{room}` and `{game}` stand for fresh valid names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refused {
    /// Paths with queries.
    pub targets: Vec<String>,
    /// The close code.
    pub code: u16,
    /// The reason's prefix.
    pub reason: String,
    /// How many joins the relay may let in before it refuses one. They leave at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_at_most: Option<Num>,
}

/// See [`Step::Admitted`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Targets {
    /// Paths with queries.
    pub targets: Vec<String>,
}

/// See [`Step::Http`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Headers beside `Host`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// Bytes of one more header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pad: Option<usize>,
    /// The end of the connection is right, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub or_end: bool,
    /// The lowest status that is right.
    pub status_from: u16,
    /// The highest.
    pub status_to: u16,
}

/// See [`Step::Tcp`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// What is sent.
    pub text: String,
    /// Within this many times the named time the relay must have ended the connection.
    pub within: Wait,
}

/// See [`Step::Send`]. Exactly one of `frame`, `hex` and `text`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Send {
    /// Who.
    pub actor: String,
    /// A frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Frame>,
    /// The bytes of a binary message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<Bytes>,
    /// A text message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Sizes of all fragments but the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fragments: Vec<usize>,
}

/// See [`Step::Raw`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raw {
    /// Who.
    pub actor: String,
    /// The bytes.
    pub hex: Bytes,
}

/// See [`Step::Ping`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ping {
    /// Who.
    pub actor: String,
    /// The ping's bytes.
    pub hex: Bytes,
}

/// See [`Step::Expect`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Who.
    pub actor: String,
    /// The frames.
    pub frames: Vec<Frame>,
    /// May they come in any order?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_order: bool,
}

/// See [`Step::Await`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Await {
    /// Who.
    pub actor: String,
    /// The frame.
    pub frame: Frame,
}

/// See [`Step::ExpectClose`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectClose {
    /// Who.
    pub actor: String,
    /// The close code.
    pub code: u16,
    /// The reason's prefix.
    pub reason: String,
    /// Text that the details must hold (a SHOULD: only where the case is about it).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Skip frames before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_frames: bool,
    /// An end without a close frame is right, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub or_end: bool,
}

/// See [`Step::Close`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leave {
    /// Who.
    pub actor: String,
    /// The code that the client sends.
    #[serde(default = "normal")]
    pub code: u16,
    /// Send the close frame and read on: the relay's own close frame is for a later step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_send: bool,
}

fn normal() -> u16 {
    1000
}

/// See [`Step::Cut`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// Who.
    pub actor: String,
    /// By a TCP reset.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
}

/// See [`Step::Fence`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// Who sends it.
    pub by: String,
    /// Who must see it next.
    pub members: Vec<String>,
    /// Over which half of the protocol.
    #[serde(default)]
    pub via: Via,
    /// The revision that it must get (`state` only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<Num>,
    /// Other frames may come before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loose: bool,
}

/// How a fence goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// A write of the key `~fence`, whose update every member must see. It takes a revision.
    #[default]
    State,
    /// A RELAY to each of the members.
    Relay,
}

/// See [`Step::Repeat`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// The counter's name.
    pub var: String,
    /// Its first value.
    pub from: Num,
    /// Its last value.
    pub to: Num,
    /// What is repeated.
    pub steps: Vec<Step>,
}

/// See [`Step::Together`]. A branch uses only actors of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Together {
    /// What runs at the same time.
    pub branches: Vec<Vec<Step>>,
}

/// See [`Step::Converge`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Converge {
    /// Who: state members of one room.
    pub actors: Vec<String>,
    /// Their room.
    #[serde(default = "main_room")]
    pub room: String,
}

/// See [`Step::Survives`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Survives {
    /// Who was told.
    pub told: String,
    /// Who joined afterwards, and reads what its join data has. It then sends a fence, which takes a revision that
    /// nobody was told of before.
    pub holder: String,
}

/// See [`Step::Choice`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Who.
    pub actor: String,
    /// The clause that leaves the choice.
    pub clause: String,
    /// What may come next, by the arm's name.
    pub arms: Vec<Arm>,
}

/// One arm of a choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Its name in reports.
    pub name: String,
    /// The frames.
    pub frames: Vec<Frame>,
}

/// See [`Step::Count`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// Who.
    pub actor: String,
    /// The frame's name.
    pub frame: String,
    /// Meanwhile.
    pub steps: Vec<Step>,
    /// At least this many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Num>,
    /// At most this many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Num>,
    /// At most one in each such time (the name of a limit in milliseconds), and one more at either end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most_one_per: Option<String>,
}

/// See [`Step::Wait`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// The name of a limit in milliseconds.
    pub limit: String,
    /// How many times that.
    pub times: f64,
}

/// See [`Step::Check`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The left side.
    pub left: Num,
    /// How they compare.
    pub is: Compare,
    /// The right side.
    pub right: Num,
}

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Compare {
    #[serde(rename = "=")]
    Equal,
    #[serde(rename = "!=")]
    Unequal,
    #[serde(rename = "<")]
    Less,
    #[serde(rename = "<=")]
    LessOrEqual,
    #[serde(rename = ">")]
    Greater,
    /// More than 1000 between them.
    #[serde(rename = "apart")]
    Apart,
}

/// See [`Step::Set`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// The name.
    pub var: String,
    /// The value.
    pub to: Num,
}

/// See [`Step::Do`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Do {
    /// End the relay in order. Its members see 1012.
    Stop {},
    /// End it at once.
    Kill {},
    /// Start it again on the same store.
    Start {},
    /// Set the last revision of a room, while the relay is down.
    #[serde(rename = "seed_rev")]
    SeedRev {
        /// Which room of this scenario.
        room: String,
        /// The revision.
        rev: Num,
    },
    /// Hold commits back.
    Hold {},
    /// Let them go.
    Release {},
    /// Make the next commit fail.
    FailStore {},
    /// The relay must end by itself.
    ExpectExit {},
    /// Count the store's rooms into a variable, while the relay is down.
    CountRooms {
        /// The variable.
        var: String,
    },
    /// A second relay on the same store must refuse to start.
    SecondRefused {},
    /// Damage a room in the store, while the relay is down.
    Damage {
        /// Which room of this scenario.
        room: String,
    },
}
