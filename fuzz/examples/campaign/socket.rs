//! Hostile messages to a relay, with somebody in the room who must not be disturbed.

use std::net::SocketAddr;
use std::time::Instant;

use roomwire_codec::{Direction, Frame, Key, StateSet, decode_strict};
use roomwire_conformance::ws::frame::op;
use roomwire_conformance::ws::{Connection, Event, Options};

use crate::{Runs, changed, golden};

/// Connections to a room, which is below what a relay lets join at once.
const JOINS: u32 = 60;
/// Messages after which the witness is looked at.
const LOOK: u32 = 50;

pub(crate) fn run(relay: SocketAddr, runs: &Runs) -> usize {
    let (seeds, mut rng) = (golden::seeds(), fastrand::Rng::with_seed(runs.seed));
    let mut witness = Witness::join(relay, runs, &mut rng);
    let (mut hostile, mut joins) = (None, 0);
    let (mut closes, mut finds) = (0, 0);
    for run in 0..runs.runs {
        runs.progress(run);
        if joins >= JOINS {
            (witness, joins) = (Witness::join(relay, runs, &mut rng), 0);
            hostile = None;
        }
        let connection = hostile.get_or_insert_with(|| {
            joins += 1;
            open(relay, &witness.room, ["", "&m=state", "&m=peers"][rng.usize(0..3)], &mut rng)
        });
        let message = &changed(&mut rng, &seeds)[1..];
        let (opcode, payload) =
            if rng.u8(0..200) == 0 { (op::TEXT, &b"text"[..]) } else { (op::BINARY, message) };
        let sent = connection.send(opcode, payload, &[]);
        if sent.is_err() || !is_handled(connection, runs) {
            closes += 1;
            hostile = None;
        }
        if (run % LOOK == 0 || run + 1 == runs.runs)
            && let Err(what) = witness.look(run, runs)
        {
            println!("message {run} (--seed {}): the witness in room {} {what}", runs.seed, witness.room);
            finds += 1;
            (witness, joins, hostile) = (Witness::join(relay, runs, &mut rng), 0, None);
        }
    }
    eprintln!("{} messages, {closes} connections closed, {finds} disturbances", runs.runs);
    finds
}

fn open(relay: SocketAddr, room: &str, mode: &str, rng: &mut fastrand::Rng) -> Connection {
    let target = format!("/r/{room}?g=fuzz&v=1{mode}");
    let options = Options { target, ..Options::default() };
    match Connection::open(relay, &relay.to_string(), &options, rng.fork()) {
        Ok(connection) => connection,
        Err(error) => panic!("{relay}: {error}"),
    }
}

/// Waits until the relay has handled what was sent. Returns whether the connection is still there.
fn is_handled(connection: &mut Connection, runs: &Runs) -> bool {
    // The pong may come before an answer to the message, but not before the relay has read it.
    if connection.send_frame(true, op::PING, b"?").is_err() {
        return false;
    }
    let deadline = Instant::now() + runs.patience();
    loop {
        match connection.next(deadline) {
            Some(Event::Pong(_)) => return true,
            Some(Event::Message(_)) => {}
            Some(Event::Close { .. } | Event::End(_)) => return false,
            other => panic!("a hostile member got {other:?}"),
        }
    }
}

/// A state member that writes now and then.
struct Witness {
    room: String,
    connection: Connection,
    rev: u32,
}

impl Witness {
    fn join(relay: SocketAddr, runs: &Runs, rng: &mut fastrand::Rng) -> Self {
        let room = format!("fuzz-{:016x}", rng.u64(..));
        let connection = open(relay, &room, "&m=state", rng);
        match connection.next(Instant::now() + runs.patience()) {
            Some(Event::Message(_)) => Self { room, connection, rev: 0 },
            other => panic!("a witness cannot join: {other:?}"),
        }
    }

    /// Writes, and reads up to its own write: everything in between is what the relay may send, in order.
    fn look(&mut self, run: u32, runs: &Runs) -> Result<(), String> {
        let value = run.to_le_bytes();
        let key = Key::new(b"witness").unwrap();
        let message = Frame::StateSet(StateSet { key, value: &value }).encode_to_vec().unwrap();
        self.connection.send(op::BINARY, &message, &[]).map_err(|error| format!("cannot write: {error}"))?;
        loop {
            let event = self.connection.next(Instant::now() + runs.patience());
            let Some(Event::Message(message)) = event else { return Err(format!("got {event:?}")) };
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
                Ok(Frame::WorldLoad(_)) => {}
                other => return Err(format!("got {other:?}")),
            }
        }
    }
}
