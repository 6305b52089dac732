//! What one member has been told, and what it is to be told next.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use roomwire_codec::{Direction, Frame, decode_first, decode_strict};
use roomwire_relay::core::member::Mode;

/// Key to revision and value.
pub(super) type Values = BTreeMap<Bytes, (u32, Bytes)>;

/// A frame of a commit, in commit order (ROOM-WORLD-3).
#[derive(Debug, PartialEq)]
pub(super) enum Due {
    Update { rev: u32, key: Bytes, value: Bytes },
    Ack { rev: u32 },
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) mode: Mode,
    pub(super) peer: Option<i32>,
    /// Peers that it knows of.
    pub(super) peers: BTreeSet<i32>,
    pub(super) values: Values,
    /// Revision of the world that it holds; 0 for none (ROOM-WORLD-4).
    pub(super) holds: u32,
    pub(super) due: VecDeque<Due>,
    pub(super) relays: VecDeque<(i32, Vec<u8>)>,
    /// How far its join data are.
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Nothing,
    Peer,
    Peers,
    Snapshot,
    World,
    Live,
}

/// What the member has just been told that touches others.
pub(super) enum Told {
    Nothing,
    /// Something about values.
    Values,
    /// A WORLD_LOAD that is no part of its join data.
    FanOut,
}

impl Member {
    pub(super) fn new(mode: Mode) -> Self {
        Self {
            mode,
            peer: None,
            peers: BTreeSet::new(),
            values: Values::new(),
            holds: 0,
            due: VecDeque::new(),
            relays: VecDeque::new(),
            stage: Stage::Nothing,
        }
    }

    /// Its join data are complete.
    pub(super) fn is_live(&mut self) {
        assert!(self.stage >= Stage::Peer, "no peer id");
        self.stage = Stage::Live;
    }

    fn joins(&mut self, stage: Stage) -> bool {
        let joining = self.stage != Stage::Live;
        if joining {
            assert!(self.stage <= stage && self.stage >= Stage::Peer, "{stage:?} after {:?}", self.stage);
            self.stage = stage;
        }
        joining
    }

    /// The member is sent a frame. `store` and `world` are what is durable; `present` are the peers that are there.
    pub(super) fn told(
        &mut self,
        frame: &[u8],
        store: &Values,
        world: Option<&(u32, Bytes)>,
        present: &BTreeSet<i32>,
    ) -> Told {
        if self.stage == Stage::Nothing {
            let Ok(first) = decode_first(frame) else { panic!("not a peer id: {frame:02x?}") };
            assert!(!present.contains(&first.peer.get()), "the id of another");
            self.peer = Some(first.peer.get());
            self.stage = Stage::Peer;
            return Told::Nothing;
        }
        let decoded = decode_strict(Direction::ToClient, frame);
        let Ok(decoded) = decoded else { panic!("{decoded:?}: {frame:02x?}") };
        let (state, peers) = (self.mode.has_state(), self.mode.has_peers());
        match decoded {
            Frame::StateSnapshot(snapshot) if state => {
                assert!(self.joins(Stage::Snapshot) && self.values.is_empty(), "a snapshot without a join");
                for entry in snapshot.iter() {
                    let value = (entry.rev, Bytes::copy_from_slice(entry.value));
                    self.values.insert(Bytes::copy_from_slice(entry.key.as_bytes()), value);
                }
                assert_eq!(&self.values, store, "a snapshot of what is durable");
            }
            Frame::WorldLoad(load) if state => {
                let Some((rev, blob)) = world else { panic!("a world that is not durable") };
                assert_eq!(load.blob, blob, "the newest world");
                assert!(*rev > self.holds, "a world that it holds");
                self.holds = *rev;
                if !self.joins(Stage::World) {
                    return Told::FanOut;
                }
            }
            Frame::StateUpdate(update) if state => {
                let rev = update.rev;
                let key = Bytes::copy_from_slice(update.key.as_bytes());
                let value = Bytes::copy_from_slice(update.value);
                self.values.insert(key.clone(), (rev, value.clone()));
                assert_eq!(self.due.pop_front(), Some(Due::Update { rev, key, value }), "the next commit");
                return Told::Values;
            }
            Frame::WorldSaveAck(_) if state => match self.due.pop_front() {
                Some(Due::Ack { rev }) => self.holds = rev,
                other => panic!("an ack instead of {other:?}"),
            },
            Frame::AddPeer(add) if peers => {
                if self.stage != Stage::Live {
                    self.joins(Stage::Peers);
                }
                let peer = add.peer.get();
                assert!(present.contains(&peer) && Some(peer) != self.peer, "a peer that is not there");
                assert!(self.peers.insert(peer), "a peer that was added");
            }
            Frame::DelPeer(del) if peers => {
                let peer = del.peer.get();
                assert!(self.peers.remove(&peer), "a peer that was not added");
                assert!(!present.contains(&peer), "a peer that is there");
            }
            Frame::Relay(relay) if peers => {
                let packet = (relay.peer, relay.payload.to_vec());
                assert!(self.peers.contains(&relay.peer), "a packet from nobody");
                assert_eq!(self.relays.pop_front(), Some(packet), "the next packet");
            }
            other => panic!("a member in mode {:?} is sent {other:?}", self.mode),
        }
        Told::Nothing
    }
}
