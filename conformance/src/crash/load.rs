//! One round: the room as it is, then writers until the kill, then what was still on the way.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use roomwire_codec::{Direction, Frame, Key, StateSet, WorldSave, decode_strict};

use super::ledger::Ledger;
use super::{Options, Report};
use crate::relay::RunningRelay;
use crate::ws::{Connection, Event, connection, frame::op};

/// How a round ended.
pub(super) struct Outcome {
    /// Writes of which their author was told.
    pub(super) acks: u32,
    /// Writes that were sent and not told of to their author.
    pub(super) in_flight: u32,
}

/// What one member was told, in order.
enum Told {
    Update {
        rev: u32,
        key: String,
        value: Vec<u8>,
    },
    /// A save of this number is durable.
    Save(u64),
}

struct Log {
    told: Vec<Told>,
    last_save: u64,
    saves_in_flight: u64,
    in_flight: u32,
    last_rev: u32,
    fault: Option<(&'static str, String)>,
}

/// The key that an inspection writes.
const FENCE: &str = "fence";

/// How long a silent relay is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Joins each room and compares it with its ledger. A write of its own tells where the join data ends.
pub(super) fn inspect(addr: SocketAddr, ledgers: &mut [Ledger], report: &mut Report) -> Result<(), String> {
    for ledger in ledgers {
        let mut member = join(addr, &ledger.room)?;
        member.send(op::BINARY, &set(FENCE, report.rounds, 0)?, &[]).map_err(|error| error.to_string())?;
        let (mut entries, mut world) = (Vec::new(), None);
        let (rev, value) = loop {
            let bytes = match member.next(Instant::now() + PATIENCE) {
                Some(Event::Message(bytes)) => bytes,
                other => return Err(format!("{}: {other:?} in place of join data", ledger.room)),
            };
            match decode(&bytes)? {
                Frame::StateSnapshot(snapshot) => {
                    entries.extend(snapshot.iter().map(|entry| owned(entry.rev, entry.key, entry.value)));
                }
                Frame::WorldLoad(load) => world = Some(number_of(load.blob)?),
                Frame::StateUpdate(update) => break (update.rev, update.value.to_vec()),
                other => return Err(format!("{}: {} at the join", ledger.room, other.name())),
            }
        };
        report.untold_kept += ledger.inspect(&entries, world, |key, value| value.starts_with(key.as_bytes()));
        if rev <= ledger.top() {
            let text =
                format!("{}: a new write got revision {rev}, {} was used before", ledger.room, ledger.top());
            ledger.fault("ROOM-REV-3", text);
        }
        ledger.told(rev, FENCE, &value);
    }
    Ok(())
}

/// Writes until enough is acknowledged, kills the relay, and enters what was told into the ledgers.
pub(super) fn round(
    options: &Options,
    round: u32,
    relay: &mut dyn RunningRelay,
    ledgers: &mut [Ledger],
) -> Result<Outcome, String> {
    let acks = Arc::new(AtomicU32::new(0));
    let stop = Arc::new(AtomicBool::new(false));
    let mut members = Vec::new();
    for (room, ledger) in ledgers.iter().enumerate() {
        for writer in 0..options.writers {
            let member = Member {
                connection: join(relay.addr(), &ledger.room)?,
                name: format!("w{writer}"),
                window: options.window,
                next_save: (writer == 0).then(|| ledger.next_save()),
                floor: ledger.top(),
                random: fastrand::Rng::with_seed(
                    options.seed ^ (u64::from(round) << 20) ^ ((room as u64) << 10) ^ u64::from(writer),
                ),
                acks: Arc::clone(&acks),
                stop: Arc::clone(&stop),
            };
            members.push((room, thread::spawn(move || member.run())));
        }
    }
    let deadline = Instant::now() + options.timeout;
    let mut moment = fastrand::Rng::with_seed(options.seed.wrapping_add(u64::from(round)));
    let gone = || members.iter().all(|(_, member)| member.is_finished());
    while acks.load(Ordering::SeqCst) < options.acks && Instant::now() < deadline && !gone() {
        thread::sleep(Duration::from_millis(1));
    }
    let enough = acks.load(Ordering::SeqCst) >= options.acks;
    thread::sleep(Duration::from_micros(moment.u64(0..15_000)));
    relay.kill().map_err(|error| error.to_string())?;
    stop.store(true, Ordering::SeqCst);
    let mut outcome = Outcome { acks: acks.load(Ordering::SeqCst), in_flight: 0 };
    for (room, member) in members {
        let log = member.join().map_err(|_| "a member of the harness failed".to_owned())?;
        outcome.in_flight += log.in_flight;
        let Some(ledger) = ledgers.get_mut(room) else { continue };
        ledger.save_sent(log.last_save);
        for told in log.told {
            match told {
                Told::Update { rev, key, value } => ledger.told(rev, &key, &value),
                Told::Save(number) => ledger.save_acked(number),
            }
        }
        if let Some((rule, text)) = log.fault {
            ledger.fault(rule, text);
        }
    }
    if enough {
        Ok(outcome)
    } else {
        let text = "acknowledged writes before every writer's connection ended or its time was up";
        Err(format!("only {} {text} ({:?})", outcome.acks, options.timeout))
    }
}

struct Member {
    connection: Connection,
    name: String,
    window: u32,
    next_save: Option<u64>,
    floor: u32,
    random: fastrand::Rng,
    acks: Arc<AtomicU32>,
    stop: Arc<AtomicBool>,
}

impl Member {
    /// Keeps `window` writes in flight until the connection ends.
    fn run(mut self) -> Log {
        let mut log = Log {
            told: Vec::new(),
            last_save: 0,
            saves_in_flight: 0,
            in_flight: 0,
            last_rev: 0,
            fault: None,
        };
        let mut sent = 0;
        loop {
            if let Err(text) = self.fill(&mut log, &mut sent) {
                log.fault = Some(("PRIM-CANON-1", text));
                return log;
            }
            match self.connection.next(Instant::now() + PATIENCE) {
                Some(Event::Message(bytes)) => {
                    if let Err(fault) = self.take(&mut log, &bytes) {
                        log.fault = Some(fault);
                        return log;
                    }
                }
                Some(Event::End(_)) => return log,
                other => {
                    log.fault = Some(("CLOSE-6", format!("{}: {other:?} under load", self.name)));
                    return log;
                }
            }
        }
    }

    /// Sends until `window` writes are in flight. A connection that is gone shows when it is read.
    fn fill(&mut self, log: &mut Log, sent: &mut u32) -> Result<(), String> {
        while log.in_flight < self.window && !self.stop.load(Ordering::SeqCst) {
            let frame = match self.next_save.filter(|_| *sent % 16 == 15) {
                Some(number) => {
                    self.next_save = Some(number + 1);
                    log.last_save = number;
                    log.saves_in_flight += 1;
                    save(number, self.random.usize(0..2_000))?
                }
                None => set(&format!("{}.{}", self.name, *sent % 40), *sent, self.random.usize(0..200))?,
            };
            *sent += 1;
            log.in_flight += 1;
            if self.connection.send(op::BINARY, &frame, &[]).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Enters what a frame tells.
    fn take(&self, log: &mut Log, bytes: &[u8]) -> Result<(), (&'static str, String)> {
        match decode(bytes).map_err(|text| ("PRIM-CANON-1", text))? {
            Frame::StateUpdate(update) => {
                let floor = log.last_rev.max(self.floor);
                if update.rev <= floor {
                    let text = format!("{}: revision {} came after {floor}", self.name, update.rev);
                    return Err(("ROOM-REV-2", text));
                }
                log.last_rev = update.rev;
                let (rev, key, value) = owned(update.rev, update.key, update.value);
                if key.split_once('.').is_some_and(|(author, _)| author == self.name) {
                    self.answered(log);
                }
                log.told.push(Told::Update { rev, key, value });
            }
            Frame::WorldSaveAck(_) => {
                log.told.push(Told::Save(log.last_save + 1 - log.saves_in_flight.min(log.last_save + 1)));
                log.saves_in_flight = log.saves_in_flight.saturating_sub(1);
                self.answered(log);
            }
            // Join data, or updates that had to wait and came together.
            Frame::StateSnapshot(snapshot) => log.told.extend(snapshot.iter().map(|entry| {
                let (rev, key, value) = owned(entry.rev, entry.key, entry.value);
                Told::Update { rev, key, value }
            })),
            Frame::WorldLoad(load) => {
                log.told.push(Told::Save(number_of(load.blob).map_err(|text| ("ROOM-WORLD-1", text))?));
            }
            other => {
                return Err(("PEER-SYS-5", format!("{}: {} to a state member", self.name, other.name())));
            }
        }
        Ok(())
    }

    fn answered(&self, log: &mut Log) {
        log.in_flight = log.in_flight.saturating_sub(1);
        self.acks.fetch_add(1, Ordering::SeqCst);
    }
}

/// Joins as a state member and takes the peer id.
fn join(addr: SocketAddr, room: &str) -> Result<Connection, String> {
    let options = connection::Options {
        target: format!("/r/{room}?g=crash&v=1&m=state"),
        ..connection::Options::default()
    };
    let member = Connection::open(addr, &addr.to_string(), &options, fastrand::Rng::new())
        .map_err(|error| format!("{room}: {error}"))?;
    match member.next(Instant::now() + PATIENCE) {
        Some(Event::Message(id)) if id.len() == 4 => Ok(member),
        other => Err(format!("{room}: {other:?} in place of a peer id")),
    }
}

fn decode(bytes: &[u8]) -> Result<Frame<'_>, String> {
    decode_strict(Direction::ToClient, bytes).map_err(|error| error.to_string())
}

fn owned(rev: u32, key: Key<'_>, value: &[u8]) -> (u32, String, Vec<u8>) {
    (rev, key.as_str().to_owned(), value.to_vec())
}

/// A value tells its key and its number, so that an inspection knows a write that nobody was told of.
fn set(key: &str, number: u32, padding: usize) -> Result<Vec<u8>, String> {
    let mut value = format!("{key}#{number}#").into_bytes();
    value.resize(value.len() + padding, b'.');
    let key = Key::new(key.as_bytes()).map_err(|error| error.to_string())?;
    encode(&Frame::StateSet(StateSet { key, value: &value }))
}

fn save(number: u64, padding: usize) -> Result<Vec<u8>, String> {
    let mut blob = number.to_le_bytes().to_vec();
    blob.resize(blob.len() + padding, 0);
    encode(&Frame::WorldSave(WorldSave { blob: &blob }))
}

fn encode(frame: &Frame<'_>) -> Result<Vec<u8>, String> {
    frame.encode_to_vec().map_err(|error| error.to_string())
}

fn number_of(blob: &[u8]) -> Result<u64, String> {
    blob.first_chunk()
        .map(|number| u64::from_le_bytes(*number))
        .ok_or_else(|| "a world that nobody saved".to_owned())
}
