//! A disk that fails: all that waits is told, nothing is done any more, and what was reported durable is there.

use super::*;
use crate::store::tests::{begin, load, wait};
use crate::store::{SqliteOptions, Store, StoreError};

#[test]
fn after_a_failed_write_the_store_does_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let options = SqliteOptions { max_pages: Some(100), ..SqliteOptions::default() };
    let store = SqliteStore::open_with(dir.path(), options).unwrap();
    commit(&store, batch(&room("r"), [set(1, "a", "kept")])).unwrap();
    let pending = [
        begin(&store, batch(&room("r"), [save(2, vec![0; 1 << 20])])),
        begin(&store, batch(&room("r"), [set(3, "a", "after it")])),
    ];
    for result in &pending {
        assert!(matches!(wait(result), Err(StoreError::Failed(_))));
    }
    // Rooms that have nothing to do with it, too; and loads.
    let error = commit(&store, batch(&room("other"), [set(1, "a", "")])).unwrap_err();
    assert_eq!(error.to_string(), "the store failed and does no more work: database or disk is full");
    assert_eq!(load(&store, &room("r")), Err(error.clone()));
    assert_eq!(store.close(), Err(error));
    assert_eq!(store.close(), Ok(()));

    let store = SqliteStore::open(dir.path()).unwrap();
    let loaded = load(&store, &room("r")).unwrap();
    assert_eq!((loaded.rev, &loaded.entries[0].value[..]), (1, &b"kept"[..]));
    commit(&store, batch(&room("r"), [set(2, "a", "")])).unwrap();
}
