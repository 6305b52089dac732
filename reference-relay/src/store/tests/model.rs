//! Random batches against a model that is a few lines of maps.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Default)]
struct Model {
    rooms: BTreeMap<RoomName, StoredRoom>,
}

impl Model {
    fn apply(&mut self, batch: &Batch) {
        let room = self.rooms.entry(batch.room.clone()).or_default();
        room.rev = batch.rev;
        for write in &batch.writes {
            match write {
                Write::World(world) => room.world = Some(world.clone()),
                Write::Set(entry) => {
                    room.entries.retain(|old| old.key != entry.key);
                    room.entries.push(entry.clone());
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// To the room with this number; each write by its gap to the revision before, key, and length; then the gap to
    /// the batch's revision.
    Commit(usize, Vec<(u32, Option<u8>, usize)>, u32),
    /// Waits for all commits so far.
    Wait,
    /// Loads the room with this number.
    Load(usize),
    /// Closes the store (or only drops it) and opens it again.
    Reopen(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let length = prop_oneof![10 => 0..100_usize, 1 => Just(70 << 10)];
    let write = (1..4_u32, prop_oneof![1 => Just(None), 4 => (0..5_u8).prop_map(Some)], length);
    let commit = (0..3_usize, prop::collection::vec(write, 0..5), 0..2_u32);
    prop_oneof![
        10 => commit.prop_map(|(room, writes, gap)| Step::Commit(room, writes, gap)),
        1 => Just(Step::Wait),
        2 => (0..4_usize).prop_map(Step::Load),
        1 => any::<bool>().prop_map(Step::Reopen),
    ]
}

fn run<K: Kind>(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let dir = tempfile::tempdir().unwrap();
    let mut store = K::open(dir.path());
    let mut model = Model::default();
    let mut pending = Vec::new();
    let names = ["a", "b", "c", "never written"].map(room);
    for step in steps {
        match step {
            Step::Commit(room, writes, gap) => {
                let mut rev = model.rooms.get(&names[room]).map_or(0, |room| room.rev);
                let writes: Vec<Write> = writes
                    .into_iter()
                    .map(|(gap, key, length)| {
                        rev += gap;
                        let value = vec![rev as u8; length];
                        key.map_or_else(|| save(rev, &value), |key| set(rev, &format!("k{key}"), &value))
                    })
                    .collect();
                let gap = if writes.is_empty() { gap + 1 } else { gap };
                let batch = Batch { room: names[room].clone(), rev: rev + gap, writes };
                model.apply(&batch);
                pending.push(begin(&*store, batch));
            }
            Step::Wait => {
                for result in pending.drain(..) {
                    prop_assert_eq!(wait(&result), Ok(()));
                }
            }
            Step::Load(room) => {
                let expected = model.rooms.get(&names[room]).cloned().unwrap_or_default();
                prop_assert!(load(&*store, &names[room]) == Ok(expected));
            }
            Step::Reopen(close) if K::LASTS => {
                if close {
                    prop_assert_eq!(store.close(), Ok(()));
                }
                drop(store);
                store = K::open(dir.path());
            }
            Step::Reopen(_) => {}
        }
    }
    for result in &pending {
        prop_assert_eq!(wait(result), Ok(()));
    }
    for name in &names {
        let expected = model.rooms.get(name).cloned().unwrap_or_default();
        prop_assert!(load(&*store, name) == Ok(expected));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn memory_is_the_model(steps in prop::collection::vec(step(), 0..40)) {
        run::<Memory>(steps)?;
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn sqlite_is_the_model(steps in prop::collection::vec(step(), 0..40)) {
        run::<Sqlite>(steps)?;
    }
}
