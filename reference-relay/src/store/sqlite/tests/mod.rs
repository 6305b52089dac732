//! What only the SQLite store does.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::store::SqliteStore;
use crate::store::tests::{batch, commit, room, save, set};

mod damage;
mod failure;
mod open;
mod process;
mod writer;

fn database(dir: &Path) -> PathBuf {
    dir.join("roomwire.sqlite3")
}

fn wal(dir: &Path) -> PathBuf {
    dir.join("roomwire.sqlite3-wal")
}

/// A directory with a closed store in it: the rooms `good` and `bad`, each with three values and a world, at
/// revision 4.
fn store_of_two() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(dir.path()).unwrap();
    for name in ["good", "bad"] {
        let writes = [set(1, "a", "1"), set(2, "b", "2"), set(3, "c", "3"), save(4, vec![4; 10_000])];
        commit(&store, batch(&room(name), writes)).unwrap();
    }
    drop(store);
    dir
}

/// Changes a closed store behind its back.
fn meddle(dir: &Path, sql: &str) {
    Connection::open(database(dir)).unwrap().execute_batch(sql).unwrap();
}
