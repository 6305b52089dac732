//! Stores that lie.

use std::sync::Arc;
use std::time::Duration;

use roomwire_relay::core::limits::Rate;
use roomwire_relay::shell::Limits;
use roomwire_relay::store::{Batch, Done, RoomName, Store, StoreError, StoredRoom};

/// Builds a fault in front of a store.
///
/// # Errors
/// A text if there is no such fault.
pub fn wrap(fault: &str, inner: Arc<dyn Store>) -> Result<Arc<dyn Store>, String> {
    let liar = match fault {
        "acks before the commit" => Liar { commit: Commit::After, ..Liar::honest(inner) },
        "commits some time after it acks" => Liar { commit: Commit::Late, ..Liar::honest(inner) },
        "takes a failed commit for a good one" => Liar { commit: Commit::AlwaysGood, ..Liar::honest(inner) },
        "forgets the world" => Liar { loaded: |room| room.world = None, ..Liar::honest(inner) },
        "goes on from the newest value's revision" => Liar {
            loaded: |room| room.rev = room.entries.last().map_or(0, |entry| entry.rev),
            ..Liar::honest(inner)
        },
        "makes a row for every room that is joined" => Liar { makes_rows: true, ..Liar::honest(inner) },
        "serves a damaged room as a new one" => Liar { hides_damage: true, ..Liar::honest(inner) },
        // See `loosen`.
        NO_JOIN_RATE => return Ok(inner),
        other => return Err(format!("there is no fault {other}")),
    };
    Ok(Arc::new(liar))
}

const NO_JOIN_RATE: &str = "lets a room be joined without end";

/// Faults that are in the limits.
pub fn loosen(fault: Option<&str>, limits: &mut Limits) {
    if fault == Some(NO_JOIN_RATE) {
        limits.rates.join_room = Rate::NONE;
    }
}

#[derive(Clone, Copy)]
enum Commit {
    Honest,
    After,
    Late,
    AlwaysGood,
}

struct Liar {
    inner: Arc<dyn Store>,
    commit: Commit,
    loaded: fn(&mut StoredRoom),
    makes_rows: bool,
    hides_damage: bool,
}

impl Liar {
    fn honest(inner: Arc<dyn Store>) -> Self {
        Self { inner, commit: Commit::Honest, loaded: |_| {}, makes_rows: false, hides_damage: false }
    }
}

impl Store for Liar {
    fn load(&self, room: &RoomName, done: Done<StoredRoom>) {
        let (change, hides) = (self.loaded, self.hides_damage);
        let (inner, name) = (Arc::clone(&self.inner), room.clone());
        let makes_rows = self.makes_rows;
        self.inner.load(
            room,
            Box::new(move |stored| {
                let stored = match stored {
                    Err(StoreError::Corrupt { .. }) if hides => Ok(StoredRoom::default()),
                    other => other,
                };
                if makes_rows && stored.as_ref().is_ok_and(|stored| stored.rev == 0) {
                    let row = Batch { room: name, rev: 1, writes: vec![] };
                    inner.commit_batch(row, Box::new(drop));
                }
                done(stored.map(|mut stored| {
                    change(&mut stored);
                    stored
                }));
            }),
        );
    }

    fn commit_batch(&self, batch: Batch, done: Done<()>) {
        match self.commit {
            Commit::Honest => self.inner.commit_batch(batch, done),
            Commit::After => {
                done(Ok(()));
                self.inner.commit_batch(batch, Box::new(drop));
            }
            Commit::Late => {
                done(Ok(()));
                let inner = Arc::clone(&self.inner);
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(300));
                    inner.commit_batch(batch, Box::new(drop));
                });
            }
            Commit::AlwaysGood => self.inner.commit_batch(batch, Box::new(move |_| done(Ok(())))),
        }
    }

    fn close(&self) -> Result<(), StoreError> {
        self.inner.close()
    }
}
