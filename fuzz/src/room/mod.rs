//! A room of the relay, fed with whatever members, the store and time may do to it.

#![allow(
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a body tells what it finds by a panic"
)]

mod members;
mod model;
mod ops;
mod stored;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use arbitrary::Unstructured;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use roomwire_codec::registry::close;
use roomwire_relay::core::closing::Closing;
use roomwire_relay::core::effect::Effect;
use roomwire_relay::core::limits::RoomLimits;
use roomwire_relay::core::member::{MemberId, Mode};
use roomwire_relay::core::room::Room;
use roomwire_relay::core::time::Time;
use roomwire_relay::store::{Batch, RoomName, StoredRoom};

use model::Model;
use ops::{Brief, Op};
use stored::Left;

/// What a room does, so that broken ones can be tried in the place of the relay's.
pub trait Core: Sized {
    /// A room as the store holds it.
    fn load(stored: StoredRoom, limits: RoomLimits) -> Self;
    /// See [`Room::join`].
    fn join(&mut self, id: MemberId, mode: Mode, rng: &mut ChaCha8Rng) -> Result<(), Closing>;
    /// See [`Room::receive`].
    fn receive(&mut self, id: MemberId, message: &[u8]) -> bool;
    /// See [`Room::leave`].
    fn leave(&mut self, id: MemberId);
    /// See [`Room::take_batch`].
    fn take_batch(&mut self, now: Time) -> Option<Batch>;
    /// See [`Room::committed`].
    fn committed(&mut self, now: Time);
    /// See [`Room::store_failed`].
    fn store_failed(&mut self);
    /// See [`Room::stop`].
    fn stop(&mut self, closing: Closing);
    /// See [`Room::timeout`].
    fn timeout(&mut self, now: Time);
    /// See [`Room::take_effects`].
    fn take_effects(&mut self, list: &mut Vec<Effect>);
    /// See [`Room::is_idle`].
    fn is_idle(&self) -> bool;
}

impl Core for Room {
    fn load(stored: StoredRoom, limits: RoomLimits) -> Self {
        match Room::new(RoomName::new("g", "r"), stored, limits) {
            Ok(room) => room,
            Err(damaged) => panic!("what the room itself has stored is refused: {damaged}"),
        }
    }
    fn join(&mut self, id: MemberId, mode: Mode, rng: &mut ChaCha8Rng) -> Result<(), Closing> {
        Room::join(self, id, mode, rng)
    }
    fn receive(&mut self, id: MemberId, message: &[u8]) -> bool {
        Room::receive(self, id, message)
    }
    fn leave(&mut self, id: MemberId) {
        Room::leave(self, id);
    }
    fn take_batch(&mut self, now: Time) -> Option<Batch> {
        Room::take_batch(self, now)
    }
    fn committed(&mut self, now: Time) {
        Room::committed(self, now);
    }
    fn store_failed(&mut self) {
        Room::store_failed(self);
    }
    fn stop(&mut self, closing: Closing) {
        Room::stop(self, closing);
    }
    fn timeout(&mut self, now: Time) {
        Room::timeout(self, now);
    }
    fn take_effects(&mut self, list: &mut Vec<Effect>) {
        Room::take_effects(self, list);
    }
    fn is_idle(&self) -> bool {
        Room::is_idle(self)
    }
}

/// Makes a sequence of operations of the bytes, does them to the relay's room, and compares what the room does with a plain
/// reading of the specification.
///
/// # Panics
///
/// If the room does otherwise.
pub fn room(data: &[u8]) {
    let _ = room_with::<Room>(data);
}

/// The same with any room.
///
/// # Panics
///
/// If the room does otherwise than the specification says.
pub fn room_with<C: Core>(data: &[u8]) -> Reach {
    let mut u = Unstructured::new(data);
    let Ok(left) = Left::make(&mut u) else { return Reach::default() };
    let mut run = Run::<C>::new(left.stored());
    while !u.is_empty() {
        // Bytes that make no operation end the sequence.
        let Ok(op) = Op::make(&mut u, &run.model) else { break };
        run.step(op);
    }
    run.settle();
    run.reach
}

/// How far a sequence has come: the most that its room held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Bytes, as they count for the cap.
    pub bytes: usize,
    /// Keys.
    pub keys: usize,
    /// The highest revision.
    pub rev: u32,
    /// Writes that were refused with 4413.
    pub too_large: u32,
    /// Writes that were refused with 4500.
    pub out_of_revisions: u32,
}

/// The room that the bytes begin with and the operations that they make, a line each, for people. The last line of a sequence
/// that fails tells how.
pub fn room_trace(data: &[u8]) -> Vec<String> {
    room_trace_with::<Room>(data)
}

/// The same with any room.
pub fn room_trace_with<C: Core>(data: &[u8]) -> Vec<String> {
    let mut u = Unstructured::new(data);
    let Ok(left) = Left::make(&mut u) else { return Vec::new() };
    let mut run = Run::<C>::new(left.stored());
    let mut trace = vec![left.to_string()];
    while !u.is_empty() {
        let Ok(op) = Op::make(&mut u, &run.model) else { break };
        trace.push(op.to_string());
        if let Err(why) = caught(|| run.step(op)) {
            trace.push(why);
            return trace;
        }
    }
    trace.push("the end".to_owned());
    trace.extend(caught(|| run.settle()).err());
    trace
}

fn caught(step: impl FnOnce()) -> std::result::Result<(), String> {
    catch_unwind(AssertUnwindSafe(step)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        // What is compared may be a whole room.
        let text: String = text.chars().take(400).collect();
        format!("fails: {text}")
    })
}

/// Few, so that full rooms come about.
const MEMBERS: usize = 5;

fn limits() -> RoomLimits {
    RoomLimits { members_v1: MEMBERS, ..RoomLimits::default() }
}

struct Run<C> {
    room: C,
    model: Model,
    rng: ChaCha8Rng,
    now: Time,
    /// The batch that is on its way to the store.
    batch: Option<Batch>,
    reach: Reach,
}

impl<C: Core> Run<C> {
    fn new(stored: StoredRoom) -> Self {
        let model = Model::new(MEMBERS, &stored);
        Self {
            room: C::load(stored, limits()),
            model,
            rng: ChaCha8Rng::seed_from_u64(1),
            now: Time::ZERO,
            batch: None,
            reach: Reach::default(),
        }
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::Join(mode) => {
                let id = self.model.next_id();
                let joined = self.room.join(id, mode, &mut self.rng);
                self.model.join(id, mode, &joined);
            }
            Op::Leave(id) => {
                self.model.leave(id);
                self.room.leave(id);
            }
            Op::Receive(id, message) => {
                let stays = self.model.receive(id, &message);
                let brief = Brief(&message);
                assert_eq!(self.room.receive(id, &message), stays, "{id:?} stays after {brief}");
                self.was_refused(id);
            }
            Op::Take => self.take(),
            Op::Commit => self.commit(),
            Op::Fail { durable } => self.fail(durable),
            Op::Pass(time) => self.pass(time),
            Op::Stop => return self.stop(),
            Op::Reload => self.reload(),
        }
        self.drain();
    }

    /// Time passes, and what is due then is done: so a fan-out is never late without the model knowing.
    fn pass(&mut self, time: Duration) {
        self.now = self.now + time;
        self.room.timeout(self.now);
    }

    fn was_refused(&mut self, id: MemberId) {
        match self.model.closes_with(id) {
            Some(close::TOO_LARGE) => self.reach.too_large += 1,
            Some(close::STORAGE) => self.reach.out_of_revisions += 1,
            _ => {}
        }
    }

    fn take(&mut self) {
        if let Some(batch) = self.room.take_batch(self.now) {
            assert!(self.batch.is_none(), "a batch while one is on its way");
            self.model.take(&batch);
            let (reach, (bytes, keys, rev)) = (&mut self.reach, self.model.reach());
            (reach.bytes, reach.keys) = (reach.bytes.max(bytes), reach.keys.max(keys));
            reach.rev = reach.rev.max(rev);
            self.batch = Some(batch);
        }
    }

    fn commit(&mut self) {
        if let Some(batch) = self.batch.take() {
            self.model.commit(&batch);
            self.room.committed(self.now);
        }
    }

    /// A flush fails: what became of the batch only the next who loads the room will know.
    fn fail(&mut self, durable: bool) {
        let Some(batch) = self.batch.take() else { return };
        self.model.fail(durable.then_some(&batch));
        self.room.store_failed();
        self.drain();
        self.load();
    }

    fn load(&mut self) {
        self.room = C::load(self.model.stored(), limits());
        self.model.loaded();
    }

    fn reload(&mut self) {
        assert_eq!(self.room.is_idle(), self.model.is_idle() && self.batch.is_none(), "idle");
        if self.room.is_idle() {
            self.load();
        }
    }

    /// Has everything committed that is on its way.
    fn flush(&mut self) {
        loop {
            self.pass(limits().patience);
            self.drain();
            self.take();
            if self.batch.is_none() {
                return;
            }
            self.commit();
            self.drain();
        }
    }

    fn stop(&mut self) {
        self.model.stop(self.batch.is_none());
        self.room.stop(model::stopped());
        self.drain();
        self.flush();
        self.model.has_stopped();
        self.load();
    }

    /// At the end nothing is on its way, and every member holds what the store does.
    fn settle(&mut self) {
        self.flush();
        self.pass(model::FANOUT);
        self.drain();
        self.model.has_converged();
    }

    fn drain(&mut self) {
        let mut effects = Vec::new();
        self.room.take_effects(&mut effects);
        self.model.effects(self.now, effects);
    }
}
