//! The doubles do what tests rely on.

use std::time::Duration;

use super::*;

const NOT_LONG: Duration = Duration::from_millis(5);

#[test]
fn held_commits_wait_for_their_release() {
    let store = HeldStore::new(MemoryStore::new());
    let name = room("r");
    commit(&store, batch(&name, [set(1, "a", "")])).unwrap();
    store.hold();
    let held: Vec<_> = (2..=4).map(|rev| begin(&store, batch(&name, [set(rev, "a", "")]))).collect();
    assert!(store.wait_for(3, PATIENCE));
    assert!(!store.wait_for(4, NOT_LONG));
    assert_eq!(store.held().iter().map(|batch| batch.rev).collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!(load(&store, &name).unwrap().rev, 1);

    assert_eq!(store.release(2), 2);
    assert_eq!((wait(&held[0]), wait(&held[1])), (Ok(()), Ok(())));
    assert!(held[2].recv_timeout(NOT_LONG).is_err());
    assert_eq!(load(&store, &name).unwrap().rev, 3);

    store.release_all();
    assert_eq!(wait(&held[2]), Ok(()));
    commit(&store, batch(&name, [set(5, "a", "")])).unwrap();
    assert_eq!(store.release(7), 0);
}

#[test]
fn closing_a_held_store_releases_it() {
    let store = HeldStore::new(MemoryStore::new());
    store.hold();
    let held = begin(&store, batch(&room("r"), [set(1, "a", "")]));
    store.close().unwrap();
    assert_eq!(held.try_recv(), Ok(Ok(())));
}

#[test]
fn a_failing_store_fails_once_and_for_all() {
    let inner = HeldStore::new(MemoryStore::new());
    let store = FailingStore::new(inner.clone(), 3);
    let name = room("r");
    for rev in 1..=2 {
        commit(&store, batch(&name, [set(rev, "a", "")])).unwrap();
    }
    for rev in 3..=4 {
        assert!(matches!(commit(&store, batch(&name, [set(rev, "a", "")])), Err(StoreError::Failed(_))));
    }
    assert!(matches!(load(&store, &name), Err(StoreError::Failed(_))));
    assert_eq!(load(&inner, &name).unwrap().rev, 2);
    assert!(matches!(store.close(), Err(StoreError::Failed(_))));
}

#[test]
fn the_first_commit_can_be_the_one_that_fails() {
    let store = FailingStore::new(MemoryStore::new(), 1);
    assert!(matches!(commit(&store, batch(&room("r"), [set(1, "a", "")])), Err(StoreError::Failed(_))));
}
