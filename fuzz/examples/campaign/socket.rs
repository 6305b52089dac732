//! Hostile messages to a relay, with somebody in the room who must not be disturbed.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::time::Instant;

use roomwire_conformance::ws::frame::op;
use roomwire_conformance::ws::{Connection, Event, Options};

use crate::witness::Witnesses;
use crate::{Runs, changed, golden};

/// Connections to a room, which is below what a relay lets join at once.
const JOINS: u32 = 60;
/// Messages after which the witness is looked at.
const LOOK: u32 = 50;

pub(crate) fn run(relay: &str, runs: &Runs) -> Result<usize, String> {
    let relay = address(relay)?;
    let (seeds, mut rng) = (golden::seeds(), fastrand::Rng::with_seed(runs.seed));
    let mut witness = Witnesses::join(relay, runs, &mut rng)?;
    let (mut hostile, mut joins) = (None, 0);
    let (mut closes, mut finds) = (0, 0);
    for run in 0..runs.runs {
        runs.progress(run);
        if joins >= JOINS {
            (witness, joins) = (Witnesses::join(relay, runs, &mut rng)?, 0);
            hostile = None;
        }
        let connection = match &mut hostile {
            Some(connection) => connection,
            None => {
                joins += 1;
                let mode = ["", "&m=state", "&m=peers"][rng.usize(0..3)];
                hostile.insert(open(relay, &witness.room, mode, &mut rng)?)
            }
        };
        let message = &changed(&mut rng, &seeds)[1..];
        let (opcode, payload) =
            if rng.u8(0..200) == 0 { (op::TEXT, &b"text"[..]) } else { (op::BINARY, message) };
        witness.hostile_sends(payload);
        let sent = connection.send(opcode, payload, &[]);
        if sent.is_err() || !is_handled(connection, runs)? {
            closes += 1;
            hostile = None;
        }
        if (run % LOOK == 0 || run + 1 == runs.runs)
            && let Err(what) = witness.look(run, runs)
        {
            println!("message {run} (--seed {}): a witness in room {} {what}", runs.seed, witness.room);
            finds += 1;
            (witness, joins, hostile) = (Witnesses::join(relay, runs, &mut rng)?, 0, None);
        }
    }
    eprintln!("{} messages, {closes} connections closed, {finds} disturbances", runs.runs);
    Ok(finds)
}

/// `ws://HOST:PORT`, or without `ws://`.
pub(crate) fn address(relay: &str) -> Result<SocketAddr, String> {
    let told = |why: &str| format!("{relay}: {why}; a relay is ws://HOST:PORT");
    let host = relay.strip_prefix("ws://").unwrap_or(relay).trim_end_matches('/');
    if host.contains('/') {
        return Err(told("only ws:// without a path"));
    }
    let mut found = host.to_socket_addrs().map_err(|error| told(&error.to_string()))?;
    found.next().ok_or_else(|| told("resolves to nothing"))
}

pub(crate) fn open(
    relay: SocketAddr,
    room: &str,
    mode: &str,
    rng: &mut fastrand::Rng,
) -> Result<Connection, String> {
    let target = format!("/r/{room}?g=fuzz&v=1{mode}");
    let options = Options { target, ..Options::default() };
    Connection::open(relay, &relay.to_string(), &options, rng.fork())
        .map_err(|error| format!("{relay}: {error}"))
}

/// Waits until the relay has handled what was sent. Returns whether the connection is still there.
fn is_handled(connection: &mut Connection, runs: &Runs) -> Result<bool, String> {
    // The pong may come before an answer to the message, but not before the relay has read it.
    if connection.send_frame(true, op::PING, b"?").is_err() {
        return Ok(false);
    }
    let deadline = Instant::now() + runs.patience();
    loop {
        match connection.next(deadline) {
            Some(Event::Pong(_)) => return Ok(true),
            Some(Event::Message(_)) => {}
            Some(Event::Close { .. } | Event::End(_)) => return Ok(false),
            other => return Err(format!("a hostile member got {other:?}")),
        }
    }
}
