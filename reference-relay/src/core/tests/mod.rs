//! Tests of the room: one file a subject, on a harness that plays the shell, the store and the clients.

mod joins;
mod model;
mod peers;
mod values;
mod worlds;

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use roomwire_codec::{Direction, Frame, StateSet, WorldSave, decode, decode_first};

use super::closing::Closing;
use super::effect::{Audience, Effect, encode};
use super::limits::RoomLimits;
use super::member::{MemberId, Mode};
use super::room::Room;
use super::time::Time;
use crate::store::{Batch, RoomName, StoredRoom};

/// A room with a shell and a store that do as they are told, and nothing by themselves.
struct Sim {
    room: Room,
    now: Time,
    rng: ChaCha8Rng,
    /// Members as the effects so far have it.
    here: BTreeMap<MemberId, Mode>,
    /// What each member was ever sent.
    inbox: BTreeMap<MemberId, Vec<Bytes>>,
    closed: BTreeMap<MemberId, Closing>,
    /// Every batch that was committed.
    log: Vec<Batch>,
    last: u64,
}

impl Sim {
    fn new() -> Self {
        Self::load(StoredRoom::default())
    }

    fn load(stored: StoredRoom) -> Self {
        // Batches are taken when the test says so.
        Self::with_limits(stored, RoomLimits { patience: Duration::ZERO, ..RoomLimits::default() })
    }

    fn with_limits(stored: StoredRoom, limits: RoomLimits) -> Self {
        Self {
            room: Room::new(RoomName::new("g", "r"), stored, limits).expect("a good room"),
            now: Time::from_millis(1),
            rng: ChaCha8Rng::seed_from_u64(1),
            here: BTreeMap::new(),
            inbox: BTreeMap::new(),
            closed: BTreeMap::new(),
            log: Vec::new(),
            last: 0,
        }
    }

    fn try_join(&mut self, mode: Mode) -> Result<MemberId, Closing> {
        self.last += 1;
        self.room.join(MemberId(self.last), mode, &mut self.rng)?;
        self.pump();
        Ok(MemberId(self.last))
    }

    fn join(&mut self, mode: Mode) -> MemberId {
        self.try_join(mode).expect("a place")
    }

    /// Joins and forgets the join data.
    fn enter(&mut self, mode: Mode) -> MemberId {
        let member = self.join(mode);
        self.read(member);
        member
    }

    fn send(&mut self, member: MemberId, message: &[u8]) {
        self.room.receive(member, message);
        self.pump();
    }

    fn set(&mut self, member: MemberId, key: &str, value: &[u8]) {
        let key = key.try_into().expect("a key");
        self.send(member, &encode(Frame::StateSet(StateSet { key, value })));
    }

    fn save(&mut self, member: MemberId, blob: &[u8]) {
        self.send(member, &encode(Frame::WorldSave(WorldSave { blob })));
    }

    /// Commits what is pending. Returns whether there was anything.
    fn commit(&mut self) -> bool {
        let Some(batch) = self.room.take_batch(self.now) else { return false };
        self.pump();
        self.log.push(batch);
        self.room.committed(self.now);
        self.pump();
        true
    }

    fn wait(&mut self, ms: u64) {
        self.now = self.now + Duration::from_millis(ms);
        self.room.timeout(self.now);
        self.pump();
    }

    /// Carries out the effects, as a shell does.
    fn pump(&mut self) {
        let mut effects = Vec::new();
        self.room.take_effects(&mut effects);
        for effect in effects {
            match effect {
                Effect::Joined { member, mode } => {
                    self.here.insert(member, mode);
                }
                Effect::Left { member } => {
                    self.here.remove(&member);
                }
                Effect::Close { member, closing } => {
                    self.here.remove(&member);
                    self.closed.insert(member, closing);
                }
                Effect::Send { to, frame } => {
                    for (&member, mode) in &self.here {
                        let gets = match &to {
                            Audience::One(one) => *one == member,
                            Audience::Some(some) => some.contains(&member),
                            Audience::State => mode.has_state(),
                            Audience::Peers { not, nor } => {
                                mode.has_peers() && *not != member && *nor != Some(member)
                            }
                        };
                        if gets {
                            self.inbox.entry(member).or_default().push(frame.clone());
                        }
                    }
                }
            }
        }
    }

    /// Takes what a member was sent since the last call.
    fn read(&mut self, member: MemberId) -> Vec<Bytes> {
        std::mem::take(self.inbox.entry(member).or_default())
    }

    fn code(&self, member: MemberId) -> Option<u16> {
        self.closed.get(&member).map(Closing::code)
    }

    /// The peer id that a member was given.
    fn peer(&mut self, member: MemberId) -> i32 {
        let first = self.inbox.get(&member).and_then(|frames| frames.first()).expect("join data");
        decode_first(first).expect("a peer id").peer.get()
    }
}

/// Frames by name, with what tells them apart.
fn names(frames: &[Bytes]) -> Vec<String> {
    frames
        .iter()
        .map(|frame| match decode(Direction::ToClient, frame) {
            Ok(Frame::StateUpdate(update)) => format!("{}@{}", update.key, update.rev),
            Ok(Frame::StateSnapshot(snapshot)) => format!("snapshot of {}", snapshot.len()),
            Ok(Frame::WorldLoad(world)) => format!("world {}", String::from_utf8_lossy(world.blob)),
            Ok(Frame::WorldSaveAck(_)) => "ack".to_owned(),
            Ok(frame) => frame.name().to_owned(),
            Err(error) => error.to_string(),
        })
        .collect()
}
