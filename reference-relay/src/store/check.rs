//! What every store checks: that a batch continues its room, and that a room read from disk keeps the rules.
//!
//! Both guard the promise that no revision is ever given to two writes: a batch that went back, or a damaged row
//! that was taken for the truth, would break it without anyone noticing.

use roomwire_codec::Key;

use super::{Batch, Entry, RoomName, StoreError, StoredRoom, World};

/// Whether `batch` may follow a room whose last commit was `rev`.
pub(super) fn continues(rev: u32, batch: &Batch) -> Result<(), StoreError> {
    let refuse = |what: String| StoreError::Refused { room: batch.room.clone(), what: what.into() };
    if batch.rev <= rev {
        return Err(refuse(format!("it ends at revision {}, and the room is at {rev}", batch.rev)));
    }
    let mut last = rev;
    for write in &batch.writes {
        if write.rev() <= last {
            return Err(refuse(format!("a write has revision {} after {last}", write.rev())));
        }
        last = write.rev();
    }
    if last > batch.rev {
        return Err(refuse(format!("a write has revision {last}, and the batch ends at {}", batch.rev)));
    }
    Ok(())
}

/// Puts what was read of a room together and checks it.
///
/// `entries` come in any order. Damaged are: a revision of 0, above the room's or twice in the room; a key that the
/// protocol does not allow (ROOM-KEY-1, ROOM-KEY-2).
pub(super) fn assemble(
    room: &RoomName,
    rev: u32,
    world: Option<World>,
    mut entries: Vec<Entry>,
) -> Result<StoredRoom, StoreError> {
    let corrupt = |what: String| Err(StoreError::Corrupt { room: room.clone(), what: what.into() });
    entries.sort_unstable_by_key(|entry| entry.rev);
    let mut last = 0;
    for entry in &entries {
        if let Err(error) = Key::new(&entry.key) {
            return corrupt(format!("the value with revision {}: {error}", entry.rev));
        }
        if entry.rev <= last {
            return corrupt(format!("two values, or none, can have revision {}", entry.rev));
        }
        last = entry.rev;
    }
    if last > rev {
        return corrupt(format!("a value has revision {last}, and the room is at {rev}"));
    }
    if let Some(world) = &world {
        if world.rev == 0 || world.rev > rev {
            return corrupt(format!("the world has revision {}, and the room is at {rev}", world.rev));
        }
        if entries.binary_search_by_key(&world.rev, |entry| entry.rev).is_ok() {
            return corrupt(format!("the world and a value both have revision {}", world.rev));
        }
    }
    Ok(StoredRoom { rev, world, entries })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::store::Write;

    fn name() -> RoomName {
        RoomName::new("g", "r")
    }

    fn entry(rev: u32, key: &'static str) -> Entry {
        Entry { rev, key: Bytes::from_static(key.as_bytes()), value: Bytes::new() }
    }

    fn world(rev: u32) -> World {
        World { rev, blob: Bytes::new() }
    }

    fn batch(rev: u32, revs: &[u32]) -> Batch {
        let writes = revs.iter().map(|&rev| Write::Set(entry(rev, "a"))).collect();
        Batch { room: name(), rev, writes }
    }

    #[test]
    fn a_batch_continues_its_room() {
        for good in [
            batch(4, &[4]),
            batch(9, &[4, 6, 9]),
            batch(9, &[4]),
            batch(4, &[]),
            batch(u32::MAX, &[u32::MAX]),
        ] {
            assert_eq!(continues(3, &good), Ok(()));
        }
        for bad in [
            batch(3, &[3]),
            batch(3, &[]),
            batch(5, &[3]),
            batch(5, &[4, 4]),
            batch(5, &[5, 4]),
            batch(4, &[5]),
        ] {
            assert!(matches!(continues(3, &bad), Err(StoreError::Refused { .. })), "{bad:?}");
        }
        assert!(continues(u32::MAX, &batch(u32::MAX, &[])).is_err());
    }

    #[test]
    fn a_room_is_assembled_in_order_of_revisions() {
        let room = assemble(&name(), 7, Some(world(3)), vec![entry(5, "b"), entry(2, "a")]).unwrap();
        assert_eq!(room.entries, [entry(2, "a"), entry(5, "b")]);
        assert_eq!((room.rev, room.world), (7, Some(world(3))));
        assert_eq!(assemble(&name(), 0, None, vec![]), Ok(StoredRoom::default()));
    }

    #[test]
    fn damage_is_found() {
        let cases: [(u32, Option<World>, Vec<Entry>); 9] = [
            (7, None, vec![entry(0, "a")]),
            (7, None, vec![entry(8, "a")]),
            (7, None, vec![entry(2, "a"), entry(2, "b")]),
            (7, None, vec![entry(2, "")]),
            (7, None, vec![entry(2, "a\0")]),
            (7, None, vec![entry(2, "\u{feff}a")]),
            (7, Some(world(0)), vec![]),
            (7, Some(world(8)), vec![]),
            (7, Some(world(2)), vec![entry(2, "a")]),
        ];
        for (rev, world, entries) in cases {
            let found = assemble(&name(), rev, world.clone(), entries.clone());
            assert!(matches!(found, Err(StoreError::Corrupt { .. })), "{world:?} {entries:?}");
        }
        let not_utf8 = Entry { rev: 1, key: Bytes::from_static(b"\xff"), value: Bytes::new() };
        assert!(assemble(&name(), 7, None, vec![not_utf8]).is_err());
    }
}
