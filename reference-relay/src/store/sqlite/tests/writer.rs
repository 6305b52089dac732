//! What the thread puts into a transaction, and when it tells.

use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use super::super::open;
use super::super::queue::{Job, Queue};
use super::super::writer::run;
use super::*;
use crate::store::reply::Reply;
use crate::store::tests::{begin, load, wait};
use crate::store::{Batch, SqliteOptions, Store};

/// Runs the thread's body on a queue that is full before it begins; gives the size of the WAL after each commit.
fn wal_sizes(batches: Vec<Batch>) -> Vec<u64> {
    let dir = tempfile::tempdir().unwrap();
    let queue = Queue::default();
    let (sizes, results) = mpsc::channel();
    for batch in batches {
        let (sizes, path) = (sizes.clone(), wal(dir.path()));
        let done = Box::new(move |result: Result<(), _>| {
            result.unwrap();
            sizes.send(fs::metadata(&path).unwrap().len()).unwrap();
        });
        queue.push(Job::Commit(batch, Reply::new(done)));
    }
    queue.push(Job::Close);
    run(open::open(dir.path()).unwrap(), &queue, Duration::ZERO).unwrap();
    results.try_iter().collect()
}

#[test]
fn all_that_waits_is_one_transaction_and_a_key_is_written_once() {
    let batches = (1..=500).map(|rev| batch(&room("r"), [set(rev, "a", vec![7; 3_000])])).collect();
    let sizes = wal_sizes(batches);
    assert_eq!(sizes.len(), 500);
    // No `done` ran before the last commit was in the log.
    assert!(sizes.iter().all(|size| *size == sizes[0]));
    // The schema and a few pages: a transaction for each batch would come to 4 MB.
    assert!(sizes[0] < 100_000, "{}", sizes[0]);
}

#[test]
fn large_batches_come_one_by_one_after_the_small() {
    let mut batches: Vec<_> =
        (0..4).map(|n| batch(&room(&n.to_string()), [save(1, vec![1; 200_000])])).collect();
    batches.push(batch(&room("small"), [set(1, "a", "")]));
    let sizes = wal_sizes(batches);
    // In order of completion: small, then each large one.
    assert!(sizes[0] < 100_000, "{sizes:?}");
    assert!(sizes.windows(2).all(|pair| pair[1] >= pair[0] + 200_000), "{sizes:?}");
}

#[test]
fn the_log_stays_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let options = SqliteOptions { patience: Duration::ZERO, ..SqliteOptions::default() };
    let store = SqliteStore::open_with(dir.path(), options).unwrap();
    for rev in 1..=40 {
        // 40 MB in all.
        commit(&store, batch(&room("r"), [save(rev, vec![rev as u8; 1 << 20])])).unwrap();
        assert!(fs::metadata(wal(dir.path())).unwrap().len() < 8 << 20);
    }
    assert!(fs::metadata(database(dir.path())).unwrap().len() < 8 << 20);
    store.close().unwrap();
    assert!(!wal(dir.path()).exists());
    let store = SqliteStore::open(dir.path()).unwrap();
    assert_eq!(load(&store, &room("r")).unwrap().world.unwrap().blob[..], vec![40; 1 << 20]);
}

#[test]
fn more_rooms_than_are_remembered_are_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    for rev in 1..=2 {
        let pending: Vec<_> =
            (0..5_000).map(|n| begin(&store, batch(&room(&n.to_string()), [set(rev, "a", "")]))).collect();
        pending.iter().for_each(|result| wait(result).unwrap());
    }
    for n in 0..5_000 {
        assert_eq!(load(&store, &room(&n.to_string())).unwrap().rev, 2);
    }
}
