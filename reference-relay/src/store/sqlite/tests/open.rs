//! Opening: what is made, what is locked, what is refused.

use std::error::Error;
use std::fs;

use super::*;
use crate::store::tests::load;
use crate::store::{OpenError, Store, StoreError, StoredRoom};

#[test]
fn the_settings_are_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    let setting =
        |name| store.settings().iter().find(|setting| setting.0 == name).map(|setting| &setting.1[..]);
    assert_eq!(setting("journal_mode"), Some("wal"));
    assert_eq!(setting("synchronous"), Some("2"));
    assert_eq!(setting("locking_mode"), Some("exclusive"));
    assert_eq!(setting("sqlite"), Some(rusqlite::version()));
}

#[test]
fn a_setting_that_does_not_take_is_an_error() {
    // In memory there is no write-ahead log.
    let conn = Connection::open_in_memory().unwrap();
    let error = super::super::open::read_back(&conn, Path::new("x")).unwrap_err();
    assert!(matches!(error, OpenError::Setting { name: "locking_mode", .. }), "{error}");
    conn.execute_batch("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL").unwrap();
    let error = super::super::open::read_back(&conn, Path::new("x")).unwrap_err();
    let OpenError::Setting { name: "journal_mode", wanted: "WAL", found } = error else { panic!("{error}") };
    assert_eq!(found, "memory");
}

#[test]
fn the_directory_is_made_with_its_parents() {
    let dir = tempfile::tempdir().unwrap();
    let deep = dir.path().join("a/b/c");
    let store = SqliteStore::open(&deep).unwrap();
    assert!(database(&deep).is_file() && deep.join("lock").is_file());
    store.close().unwrap();
    // The log was written back: the file alone is the store, to be copied as it is.
    assert!(!wal(&deep).exists());
}

#[test]
fn a_file_that_is_gone_is_not_replaced() {
    let dir = store_of_two();
    fs::write(database(dir.path()), b"").unwrap();
    for _ in 0..2 {
        let error = SqliteStore::open(dir.path()).err().unwrap();
        assert!(matches!(error, OpenError::Gone { .. }), "{error}");
        let _ = fs::remove_file(database(dir.path()));
    }
    fs::remove_file(dir.path().join("lock")).unwrap();
    drop(SqliteStore::open(dir.path()).unwrap());
}

#[test]
fn an_unknown_room_leaves_no_row() {
    let dir = store_of_two();
    let store = SqliteStore::open(dir.path()).unwrap();
    for number in 0..100 {
        assert_eq!(load(&store, &room(&number.to_string())), Ok(StoredRoom::default()));
    }
    drop(store);
    let rooms: i64 = Connection::open(database(dir.path()))
        .unwrap()
        .query_row("SELECT count(*) FROM rooms", [], |row| row.get(0))
        .unwrap();
    assert_eq!(rooms, 2);
}

#[test]
fn a_second_store_is_refused_until_the_first_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let first = SqliteStore::open(dir.path()).unwrap();
    let error = SqliteStore::open(dir.path()).err().unwrap();
    assert!(matches!(error, OpenError::InUse { .. }));
    assert_eq!(error.to_string(), format!("another relay already uses {}", dir.path().display()));
    first.close().unwrap();
    let second = SqliteStore::open(dir.path()).unwrap();
    assert!(matches!(SqliteStore::open(dir.path()), Err(OpenError::InUse { .. })));
    drop(second);
    SqliteStore::open(dir.path()).unwrap();
    drop(first);
}

#[test]
fn without_the_lock_file_sqlite_still_refuses_the_second() {
    let (made, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = SqliteStore::open(made.path()).unwrap();
    assert_alone(made.path());
    assert_eq!(commit(&first, batch(&room("r"), [set(1, "a", "")])), Ok(()));
    // What a relay that is killed leaves behind: a log that was not written back.
    for file in [database, wal] {
        fs::copy(file(made.path()), file(killed.path())).unwrap();
    }
    drop(first);

    // Nothing is read or written first: the lock is there from the moment that the store is open.
    for dir in [made.path(), killed.path()] {
        let again = SqliteStore::open(dir).unwrap();
        assert_alone(dir);
        assert_eq!(commit(&again, batch(&room("r"), [set(2, "a", "")])), Ok(()));
        assert_alone(dir);
    }
}

/// Checks that nobody but the open store gets at the database, even with the lock file gone.
fn assert_alone(dir: &Path) {
    assert!(!dir.join("roomwire.sqlite3-shm").exists(), "the log is shared");
    fs::remove_file(dir.join("lock")).unwrap();
    assert!(matches!(SqliteStore::open(dir), Err(OpenError::InUse { .. })));
    let shell = Connection::open(database(dir)).unwrap();
    shell.busy_timeout(std::time::Duration::ZERO).unwrap();
    assert!(shell.execute_batch("SELECT * FROM rooms").is_err());
    assert!(shell.execute_batch("DELETE FROM rooms").is_err());
}

#[test]
fn a_store_that_another_program_reads_is_refused() {
    let dir = store_of_two();
    let shell = Connection::open(database(dir.path())).unwrap();
    shell.execute_batch("SELECT * FROM rooms").unwrap();
    assert!(matches!(SqliteStore::open(dir.path()), Err(OpenError::InUse { .. })));
    drop(shell);
    SqliteStore::open(dir.path()).unwrap();
}

#[test]
fn a_path_that_cannot_be_used_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [&file, &file.join("below")] {
        let error = SqliteStore::open(path).err().unwrap();
        assert!(matches!(error, OpenError::Io { action: "create the directory", .. }), "{error}");
        assert!(error.source().is_some());
    }

    let occupied = dir.path().join("occupied");
    fs::create_dir_all(database(&occupied)).unwrap();
    assert!(matches!(SqliteStore::open(&occupied), Err(OpenError::Sqlite { .. })));

    let locked = dir.path().join("locked");
    fs::create_dir_all(locked.join("lock")).unwrap();
    assert!(matches!(SqliteStore::open(&locked), Err(OpenError::Io { action: "open", .. })));
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_cannot_be_written_is_refused() {
    // Not even the superuser may write there.
    for path in ["/proc", "/proc/roomwire"] {
        assert!(matches!(SqliteStore::open(path), Err(OpenError::Io { .. })), "{path}");
    }
}

#[test]
fn files_of_other_programs_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = database(dir.path());
    for text in ["x".to_string(), "no database\n".repeat(1_000)] {
        fs::write(&path, &text).unwrap();
        let error = SqliteStore::open(dir.path()).err().unwrap();
        assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    for sql in ["CREATE TABLE theirs (a)", "PRAGMA application_id=7", "PRAGMA user_version=1"] {
        fs::remove_file(&path).unwrap();
        meddle(dir.path(), sql);
        let before = fs::read(&path).unwrap();
        let error = SqliteStore::open(dir.path()).err().unwrap();
        assert!(matches!(error, OpenError::Foreign { .. }), "{sql}: {error}");
        assert_eq!(fs::read(&path).unwrap(), before, "{sql}");
    }
}

#[test]
fn a_file_of_another_schema_version_is_refused() {
    let dir = store_of_two();
    meddle(dir.path(), "PRAGMA user_version=2");
    let error = SqliteStore::open(dir.path()).err().unwrap();
    assert!(matches!(error, OpenError::Newer { found: 2, known: 1, .. }), "{error}");
    meddle(dir.path(), "PRAGMA user_version=0");
    assert!(matches!(SqliteStore::open(dir.path()), Err(OpenError::Damaged { .. })));
    meddle(dir.path(), "PRAGMA user_version=1");
    SqliteStore::open(dir.path()).unwrap();
}

#[test]
fn a_schema_that_was_changed_is_refused() {
    for sql in ["DROP TABLE worlds", "ALTER TABLE entries RENAME COLUMN value TO val"] {
        let dir = store_of_two();
        meddle(dir.path(), sql);
        let error = SqliteStore::open(dir.path()).err().unwrap();
        assert!(matches!(error, OpenError::Damaged { .. }), "{sql}: {error}");
    }
}

#[test]
fn what_was_begun_and_not_finished_is_made_anew() {
    // Killed before the schema was written: an empty file, or one that has a head only.
    let dir = tempfile::tempdir().unwrap();
    fs::write(database(dir.path()), "").unwrap();
    drop(SqliteStore::open(dir.path()).unwrap());
    fs::remove_file(database(dir.path())).unwrap();
    fs::remove_file(dir.path().join("lock")).unwrap();
    meddle(dir.path(), "PRAGMA journal_mode=WAL");
    assert!(fs::metadata(database(dir.path())).unwrap().len() > 0);
    let store = SqliteStore::open(dir.path()).unwrap();
    commit(&store, batch(&room("r"), [set(1, "a", "")])).unwrap();
}

#[test]
fn a_store_that_was_dropped_by_its_own_done_closes() {
    let dir = tempfile::tempdir().unwrap();
    let store = std::sync::Arc::new(SqliteStore::open(dir.path()).unwrap());
    let (sender, receiver) = std::sync::mpsc::channel::<StoreError>();
    let held = store.clone();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    store.load(
        &room("r"),
        Box::new(move |_| {
            // Until the test has let go of its own.
            wait.recv().unwrap();
            drop(held);
            drop(sender);
        }),
    );
    drop(store);
    go.send(()).unwrap();
    assert!(receiver.recv().is_err());
    // The thread is on its way out and lets go of the lock at its end.
    while let Err(error) = SqliteStore::open(dir.path()) {
        assert!(matches!(error, OpenError::InUse { .. }), "{error}");
        std::thread::yield_now();
    }
}
