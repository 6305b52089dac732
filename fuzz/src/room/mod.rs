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

use arbitrary::{Result, Unstructured};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use roomwire_relay::core::closing::Closing;
use roomwire_relay::core::effect::Effect;
use roomwire_relay::core::limits::RoomLimits;
use roomwire_relay::core::member::{MemberId, Mode};
use roomwire_relay::core::room::Room;
use roomwire_relay::core::time::Time;
use roomwire_relay::store::{Batch, RoomName, StoredRoom};

use model::Model;
use ops::Op;

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
    room_with::<Room>(data);
}

/// The same with any room.
///
/// # Panics
///
/// If the room does otherwise than the specification says.
pub fn room_with<C: Core>(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let mut run = Run::<C>::new();
    while !u.is_empty() {
        // Bytes that make no operation end the sequence.
        let Ok(op) = Op::make(&mut u, &run.model) else { break };
        run.step(op);
    }
    run.settle();
}

/// The operations that the bytes make, for people.
pub fn room_trace(data: &[u8]) -> Vec<String> {
    let mut u = Unstructured::new(data);
    let mut run = Run::<Room>::new();
    let mut trace = Vec::new();
    while !u.is_empty() {
        let Ok(op) = Op::make(&mut u, &run.model) else { break };
        trace.push(format!("{op:?}"));
        let stepped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run.step(op)));
        if stepped.is_err() {
            break;
        }
    }
    trace
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
}

impl<C: Core> Run<C> {
    fn new() -> Self {
        let room = C::load(StoredRoom::default(), limits());
        Self {
            room,
            model: Model::new(MEMBERS),
            rng: ChaCha8Rng::seed_from_u64(1),
            now: Time::ZERO,
            batch: None,
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
                assert_eq!(self.room.receive(id, &message), stays, "{id:?} stays: {message:02x?}");
            }
            Op::Take => self.take(),
            Op::Commit => self.commit(),
            Op::Fail { durable } => self.fail(durable),
            Op::Pass(time) => {
                self.now = self.now + time;
                self.room.timeout(self.now);
            }
            Op::Stop => return self.stop(),
            Op::Reload => self.reload(),
        }
        self.drain();
    }

    fn take(&mut self) {
        if let Some(batch) = self.room.take_batch(self.now) {
            assert!(self.batch.is_none(), "a batch while one is on its way");
            self.model.take(&batch);
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
            self.now = self.now + limits().patience;
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
        self.now = self.now + model::FANOUT;
        self.room.timeout(self.now);
        self.drain();
        self.model.has_converged();
    }

    fn drain(&mut self) {
        let mut effects = Vec::new();
        self.room.take_effects(&mut effects);
        self.model.effects(self.now, effects);
    }
}
