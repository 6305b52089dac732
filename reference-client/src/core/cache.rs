//! What a client holds of a room's values (spec 12-clients, "State").

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use super::address::Place;

/// The newest value of a key that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The commit that wrote it, 1 to 4294967295.
    pub rev: u32,
    /// The value, which may be empty.
    pub value: Bytes,
}

/// The values of one room, by key. A key that is not here is not set; one with an empty value is (CLIENT-GET-1).
///
/// Values outlive the connection that brought them, their revisions do not: a relay that lost its store begins at 1 again
/// (CLIENT-CACHE-2). What it no longer has stays here, since version 1 has no way to say that a key is gone.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    place: Option<Place>,
    entries: BTreeMap<Arc<str>, Slot>,
    /// Counts the connections.
    connection: u64,
}

/// What is held for a key, and which connection last brought it.
#[derive(Clone, Debug)]
struct Slot {
    held: Held,
    connection: u64,
}

impl Cache {
    /// Makes this the cache of `place`. What is held of another room is forgotten; of the same room it stays (CLIENT-CACHE-1).
    pub fn bind(&mut self, place: Place) {
        if self.place.as_ref() != Some(&place) {
            self.entries.clear();
            self.place = Some(place);
        }
    }

    /// From here on entries come over another connection, and the first one for each key counts (CLIENT-CACHE-2).
    pub fn begin_connection(&mut self) {
        self.connection = self.connection.saturating_add(1);
    }

    /// Takes an entry if it is the first for its key on this connection or newer than the one before, and returns the key to
    /// report; `None` if it is not newer (CLIENT-APPLY-1), or if it is what is held already (CLIENT-CACHE-2). Within a connection
    /// the order in which entries come makes no difference to what is held in the end.
    pub fn apply(&mut self, key: &str, rev: u32, value: Bytes) -> Option<Arc<str>> {
        let connection = self.connection;
        let before = self.entries.get_key_value(key);
        // A rev of 0 cannot be newer than nothing; the codec refuses it before (ROOM-REV-1).
        let newest =
            before.filter(|(_, slot)| slot.connection == connection).map_or(0, |(_, slot)| slot.held.rev);
        if rev <= newest {
            return None;
        }
        let held = Held { rev, value };
        let is_new = before.is_none_or(|(_, slot)| slot.held != held);
        let key = before.map_or_else(|| Arc::from(key), |(key, _)| Arc::clone(key));
        self.entries.insert(Arc::clone(&key), Slot { held, connection });
        is_new.then_some(key)
    }

    /// What is held for a key, `None` if it is not set.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Held> {
        self.entries.get(key).map(|slot| &slot.held)
    }

    /// All keys and what is held for them, ascending by the keys' bytes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Held)> {
        self.entries.iter().map(|(key, slot)| (key, &slot.held))
    }

    /// How many keys are set.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no key is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Address;
    use proptest::prelude::*;

    fn place(room: &str) -> Place {
        Address::new("ws://h", "g", room).unwrap().place()
    }

    type Entry = (&'static str, u32, u8);

    /// What each of some connections brings: a few keys and revisions, so that they meet.
    fn connections() -> impl Strategy<Value = Vec<Vec<Entry>>> {
        let entry = (prop::sample::select(vec!["a", "b", "c"]), 1u32..6, 0u8..3);
        prop::collection::vec(prop::collection::vec(entry, 0..8), 1..6)
    }

    /// Commits of a room: rev by rev a key and a value.
    fn commits() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
        prop::collection::vec(("[a-e]{1,2}", prop::collection::vec(any::<u8>(), 0..4)), 1..40)
    }

    proptest! {
        /// CLIENT-APPLY-1, H59, H96: whatever the order, and however often an entry comes, each key ends with its highest
        /// revision, and no entry is reported twice.
        #[test]
        fn any_order_and_any_repetition_converge(
            commits in commits(),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 0..80),
            shuffle: u64,
        ) {
            let entries: Vec<(u32, &str, &[u8])> =
                (1u32..).zip(&commits).map(|(rev, (key, value))| (rev, key.as_str(), value.as_slice())).collect();
            let mut arrivals = entries.clone();
            arrivals.extend(picks.iter().map(|pick| *pick.get(&entries)));
            fastrand::Rng::with_seed(shuffle).shuffle(&mut arrivals);

            let mut cache = Cache::default();
            cache.bind(place("r"));
            let mut reported = Vec::new();
            for (rev, key, value) in arrivals {
                if let Some(key) = cache.apply(key, rev, Bytes::copy_from_slice(value)) {
                    reported.push((key, rev));
                }
            }

            let mut expected: BTreeMap<&str, (u32, &[u8])> = BTreeMap::new();
            for (rev, key, value) in entries {
                expected.insert(key, (rev, value));
            }
            let held: BTreeMap<&str, (u32, &[u8])> =
                cache.iter().map(|(key, held)| (&**key, (held.rev, &*held.value))).collect();
            prop_assert_eq!(held, expected);
            let mut once = reported.clone();
            once.sort();
            once.dedup();
            prop_assert_eq!(once.len(), reported.len());
        }

        /// CLIENT-CACHE-2: each key ends with the highest revision of the last connection that brought it, whatever was held
        /// before; and no report of a key says what the one before said.
        #[test]
        fn each_connection_counts_anew(connections in connections()) {
            let mut cache = Cache::default();
            let mut expected: BTreeMap<&str, (u32, u8)> = BTreeMap::new();
            let mut told: BTreeMap<&str, (u32, u8)> = BTreeMap::new();
            for entries in connections {
                cache.begin_connection();
                let mut brought: BTreeMap<&str, (u32, u8)> = BTreeMap::new();
                for (key, rev, value) in entries {
                    if brought.get(key).is_none_or(|(newest, _)| *newest < rev) {
                        brought.insert(key, (rev, value));
                    }
                    if cache.apply(key, rev, vec![value].into()).is_some() {
                        prop_assert_ne!(told.insert(key, (rev, value)), Some((rev, value)));
                    }
                    // What was told is what is held, at every moment.
                    prop_assert_eq!(told.get(key), brought.get(key));
                }
                expected.extend(brought);
            }
            let held: BTreeMap<&str, (u32, u8)> =
                cache.iter().map(|(key, held)| (&**key, (held.rev, held.value[0]))).collect();
            prop_assert_eq!(held, expected);
        }
    }

    /// CLIENT-APPLY-1: an entry that is not newer changes nothing and is not reported.
    #[test]
    fn older_and_equal_entries_are_ignored() {
        let mut cache = Cache::default();
        assert!(cache.apply("a", 5, Bytes::from_static(b"5")).is_some());
        for rev in [0, 1, 4, 5] {
            assert_eq!(cache.apply("a", rev, Bytes::from_static(b"x")), None);
        }
        assert_eq!(cache.get("a"), Some(&Held { rev: 5, value: Bytes::from_static(b"5") }));
        assert!(cache.apply("a", u32::MAX, Bytes::new()).is_some());
        assert_eq!(cache.apply("a", 0x8000_0000, Bytes::new()), None, "revisions are unsigned");
    }

    /// CLIENT-GET-1, Z48.
    #[test]
    fn unset_is_not_empty() {
        let mut cache = Cache::default();
        cache.apply("empty", 1, Bytes::new());
        assert_eq!(cache.get("empty").map(|held| held.value.len()), Some(0));
        assert_eq!(cache.get("unset"), None);
    }

    /// CLIENT-CACHE-2: a relay that lost its store is believed.
    #[test]
    fn old_revisions_do_not_count() {
        let mut cache = Cache::default();
        cache.begin_connection();
        cache.apply("turn", 500, Bytes::from_static(b"old"));
        cache.apply("same", 501, Bytes::from_static(b"s"));
        cache.apply("gone", 502, Bytes::new());
        cache.begin_connection();
        assert!(cache.apply("turn", 1, Bytes::from_static(b"new")).is_some());
        assert_eq!(cache.apply("same", 501, Bytes::from_static(b"s")), None, "it is what is held");
        assert_eq!(
            cache.apply("same", 500, Bytes::from_static(b"late")),
            None,
            "it came on this connection, too"
        );
        assert_eq!(cache.get("turn"), Some(&Held { rev: 1, value: Bytes::from_static(b"new") }));
        assert_eq!(cache.get("same"), Some(&Held { rev: 501, value: Bytes::from_static(b"s") }));
        assert!(cache.get("gone").is_some());
        cache.begin_connection();
        assert!(
            cache.apply("turn", 1, Bytes::from_static(b"other")).is_some(),
            "the revision alone says nothing"
        );
        assert!(cache.apply("same", 7, Bytes::from_static(b"s")).is_some(), "nor does the value");
    }

    /// CLIENT-CACHE-1, H59: another room starts empty, so its low revisions count; the same room keeps what is held.
    #[test]
    fn a_cache_belongs_to_one_room() {
        let mut cache = Cache::default();
        cache.bind(place("table-7"));
        cache.apply("turn", 500, Bytes::from_static(b"7"));
        cache.bind(place("table-7"));
        assert_eq!(cache.len(), 1);
        cache.bind(place("table-8"));
        assert!(cache.is_empty());
        assert!(cache.apply("turn", 3, Bytes::from_static(b"8")).is_some());
        cache.bind(place("table-7"));
        assert!(cache.is_empty());
    }

    /// ROOM-KEY-3: keys are compared by bytes.
    #[test]
    fn keys_are_not_normalised() {
        let mut cache = Cache::default();
        for (rev, key) in (1..).zip(["é", "e\u{301}", "E", "e", "e "]) {
            assert!(cache.apply(key, rev, Bytes::new()).is_some());
        }
        assert_eq!(cache.len(), 5);
    }
}
