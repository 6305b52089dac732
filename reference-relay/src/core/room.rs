//! A room: the one place where joins, writes, commits and leaves become a sequence.

use std::collections::BTreeMap;

use rand_core::Rng;
use roomwire_codec::registry::close;
use roomwire_codec::{
    AddPeer, DelPeer, Direction, Frame, Key, PeerId, Relay, StateSet, StateUpdate, WorldLoad, WorldSave,
    WorldSaveAck, decode,
};

use super::closing::Closing;
use super::effect::{Audience, Effect, Effects, encode};
use super::join::{self, Cut};
use super::limits::RoomLimits;
use super::member::{MemberId, Mode};
use super::peers::{Peers, Target};
use super::pipeline::{Accepted, Content, Pipeline};
use super::time::Time;
use super::values::Values;
use super::world::{Saved, World};
use crate::store::{Batch, RoomName, StoredRoom};

/// A room that is in memory.
///
/// The caller feeds it from many connections, one call at a time, and after each call
///
/// 1. takes the [effects](Self::take_effects) and carries them out in order,
/// 2. takes a [batch](Self::take_batch) if there is one, gives it to the store, and reports [`committed`](Self::committed)
///    or [`store_failed`](Self::store_failed),
/// 3. calls [`timeout`](Self::timeout) at [`next_timeout`](Self::next_timeout), and then begins anew.
///
/// Several calls may come before the caller does so: effects and writes gather.
#[derive(Debug)]
pub struct Room {
    name: RoomName,
    limits: RoomLimits,
    /// By id, which is the order in which they joined.
    members: BTreeMap<MemberId, Member>,
    peers: Peers,
    values: Values,
    world: World,
    pipeline: Pipeline,
    effects: Effects,
    /// Why everyone is to be closed once nothing is on its way to the store.
    stopping: Option<Closing>,
}

#[derive(Debug)]
struct Member {
    mode: Mode,
    peer: PeerId,
    /// Revision of the world that the member holds (ROOM-WORLD-4); 0 for none.
    holds: u32,
}

/// A stored room that breaks the protocol's rules and is not served (DUR-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damaged {
    /// A stored key is no key.
    #[error("a stored key is not valid")]
    Key,
    /// A stored revision is 0 or above the room's.
    #[error("a stored revision is not valid")]
    Rev,
}

impl Room {
    /// A room as the store holds it.
    ///
    /// # Errors
    /// [`Damaged`] if it could not have come from this relay.
    pub fn new(name: RoomName, stored: StoredRoom, limits: RoomLimits) -> Result<Self, Damaged> {
        let mut values = Values::default();
        for entry in stored.entries {
            check_rev(entry.rev, stored.rev)?;
            let key = Key::new(&entry.key).map_err(|_| Damaged::Key)?;
            let key = values.accept(key.as_bytes(), entry.value.len());
            values.commit(&key, entry.rev, entry.value);
        }
        let mut world = World::default();
        if let Some(saved) = stored.world {
            check_rev(saved.rev, stored.rev)?;
            world.accept(saved.blob.len());
            world.load(Saved {
                rev: saved.rev,
                frame: encode(Frame::WorldLoad(WorldLoad { blob: &saved.blob })),
            });
        }
        Ok(Self {
            name,
            limits,
            members: BTreeMap::new(),
            peers: Peers::default(),
            values,
            world,
            pipeline: Pipeline::new(stored.rev),
            effects: Effects::default(),
            stopping: None,
        })
    }

    /// The room's name.
    pub fn name(&self) -> &RoomName {
        &self.name
    }

    /// Lets a member in: its join data show the room as it is now, and everything that becomes visible later reaches it
    /// as a live frame (JOIN-CUT-1, JOIN-CUT-3). `id` is above that of every member that ever joined.
    ///
    /// # Errors
    /// The close for a connection that cannot come in, which leaves no trace (JOIN-ADMIT-2, JOIN-ADMIT-3).
    pub fn join(&mut self, id: MemberId, mode: Mode, rng: &mut impl Rng) -> Result<(), Closing> {
        if self.pipeline.has_failed() {
            return Err(store_closing());
        }
        if let Some(closing) = &self.stopping {
            return Err(closing.clone());
        }
        if self.members.len() >= self.limits.members_v1 {
            let detail = format!("{} of {} members", self.members.len(), self.limits.members_v1);
            return Err(Closing::new(close::ROOM_FULL, detail));
        }
        let peer = self.peers.assign(id, rng);
        let saved = self.world.committed();
        let holds = saved.map_or(0, |saved| saved.rev);
        let world = saved.map(|saved| saved.frame.clone());
        let snapshot = if mode.has_state() { self.values.snapshot() } else { None };
        let present =
            self.members.values().filter(|member| member.mode.has_peers()).map(|member| member.peer);
        self.effects.push(Effect::Joined { member: id, mode });
        join::send(&mut self.effects, id, mode, peer, Cut { peers: present, snapshot, world });
        self.members.insert(id, Member { mode, peer, holds });
        if mode.has_peers() {
            let audience = Audience::Peers { not: id, nor: None };
            self.effects.send(audience, encode(Frame::AddPeer(AddPeer::new(peer))));
        }
        Ok(())
    }

    /// A member's connection has ended, or its close frame has come.
    pub fn leave(&mut self, id: MemberId) {
        self.remove(id, Effect::Left { member: id });
    }

    /// Closes a member. What it still sends is ignored (CLOSE-7); what was accepted from it is committed as ever.
    pub fn close(&mut self, id: MemberId, closing: Closing) {
        self.remove(id, Effect::Close { member: id, closing });
    }

    /// The relay goes down: nothing more is accepted. Once what was accepted is committed and told, everyone is closed
    /// (DUR-9).
    pub fn stop(&mut self, closing: Closing) {
        self.stopping = Some(closing);
        self.close_if_stopping();
    }

    fn close_if_stopping(&mut self) {
        if self.pipeline.is_idle()
            && let Some(closing) = self.stopping.clone()
        {
            self.close_all(&closing);
        }
    }

    /// Closes every member, and tells none of them that the others go (PEER-SYS-4).
    fn close_all(&mut self, closing: &Closing) {
        while let Some((id, member)) = self.members.pop_first() {
            self.peers.free(member.peer);
            self.effects.push(Effect::Close { member: id, closing: closing.clone() });
        }
    }

    fn remove(&mut self, id: MemberId, effect: Effect) {
        let Some(member) = self.members.remove(&id) else { return };
        self.peers.free(member.peer);
        self.effects.push(effect);
        if member.mode.has_peers() {
            let audience = Audience::Peers { not: id, nor: None };
            self.effects.send(audience, encode(Frame::DelPeer(DelPeer::new(member.peer))));
        }
    }

    /// A member sent a message. Whatever is wrong with it is the end of that member and touches nobody else (CLOSE-6).
    /// Returns whether the member is in the room afterwards; what it sends once it is not means nothing (CLOSE-7).
    pub fn receive(&mut self, id: MemberId, message: &[u8]) -> bool {
        let Some(&Member { mode, peer, .. }) = self.members.get(&id) else { return false };
        if self.stopping.is_some() {
            return true;
        }
        let done = match decode(Direction::ToRelay, message) {
            Ok(Frame::StateSet(set)) => self.writer(mode, "STATE_SET").and_then(|()| self.set(id, set)),
            Ok(Frame::WorldSave(save)) => self.writer(mode, "WORLD_SAVE").and_then(|()| self.save(id, save)),
            Ok(Frame::Relay(relay)) => {
                self.relay(id, mode, peer, relay);
                Ok(())
            }
            // PEER-SYS-7, OP-SPACE-5. A decoder that is told the direction gives no frame of the other one.
            Ok(_) => Ok(()),
            Err(error) => Err(Closing::malformed(&error)),
        };
        match done {
            Ok(()) => true,
            Err(closing) => {
                self.close(id, closing);
                false
            }
        }
    }

    /// PEER-MODE-1.
    fn writer(&self, mode: Mode, frame: &str) -> Result<(), Closing> {
        if mode.has_state() {
            return Ok(());
        }
        Err(Closing::new(close::MALFORMED, format!("{frame} from a member with m=peers")))
    }

    fn set(&mut self, author: MemberId, StateSet { key, value }: StateSet<'_>) -> Result<(), Closing> {
        let after = self.values.outlook(key.as_bytes(), value.len());
        caps::check(after.bytes.saturating_add(self.world.bytes()), after.keys)?;
        let rev = self.next_rev()?;
        let frame = encode(Frame::StateUpdate(StateUpdate { rev, key, value }));
        let key = self.values.accept(key.as_bytes(), value.len());
        let value = frame.slice(frame.len().saturating_sub(value.len())..);
        self.pipeline.accept(Accepted { author, rev, frame, content: Content::Value { key, value } });
        Ok(())
    }

    fn save(&mut self, author: MemberId, WorldSave { blob }: WorldSave<'_>) -> Result<(), Closing> {
        caps::check(self.values.bytes().saturating_add(blob.len()), 0)?;
        let rev = self.next_rev()?;
        self.world.accept(blob.len());
        let frame = encode(Frame::WorldLoad(WorldLoad { blob }));
        self.pipeline.accept(Accepted { author, rev, frame, content: Content::World });
        Ok(())
    }

    /// ROOM-REV-4. Asked after the caps (ROOM-CAP-5).
    fn next_rev(&self) -> Result<u32, Closing> {
        self.pipeline
            .next_rev()
            .ok_or_else(|| Closing::new(close::STORAGE, "the room has used up its revisions"))
    }

    /// PEER-RELAY-3 to PEER-RELAY-7. Does not wait for the store.
    fn relay(&mut self, id: MemberId, mode: Mode, peer: PeerId, relay: Relay<'_>) {
        if !mode.has_peers() {
            return;
        }
        let is_peer =
            |member: &MemberId| self.members.get(member).is_some_and(|member| member.mode.has_peers());
        let to = match Target::from(relay.peer) {
            Target::All => Audience::Peers { not: id, nor: None },
            Target::AllBut(other) => Audience::Peers { not: id, nor: self.peers.member(other) },
            Target::One(other) => match self.peers.member(other).filter(is_peer) {
                Some(target) if target != id => Audience::One(target),
                _ => return,
            },
        };
        self.effects.send(to, encode(Frame::Relay(Relay::from_peer(peer, relay.payload))));
    }

    /// The accepted writes that are to be committed next, unless a batch is on its way already or it is better to
    /// [wait](RoomLimits::patience) for more.
    pub fn take_batch(&mut self, now: Time) -> Option<Batch> {
        if self.batch_due().is_none_or(|due| now < due) {
            return None;
        }
        self.pipeline.take_batch(&self.name)
    }

    fn batch_due(&self) -> Option<Time> {
        let due = self.pipeline.batch_due()?;
        Some(if self.stopping.is_some() { Time::ZERO } else { due })
    }

    /// The batch that was taken last is durable: now its writes show (DUR-1).
    pub fn committed(&mut self, now: Time) {
        for accepted in self.pipeline.committed(now, self.limits.patience) {
            let Accepted { author, rev, frame, content } = accepted;
            match content {
                Content::Value { key, value } => {
                    self.values.commit(&key, rev, value);
                    self.effects.send(Audience::State, frame);
                }
                Content::World => {
                    self.world.commit(Saved { rev, frame });
                    if let Some(member) = self.members.get_mut(&author) {
                        member.holds = rev;
                        self.effects.send(Audience::One(author), encode(Frame::WorldSaveAck(WorldSaveAck)));
                    }
                }
            }
        }
        self.timeout(now);
        self.close_if_stopping();
    }

    /// The store failed: nothing that waits is ever told, no write is accepted any more, everyone is closed (DUR-5).
    pub fn store_failed(&mut self) {
        self.pipeline.fail();
        self.close_all(&store_closing());
    }

    /// When [`timeout`](Self::timeout) or [`take_batch`](Self::take_batch) has something to do.
    pub fn next_timeout(&self) -> Option<Time> {
        self.world.due().into_iter().chain(self.batch_due()).min()
    }

    /// Does what is due at `now`: sends the newest world to the members that do not hold it (ROOM-WORLD-4,
    /// ROOM-WORLD-5).
    pub fn timeout(&mut self, now: Time) {
        let Some(Saved { rev, frame }) = self.world.take_due(now) else { return };
        let behind = |member: &&mut Member| member.mode.has_state() && member.holds < rev;
        let behind: Box<[MemberId]> = self
            .members
            .iter_mut()
            .filter_map(|(&id, member)| {
                behind(&member).then(|| {
                    member.holds = rev;
                    id
                })
            })
            .collect();
        if !behind.is_empty() {
            self.effects.send(Audience::Some(behind), frame);
            self.world.sent(now);
        }
    }

    /// Exchanges the effects that wait for `list`, which is to be empty.
    pub fn take_effects(&mut self, list: &mut Vec<Effect>) {
        debug_assert!(list.is_empty());
        self.effects.swap(list);
    }

    /// Whether something has changed that the caller is to act on: there are effects, a batch can be taken, or
    /// [`next_timeout`](Self::next_timeout) is earlier than it was.
    pub fn has_work(&self) -> bool {
        let changed = |due| due == Time::ZERO || self.pipeline.pending() == 1;
        !self.effects.is_empty() || self.batch_due().is_some_and(changed)
    }

    /// Whether so much waits for the store or to be sent that members had better be read from later. The room keeps
    /// accepting what it is given all the same.
    pub fn is_congested(&self) -> bool {
        self.pipeline.bytes().saturating_add(self.effects.bytes()) > self.limits.congestion_bytes
    }

    /// Whether the room holds nothing that the store does not: nobody is in it and no write is on its way.
    pub fn is_idle(&self) -> bool {
        self.members.is_empty() && self.effects.is_empty() && self.pipeline.is_idle()
    }

    /// The revision that the next write would get.
    #[cfg(test)]
    pub(crate) fn next_rev_for_tests(&self) -> Option<u32> {
        self.pipeline.next_rev()
    }

    /// Whether the member is in the room.
    pub fn has(&self, id: MemberId) -> bool {
        self.members.contains_key(&id)
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.members.len()
    }
}

fn check_rev(rev: u32, last: u32) -> Result<(), Damaged> {
    if (1..=last).contains(&rev) { Ok(()) } else { Err(Damaged::Rev) }
}

fn store_closing() -> Closing {
    Closing::new(close::STORAGE, "the store has failed")
}

/// The room's caps.
mod caps {
    use roomwire_codec::registry::{close, limit};

    use super::Closing;

    /// Refuses a write after which the room would hold too much (ROOM-CAP-1, ROOM-CAP-2, ROOM-CAP-4).
    pub(super) fn check(bytes: usize, keys: usize) -> Result<(), Closing> {
        let over = |what, value, cap| {
            Closing::new(close::TOO_LARGE, format!("the room would hold {value} {what}, the cap is {cap}"))
        };
        if bytes > limit::ROOM_BYTES {
            return Err(over("bytes", bytes, limit::ROOM_BYTES));
        }
        if keys > limit::ROOM_KEYS {
            return Err(over("keys", keys, limit::ROOM_KEYS));
        }
        Ok(())
    }
}
