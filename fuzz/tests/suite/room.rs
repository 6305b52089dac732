//! The target `room`: over random operations, and with bugs planted, each of which it has to find.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use fastrand::Rng;
use rand::rngs::ChaCha8Rng;
use roomwire_codec::registry::opcode;
use roomwire_codec::{Direction, Entry, Frame, StateSnapshot, StateUpdate, decode};
use roomwire_fuzz::{Core, Way, agrees, room, room_trace, room_with};
use roomwire_relay::core::closing::Closing;
use roomwire_relay::core::effect::{Audience, Effect};
use roomwire_relay::core::limits::RoomLimits;
use roomwire_relay::core::member::{MemberId, Mode};
use roomwire_relay::core::room::Room;
use roomwire_relay::core::time::Time;
use roomwire_relay::store::{Batch, StoredRoom};

fn random(rng: &mut Rng) -> Vec<u8> {
    let mut data = vec![0; rng.usize(0..600)];
    data.iter_mut().for_each(|byte| *byte = rng.u8(..));
    data
}

#[test]
fn room_over_random_operations() {
    let mut rng = Rng::with_seed(4);
    (0..6_000).for_each(|_| room(&random(&mut rng)));
}

#[test]
fn a_trace_tells_the_operations() {
    let trace = room_trace(&random(&mut Rng::with_seed(5)));
    assert!(trace.iter().any(|op| op.starts_with("Join(")), "{trace:?}");
}

/// A bug in a room: what it does to the messages that come in and the effects that go out.
trait Bug: Default {
    fn receive(&mut self, _message: &[u8], _stayed: bool) {}
    fn effects(&mut self, list: &mut Vec<Effect>);
    fn load(&mut self, _rev: u32) {}
}

struct Broken<B> {
    room: Room,
    bug: B,
}

impl<B: Bug> Core for Broken<B> {
    fn load(stored: StoredRoom, limits: RoomLimits) -> Self {
        let mut bug = B::default();
        bug.load(stored.rev);
        Self { room: <Room as Core>::load(stored, limits), bug }
    }
    fn join(&mut self, id: MemberId, mode: Mode, rng: &mut ChaCha8Rng) -> Result<(), Closing> {
        self.room.join(id, mode, rng)
    }
    fn receive(&mut self, id: MemberId, message: &[u8]) -> bool {
        let stays = self.room.receive(id, message);
        self.bug.receive(message, stays);
        stays
    }
    fn leave(&mut self, id: MemberId) {
        self.room.leave(id);
    }
    fn take_batch(&mut self, now: Time) -> Option<Batch> {
        self.room.take_batch(now)
    }
    fn committed(&mut self, now: Time) {
        self.room.committed(now);
    }
    fn store_failed(&mut self) {
        self.room.store_failed();
    }
    fn stop(&mut self, closing: Closing) {
        self.room.stop(closing);
    }
    fn timeout(&mut self, now: Time) {
        self.room.timeout(now);
    }
    fn take_effects(&mut self, list: &mut Vec<Effect>) {
        self.room.take_effects(list);
        self.bug.effects(list);
    }
    fn is_idle(&self) -> bool {
        self.room.is_idle()
    }
}

/// No bug: what the others differ from.
#[derive(Default)]
struct Sound;

impl Bug for Sound {
    fn effects(&mut self, _list: &mut Vec<Effect>) {}
}

/// A STATE_UPDATE that a member made up goes to everyone.
#[derive(Default)]
struct ForwardsForged(Option<Bytes>);

impl Bug for ForwardsForged {
    fn receive(&mut self, message: &[u8], _stayed: bool) {
        if message.first() == Some(&opcode::STATE_UPDATE) {
            self.0 = Some(Bytes::copy_from_slice(message));
        }
    }
    fn effects(&mut self, list: &mut Vec<Effect>) {
        list.extend(self.0.take().map(|frame| Effect::Send { to: Audience::State, frame }));
    }
}

/// A write is told when it is accepted, and not told when it is durable.
#[derive(Default)]
struct TellsBeforeCommit {
    rev: u32,
    told: Vec<Bytes>,
}

impl Bug for TellsBeforeCommit {
    fn load(&mut self, rev: u32) {
        self.rev = rev;
    }
    fn receive(&mut self, message: &[u8], stayed: bool) {
        match decode(Direction::ToRelay, message) {
            Ok(Frame::StateSet(set)) if stayed => {
                self.rev += 1;
                let update = StateUpdate { rev: self.rev, key: set.key, value: set.value };
                self.told.push(Frame::StateUpdate(update).encode_to_vec().unwrap().into());
            }
            Ok(Frame::WorldSave(_)) if stayed => self.rev += 1,
            _ => {}
        }
    }
    fn effects(&mut self, list: &mut Vec<Effect>) {
        list.retain(|effect| {
            !matches!(effect, Effect::Send { frame, .. } if frame.first() == Some(&opcode::STATE_UPDATE))
        });
        list.extend(self.told.drain(..).map(|frame| Effect::Send { to: Audience::State, frame }));
    }
}

/// A join lacks the newest write.
#[derive(Default)]
struct SkipsARevOnJoin;

impl Bug for SkipsARevOnJoin {
    fn effects(&mut self, list: &mut Vec<Effect>) {
        for effect in list {
            let Effect::Send { frame, .. } = effect else { continue };
            let Ok(Frame::StateSnapshot(snapshot)) = decode(Direction::ToClient, frame) else { continue };
            let entries: Vec<Entry<'_>> = snapshot.iter().take(snapshot.len() - 1).collect();
            let mut out = vec![0; StateSnapshot::encoded_len_of(entries.iter().copied())];
            StateSnapshot::encode_entries(entries.iter().copied(), &mut out).unwrap();
            *frame = out.into();
        }
    }
}

/// How many runs of random operations it takes to find the bug.
fn runs_until_found<B: Bug>(most: u32) -> Option<u32> {
    let mut rng = Rng::with_seed(6);
    (1..=most).find(|_| {
        let data = random(&mut rng);
        catch_unwind(AssertUnwindSafe(|| room_with::<Broken<B>>(&data))).is_err()
    })
}

#[test]
fn planted_bugs_are_found() {
    let found = [
        ("none", runs_until_found::<Sound>(500)),
        ("a forwarded forged STATE_UPDATE", runs_until_found::<ForwardsForged>(500)),
        ("a broadcast before commit", runs_until_found::<TellsBeforeCommit>(500)),
        ("a revision that a join lacks", runs_until_found::<SkipsARevOnJoin>(500)),
    ];
    println!("{found:?}");
    let [(_, sound), bugs @ ..] = found;
    assert_eq!(sound, None);
    for (bug, runs) in bugs {
        assert!(runs.is_some(), "{bug} is not found in 500 runs");
    }
}

/// A decoder that believes a snapshot's count: it finds what is missing only where it is missing.
fn believes_the_count(message: &[u8]) -> roomwire_fuzz::Verdict {
    match decode(Direction::ToClient, message) {
        Err(error) if error.field == "count" && message.len() >= 5 => {
            Err((error.class.name(), message.len(), "entry.rev"))
        }
        decoded => {
            decoded.map(|frame| frame.name()).map_err(|error| (error.class.name(), error.offset, error.field))
        }
    }
}

#[test]
fn an_unchecked_count_is_found() {
    let seeds: Vec<_> = crate::golden::seeds();
    let mut rng = Rng::with_seed(7);
    let found = (1..=20_000).find(|_| {
        let mut data = rng.choice(&seeds).unwrap().1.clone();
        crate::change(&mut rng, &mut data, &seeds);
        data.first().is_some_and(|way| way % 3 == 1)
            && !agrees(Way::ToClient, &data[1..], believes_the_count(&data[1..]))
    });
    println!("{found:?}");
    assert!(found.is_some());
}
