//! Opens the file: directory, lock, identity, settings, schema; all of it before the first room is served.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::limits::Limit;
use rusqlite::types::Value;
use rusqlite::{Connection, MAIN_DB, OpenFlags};

use super::error::OpenError;
use super::rows::Rows;

const LOCK: &str = "lock";
const DATABASE: &str = "roomwire.sqlite3";

/// What is in the lock file once there is a database: where that is gone later, nobody shall take the store for a new
/// one.
const IN_USE: &[u8] = b"rooms are kept here\n";

/// Before this release, a WAL that was reset at the wrong moment could lose a commit.
const OLDEST_SQLITE: (i32, &str) = (3_051_003, "3.51.3");

/// "Rmwr", in the file's head: tells our files from those of other programs.
const APPLICATION_ID: i64 = 0x526d_7772;

/// `user_version` in the file's head. Rises when the schema changes.
const SCHEMA_VERSION: i64 = 1;

/// Rows are named by a small integer instead of game and room, which would be repeated in every entry. `rooms.rev`
/// could be had as the highest revision of the room's rows, for about 0.7 us less a write; it is a column of its own
/// so that a row that is lost, or one day removed, cannot lead to a revision that is given twice.
const SCHEMA: &str = "
    CREATE TABLE rooms (
        id INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        room TEXT NOT NULL,
        rev INTEGER NOT NULL,
        UNIQUE (game, room)
    ) STRICT;
    CREATE TABLE worlds (
        room INTEGER PRIMARY KEY,
        rev INTEGER NOT NULL,
        blob BLOB NOT NULL
    ) STRICT;
    CREATE TABLE entries (
        room INTEGER NOT NULL,
        key BLOB NOT NULL,
        rev INTEGER NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY (room, key)
    ) STRICT, WITHOUT ROWID;
";

/// Pragma, value, value as it reads back.
type Setting = (&'static str, &'static str, &'static str);

/// Nobody else can open the file, even if the lock file is deleted. To be set before the file is first read: a WAL
/// that is opened in this mode locks the file at once and has its index in memory, with no shared memory and no lock
/// calls. One that was opened before stays shared until the next write.
const LOCKING: Setting = ("locking_mode", "EXCLUSIVE", "exclusive");

/// Set in this order, then read back.
const SETTINGS: [Setting; 9] = [
    LOCKING,
    ("journal_mode", "WAL", "wal"),
    // A commit returns after the fsync of the WAL. With NORMAL it would not be durable.
    ("synchronous", "FULL", "2"),
    // On macOS an fsync leaves data in the disk's cache. Elsewhere these do nothing.
    ("fullfsync", "ON", "1"),
    ("checkpoint_fullfsync", "ON", "1"),
    // A checkpoint is no part of a commit that somebody waits for: the thread makes it after the replies.
    ("wal_autocheckpoint", "0", "0"),
    // After a burst of worlds the WAL shrinks to this when it is next reset.
    ("journal_size_limit", "16777216", "16777216"),
    // A damaged file is met with an error, as early as can be. (For the same reason `mmap_size` stays 0: a file that
    // is cut short under a mapping ends the process.)
    ("cell_size_check", "ON", "1"),
    ("trusted_schema", "OFF", "0"),
];

/// Longest row that is read or written. A room holds 1 MiB at most; without this, a damaged length could ask for a
/// gigabyte of memory.
const ROW_MAX: i32 = 16 << 20;

/// An open store, to be moved into its thread.
pub(super) struct Opened {
    pub(super) conn: Connection,
    pub(super) settings: Vec<(&'static str, String)>,
    /// Holds the lock while it lives. To be dropped after the connection.
    pub(super) lock: File,
}

pub(super) fn open(dir: &Path) -> Result<Opened, OpenError> {
    if rusqlite::version_number() < OLDEST_SQLITE.0 {
        return Err(OpenError::OldSqlite { found: rusqlite::version(), needed: OLDEST_SQLITE.1 });
    }
    // An absolute path cannot be taken for one of SQLite's "file:" URIs.
    let dir = std::path::absolute(dir).map_err(io("find", dir))?;
    make_dir(&dir)?;
    let lock = lock(&dir)?;
    let path = dir.join(DATABASE);
    let error = |error: rusqlite::Error| OpenError::from_sqlite(&path, &error);
    refuse_fragment(&path)?;

    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(&path, flags).map_err(error)?;
    if conn.is_readonly(MAIN_DB).map_err(error)? {
        return Err(OpenError::Sqlite { path, what: "the file may be read, but not written".into() });
    }
    conn.busy_timeout(Duration::ZERO).map_err(error)?;
    conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, ROW_MAX).map_err(error)?;

    set(&conn, LOCKING).map_err(error)?;
    let is_new = identify(&conn, &path)?;
    let is_marked = lock.metadata().map_err(io("read", &dir.join(LOCK)))?.len() > 0;
    if is_new && is_marked {
        return Err(OpenError::Gone { path, lock: dir.join(LOCK) });
    }
    for setting in SETTINGS {
        set(&conn, setting).map_err(error)?;
    }
    let settings = read_back(&conn, &path)?;
    // The mode reads back as it was set, whether or not the file is locked yet. This takes the lock, or fails.
    conn.execute_batch("BEGIN EXCLUSIVE; COMMIT").map_err(error)?;
    if is_new {
        conn.execute_batch(&format!(
            "BEGIN; {SCHEMA} PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION}; COMMIT"
        ))
        .map_err(error)?;
    }
    if let Err(error) = Rows::prepare(&conn) {
        return Err(OpenError::Damaged { path, what: format!("its schema is not as it was made: {error}") });
    }
    if !is_marked {
        (&lock).write_all(IN_USE).and_then(|()| lock.sync_all()).map_err(io("write", &dir.join(LOCK)))?;
    }
    Ok(Opened { conn, settings, lock })
}

fn io<'a>(action: &'static str, path: &'a Path) -> impl Fn(std::io::Error) -> OpenError + 'a {
    move |source| OpenError::Io { action, path: path.to_path_buf(), source }
}

/// Makes the directory with its parents, durably: SQLite syncs the directory of its files, but none above.
fn make_dir(dir: &Path) -> Result<(), OpenError> {
    let missing: Vec<PathBuf> =
        dir.ancestors().take_while(|dir| !dir.exists()).map(Path::to_path_buf).collect();
    fs::create_dir_all(dir).map_err(io("create the directory", dir))?;
    if cfg!(unix) {
        for parent in missing.iter().filter_map(|dir| dir.parent()) {
            File::open(parent).and_then(|dir| dir.sync_all()).map_err(io("sync the directory", parent))?;
        }
    }
    Ok(())
}

/// Takes the lock. The operating system lets go of it when the process ends, however it ends.
fn lock(dir: &Path) -> Result<File, OpenError> {
    let path = dir.join(LOCK);
    let file =
        File::options().write(true).create(true).truncate(false).open(&path).map_err(io("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { dir: dir.to_path_buf() }),
        Err(TryLockError::Error(source)) => Err(io("lock", &path)(source)),
    }
}

/// Refuses a file that is not empty, but shorter than the smallest database: SQLite takes some such files for empty
/// and would overwrite them.
fn refuse_fragment(path: &Path) -> Result<(), OpenError> {
    const SMALLEST: u64 = 512;
    match fs::metadata(path) {
        Ok(file) if file.is_file() && (1..SMALLEST).contains(&file.len()) => Err(OpenError::Foreign {
            path: path.to_path_buf(),
            what: format!("{} bytes are too few for a database", file.len()),
        }),
        _ => Ok(()),
    }
}

/// Whether the file is new (`true`) or a store of ours (`false`); an error if it is neither.
fn identify(conn: &Connection, path: &Path) -> Result<bool, OpenError> {
    let read = |sql: &str| {
        conn.query_row(sql, [], |row| row.get::<_, i64>(0))
            .map_err(|error| OpenError::from_sqlite(path, &error))
    };
    let objects = read("SELECT count(*) FROM sqlite_schema")?;
    let application = read("PRAGMA application_id")?;
    let version = read("PRAGMA user_version")?;
    match (application, version) {
        (APPLICATION_ID, SCHEMA_VERSION) => Ok(false),
        (APPLICATION_ID, found) if found > SCHEMA_VERSION => {
            Err(OpenError::Newer { path: path.to_path_buf(), found, known: SCHEMA_VERSION })
        }
        (APPLICATION_ID, found) => Err(OpenError::Damaged {
            path: path.to_path_buf(),
            what: format!("schema version {found} was never given out"),
        }),
        // Just made; or made by a relay that was killed before it had written the schema.
        (0, 0) if objects == 0 => Ok(true),
        _ => Err(OpenError::Foreign {
            path: path.to_path_buf(),
            what: format!(
                "application id {application:#x}, user version {version}, {objects} schema objects"
            ),
        }),
    }
}

/// Some pragmas answer with a row, some do not; what counts is what they say afterwards (see [`read_back`]).
fn set(conn: &Connection, (name, value, _): Setting) -> rusqlite::Result<()> {
    conn.execute_batch(&format!("PRAGMA {name}={value}"))
}

/// Reads every setting back: a pragma that SQLite does not take, or does not know, gives no error of its own.
pub(super) fn read_back(conn: &Connection, path: &Path) -> Result<Vec<(&'static str, String)>, OpenError> {
    let mut settings = vec![("sqlite", rusqlite::version().to_string())];
    for (name, wanted, reads) in SETTINGS {
        let value: Value = conn
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| OpenError::from_sqlite(path, &error))?;
        let found = match value {
            Value::Text(text) => text,
            Value::Integer(number) => number.to_string(),
            other => format!("{other:?}"),
        };
        if found != reads {
            return Err(OpenError::Setting { name, wanted, found });
        }
        settings.push((name, found));
    }
    Ok(settings)
}
