//! Damaged files and rows: a clear error, for that room alone where that can be, and never a panic.

use std::fs;

use super::*;
use crate::store::tests::load;
use crate::store::{OpenError, StoreError};

#[test]
fn a_damaged_row_concerns_its_room_alone() {
    let bad = "(SELECT id FROM rooms WHERE room = 'bad')";
    for change in [
        format!("UPDATE entries SET rev = 0 WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET rev = 5 WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET rev = 2 WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET rev = 4 WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET rev = -1 WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET rev = 4294967297 WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET key = x'' WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET key = x'ff' WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET key = x'6100' WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET key = zeroblob(2000) WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE entries SET value = zeroblob(20000000) WHERE room = {bad} AND key = x'61'"),
        format!("UPDATE worlds SET rev = 5 WHERE room = {bad}"),
        format!("UPDATE worlds SET rev = 0 WHERE room = {bad}"),
        format!("UPDATE worlds SET blob = zeroblob(20000000) WHERE room = {bad}"),
        format!("UPDATE rooms SET rev = 3 WHERE id = {bad}"),
        format!("UPDATE rooms SET rev = -4 WHERE id = {bad}"),
        format!("UPDATE rooms SET rev = 4294967296 WHERE id = {bad}"),
    ] {
        let dir = store_of_two();
        meddle(dir.path(), &change);
        let store = SqliteStore::open(dir.path()).unwrap();
        let error = load(&store, &room("bad")).unwrap_err();
        assert!(
            matches!(&error, StoreError::Corrupt { room: name, .. } if *name == room("bad")),
            "{change}: {error}"
        );
        assert!(error.to_string().starts_with("the stored room game/bad is damaged: "), "{error}");
        assert_eq!(load(&store, &room("good")).unwrap().entries.len(), 3, "{change}");
        assert_eq!(commit(&store, batch(&room("good"), [set(5, "a", "")])), Ok(()), "{change}");
    }
}

#[test]
fn a_commit_to_a_room_with_a_damaged_row_fails_alone() {
    let dir = store_of_two();
    meddle(dir.path(), "UPDATE rooms SET rev = -4 WHERE room = 'bad'");
    let store = SqliteStore::open(dir.path()).unwrap();
    let error = commit(&store, batch(&room("bad"), [set(5, "a", "")])).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    assert_eq!(commit(&store, batch(&room("good"), [set(5, "a", "")])), Ok(()));
}

#[test]
fn a_file_that_was_cut_is_refused() {
    let dir = store_of_two();
    let whole = fs::read(database(dir.path())).unwrap();
    for len in [1, 50, 99, 100, 511, 512, 4_095, 4_096, 8_192, whole.len() - 4_096] {
        fs::write(database(dir.path()), &whole[..len]).unwrap();
        let error = SqliteStore::open(dir.path()).err().unwrap();
        assert!(matches!(error, OpenError::Damaged { .. } | OpenError::Foreign { .. }), "{len}: {error:?}");
        assert_eq!(fs::read(database(dir.path())).unwrap(), whole[..len], "{len}");
    }
}

/// Overwrites each page, whole and in part, and uses what is left. SQLite finds most of it, the checks of rows some,
/// and a changed byte of a value nobody; but nothing panics, and no room is served that breaks the rules.
#[test]
fn no_damaged_page_leads_to_a_panic() {
    const PAGE: usize = 4_096;
    let dir = store_of_two();
    let whole = fs::read(database(dir.path())).unwrap();
    assert_eq!(whole.len() % PAGE, 0);
    let mut errors = 0;
    for page in 0..whole.len() / PAGE {
        for (from, to, byte) in
            [(0, PAGE, 0), (0, PAGE, 0xff), (0, 12, 0xff), (8, 40, 0x5a), (PAGE - 64, PAGE, 0x81)]
        {
            let mut damaged = whole.clone();
            damaged[page * PAGE + from..page * PAGE + to].fill(byte);
            fs::write(database(dir.path()), &damaged).unwrap();
            let _ = fs::remove_file(wal(dir.path()));
            let Ok(store) = SqliteStore::open(dir.path()) else {
                errors += 1;
                continue;
            };
            for name in ["good", "bad", "new"].map(room) {
                let Ok(loaded) = load(&store, &name) else {
                    errors += 1;
                    continue;
                };
                assert!(loaded.entries.is_sorted_by_key(|entry| entry.rev));
                assert!(loaded.entries.last().is_none_or(|entry| entry.rev <= loaded.rev));
                if let Some(next) = loaded.rev.checked_add(1) {
                    errors += usize::from(commit(&store, batch(&name, [set(next, "a", "")])).is_err());
                }
            }
        }
    }
    assert!(errors > 0);
}

#[test]
fn what_a_torn_log_holds_of_a_whole_commit_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let copy = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    for rev in 1..=10 {
        commit(&store, batch(&room("r"), [set(rev, "a", rev.to_string())])).unwrap();
    }
    // As a crash leaves it: the file and a log, here with its last commits cut or garbled.
    let log = fs::read(wal(dir.path())).unwrap();
    let mut last = 10;
    for cut in (0..log.len()).rev().step_by(3_001) {
        let garbled = log[..cut].iter().copied().chain(std::iter::repeat_n(0xa5, 500)).collect::<Vec<_>>();
        fs::write(wal(copy.path()), garbled).unwrap();
        fs::copy(database(dir.path()), database(copy.path())).unwrap();
        let Ok(again) = SqliteStore::open(copy.path()) else { continue };
        let loaded = load(&again, &room("r")).unwrap();
        assert!(loaded.rev <= last);
        last = loaded.rev;
        assert_eq!(loaded.entries.first().map(|entry| entry.rev), (last > 0).then_some(last));
    }
    assert_eq!(last, 0);
}
