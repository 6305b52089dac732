//! Tells rooms of their commits.
//!
//! A transaction holds batches of many rooms. Would the store's thread wake each room's flusher by itself, each wake
//! would be a call into the kernel, and a thread that starts; so it wakes one task, which wakes the flushers from inside the
//! runtime, where that is nearly free.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::room::RoomHandle;
use crate::store::{Done, StoreError};

type Ended = (Arc<RoomHandle>, Result<(), StoreError>);

/// Where commits end.
pub(super) struct Commits(mpsc::UnboundedSender<Ended>);

impl Commits {
    /// Starts the task, which ends with the last teller.
    pub(super) fn start() -> Self {
        let (sender, mut ended) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut all: Vec<Ended> = Vec::new();
            while ended.recv_many(&mut all, usize::MAX).await > 0 {
                all.drain(..).for_each(|(room, outcome)| room.batch_ended(outcome));
            }
        });
        Self(sender)
    }

    /// What the store is to call when the room's batch has ended. A room has one batch at a time, which is the bound of
    /// the queue.
    pub(super) fn teller(&self, room: &Arc<RoomHandle>) -> Done<()> {
        let (sender, room) = (self.0.clone(), Arc::clone(room));
        Box::new(move |outcome| {
            // It fails where the runtime is gone, and with it the room's members.
            let _ = sender.send((room, outcome));
        })
    }
}
