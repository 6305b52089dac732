//! Why a store cannot be opened.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why a store cannot be opened. Each is for the operator to mend; nothing was changed in the store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another relay has the store open (DUR-8).
    #[error("another relay already uses {}", dir.display())]
    InUse {
        /// The store's directory.
        dir: PathBuf,
    },
    /// The operating system refused something.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as in "cannot create".
        action: &'static str,
        /// What it was tried on.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is of some other program: a file that is no SQLite database, or a database with other contents.
    #[error("{} is not a store of this relay: {what}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How that is known.
        what: String,
    },
    /// A relay has kept rooms in the directory, and its file is gone.
    #[error(
        "{} is missing or empty, but rooms were kept there before; put it back, or remove {} as well to begin anew",
        path.display(),
        lock.display()
    )]
    Gone {
        /// The file.
        path: PathBuf,
        /// The file that tells of the rooms.
        lock: PathBuf,
    },
    /// A newer relay wrote the file.
    #[error(
        "{} has schema version {found}, from a newer relay; this relay knows versions up to {known}",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest schema version that this relay knows.
        known: i64,
    },
    /// The file is damaged. Restore it from a backup; the relay does not try to mend it.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// SQLite did not take a setting that durability rests on.
    #[error("SQLite did not take the setting {name}={wanted}: it says {found:?}")]
    Setting {
        /// The pragma.
        name: &'static str,
        /// The value that was set.
        wanted: &'static str,
        /// The value that was read back.
        found: String,
    },
    /// The SQLite that is linked is too old to be trusted with a write-ahead log.
    #[error("SQLite {found} is too old: this relay needs {needed} or newer")]
    OldSqlite {
        /// The version that is linked.
        found: &'static str,
        /// The oldest version that will do.
        needed: &'static str,
    },
    /// Any other error of SQLite.
    #[error("SQLite cannot open {}: {what}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// SQLite's words.
        what: String,
    },
}

impl OpenError {
    /// What an error of SQLite means while the file is being opened.
    pub(super) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let (path, what) = (path.to_path_buf(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign { path, what },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, what },
            // Someone who does not know our lock file, such as an SQLite shell, is in it.
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::InUse { dir: path.parent().unwrap_or(&path).to_path_buf() }
            }
            _ => Self::Sqlite { path, what },
        }
    }
}
