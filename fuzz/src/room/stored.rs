//! The room that a sequence begins with: empty, or so near an end of something that a few writes reach it.

use std::fmt;

use arbitrary::{Result, Unstructured};
use bytes::Bytes;
use roomwire_codec::registry::limit;
use roomwire_relay::store::{Entry, StoredRoom, World};

/// What is left to a room.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Keys up to the cap; none if the room begins without keys.
    keys: Option<usize>,
    /// Bytes up to the cap; none if nothing fills them.
    bytes: Option<usize>,
    /// The world fills the bytes, and not a value.
    by_world: bool,
    /// Revisions up to the last one; none if the room is young.
    revs: Option<u32>,
}

impl Left {
    pub(super) fn make(u: &mut Unstructured<'_>) -> Result<Self> {
        let kind: u8 = u.arbitrary()?;
        // Half of the sequences begin with an empty room. The others come near one end, or near several at once (ROOM-CAP-5).
        // Rooms full of keys are the slow ones.
        let (keys, bytes, revs) = match kind % 32 {
            0..=17 => (false, false, false),
            18..=22 => (false, true, false),
            23..=25 => (false, false, true),
            26..=28 => (false, true, true),
            29 => (true, false, false),
            30 => (true, false, true),
            _ => (true, true, true),
        };
        Ok(Self {
            keys: keys.then(|| u.int_in_range(0..=3)).transpose()?,
            bytes: bytes.then(|| u.int_in_range(0..=63)).transpose()?,
            by_world: bytes && u.arbitrary()?,
            revs: revs.then(|| u.int_in_range(0..=7)).transpose()?,
        })
    }

    pub(super) fn stored(&self) -> StoredRoom {
        let keys = self.keys.map_or(0, |left| limit::ROOM_KEYS - left);
        let mut entries: Vec<(Bytes, Bytes)> =
            (0..keys).map(|number| (super::ops::key(number).into(), Bytes::new())).collect();
        let (mut world, cost) = (None, |key: &Bytes| limit::ENTRY_OVERHEAD + key.len());
        if let Some(left) = self.bytes {
            // Where there are no keys yet, the first comes with the value.
            if entries.is_empty() && !self.by_world {
                entries.push((super::ops::key(0).into(), Bytes::new()));
            }
            let taken: usize = entries.iter().map(|(key, _)| cost(key)).sum();
            let filling = Bytes::from(vec![0; limit::ROOM_BYTES - taken - left]);
            if self.by_world { world = Some(filling) } else { entries[0].1 = filling }
        }
        let commits = entries.len() as u32 + u32::from(world.is_some());
        let last = self.revs.map_or(commits, |left| limit::REV_MAX - left);
        let mut rev = last - commits;
        let mut next = || {
            rev += 1;
            rev
        };
        StoredRoom {
            rev: last,
            world: world.map(|blob| World { rev: next(), blob }),
            entries: entries.into_iter().map(|(key, value)| Entry { rev: next(), key, value }).collect(),
        }
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.keys.is_none() && self.bytes.is_none() && self.revs.is_none() {
            return f.write_str("a new room");
        }
        f.write_str("a room with")?;
        if let Some(left) = self.keys {
            write!(f, " {} keys,", limit::ROOM_KEYS - left)?;
        }
        if let Some(left) = self.bytes {
            let by = if self.by_world { "the world" } else { "the value of key0" };
            write!(f, " {} bytes by {by},", limit::ROOM_BYTES - left)?;
        }
        write!(f, " revision {}", self.stored().rev)
    }
}
