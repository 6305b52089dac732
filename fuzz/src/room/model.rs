//! A second, plain reading of the specification: what the room must do.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use roomwire_codec::registry::close::{self, Close};
use roomwire_codec::registry::limit;
use roomwire_codec::{Direction, Frame, decode};
use roomwire_relay::core::closing::Closing;
use roomwire_relay::core::effect::{Audience, Effect};
use roomwire_relay::core::member::{MemberId, Mode};
use roomwire_relay::core::time::Time;
use roomwire_relay::store::{Batch, Entry, StoredRoom, World, Write};

use super::members::{Due, Member, Told, Values};

pub(super) const FANOUT: Duration = Duration::from_millis(limit::WORLD_FANOUT_INTERVAL);

pub(super) fn stopped() -> Closing {
    Closing::new(close::RESTART, "")
}

/// What a room holds, as far as some write.
#[derive(Clone, Debug, Default, PartialEq)]
struct Content {
    rev: u32,
    values: Values,
    world: Option<(u32, Bytes)>,
}

/// A write that was accepted.
#[derive(Clone, Debug)]
struct Accepted {
    author: MemberId,
    rev: u32,
    /// The key; none for the world.
    key: Option<Bytes>,
    bytes: Bytes,
}

impl Content {
    fn apply(&mut self, write: &Accepted) {
        self.rev = write.rev;
        let written = (write.rev, write.bytes.clone());
        match &write.key {
            Some(key) => drop(self.values.insert(key.clone(), written)),
            None => self.world = Some(written),
        }
    }

    /// Bytes and keys of what a write of `key` (or of the world) does not replace (ROOM-CAP-1, ROOM-CAP-3).
    fn beside(&self, key: Option<&[u8]>) -> (usize, usize) {
        let world = self.world.as_ref().filter(|_| key.is_some()).map_or(0, |(_, blob)| blob.len());
        let others = self.values.iter().filter(|(other, _)| Some(other.as_ref()) != key);
        others.fold((world, 0), |(bytes, keys), (key, (_, value))| {
            (bytes + limit::ENTRY_OVERHEAD + key.len() + value.len(), keys + 1)
        })
    }

    /// The longest value of `key` (or world) that passes no cap of bytes; none if even an empty one does.
    fn longest(&self, key: Option<&[u8]>) -> Option<usize> {
        let entry = key.map_or(0, |key| limit::ENTRY_OVERHEAD + key.len());
        limit::ROOM_BYTES.checked_sub(self.beside(key).0 + entry)
    }

    /// ROOM-CAP-1 to ROOM-CAP-3. A save takes no key.
    fn takes(&self, key: Option<&[u8]>, len: usize) -> bool {
        let (bytes, keys) = self.beside(key);
        let entry = key.map_or(0, |key| limit::ENTRY_OVERHEAD + key.len());
        bytes + entry + len <= limit::ROOM_BYTES && keys + usize::from(key.is_some()) <= limit::ROOM_KEYS
    }

    /// Bytes and keys that it holds.
    fn size(&self) -> (usize, usize) {
        let (bytes, keys) = self.beside(None);
        (bytes + self.world.as_ref().map_or(0, |(_, blob)| blob.len()), keys)
    }

    fn fits(&self) -> bool {
        let (bytes, keys) = self.size();
        bytes <= limit::ROOM_BYTES && keys <= limit::ROOM_KEYS
    }
}

#[derive(Debug)]
pub(super) struct Model {
    most_members: usize,
    last_id: u64,
    /// What is durable.
    store: Content,
    /// Accepted and not durable, oldest first, and what the room holds with them.
    accepted: VecDeque<Accepted>,
    outlook: Content,
    members: BTreeMap<MemberId, Member>,
    /// Closes that are to come now.
    closes: BTreeMap<MemberId, Close>,
    /// Ends that are to come now.
    ends: BTreeSet<MemberId>,
    stopping: bool,
    /// The last fan-out, if the room has not been loaded since.
    last_fanout: Option<Time>,
    /// What somebody holds may differ from what is durable, and is to be compared.
    unsure: bool,
}

impl Model {
    pub(super) fn new(most_members: usize, stored: &StoredRoom) -> Self {
        let values = stored.entries.iter().map(|entry| (entry.key.clone(), (entry.rev, entry.value.clone())));
        let store = Content {
            rev: stored.rev,
            values: values.collect(),
            world: stored.world.as_ref().map(|world| (world.rev, world.blob.clone())),
        };
        assert!(store.fits(), "a room that could not be");
        Self {
            most_members,
            last_id: 0,
            outlook: store.clone(),
            store,
            accepted: VecDeque::new(),
            members: BTreeMap::new(),
            closes: BTreeMap::new(),
            ends: BTreeSet::new(),
            stopping: false,
            last_fanout: None,
            unsure: false,
        }
    }

    /// The longest value of `key`, or world, that would be accepted now.
    pub(super) fn longest(&self, key: Option<&[u8]>) -> Option<usize> {
        self.outlook.longest(key)
    }

    /// The close that the member is to get now.
    pub(super) fn closes_with(&self, id: MemberId) -> Option<Close> {
        self.closes.get(&id).copied()
    }

    /// Bytes and keys that the room holds with what was accepted, and its revision: to see what a sequence reaches.
    pub(super) fn reach(&self) -> (usize, usize, u32) {
        let (bytes, keys) = self.outlook.size();
        (bytes, keys, self.outlook.rev)
    }

    pub(super) fn next_id(&mut self) -> MemberId {
        self.last_id += 1;
        MemberId(self.last_id)
    }

    pub(super) fn ids(&self) -> Vec<MemberId> {
        self.members.keys().copied().collect()
    }

    /// The ids of all members, also of those that are no peers.
    pub(super) fn peer_ids(&self) -> Vec<i32> {
        self.members.values().filter_map(|member| member.peer).collect()
    }

    fn present(&self) -> BTreeSet<i32> {
        self.members
            .values()
            .filter(|member| member.mode.has_peers())
            .filter_map(|member| member.peer)
            .collect()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.members.is_empty() && self.accepted.is_empty()
    }

    /// The room as the next to load it gets it.
    pub(super) fn stored(&self) -> StoredRoom {
        let mut entries: Vec<_> = self.store.values.iter().collect();
        entries.sort_by_key(|(_, (rev, _))| *rev);
        let entry = |(key, (rev, value)): (&Bytes, &(u32, Bytes))| Entry {
            rev: *rev,
            key: key.clone(),
            value: value.clone(),
        };
        StoredRoom {
            rev: self.store.rev,
            world: self.store.world.as_ref().map(|(rev, blob)| World { rev: *rev, blob: blob.clone() }),
            entries: entries.into_iter().map(entry).collect(),
        }
    }

    pub(super) fn loaded(&mut self) {
        (self.stopping, self.last_fanout) = (false, None);
        self.outlook = self.store.clone();
        self.accepted.clear();
    }

    pub(super) fn join(&mut self, id: MemberId, mode: Mode, joined: &Result<(), Closing>) {
        match joined {
            Ok(()) => {
                assert!(self.members.len() < self.most_members, "more members than there may be");
                self.members.insert(id, Member::new(mode));
                self.unsure = true;
            }
            Err(closing) => {
                assert_eq!(closing.close.code, close::ROOM_FULL.code, "{closing:?}");
                assert_eq!(self.members.len(), self.most_members, "a place is free");
            }
        }
    }

    pub(super) fn leave(&mut self, id: MemberId) {
        if self.members.contains_key(&id) {
            self.ends.insert(id);
        }
    }

    /// A message. Returns whether its sender stays.
    pub(super) fn receive(&mut self, id: MemberId, message: &[u8]) -> bool {
        let Some(mode) = self.members.get(&id).map(|member| member.mode) else { return false };
        let refusal = match decode(Direction::ToRelay, message) {
            Err(_) => Some(close::MALFORMED),
            Ok(Frame::StateSet(_) | Frame::WorldSave(_)) if !mode.has_state() => Some(close::MALFORMED),
            Ok(Frame::StateSet(set)) => self.write(id, Some(set.key.as_bytes()), set.value),
            Ok(Frame::WorldSave(save)) => self.write(id, None, save.blob),
            Ok(Frame::Relay(relay)) => {
                self.relay(id, relay.peer, relay.payload);
                None
            }
            Ok(_) => None,
        };
        refusal.is_none_or(|close| {
            self.closes.insert(id, close);
            false
        })
    }

    /// ROOM-SET-5, ROOM-CAP-5: the caps come before the revisions (ROOM-REV-4).
    fn write(&mut self, author: MemberId, key: Option<&[u8]>, bytes: &[u8]) -> Option<Close> {
        if !self.outlook.takes(key, bytes.len()) {
            return Some(close::TOO_LARGE);
        }
        if self.outlook.rev == limit::REV_MAX {
            return Some(close::STORAGE);
        }
        let (key, bytes) = (key.map(Bytes::copy_from_slice), Bytes::copy_from_slice(bytes));
        let write = Accepted { author, rev: self.outlook.rev + 1, key, bytes };
        self.outlook.apply(&write);
        self.accepted.push_back(write);
        None
    }

    /// PEER-RELAY-3, PEER-RELAY-4, PEER-RELAY-7.
    fn relay(&mut self, from: MemberId, target: i32, payload: &[u8]) {
        let Some(sender) = self.members.get(&from).filter(|member| member.mode.has_peers()) else { return };
        let Some(source) = sender.peer else { return };
        for (id, member) in &mut self.members {
            let Some(peer) = member.peer.filter(|_| member.mode.has_peers() && *id != from) else { continue };
            let is_meant = match target {
                0 => true,
                1.. => peer == target,
                _ => i64::from(peer) != -i64::from(target),
            };
            if is_meant {
                member.relays.push_back((source, payload.to_vec()));
            }
        }
    }

    /// The store as a batch leaves it, and how many writes that are.
    fn after(&self, batch: &Batch) -> (Content, usize) {
        let count = batch.rev.checked_sub(self.store.rev).map(|count| count as usize);
        let Some(count) = count.filter(|count| (1..=self.accepted.len()).contains(count)) else {
            panic!("revision {} after {} with {} writes", batch.rev, self.store.rev, self.accepted.len())
        };
        let mut after = self.store.clone();
        self.accepted.iter().take(count).for_each(|write| after.apply(write));
        (after, count)
    }

    /// What is given to the store is what was accepted.
    pub(super) fn take(&self, batch: &Batch) {
        let mut written = self.store.clone();
        for write in &batch.writes {
            match write {
                Write::Set(entry) => {
                    written.values.insert(entry.key.clone(), (entry.rev, entry.value.clone()));
                }
                Write::World(world) => written.world = Some((world.rev, world.blob.clone())),
            }
        }
        written.rev = batch.rev;
        assert_eq!(written, self.after(batch).0, "the batch is what was accepted");
        assert!(written.fits(), "over a cap");
    }

    pub(super) fn commit(&mut self, batch: &Batch) {
        let (after, count) = self.after(batch);
        for Accepted { author, rev, key, bytes } in self.accepted.drain(..count) {
            match key {
                Some(key) => {
                    for member in self.members.values_mut().filter(|member| member.mode.has_state()) {
                        let (key, value) = (key.clone(), bytes.clone());
                        member.due.push_back(Due::Update { rev, key, value });
                    }
                }
                None => {
                    if let Some(member) = self.members.get_mut(&author) {
                        member.due.push_back(Due::Ack { rev });
                    }
                }
            }
        }
        self.store = after;
        self.unsure = true;
        if self.stopping && self.accepted.is_empty() {
            self.close_all(close::RESTART);
        }
    }

    fn close_all(&mut self, close: Close) {
        self.closes.extend(self.members.keys().map(|id| (*id, close)));
    }

    /// DUR-5. The writes of the batch are there or not; nobody is told.
    pub(super) fn fail(&mut self, durable: Option<&Batch>) {
        if let Some(batch) = durable {
            self.store = self.after(batch).0;
        }
        self.close_all(close::STORAGE);
    }

    /// DUR-9.
    pub(super) fn stop(&mut self, nothing_is_on_its_way: bool) {
        self.stopping = true;
        if nothing_is_on_its_way && self.accepted.is_empty() {
            self.close_all(close::RESTART);
        }
    }

    pub(super) fn has_stopped(&self) {
        assert!(
            self.members.is_empty() && self.accepted.is_empty(),
            "what was accepted is durable, and all are gone"
        );
    }

    /// Carries out what the room wants done.
    pub(super) fn effects(&mut self, now: Time, effects: Vec<Effect>) {
        // All that this gives happens at one moment, and after every moment at which something is due: so a fan-out is
        // here or not at all (ROOM-WORLD-5).
        let may_fan_out = self.last_fanout.is_none_or(|last| now.since(last) >= FANOUT);
        let mut fanned_out = false;
        for effect in effects {
            match effect {
                Effect::Joined { member, mode } => {
                    assert_eq!(self.members.get(&member).map(|member| member.mode), Some(mode));
                }
                Effect::Send { to, frame } => {
                    for id in self.audience(&to) {
                        if matches!(self.send(id, &frame), Told::FanOut) {
                            assert!(may_fan_out, "a fan-out too soon after another");
                            fanned_out = true;
                        }
                    }
                }
                Effect::Left { member } => {
                    assert!(self.ends.remove(&member), "{member:?} has not left");
                    self.members.remove(&member);
                }
                Effect::Close { member, closing } => {
                    let due = self.closes.remove(&member).map(|close| close.code);
                    assert_eq!(due, Some(closing.close.code), "{member:?}: {closing:?}");
                    self.members.remove(&member);
                }
            }
        }
        assert!(
            self.closes.is_empty() && self.ends.is_empty(),
            "{:?} and {:?} are still there",
            self.closes,
            self.ends
        );
        if fanned_out {
            self.last_fanout = Some(now);
        }
        if may_fan_out && !self.stopping {
            self.holds_newest();
        }
        let present = self.present();
        for (id, member) in &mut self.members {
            member.is_live();
            assert!(member.due.is_empty() && member.relays.is_empty(), "{id:?} was not told: {member:?}");
            if self.unsure && member.mode.has_state() {
                assert_eq!(member.values, self.store.values, "{id:?} holds what is durable");
            }
            if member.mode.has_peers() {
                let others: BTreeSet<_> =
                    present.iter().copied().filter(|peer| Some(*peer) != member.peer).collect();
                assert_eq!(member.peers, others, "{id:?} knows its peers");
            }
        }
        self.unsure = false;
    }

    /// As the shell has it: those that are there, in the order in which they came.
    fn audience(&self, to: &Audience) -> Vec<MemberId> {
        let is_in = |(id, member): (&MemberId, &Member)| {
            let is_in = match to {
                Audience::One(one) => id == one,
                Audience::Some(some) => some.contains(id),
                Audience::State => member.mode.has_state(),
                Audience::Peers { not, nor } => member.mode.has_peers() && id != not && Some(*id) != *nor,
            };
            is_in.then_some(*id)
        };
        self.members.iter().filter_map(is_in).collect()
    }

    fn send(&mut self, id: MemberId, frame: &[u8]) -> Told {
        let present = self.present();
        let Some(member) = self.members.get_mut(&id) else { return Told::Nothing };
        let told = member.told(frame, &self.store.values, self.store.world.as_ref(), &present);
        self.unsure |= matches!(told, Told::Values);
        told
    }

    /// Nothing is on its way, and a fan-out had its time.
    pub(super) fn has_converged(&self) {
        assert!(self.accepted.is_empty(), "what was accepted is durable");
        self.holds_newest();
    }

    /// ROOM-WORLD-4.
    fn holds_newest(&self) {
        let newest = self.store.world.as_ref().map_or(0, |(rev, _)| *rev);
        for (id, member) in self.members.iter().filter(|(_, member)| member.mode.has_state()) {
            assert_eq!(member.holds, newest, "{id:?} holds the newest world");
        }
    }
}
