//! When the join data of version 1 counts as complete (spec 05-joining, "The order of the join data").

use std::time::Duration;

use roomwire_codec::Frame;

use super::time::Time;

/// Version 1 does not say where the join data ends. It counts as complete when nothing has come for a while (CLIENT-READY-2); bytes
/// of a message that is still on its way count as something.
///
/// In a room where much happens that quiet might never come. But the join data has an order and comes in full before any live
/// frame (JOIN-ORDER-1), so a frame that is out of that order is live and proves that the join data has come.
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
        self.due = self.due.max(now + self.quiet);
    }

    /// Whether a frame has come that can only be a live one: the wait is over at once.
    pub(super) fn is_over(&self) -> bool {
        self.place == Place::Live
    }

    /// A frame came.
    pub(super) fn frame(&mut self, frame: &Frame<'_>, now: Time) {
        let place = match frame {
            Frame::AddPeer(_) => Place::Peers,
            Frame::StateSnapshot(_) => Place::Snapshot,
            Frame::WorldLoad(_) => Place::World,
            // Godot's own packets show nothing.
            Frame::Godot(_) => return self.progress(now),
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
    use roomwire_codec::{AddPeer, Direction, Key, PeerId, StateSnapshot, StateUpdate, WorldLoad};

    const QUIET: Duration = Duration::from_millis(250);
    const SNAPSHOT: Frame<'_> = Frame::StateSnapshot(StateSnapshot::EMPTY);
    const WORLD: Frame<'_> = Frame::WorldLoad(WorldLoad { blob: b"" });

    fn add_peer() -> Frame<'static> {
        Frame::AddPeer(AddPeer::new(PeerId::new(256).unwrap()))
    }

    fn godot() -> Frame<'static> {
        roomwire_codec::decode(Direction::ToClient, b"\x20\xAA").unwrap()
    }

    fn update() -> Frame<'static> {
        Frame::StateUpdate(StateUpdate { rev: 1, key: Key::new(b"k").unwrap(), value: b"" })
    }

    /// What comes of frames 100 ms apart, the peer id at 0: when ready is due, or that it is over before.
    fn after(frames: &[Frame<'_>]) -> Option<u64> {
        let mut readiness = Readiness::new(QUIET, Time::ZERO);
        for (frame, step) in frames.iter().zip(1..) {
            assert!(!readiness.is_over());
            readiness.frame(frame, Time::from_millis(step * 100));
        }
        let due = u64::try_from(readiness.due().since_origin().as_millis()).unwrap();
        (!readiness.is_over()).then_some(due)
    }

    /// CLIENT-READY-2: each part of the join data makes the wait start anew.
    #[test]
    fn join_data_moves_ready() {
        assert_eq!(after(&[]), Some(250));
        assert_eq!(after(&[SNAPSHOT]), Some(350));
        assert_eq!(after(&[add_peer(), add_peer(), SNAPSHOT, WORLD]), Some(650));
        assert_eq!(after(&[WORLD]), Some(350));
        assert_eq!(after(&[godot(), SNAPSHOT, godot(), WORLD]), Some(650));
    }

    /// CLIENT-READY-2: a frame that cannot be part of the join data ends the wait.
    #[test]
    fn a_live_frame_ends_the_wait() {
        assert_eq!(after(&[update()]), None);
        assert_eq!(after(&[SNAPSHOT, update()]), None);
        assert_eq!(after(&[SNAPSHOT, SNAPSHOT]), None);
        assert_eq!(after(&[WORLD, SNAPSHOT]), None);
        assert_eq!(after(&[SNAPSHOT, WORLD, WORLD]), None);
        assert_eq!(after(&[add_peer(), SNAPSHOT, add_peer()]), None);
    }

    /// CLIENT-READY-2: a large world on a slow link is still coming while its bytes come.
    #[test]
    fn bytes_on_their_way_move_ready() {
        let mut readiness = Readiness::new(QUIET, Time::ZERO);
        for step in 1..50 {
            readiness.progress(Time::from_millis(step * 200));
        }
        assert_eq!(readiness.due(), Time::from_millis(49 * 200 + 250));
        readiness.frame(&WORLD, Time::from_millis(10_000));
        assert_eq!(readiness.due(), Time::from_millis(10_250));
    }
}
