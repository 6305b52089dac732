//! A scenario: several actors and what each does and must see, as data.
//!
//! Steps run in order, unless a [`Step::Together`] runs branches at the same time. There are no sleeps: where a
//! scenario has to show that nothing came, it sends a *fence* through the relay and the next thing that comes must
//! be that fence.

use serde::{Deserialize, Serialize};

mod steps;

pub use steps::*;

/// One scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// `S` and four digits; never used for another scenario.
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
    /// The capabilities that a relay needs for it.
    pub needs: Vec<Capability>,
    /// What the runner must be able to do to the relay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Hook>,
    /// Times of the relay (names of limits) that it waits for: it runs on a relay where they are scaled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<String>,
    /// How many members a room has at a time, where that is more than eight: a relay may let in fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub members: Option<u16>,
    /// Needs a relay of its own, though it uses no hook and no timer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// What happens.
    pub steps: Vec<Step>,
}

/// What a relay may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capability {
    /// Values and worlds.
    Room,
    /// Godot's traffic.
    Peers,
}

impl Capability {
    /// As chapter 9 of the specification writes it.
    pub fn name(self) -> &'static str {
        match self {
            Capability::Room => "room",
            Capability::Peers => "peers",
        }
    }
}

/// What a runner may be able to do to a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hook {
    /// End it in order and start it again on the same store.
    Restart,
    /// End it without warning (kill -9) and start it again on the same store.
    Kill,
    /// While it is down, set the last revision of a room.
    SeedRev,
    /// Hold every commit of the store back, and release them.
    Hold,
    /// Make the store fail the next commit.
    FailStore,
    /// Count the rooms that the store has.
    CountRooms,
    /// Try to start a second relay on the same store.
    Second,
    /// Damage what the store holds of a room.
    Damage,
}

impl Hook {
    /// As it stands in scenarios and descriptors.
    pub fn name(self) -> &'static str {
        match self {
            Hook::Restart => "restart",
            Hook::Kill => "kill",
            Hook::SeedRev => "seed_rev",
            Hook::Hold => "hold",
            Hook::FailStore => "fail_store",
            Hook::CountRooms => "count_rooms",
            Hook::Second => "second",
            Hook::Damage => "damage",
        }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Join a room: the upgrade, then the peer id as the first message.
    Connect(Connect),
    /// Several joins that the relay must refuse: upgrade, then nothing but a close.
    Refused(Refused),
    /// Several joins that it must admit; each leaves at once.
    Admitted(Targets),
    /// A plain HTTP request.
    Http(Http),
    /// Bytes on a TCP connection, without any handshake; the relay must end it.
    Tcp(Tcp),
    /// Send a message.
    Send(Send),
    /// Send bytes below the WebSocket framing.
    Raw(Raw),
    /// Send a WebSocket ping; the pong must carry the same bytes.
    Ping(Ping),
    /// Wait for a ping from the relay.
    ExpectPing(Actor),
    /// The next frames, exactly.
    Expect(Expect),
    /// Skip frames up to one.
    Await(Await),
    /// The end of a connection.
    ExpectClose(ExpectClose),
    /// The end of a connection, in the time that a relay has for it after a close.
    ExpectEnd(Actor),
    /// Leave by a closing handshake.
    Close(Leave),
    /// Leave without one.
    Cut(Cut),
    /// A round trip through the relay: what was sent before must have come before.
    Fence(Fence),
    /// Stop reading.
    Stall(Actor),
    /// Read on.
    Resume(Actor),
    /// Steps, several times.
    Repeat(Repeat),
    /// Branches at the same time.
    Together(Together),
    /// All actors hold what a new member gets.
    Converge(Converge),
    /// What one actor was told before a crash, another holds after it.
    Survives(Survives),
    /// One of several behaviours that a clause allows.
    Choice(Choice),
    /// Count frames of a kind during steps.
    Count(Count),
    /// Let a time of the relay pass.
    Wait(Wait),
    /// Compare two numbers.
    Check(Check),
    /// Give a variable a value.
    Set(Set),
    /// Do something to the relay.
    Do(Do),
}
