//! Bugs that are planted, each of which the targets have to find within a stated number of runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use rand::rngs::ChaCha8Rng;
use roomwire_codec::registry::{close, limit, opcode};
use roomwire_codec::{Direction, Entry, Frame, Key, StateSnapshot, StateUpdate, decode};
use roomwire_fuzz::{Core, Verdict, Way, decode_with, room_with, sound};
use roomwire_relay::core::closing::Closing;
use roomwire_relay::core::effect::{Audience, Effect};
use roomwire_relay::core::limits::RoomLimits;
use roomwire_relay::core::member::{MemberId, Mode};
use roomwire_relay::core::room::Room;
use roomwire_relay::core::time::Time;
use roomwire_relay::store::{Batch, StoredRoom};

use crate::room::random;

/// A bug in a room: what it does to the messages that come in and the effects that go out.
trait Bug: Default {
    fn receive(&mut self, _message: &[u8], _stayed: bool) {}
    fn effects(&mut self, list: &mut Vec<Effect>);
    fn load(&mut self, _rev: u32) {}
    fn committed(&mut self) {}
    /// What the room takes for the time.
    fn clock(&self, now: Time) -> Time {
        now
    }
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
        self.room.take_batch(self.bug.clock(now))
    }
    fn committed(&mut self, now: Time) {
        self.bug.committed();
        self.room.committed(self.bug.clock(now));
    }
    fn store_failed(&mut self) {
        self.room.store_failed();
    }
    fn stop(&mut self, closing: Closing) {
        self.room.stop(closing);
    }
    fn timeout(&mut self, now: Time) {
        self.room.timeout(self.bug.clock(now));
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

/// At the last revision, what passes a cap is refused for want of revisions (ROOM-CAP-5).
#[derive(Default)]
struct AsksRevisionsFirst {
    rev: u32,
}

impl Bug for AsksRevisionsFirst {
    fn load(&mut self, rev: u32) {
        self.rev = rev;
    }
    fn receive(&mut self, message: &[u8], stayed: bool) {
        let is_write =
            matches!(decode(Direction::ToRelay, message), Ok(Frame::StateSet(_) | Frame::WorldSave(_)));
        self.rev = self.rev.saturating_add(u32::from(stayed && is_write));
    }
    fn effects(&mut self, list: &mut Vec<Effect>) {
        for effect in list.iter_mut().filter(|_| self.rev == u32::MAX) {
            if let Effect::Close { closing, .. } = effect
                && closing.close == close::TOO_LARGE
            {
                *closing = Closing::new(close::STORAGE, "");
            }
        }
    }
}

/// After a commit, the last fan-out is taken to be a second ago.
#[derive(Default)]
struct ForgetsFanOuts(u32);

impl Bug for ForgetsFanOuts {
    fn effects(&mut self, _list: &mut Vec<Effect>) {}
    fn committed(&mut self) {
        self.0 += 1;
    }
    fn clock(&self, now: Time) -> Time {
        now + Duration::from_secs(1) * self.0
    }
}

/// In how many sequences the bug is found, as stated in README.md.
const BOUND: u32 = 50;

/// How many sequences of random operations it takes to find the bug.
fn runs_until_found<B: Bug>(most: u32) -> Option<u32> {
    let mut rng = Rng::with_seed(6);
    (1..=most).find(|_| {
        let data = random(&mut rng);
        catch_unwind(AssertUnwindSafe(|| room_with::<Broken<B>>(&data))).is_err()
    })
}

#[test]
fn a_sound_room_passes() {
    assert_eq!(runs_until_found::<Sound>(10 * BOUND), None);
}

#[test]
fn planted_bugs_of_a_room_are_found() {
    let found = [
        ("a forwarded forged STATE_UPDATE", runs_until_found::<ForwardsForged>(BOUND)),
        ("a broadcast before commit", runs_until_found::<TellsBeforeCommit>(BOUND)),
        ("a revision that a join lacks", runs_until_found::<SkipsARevOnJoin>(BOUND)),
        ("revisions before caps", runs_until_found::<AsksRevisionsFirst>(2 * BOUND)),
        ("two fan-outs in a second", runs_until_found::<ForgetsFanOuts>(BOUND)),
    ];
    println!("{found:?}");
    for (bug, runs) in found {
        assert!(runs.is_some(), "{bug} is not found");
    }
}

/// A decoder of its own for STATE_SNAPSHOT, as a plain loop over the fields: right, but that nothing compares the count with the
/// bytes that are left (PRIM-COUNT-1) before the entries are read.
fn believes_the_count(way: Way, message: &[u8]) -> Verdict {
    if way != Way::ToClient || message.first() != Some(&opcode::STATE_SNAPSHOT) {
        return sound(way, message);
    }
    let mut at = 1;
    let mut take = |len: usize, field: &'static str| {
        let taken = message.get(at..).and_then(|left| left.get(..len)).ok_or(("truncated", at, field));
        at += taken.map_or(0, <[u8]>::len);
        taken.map(|bytes| (at - len, bytes))
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
    let count = number(take(4, "count")?.1);
    let mut before = 0;
    for _ in 0..count {
        let (at, rev) = take(4, "entry.rev")?;
        if number(rev) <= before {
            return Err(("value", at, "entry.rev"));
        }
        before = number(rev);
        let (at, len) = take(2, "entry.key_len")?;
        if !(limit::KEY_MIN..=limit::KEY_MAX).contains(&number(len)) {
            return Err(("limit", at, "entry.key_len"));
        }
        let (at, key) = take(number(len), "entry.key")?;
        Key::new(key).map_err(|_| ("value", at, "entry.key"))?;
        let (_, len) = take(4, "entry.val_len")?;
        take(number(len), "entry.value")?;
    }
    if at == message.len() { Ok("STATE_SNAPSHOT") } else { Err(("trailing", at, "end")) }
}

/// The same with the check.
fn checks_the_count(way: Way, message: &[u8]) -> Verdict {
    if let (Way::ToClient, [opcode::STATE_SNAPSHOT, a, b, c, d, entries @ ..]) = (way, message)
        && u64::from(u32::from_le_bytes([*a, *b, *c, *d])) * limit::SNAPSHOT_ENTRY_MIN as u64
            > entries.len() as u64
    {
        return Err(("truncated", 1, "count"));
    }
    believes_the_count(way, message)
}

/// How many changed golden frames it takes until the body of `decode` finds that a decoder is wrong.
fn frames_until_found(decoder: fn(Way, &[u8]) -> Verdict, most: u32) -> Option<u32> {
    let seeds = crate::golden::seeds();
    let mut rng = Rng::with_seed(7);
    (1..=most).find(|_| {
        let mut data = rng.choice(&seeds).unwrap().1.clone();
        crate::change(&mut rng, &mut data, &seeds);
        catch_unwind(|| decode_with(&data, decoder)).is_err()
    })
}

/// As stated in README.md.
const COUNT_BOUND: u32 = 200;

#[test]
fn an_unchecked_count_is_found() {
    assert_eq!(frames_until_found(sound, 20_000), None);
    assert_eq!(frames_until_found(checks_the_count, 20_000), None, "the rest of the decoder is right");
    let found = frames_until_found(believes_the_count, COUNT_BOUND);
    println!("{found:?}");
    assert!(found.is_some());
}
