//! Those who must not be disturbed: a state member that writes now and then, and two peers of which one sends to the other.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Instant;

use roomwire_codec::registry::sys;
use roomwire_codec::{Direction, Frame, Key, Relay, StateSet, decode, decode_first, decode_strict};
use roomwire_conformance::ws::frame::op;
use roomwire_conformance::ws::{Connection, Event};

use crate::Runs;
use crate::socket::open;

pub(crate) struct Witnesses {
    pub(crate) room: String,
    state: Connection,
    rev: u32,
    worlds: Worlds,
    from: Peer,
    to: Peer,
    /// Every payload that a hostile member has sent.
    payloads: BTreeSet<Vec<u8>>,
}

/// The worlds of a room.
#[derive(Default)]
pub(crate) struct Worlds {
    /// Every one that a hostile member has sent; the relay has accepted some of them, in this order.
    pub(crate) sent: Vec<Vec<u8>>,
    /// How many of them are older than the next WORLD_LOAD may be.
    pub(crate) loaded: usize,
}

impl Worlds {
    /// A world is one that somebody saved, and not older than the one before (ROOM-WORLD-6).
    pub(crate) fn loads(&mut self, blob: &[u8]) -> Result<(), String> {
        let newer = self.sent.get(self.loaded..).unwrap_or_default();
        match newer.iter().position(|world| world == blob) {
            Some(at) => {
                self.loaded += at + 1;
                Ok(())
            }
            None => Err(format!("got a world of {} bytes that nobody saved since the last", blob.len())),
        }
    }
}

struct Peer {
    connection: Connection,
    id: i32,
    present: BTreeSet<i32>,
}

impl Witnesses {
    pub(crate) fn join(relay: SocketAddr, runs: &Runs, rng: &mut fastrand::Rng) -> Result<Self, String> {
        let room = format!("fuzz-{:016x}", rng.u64(..));
        let state = open(relay, &room, "&m=state", rng)?;
        match state.next(Instant::now() + runs.patience()) {
            Some(Event::Message(_)) => {}
            other => return Err(format!("a witness cannot join: {other:?}")),
        }
        let from = Peer::join(relay, &room, runs, rng)?;
        let to = Peer::join(relay, &room, runs, rng)?;
        let (worlds, payloads) = (Worlds::default(), BTreeSet::new());
        Ok(Self { room, state, rev: 0, worlds, from, to, payloads })
    }

    /// What a hostile member is about to send.
    pub(crate) fn hostile_sends(&mut self, message: &[u8]) {
        match decode(Direction::ToRelay, message) {
            Ok(Frame::WorldSave(save)) => self.worlds.sent.push(save.blob.to_vec()),
            Ok(Frame::Relay(relay)) => drop(self.payloads.insert(relay.payload.to_vec())),
            _ => {}
        }
    }

    pub(crate) fn look(&mut self, run: u32, runs: &Runs) -> Result<(), String> {
        self.look_at_state(run, runs).map_err(|what| format!("(m=state) {what}"))?;
        self.look_at_peers(run, runs).map_err(|what| format!("(m=peers) {what}"))
    }

    /// Writes, and reads up to its own write: everything in between is what the relay may send, in order.
    fn look_at_state(&mut self, run: u32, runs: &Runs) -> Result<(), String> {
        let value = run.to_le_bytes();
        let key = Key::new(b"witness").map_err(|error| error.to_string())?;
        send(&mut self.state, Frame::StateSet(StateSet { key, value: &value }))?;
        loop {
            let message = message(&self.state, runs)?;
            match decode_strict(Direction::ToClient, &message) {
                Ok(Frame::StateUpdate(update)) => {
                    if update.rev <= self.rev {
                        return Err(format!("got revision {} after {}", update.rev, self.rev));
                    }
                    self.rev = update.rev;
                    if update.key.as_str() == "witness" && update.value == value {
                        return Ok(());
                    }
                }
                // It reads as fast as it can and joined an empty room: there is no snapshot for it.
                Ok(Frame::WorldLoad(load)) => self.worlds.loads(load.blob)?,
                other => return Err(format!("got {other:?}")),
            }
        }
    }

    /// One peer sends, and the other reads up to that.
    fn look_at_peers(&mut self, run: u32, runs: &Runs) -> Result<(), String> {
        let token = [b"witness", &run.to_le_bytes()[..]].concat();
        send(
            &mut self.from.connection,
            Frame::Relay(Relay { lead: sys::LEAD, peer: self.to.id, payload: &token }),
        )?;
        loop {
            let (source, payload) = self.to.packet(runs)?;
            if source == self.from.id {
                return if payload == token {
                    Ok(())
                } else {
                    Err(format!("got {payload:02x?} from a witness"))
                };
            }
            if !self.payloads.contains(&payload) {
                return Err(format!("got a packet that nobody sent: {payload:02x?}"));
            }
        }
    }
}

impl Peer {
    fn join(relay: SocketAddr, room: &str, runs: &Runs, rng: &mut fastrand::Rng) -> Result<Self, String> {
        let connection = open(relay, room, "&m=peers", rng)?;
        let first = message(&connection, runs)?;
        let first = decode_first(&first).map_err(|error| format!("a witness cannot join: {error}"))?;
        Ok(Self { connection, id: first.peer.get(), present: BTreeSet::new() })
    }

    /// The next packet. What comes before tells who is there.
    fn packet(&mut self, runs: &Runs) -> Result<(i32, Vec<u8>), String> {
        loop {
            let message = message(&self.connection, runs)?;
            match decode_strict(Direction::ToClient, &message) {
                Ok(Frame::AddPeer(add))
                    if add.peer.get() != self.id && self.present.insert(add.peer.get()) => {}
                Ok(Frame::DelPeer(del)) if self.present.remove(&del.peer.get()) => {}
                Ok(Frame::Relay(relay)) if self.present.contains(&relay.peer) => {
                    return Ok((relay.peer, relay.payload.to_vec()));
                }
                other => return Err(format!("got {other:?} while {:?} are there", self.present)),
            }
        }
    }
}

fn send(connection: &mut Connection, frame: Frame<'_>) -> Result<(), String> {
    let message = frame.encode_to_vec().map_err(|error| error.to_string())?;
    connection.send(op::BINARY, &message, &[]).map_err(|error| format!("cannot write: {error}"))
}

fn message(connection: &Connection, runs: &Runs) -> Result<Vec<u8>, String> {
    match connection.next(Instant::now() + runs.patience()) {
        Some(Event::Message(message)) => Ok(message),
        other => Err(format!("got {other:?}")),
    }
}
