//! Random lives of a room, checked against what the clients and the store have seen.

use std::collections::BTreeMap;

use proptest::prelude::*;
use roomwire_codec::registry::{close, limit};

use super::*;
use crate::store::Write;

#[derive(Clone, Debug)]
enum Op {
    Join(u8),
    Leave(u8),
    Set(u8, u8, usize),
    Save(u8, usize),
    Relay(u8),
    Malformed(u8),
    /// Give what is pending to the store.
    Take,
    /// The store is done with it.
    Commit,
    Wait(u64),
    /// The process dies: what was not committed is gone, and so is everyone.
    Crash,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let len = || prop_oneof![8 => 0..100usize, 1 => 200_000..600_000usize];
    let op = prop_oneof![
        4 => any::<u8>().prop_map(Op::Join),
        1 => any::<u8>().prop_map(Op::Leave),
        8 => (any::<u8>(), 0..6u8, len()).prop_map(|(who, key, len)| Op::Set(who, key, len)),
        3 => (any::<u8>(), len()).prop_map(|(who, len)| Op::Save(who, len)),
        1 => any::<u8>().prop_map(Op::Relay),
        1 => any::<u8>().prop_map(Op::Malformed),
        4 => Just(Op::Take),
        6 => Just(Op::Commit),
        2 => (0..700u64).prop_map(Op::Wait),
        1 => Just(Op::Crash),
    ];
    prop::collection::vec(op, 0..150)
}

type Values = BTreeMap<Vec<u8>, (u32, Vec<u8>)>;

/// What is durable.
#[derive(Clone, Debug, Default)]
struct Disk {
    rev: u32,
    values: Values,
    world: Option<(u32, Vec<u8>)>,
}

impl Disk {
    fn apply(&mut self, batch: &Batch) {
        for write in &batch.writes {
            assert_eq!(write.rev(), self.rev + 1, "revisions rise by one");
            self.rev = write.rev();
            match write {
                Write::Set(entry) => {
                    self.values.insert(entry.key.to_vec(), (entry.rev, entry.value.to_vec()));
                }
                Write::World(world) => self.world = Some((world.rev, world.blob.to_vec())),
            }
        }
        assert_eq!(batch.rev, self.rev);
        let values: usize = self.values.iter().map(|(key, (_, value))| 10 + key.len() + value.len()).sum();
        let world = self.world.as_ref().map_or(0, |(_, blob)| blob.len());
        assert!(values + world <= limit::ROOM_BYTES, "the caps hold after every commit");
    }

    fn stored(&self) -> StoredRoom {
        let mut entries: Vec<_> = self
            .values
            .iter()
            .map(|(key, (rev, value))| crate::store::Entry {
                rev: *rev,
                key: key.clone().into(),
                value: value.clone().into(),
            })
            .collect();
        entries.sort_by_key(|entry| entry.rev);
        let world = self.world.clone().map(|(rev, blob)| crate::store::World { rev, blob: blob.into() });
        StoredRoom { rev: self.rev, world, entries }
    }
}

/// What one client has made of what it was sent.
#[derive(Debug, Default)]
struct Client {
    mode: Mode,
    peer: i32,
    values: Values,
    world: Option<Vec<u8>>,
    acks: usize,
    peers: Vec<i32>,
    worlds_at: Vec<Time>,
}

struct Model {
    sim: Sim,
    disk: Disk,
    flying: Option<Batch>,
    clients: BTreeMap<MemberId, Client>,
    /// Committed saves of those who are still there.
    saves: BTreeMap<MemberId, usize>,
    /// Saves in the order of their revisions: who sent them.
    savers: BTreeMap<u32, MemberId>,
    sent: u32,
}

impl Model {
    fn new(disk: Disk) -> Self {
        Self {
            sim: Sim::load(disk.stored()),
            disk,
            flying: None,
            clients: BTreeMap::new(),
            saves: BTreeMap::new(),
            savers: BTreeMap::new(),
            sent: 0,
        }
    }

    fn pick(&self, who: u8) -> Option<MemberId> {
        let here: Vec<_> = self.clients.keys().copied().collect();
        here.get(usize::from(who) % here.len().max(1)).copied()
    }

    fn step(&mut self, op: &Op) {
        match *op {
            Op::Join(mode) => {
                let mode = [Mode::Both, Mode::State, Mode::Peers][usize::from(mode) % 3];
                match self.sim.try_join(mode) {
                    Ok(member) => {
                        self.clients.insert(member, Client { mode, ..Client::default() });
                    }
                    Err(closing) => {
                        assert_eq!(closing.close, close::ROOM_FULL);
                        assert_eq!(self.clients.len(), limit::ROOM_MEMBERS_V1);
                    }
                }
            }
            Op::Leave(who) => {
                if let Some(member) = self.pick(who) {
                    self.sim.room.leave(member);
                }
            }
            Op::Set(who, key, len) => {
                if let Some(member) = self.pick(who) {
                    self.sent += 1;
                    let mut value = vec![0; len.max(4)];
                    value[..4].copy_from_slice(&self.sent.to_le_bytes());
                    self.sim.set(member, &format!("key {key}"), &value);
                }
            }
            Op::Save(who, len) => {
                if let Some(member) = self.pick(who) {
                    self.sent += 1;
                    let mut blob = vec![0; len.max(4)];
                    blob[..4].copy_from_slice(&self.sent.to_le_bytes());
                    let before = self.sim.room.next_rev_for_tests();
                    self.sim.save(member, &blob);
                    if self.sim.room.next_rev_for_tests() != before {
                        self.savers.insert(before.expect("revisions are left"), member);
                    }
                }
            }
            Op::Relay(who) => {
                if let Some(member) = self.pick(who) {
                    self.sim.send(member, b"\x07\x03\x00\x00\x00\x00hello");
                }
            }
            Op::Malformed(who) => {
                if let Some(member) = self.pick(who) {
                    self.sim.send(member, b"\xF4\x00");
                }
            }
            Op::Take => {
                if let Some(batch) = self.sim.room.take_batch(self.sim.now) {
                    assert!(self.flying.is_none());
                    self.flying = Some(batch);
                }
            }
            Op::Commit => {
                if let Some(batch) = self.flying.take() {
                    self.disk.apply(&batch);
                    for write in &batch.writes {
                        if let Write::World(world) = write {
                            *self.saves.entry(self.savers[&world.rev]).or_default() += 1;
                        }
                    }
                    self.sim.room.committed(self.sim.now);
                }
            }
            Op::Wait(ms) => self.sim.wait(ms),
            Op::Crash => *self = Self::new(self.disk.clone()),
        }
        self.sim.pump();
        self.see();
    }

    /// Hands every client what it was sent since, and checks it.
    fn see(&mut self) {
        let now = self.sim.now;
        for (&member, client) in &mut self.clients {
            for frame in self.sim.read(member) {
                client.see(&frame, &self.disk, now);
            }
        }
        self.clients.retain(|member, _| self.sim.here.contains_key(member));
        let saves = &self.saves;
        for (member, client) in &self.clients {
            assert_eq!(
                client.acks,
                saves.get(member).copied().unwrap_or_default(),
                "one ack for each durable save"
            );
            let present: Vec<_> = self
                .clients
                .iter()
                .filter(|(other, peer)| *other != member && peer.mode.has_peers() && client.mode.has_peers())
                .map(|(_, peer)| peer.peer)
                .collect();
            assert_eq!(client.peers, present, "who is there, in the order of joining");
            if client.mode.has_state() {
                assert_eq!(
                    client.values, self.disk.values,
                    "every member has what is durable, and nothing else"
                );
            }
        }
    }

    /// Commits what is left and lets a quiet time pass.
    fn settle(&mut self) {
        for op in [Op::Take, Op::Commit, Op::Take, Op::Commit, Op::Wait(1000), Op::Wait(1000)] {
            self.step(&op);
        }
        for client in self.clients.values().filter(|client| client.mode.has_state()) {
            if self.disk.world.is_some() && client.acks == 0 {
                assert_eq!(client.world, self.disk.world.as_ref().map(|(_, blob)| blob.clone()));
            }
            let gaps = client.worlds_at.windows(2).map(|pair| pair[1].since(pair[0]));
            assert!(gaps.min().is_none_or(|gap| gap >= Duration::from_millis(limit::WORLD_FANOUT_INTERVAL)));
        }
        assert!(self.sim.room.next_timeout().is_none());
    }
}

impl Client {
    fn see(&mut self, frame: &[u8], disk: &Disk, now: Time) {
        if self.peer == 0 {
            self.peer = decode_first(frame).expect("the first message is a peer id").peer.get();
            return;
        }
        match decode(Direction::ToClient, frame).expect("a good frame") {
            Frame::StateUpdate(update) => {
                assert!(self.mode.has_state() && update.rev <= disk.rev, "only what is durable is told");
                let newest = self.values.values().map(|(rev, _)| *rev).max().unwrap_or_default();
                assert!(update.rev > newest, "updates ascend");
                self.values.insert(update.key.as_bytes().to_vec(), (update.rev, update.value.to_vec()));
            }
            Frame::StateSnapshot(snapshot) => {
                assert!(self.mode.has_state() && self.values.is_empty() && !snapshot.is_empty());
                for entry in snapshot.iter() {
                    self.values.insert(entry.key.as_bytes().to_vec(), (entry.rev, entry.value.to_vec()));
                }
            }
            Frame::WorldLoad(world) => {
                let (rev, blob) = disk.world.as_ref().expect("a world that is durable");
                assert!(self.mode.has_state() && *rev <= disk.rev);
                assert_eq!(world.blob, blob, "only the newest world is ever sent");
                // The first one may be of the join data, which does not count.
                if self.world.is_some() {
                    self.worlds_at.push(now);
                }
                self.world = Some(world.blob.to_vec());
            }
            Frame::WorldSaveAck(_) => self.acks += 1,
            Frame::AddPeer(add) => self.peers.push(add.peer.get()),
            Frame::DelPeer(del) => self.peers.retain(|peer| *peer != del.peer.get()),
            Frame::Relay(relay) => assert!(self.peers.contains(&relay.peer), "from a peer that is there"),
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_life_of_a_room_keeps_the_rules(ops in ops()) {
        let mut model = Model::new(Disk::default());
        ops.iter().for_each(|op| model.step(op));
        model.settle();
    }
}
