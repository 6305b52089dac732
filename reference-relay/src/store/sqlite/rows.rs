//! The statements, prepared once: rooms to rows and back.

use bytes::Bytes;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Result, Statement};

use crate::store::{Entry, RoomName, StoreError, StoredRoom, World, check};

/// A room's row in `rooms`.
#[derive(Clone, Copy)]
pub(super) struct RoomRow {
    pub(super) id: i64,
    pub(super) rev: u32,
}

pub(super) struct Rows<'c> {
    conn: &'c Connection,
    begin: Statement<'c>,
    commit: Statement<'c>,
    find_room: Statement<'c>,
    add_room: Statement<'c>,
    set_rev: Statement<'c>,
    get_world: Statement<'c>,
    set_world: Statement<'c>,
    get_entries: Statement<'c>,
    set_entry: Statement<'c>,
}

impl<'c> Rows<'c> {
    pub(super) fn prepare(conn: &'c Connection) -> Result<Self> {
        Ok(Self {
            conn,
            begin: conn.prepare("BEGIN IMMEDIATE")?,
            commit: conn.prepare("COMMIT")?,
            find_room: conn.prepare("SELECT id, rev FROM rooms WHERE game = ?1 AND room = ?2")?,
            add_room: conn.prepare("INSERT INTO rooms (game, room, rev) VALUES (?1, ?2, ?3)")?,
            set_rev: conn.prepare("UPDATE rooms SET rev = ?2 WHERE id = ?1")?,
            get_world: conn.prepare("SELECT rev, blob FROM worlds WHERE room = ?1")?,
            set_world: conn.prepare(
                "INSERT INTO worlds (room, rev, blob) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET rev = excluded.rev, blob = excluded.blob",
            )?,
            // Sorted by revision in `assemble`: SQLite would sort whole rows, values and all.
            get_entries: conn.prepare("SELECT rev, key, value FROM entries WHERE room = ?1")?,
            set_entry: conn.prepare(
                "INSERT INTO entries (room, key, rev, value) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET rev = excluded.rev, value = excluded.value",
            )?,
        })
    }

    pub(super) fn begin(&mut self) -> Result<()> {
        self.begin.execute([]).map(drop)
    }

    /// Returns after the fsync.
    pub(super) fn commit(&mut self) -> Result<()> {
        self.commit.execute([]).map(drop)
    }

    pub(super) fn find_room(&mut self, name: &RoomName) -> Result<Option<RoomRow>> {
        let row = |row: &rusqlite::Row<'_>| Ok(RoomRow { id: row.get(0)?, rev: row.get(1)? });
        self.find_room.query_row((&name.game, &name.room), row).optional()
    }

    pub(super) fn add_room(&mut self, name: &RoomName, rev: u32) -> Result<RoomRow> {
        self.add_room.execute((&name.game, &name.room, rev))?;
        Ok(RoomRow { id: self.conn.last_insert_rowid(), rev })
    }

    pub(super) fn set_rev(&mut self, room: RoomRow) -> Result<()> {
        self.set_rev.execute((room.id, room.rev)).map(drop)
    }

    pub(super) fn set_world(&mut self, room: i64, world: &World) -> Result<()> {
        self.set_world.execute((room, world.rev, &world.blob[..])).map(drop)
    }

    pub(super) fn set_entry(&mut self, room: i64, entry: &Entry) -> Result<()> {
        self.set_entry.execute((room, &entry.key[..], entry.rev, &entry.value[..])).map(drop)
    }

    /// Reads a room and checks it. A room that has no row is the default, and gets none.
    pub(super) fn load(&mut self, name: &RoomName) -> std::result::Result<StoredRoom, StoreError> {
        let read = self.read(name).map_err(|error| read_error(name, &error))?;
        let Some((rev, world, entries)) = read else { return Ok(StoredRoom::default()) };
        check::assemble(name, rev, world, entries)
    }

    #[expect(clippy::type_complexity, reason = "the three parts of a room, on their way to be checked")]
    fn read(&mut self, name: &RoomName) -> Result<Option<(u32, Option<World>, Vec<Entry>)>> {
        let Some(room) = self.find_room(name)? else { return Ok(None) };
        let world = self
            .get_world
            .query_row([room.id], |row| Ok(World { rev: row.get(0)?, blob: bytes(row, 1)? }))
            .optional()?;
        let entries = self
            .get_entries
            .query_map([room.id], |row| {
                Ok(Entry { rev: row.get(0)?, key: bytes(row, 1)?, value: bytes(row, 2)? })
            })?
            .collect::<Result<_>>()?;
        Ok(Some((room.rev, world, entries)))
    }
}

fn bytes(row: &rusqlite::Row<'_>, column: usize) -> Result<Bytes> {
    Ok(Bytes::copy_from_slice(row.get_ref(column)?.as_blob()?))
}

/// What an error means that arose while the rows of `room` were read.
pub(super) fn read_error(room: &RoomName, error: &rusqlite::Error) -> StoreError {
    let (room, what) = (room.clone(), error.to_string().into());
    match error.sqlite_error_code() {
        // Damaged pages; a length beyond all measure; or, with no code of SQLite's, a value of the wrong type or
        // out of range.
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TooBig) | None => {
            StoreError::Corrupt { room, what }
        }
        Some(_) => StoreError::Unreadable { room, what },
    }
}
