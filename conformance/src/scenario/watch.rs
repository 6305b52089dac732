//! What holds for every actor in every scenario, checked on each frame that comes.
//!
//! A watch also is the model of a client: it knows which values, which world and which peers the actor has seen.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use roomwire_codec::registry::sys;

use super::model::Mode;
use crate::frame_json::JsonFrame;

/// A clause that a frame breaks, and how.
pub type Broken = (&'static str, String);

/// The value of a key and the commit that set it.
pub type Held = (u32, Vec<u8>);

/// See the module.
#[derive(Debug, Default)]
pub struct Watch {
    mode: Mode,
    /// The actor's own peer id.
    pub id: i32,
    /// The values that it has seen.
    pub state: BTreeMap<String, Held>,
    /// The world that it holds.
    pub world: Option<Vec<u8>>,
    /// How many frames of each name came.
    pub counts: BTreeMap<&'static str, i64>,
    /// The highest revision that it has seen.
    pub last_rev: u32,
    dense: bool,
    unacked: VecDeque<Vec<u8>>,
    peers: BTreeSet<i32>,
    gone: BTreeSet<i32>,
}

impl Watch {
    /// For an actor that has just got its id.
    pub fn new(mode: Mode, id: i32) -> Self {
        Self { mode, id, ..Self::default() }
    }

    /// Revisions of updates have to follow each other without a gap.
    #[must_use]
    pub fn dense(mut self, dense: bool) -> Self {
        self.dense = dense;
        self
    }

    /// Saves that were not acked, oldest first.
    pub fn unacked(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.unacked.iter()
    }

    /// The actor has sent a frame.
    pub fn sent(&mut self, frame: &JsonFrame) {
        if let JsonFrame::WorldSave { blob } = frame {
            self.unacked.push_back(blob.bytes().to_vec());
        }
    }

    /// A frame has come.
    ///
    /// # Errors
    /// The clause that it breaks.
    pub fn take(&mut self, frame: &JsonFrame) -> Result<(), Broken> {
        *self.counts.entry(frame.name()).or_default() += 1;
        match frame {
            JsonFrame::WorldLoad { blob } => {
                self.state_member(frame)?;
                self.world = Some(blob.bytes().to_vec());
            }
            JsonFrame::WorldSaveAck {} => {
                self.state_member(frame)?;
                let saved = self.unacked.pop_front();
                self.world = Some(saved.ok_or(("ROOM-WORLD-2", "an ack without a save".to_owned()))?);
            }
            JsonFrame::StateUpdate { rev, key, value } => {
                self.state_member(frame)?;
                if self.dense && *rev != self.last_rev.wrapping_add(1) {
                    let text = format!("revision {rev} after revision {}: a write is missing", self.last_rev);
                    return Err(("JOIN-CUT-1", text));
                }
                self.rev("ROOM-SET-2", *rev)?;
                self.state.insert(key.clone(), (*rev, value.bytes().to_vec()));
            }
            JsonFrame::StateSnapshot { entries } => {
                self.state_member(frame)?;
                if entries.is_empty() {
                    return Err(("ROOM-SNAP-3", "a snapshot without entries".into()));
                }
                for entry in entries {
                    self.rev("ROOM-SNAP-1", entry.rev)?;
                    self.state.insert(entry.key.clone(), (entry.rev, entry.value.bytes().to_vec()));
                }
            }
            JsonFrame::AddPeer { lead, peer } => {
                self.peers_member(frame, *lead)?;
                if *peer == self.id {
                    return Err(("PEER-SYS-3", "ADD_PEER for itself".into()));
                }
                if !self.peers.insert(*peer) {
                    return Err(("JOIN-CUT-3", format!("a second ADD_PEER for {peer}")));
                }
                self.gone.remove(peer);
            }
            JsonFrame::DelPeer { lead, peer } => {
                self.peers_member(frame, *lead)?;
                if !self.peers.remove(peer) {
                    return Err(("PEER-SYS-4", format!("DEL_PEER for {peer}, who is not present")));
                }
                self.gone.insert(*peer);
            }
            JsonFrame::Relay { lead, peer, .. } => {
                self.peers_member(frame, *lead)?;
                if self.gone.contains(peer) {
                    return Err(("PEER-SYS-4", format!("a RELAY from {peer} after its DEL_PEER")));
                }
                if !self.peers.contains(peer) {
                    return Err(("JOIN-CUT-3", format!("a RELAY from {peer}, who was not added")));
                }
            }
            JsonFrame::PeerId { .. } => return Err(("PEER-ID-1", "a second peer id".into())),
            JsonFrame::Godot { .. } => {
                return Err(("PEER-SYS-7", "Godot traffic that the relay has no reason to send".into()));
            }
            JsonFrame::WorldSave { .. } | JsonFrame::StateSet { .. } => {
                return Err(("OP-SPACE-3", "a frame that only a client sends".into()));
            }
        }
        Ok(())
    }

    fn rev(&mut self, rule: &'static str, rev: u32) -> Result<(), Broken> {
        if rev <= self.last_rev {
            return Err((rule, format!("revision {rev} after revision {}", self.last_rev)));
        }
        self.last_rev = rev;
        Ok(())
    }

    fn state_member(&self, frame: &JsonFrame) -> Result<(), Broken> {
        match self.mode {
            Mode::Peers => Err(("PEER-SYS-6", format!("{} to a member in mode peers", frame.name()))),
            Mode::Both | Mode::State => Ok(()),
        }
    }

    fn peers_member(&self, frame: &JsonFrame, lead: u8) -> Result<(), Broken> {
        if self.mode == Mode::State {
            return Err(("PEER-SYS-5", format!("{} to a member in mode state", frame.name())));
        }
        if lead != sys::LEAD {
            return Err(("PEER-SYS-2", format!("{} with the first byte {lead:#04x}", frame.name())));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::Hex;

    fn update(rev: u32) -> JsonFrame {
        JsonFrame::StateUpdate { rev, key: "a".into(), value: Hex(vec![]) }
    }

    #[test]
    fn a_revision_never_goes_back() {
        let mut watch = Watch::new(Mode::Both, 2);
        assert!(watch.take(&update(1)).is_ok());
        assert!(watch.take(&update(3)).is_ok());
        assert_eq!(watch.take(&update(3)).unwrap_err().0, "ROOM-SET-2");
    }

    #[test]
    fn a_gap_is_seen_where_there_can_be_none() {
        let mut watch = Watch::new(Mode::Both, 2).dense(true);
        assert!(watch.take(&update(1)).is_ok());
        assert_eq!(watch.take(&update(3)).unwrap_err().0, "JOIN-CUT-1");
    }

    #[test]
    fn modes() {
        let peer = JsonFrame::AddPeer { lead: 7, peer: 3 };
        assert_eq!(Watch::new(Mode::State, 2).take(&peer).unwrap_err().0, "PEER-SYS-5");
        assert_eq!(Watch::new(Mode::Peers, 2).take(&update(1)).unwrap_err().0, "PEER-SYS-6");
        let mut watch = Watch::new(Mode::Peers, 2);
        assert!(watch.take(&peer).is_ok());
        assert_eq!(watch.take(&peer).unwrap_err().0, "JOIN-CUT-3");
    }

    #[test]
    fn acks_answer_saves_in_order() {
        let mut watch = Watch::new(Mode::State, 2);
        for blob in [1, 2] {
            watch.sent(&JsonFrame::WorldSave { blob: Hex(vec![blob]) });
        }
        assert!(watch.take(&JsonFrame::WorldSaveAck {}).is_ok());
        assert_eq!(watch.world, Some(vec![1]));
        assert!(watch.take(&JsonFrame::WorldSaveAck {}).is_ok());
        assert_eq!(watch.take(&JsonFrame::WorldSaveAck {}).unwrap_err().0, "ROOM-WORLD-2");
    }
}
