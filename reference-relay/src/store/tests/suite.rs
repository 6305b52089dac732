//! What every store does.

use std::sync::{Arc, Mutex};
use std::thread;

use super::*;

/// Makes every case a test of every kind.
macro_rules! suite {
    ($($case:ident)*) => {
        mod memory { $(#[test] fn $case() { super::$case::<super::Memory>(); })* }
        mod doubles { $(#[test] fn $case() { super::$case::<super::Doubles>(); })* }
        #[cfg(feature = "sqlite")]
        mod sqlite { $(#[test] fn $case() { super::$case::<super::Sqlite>(); })* }
    };
}

suite! {
    an_unknown_room_is_the_default
    what_was_committed_is_loaded
    a_value_is_overwritten
    a_world_is_replaced
    entries_ascend_by_revision
    rooms_are_apart
    the_widest_values_pass
    the_revision_may_run_ahead_of_the_writes
    a_batch_may_have_the_same_key_twice
    completions_keep_the_order_of_a_room
    a_load_sees_what_was_given_before
    a_batch_that_does_not_continue_is_refused_alone
    after_close_all_is_refused
    everything_is_answered_before_close_returns
    a_done_may_call_the_store
    many_threads_write_many_rooms
    what_lasts_is_there_again
}

fn fresh<K: Kind>() -> (tempfile::TempDir, Box<dyn Store>) {
    let dir = tempfile::tempdir().unwrap();
    let store = K::open(dir.path());
    (dir, store)
}

fn an_unknown_room_is_the_default<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    assert_eq!(load(&*store, &room("r")), Ok(StoredRoom::default()));
}

fn what_was_committed_is_loaded<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let name = room("r");
    let bytes: Vec<u8> = (0..=255).collect();
    commit(&*store, batch(&name, [set(1, "a", "1"), set(2, "empty", ""), save(3, &bytes)])).unwrap();
    commit(&*store, batch(&name, [set(4, "schlüssel/鍵/🗝", &bytes)])).unwrap();
    let expected = StoredRoom {
        rev: 4,
        world: Some(world(3, &bytes)),
        entries: vec![entry(1, "a", "1"), entry(2, "empty", ""), entry(4, "schlüssel/鍵/🗝", &bytes)],
    };
    assert_eq!(load(&*store, &name), Ok(expected));
}

fn a_value_is_overwritten<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let name = room("r");
    commit(&*store, batch(&name, [set(1, "a", "long before")])).unwrap();
    commit(&*store, batch(&name, [set(2, "a", "")])).unwrap();
    assert_eq!(load(&*store, &name).unwrap().entries, [entry(2, "a", "")]);
}

fn a_world_is_replaced<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let name = room("r");
    for (rev, blob) in [(1, vec![7; 1 << 20]), (2, vec![8; 1 << 20]), (3, vec![])] {
        commit(&*store, batch(&name, [save(rev, &blob)])).unwrap();
        let loaded = load(&*store, &name).unwrap();
        assert!(loaded == StoredRoom { rev, world: Some(world(rev, &blob)), entries: vec![] });
    }
}

fn entries_ascend_by_revision<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let name = room("r");
    commit(&*store, batch(&name, [set(1, "c", ""), set(2, "a", ""), set(3, "b", ""), set(4, "aa", "")]))
        .unwrap();
    commit(&*store, batch(&name, [set(5, "c", ""), set(6, "B", "")])).unwrap();
    let entries = load(&*store, &name).unwrap().entries;
    let order: Vec<(u32, &[u8])> = entries.iter().map(|entry| (entry.rev, &entry.key[..])).collect();
    assert_eq!(order, [(2, &b"a"[..]), (3, b"b"), (4, b"aa"), (5, b"c"), (6, b"B")]);
}

fn rooms_are_apart<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    // Game and room are two names, however they look when written one after the other.
    let names: Vec<RoomName> = [("a", "bc"), ("ab", "c"), ("A", "bc"), ("a", "b"), ("bc", "a")]
        .map(|(g, r)| RoomName::new(g, r))
        .into();
    for (rev, name) in (1..).zip(&names) {
        commit(&*store, batch(name, [set(rev, "k", name.to_string()), save(rev + 10, name.to_string())]))
            .unwrap();
    }
    for (rev, name) in (1..).zip(&names) {
        let loaded = load(&*store, name).unwrap();
        assert_eq!(loaded.entries, [entry(rev, "k", name.to_string())]);
        assert_eq!((loaded.rev, loaded.world), (rev + 10, Some(world(rev + 10, name.to_string()))));
    }
}

fn the_widest_values_pass<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let name = RoomName::new("g".repeat(64), "r".repeat(64));
    let (key, value) = ("k".repeat(1024), vec![0xff; (1 << 20) - 1024 - 10]);
    commit(&*store, batch(&name, [set(u32::MAX, &key, &value)])).unwrap();
    let loaded = load(&*store, &name).unwrap();
    assert!(
        loaded == StoredRoom { rev: u32::MAX, world: None, entries: vec![entry(u32::MAX, &key, &value)] }
    );
}

fn the_revision_may_run_ahead_of_the_writes<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let name = room("r");
    commit(&*store, Batch { rev: 9, ..batch(&name, [set(1, "a", "")]) }).unwrap();
    assert_eq!(load(&*store, &name).unwrap().rev, 9);
    commit(&*store, Batch { room: name.clone(), rev: 12, writes: vec![] }).unwrap();
    assert_eq!(
        load(&*store, &name),
        Ok(StoredRoom { rev: 12, world: None, entries: vec![entry(1, "a", "")] })
    );
    commit(&*store, batch(&name, [set(12, "a", "")])).unwrap_err();
}

fn a_batch_may_have_the_same_key_twice<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let name = room("r");
    let writes = [
        set(1, "a", "1"),
        save(2, "w1"),
        set(3, "b", "2"),
        set(4, "a", "3"),
        save(5, "w2"),
        set(6, "a", "4"),
    ];
    commit(&*store, batch(&name, writes)).unwrap();
    let expected = StoredRoom {
        rev: 6,
        world: Some(world(5, "w2")),
        entries: vec![entry(3, "b", "2"), entry(6, "a", "4")],
    };
    assert_eq!(load(&*store, &name), Ok(expected));
}

fn completions_keep_the_order_of_a_room<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let names = [room("a"), room("b"), room("c")];
    let completed = Arc::new(Mutex::new(vec![Vec::new(); names.len()]));
    let mut pending = Vec::new();
    for rev in 1..=120 {
        for (index, name) in names.iter().enumerate() {
            // Now and then one that is large enough to be treated apart, each room at another time.
            let large = (rev as usize + index).is_multiple_of(7);
            let write = if large { save(rev, vec![1; 100 << 10]) } else { set(rev, "k", rev.to_le_bytes()) };
            let (sender, receiver) = mpsc::channel();
            let completed = completed.clone();
            store.commit_batch(
                batch(name, [write]),
                Box::new(move |result| {
                    completed.lock().unwrap()[index].push(rev);
                    sender.send(result).unwrap();
                }),
            );
            pending.push(receiver);
        }
    }
    for result in &pending {
        wait(result).unwrap();
    }
    let ordered: Vec<u32> = (1..=120).collect();
    assert_eq!(*completed.lock().unwrap(), vec![ordered; names.len()]);
}

fn a_load_sees_what_was_given_before<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    for round in 0..20 {
        let name = room(&format!("r{round}"));
        let mut pending = vec![begin(&*store, batch(&name, [set(1, "a", "")]))];
        pending.push(begin(&*store, batch(&room("other"), [save(round + 1, vec![2; 100 << 10])])));
        pending.push(begin(&*store, batch(&name, [save(2, vec![1; 100 << 10])])));
        pending.push(begin(&*store, batch(&name, [set(3, "b", "")])));
        let loaded = load(&*store, &name).unwrap();
        assert_eq!((loaded.rev, loaded.world.map(|world| world.rev), loaded.entries.len()), (3, Some(2), 2));
        pending.iter().for_each(|result| wait(result).unwrap());
    }
}

fn a_batch_that_does_not_continue_is_refused_alone<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let (name, other) = (room("r"), room("other"));
    commit(&*store, batch(&name, [set(5, "a", "kept")])).unwrap();
    let before = load(&*store, &name).unwrap();
    let bad = [
        batch(&name, [set(5, "a", "again")]),
        batch(&name, [set(4, "a", "back")]),
        batch(&name, [set(6, "a", "twice"), save(6, "twice")]),
        Batch { rev: 6, ..batch(&name, [set(7, "a", "beyond the batch")]) },
        batch(&name, []),
    ];
    let results: Vec<_> = bad.map(|bad| begin(&*store, bad)).into();
    let good = begin(&*store, batch(&other, [set(1, "a", "")]));
    for result in &results {
        assert!(matches!(wait(result), Err(StoreError::Refused { room, .. }) if room == name));
    }
    wait(&good).unwrap();
    assert_eq!(load(&*store, &name), Ok(before));
    let refused_at_first = room("new");
    commit(&*store, batch(&refused_at_first, [])).unwrap_err();
    assert_eq!(load(&*store, &refused_at_first), Ok(StoredRoom::default()));
    commit(&*store, batch(&name, [set(6, "a", "")])).unwrap();
}

fn after_close_all_is_refused<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    commit(&*store, batch(&room("r"), [set(1, "a", "")])).unwrap();
    assert_eq!(store.close(), Ok(()));
    assert_eq!(commit(&*store, batch(&room("r"), [set(2, "a", "")])), Err(StoreError::Closed));
    assert_eq!(load(&*store, &room("r")), Err(StoreError::Closed));
    assert_eq!(store.close(), Ok(()));
}

fn everything_is_answered_before_close_returns<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    let name = room("r");
    let pending: Vec<_> = (1..=200)
        .map(|rev| {
            let write = if rev % 50 == 0 { save(rev, vec![3; 100 << 10]) } else { set(rev, "a", "") };
            begin(&*store, batch(&name, [write]))
        })
        .collect();
    store.close().unwrap();
    for result in pending {
        assert_eq!(result.try_recv(), Ok(Ok(())));
    }
}

fn a_done_may_call_the_store<K: Kind>() {
    /// Commits revisions from `rev` to 2,000 one after the other, each from the `done` of the one before.
    fn go_on(store: Arc<dyn Store>, rev: u32, end: mpsc::Sender<Result<StoredRoom, StoreError>>) {
        let again = store.clone();
        let done = move |result: Result<(), StoreError>| {
            result.unwrap();
            if rev < 2_000 {
                go_on(again, rev + 1, end);
            } else {
                again.load(&room("r"), Box::new(move |result| end.send(result).unwrap()));
            }
        };
        store.commit_batch(batch(&room("r"), [set(rev, "a", rev.to_string())]), Box::new(done));
    }
    let (_dir, store) = fresh::<K>();
    let (sender, receiver) = mpsc::channel();
    go_on(store.into(), 1, sender);
    assert_eq!(wait(&receiver).unwrap().entries, [entry(2_000, "a", "2000")]);
}

fn many_threads_write_many_rooms<K: Kind>() {
    let (_dir, store) = fresh::<K>();
    thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                let name = room(&thread.to_string());
                for rev in 1..=50 {
                    commit(&**store, batch(&name, [set(rev, &format!("k{}", rev % 7), rev.to_string())]))
                        .unwrap();
                    assert_eq!(load(&**store, &name).unwrap().rev, rev);
                }
            });
        }
    });
    for thread in 0..4 {
        let loaded = load(&*store, &room(&thread.to_string())).unwrap();
        assert_eq!(
            loaded.entries.iter().map(|entry| entry.rev).collect::<Vec<_>>(),
            (44..=50).collect::<Vec<_>>()
        );
    }
}

fn what_lasts_is_there_again<K: Kind>() {
    let (dir, store) = fresh::<K>();
    let name = room("r");
    commit(&*store, Batch { rev: 9, ..batch(&name, [set(1, "a", "x"), save(2, "w")]) }).unwrap();
    let before = load(&*store, &name).unwrap();
    // By `close`, and by dropping the store alone.
    store.close().unwrap();
    let store = K::open(dir.path());
    let expected = if K::LASTS { before } else { StoredRoom::default() };
    assert_eq!(load(&*store, &name), Ok(expected.clone()));
    drop(store);
    let store = K::open(dir.path());
    assert_eq!(load(&*store, &name), Ok(expected));
    let result = commit(&*store, batch(&name, [set(9, "a", "used before")]));
    assert_eq!(result.is_err(), K::LASTS);
}
