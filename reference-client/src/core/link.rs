//! One connection, from the attempt to its end.

use std::collections::{BTreeSet, VecDeque};

use bytes::Bytes;
use roomwire_codec::{DecodeError, Direction, Frame, PeerId, decode_first, decode_strict};

use super::cache::Cache;
use super::config::Config;
use super::end::Stage;
use super::event::{Event, SaveTicket};
use super::readiness::Readiness;
use super::time::Time;

/// Names a connection, so that what comes late from an old one is not taken for a new one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub(super) u64);

/// What is known of a connection.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) id: LinkId,
    progress: Progress,
    /// When the attempt began.
    began: Time,
    /// When a byte last came.
    heard: Time,
    /// Whether a ping was sent since.
    pinged: bool,
    peers: BTreeSet<PeerId>,
    /// Saves that were sent and not acked, oldest first.
    pub(super) saves: VecDeque<SaveTicket>,
    /// Bytes of writes that the transport has not sent yet.
    pub(super) unsent: usize,
}

#[derive(Clone, Copy, Debug)]
enum Progress {
    Connecting,
    Open,
    Joining { peer: PeerId, readiness: Readiness },
    Ready { peer: PeerId, since: Time },
}

/// What a connection wants when a time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The join data counts as complete.
    Ready,
    /// No peer id came in time.
    NoPeerId,
    /// Nothing came for a while: ask whether the relay is there.
    Ping,
    /// Nothing came for so long that the connection counts as dead.
    Idle,
}

impl Link {
    pub(super) fn new(id: LinkId, now: Time) -> Self {
        Self {
            id,
            progress: Progress::Connecting,
            began: now,
            heard: now,
            pinged: false,
            peers: BTreeSet::new(),
            saves: VecDeque::new(),
            unsent: 0,
        }
    }

    pub(super) fn stage(&self) -> Stage {
        match self.progress {
            Progress::Connecting => Stage::Connecting,
            Progress::Open => Stage::Open,
            Progress::Joining { .. } => Stage::Joining,
            Progress::Ready { .. } => Stage::Ready,
        }
    }

    /// This client's own id.
    pub(super) fn peer(&self) -> Option<PeerId> {
        match self.progress {
            Progress::Connecting | Progress::Open => None,
            Progress::Joining { peer, .. } | Progress::Ready { peer, .. } => Some(peer),
        }
    }

    /// Since when the join data is complete.
    pub(super) fn ready_since(&self) -> Option<Time> {
        match self.progress {
            Progress::Ready { since, .. } => Some(since),
            _ => None,
        }
    }

    /// The peers that are present.
    pub(super) fn peers(&self) -> &BTreeSet<PeerId> {
        &self.peers
    }

    /// The WebSocket is open.
    pub(super) fn opened(&mut self, now: Time) {
        if matches!(self.progress, Progress::Connecting) {
            self.progress = Progress::Open;
        }
        self.heard(now);
    }

    /// Some bytes came.
    pub(super) fn heard(&mut self, now: Time) {
        self.heard = self.heard.max(now);
        self.pinged = false;
        if let Progress::Joining { readiness, .. } = &mut self.progress {
            readiness.progress(now);
        }
    }

    /// A message came. It is decoded as a whole before any of it counts (CLIENT-APPLY-2).
    pub(super) fn message(
        &mut self,
        message: &Bytes,
        cache: &mut Cache,
        config: &Config,
        now: Time,
        mut tell: impl FnMut(Event),
    ) -> Result<(), DecodeError> {
        self.heard(now);
        let Some(own) = self.peer() else {
            // The first message is the peer id, whatever it looks like, and no later one is (CLIENT-PEER-1). What is no peer id is
            // an error (CLIENT-STRANGE-1).
            let peer = decode_first(message)?.peer;
            self.progress = Progress::Joining { peer, readiness: Readiness::new(config.quiet, now) };
            tell(Event::Joined { peer });
            return Ok(());
        };
        let frame = decode_strict(Direction::ToClient, message)?;
        if self.is_strange(&frame, own) {
            return Ok(());
        }
        if let Progress::Joining { readiness, .. } = &mut self.progress {
            readiness.frame(&frame, now);
            if readiness.is_over() {
                self.ready(now);
                tell(Event::Ready);
            }
        }
        self.apply(frame, message, cache, tell);
        Ok(())
    }

    /// Whether a frame says nothing to this client: a peer that it has or is, one that it has not and that leaves or speaks, the
    /// answer to a save that it never made. Such a frame is ignored (CLIENT-STRANGE-1).
    fn is_strange(&self, frame: &Frame<'_>, own: PeerId) -> bool {
        match frame {
            Frame::AddPeer(add) => add.peer == own || self.peers.contains(&add.peer),
            Frame::DelPeer(del) => !self.peers.contains(&del.peer),
            Frame::Relay(relay) => PeerId::new(relay.peer).is_none_or(|from| !self.peers.contains(&from)),
            Frame::WorldSaveAck(_) => self.saves.is_empty(),
            _ => false,
        }
    }

    fn apply(&mut self, frame: Frame<'_>, message: &Bytes, cache: &mut Cache, mut tell: impl FnMut(Event)) {
        match frame {
            Frame::StateUpdate(update) => {
                let value = message.slice_ref(update.value);
                if let Some(key) = cache.apply(update.key.as_str(), update.rev, value.clone()) {
                    tell(Event::StateChanged { key, value, rev: update.rev });
                }
            }
            Frame::StateSnapshot(snapshot) => {
                for entry in snapshot {
                    // Copied, so that one small value that stays does not keep the whole snapshot in memory.
                    let value = Bytes::copy_from_slice(entry.value);
                    if let Some(key) = cache.apply(entry.key.as_str(), entry.rev, value.clone()) {
                        tell(Event::StateChanged { key, value, rev: entry.rev });
                    }
                }
            }
            Frame::WorldLoad(load) => tell(Event::WorldLoaded { blob: message.slice_ref(load.blob) }),
            Frame::WorldSaveAck(_) => {
                if let Some(save) = self.saves.pop_front() {
                    tell(Event::WorldSaved { save });
                }
            }
            Frame::AddPeer(add) => {
                self.peers.insert(add.peer);
                tell(Event::PeerAdded { peer: add.peer });
            }
            Frame::DelPeer(del) => {
                self.peers.remove(&del.peer);
                tell(Event::PeerRemoved { peer: del.peer });
            }
            Frame::Relay(relay) => {
                // The codec has checked that the source is a peer id.
                if let Some(from) = PeerId::new(relay.peer) {
                    tell(Event::Packet { from, payload: message.slice_ref(relay.payload) });
                }
            }
            Frame::Godot(godot) => tell(Event::Godot { message: message.slice_ref(godot.bytes()) }),
            // They travel the other way, or are only ever first: the codec gives none of them here.
            Frame::WorldSave(_) | Frame::StateSet(_) | Frame::PeerId(_) => {}
        }
    }

    /// The next thing that is due if nothing comes, and when.
    pub(super) fn next_due(&self, config: &Config) -> (Time, Due) {
        let liveness = self.liveness(config);
        match &self.progress {
            Progress::Connecting | Progress::Open => (self.began + config.join_timeout, Due::NoPeerId),
            Progress::Joining { readiness, .. } if readiness.due() <= liveness.0 => {
                (readiness.due(), Due::Ready)
            }
            Progress::Joining { .. } | Progress::Ready { .. } => liveness,
        }
    }

    fn liveness(&self, config: &Config) -> (Time, Due) {
        let idle = (self.heard + config.idle_timeout, Due::Idle);
        let ping = (self.heard + config.ping_interval, Due::Ping);
        if self.pinged || idle.0 <= ping.0 { idle } else { ping }
    }

    /// A ping was sent.
    pub(super) fn pinged(&mut self) {
        self.pinged = true;
    }

    /// The join data counts as complete.
    pub(super) fn ready(&mut self, now: Time) {
        if let Progress::Joining { peer, .. } = self.progress {
            self.progress = Progress::Ready { peer, since: now };
        }
    }
}
