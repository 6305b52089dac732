//! When the join data of version 1 counts as complete (spec 05-joining, "The order of the join data").

use std::time::Duration;

use roomwire_codec::Frame;

use super::time::Time;

/// Version 1 does not say where the join data ends. It counts as complete when nothing has come for a while (CLIENT-READY-1); bytes
/// of a message that is still on its way count as something.
///
/// In a room where much happens that quiet might never come. But the join data has an order and comes in full before any live
/// frame (JOIN-ORDER-1), so a frame that is out of that order is live and proves that the join data has come. From then on the
/// wait is not made longer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readiness {
    due: Time,
    quiet: Duration,
    place: Place,
}

/// Places of the join data, in their order. What is behind the last one is live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Peers,
    Snapshot,
    World,
    Live,
}

impl Readiness {
    /// The wait that begins with the peer id.
    pub(super) fn new(quiet: Duration, now: Time) -> Self {
        Self { due: now + quiet, quiet, place: Place::Peers }
    }

    /// When the join data counts as complete, if nothing comes before.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    /// Some bytes came.
    pub(super) fn progress(&mut self, now: Time) {
        if self.place < Place::Live {
            self.due = self.due.max(now + self.quiet);
        }
    }

    /// A frame came.
    pub(super) fn frame(&mut self, frame: &Frame<'_>, now: Time) {
        let place = match frame {
            Frame::AddPeer(_) => Place::Peers,
            Frame::StateSnapshot(_) => Place::Snapshot,
            Frame::WorldLoad(_) => Place::World,
            _ => Place::Live,
        };
        // Only ADD_PEER comes more than once in the join data.
        let in_order = place > self.place || (place, self.place) == (Place::Peers, Place::Peers);
        self.place = if in_order { place } else { Place::Live };
        self.progress(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use roomwire_codec::{AddPeer, Key, PeerId, StateSnapshot, StateUpdate, WorldLoad, WorldSaveAck};

    const QUIET: Duration = Duration::from_millis(250);
    const SNAPSHOT: Frame<'_> = Frame::StateSnapshot(StateSnapshot::EMPTY);
    const WORLD: Frame<'_> = Frame::WorldLoad(WorldLoad { blob: b"" });

    fn add_peer() -> Frame<'static> {
        Frame::AddPeer(AddPeer::new(PeerId::new(256).unwrap()))
    }

    fn update() -> Frame<'static> {
        Frame::StateUpdate(StateUpdate { rev: 1, key: Key::new(b"k").unwrap(), value: b"" })
    }

    /// When ready is due if the frames come 100 ms apart, the peer id at 0.
    fn due(frames: &[Frame<'_>]) -> u64 {
        let mut readiness = Readiness::new(QUIET, Time::ZERO);
        for (frame, step) in frames.iter().zip(1..) {
            readiness.frame(frame, Time::from_millis(step * 100));
        }
        u64::try_from(readiness.due().since_origin().as_millis()).unwrap()
    }

    /// CLIENT-READY-1: each part of the join data makes the wait start anew.
    #[test]
    fn join_data_moves_ready() {
        assert_eq!(due(&[]), 250);
        assert_eq!(due(&[SNAPSHOT]), 350);
        assert_eq!(due(&[add_peer(), add_peer(), SNAPSHOT, WORLD]), 650);
        assert_eq!(due(&[WORLD]), 350);
    }

    /// CLIENT-READY-1: a room that is never quiet is ready all the same.
    #[test]
    fn live_frames_do_not_move_ready() {
        assert_eq!(due(&[SNAPSHOT, update(), update(), update(), update()]), 350);
        assert_eq!(due(&[SNAPSHOT, SNAPSHOT, SNAPSHOT]), 350);
        assert_eq!(due(&[SNAPSHOT, WORLD, WORLD]), 450);
        assert_eq!(due(&[SNAPSHOT, add_peer(), WORLD]), 350);
        assert_eq!(due(&[Frame::WorldSaveAck(WorldSaveAck), SNAPSHOT]), 250);
    }

    /// CLIENT-READY-1: a large world on a slow link is still coming while its bytes come.
    #[test]
    fn bytes_on_their_way_move_ready() {
        let mut readiness = Readiness::new(QUIET, Time::ZERO);
        for step in 1..50 {
            readiness.progress(Time::from_millis(step * 200));
        }
        assert_eq!(readiness.due(), Time::from_millis(49 * 200 + 250));
        readiness.frame(&update(), Time::from_millis(10_000));
        readiness.progress(Time::from_millis(11_000));
        assert_eq!(readiness.due(), Time::from_millis(49 * 200 + 250));
    }
}
