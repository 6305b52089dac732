//! What leaves the relay, and when.

use roomwire_codec::registry::close;

use super::*;
use crate::store::testing::{FailingStore, HeldStore};
use crate::store::{Batch, Done, RoomName, SqliteStore, StoreError, StoredRoom};

#[test]
fn nothing_leaves_before_the_commit_and_relays_do_not_wait() {
    let store = HeldStore::new(MemoryStore::new());
    let relay = TestRelay::start(store.clone());
    let mut a = relay.join("r");
    let mut b = relay.join("r");
    a.read();
    b.read();
    store.hold();
    a.send(b"\xF4\x01\x00k1");
    assert!(store.wait_for(1, PATIENCE));
    a.send(b"\xF4\x01\x00k2");
    a.send(b"\xF1w");
    // The packet comes after the writes, and overtakes them.
    a.send(b"\x07\x03\x00\x00\x00\x00first");
    assert_eq!(b.read()[6..], *b"first");
    let mut late = relay.join_as("r", "&m=state");
    assert_eq!(store.held().len(), 1, "one batch at a time");
    assert_eq!(store.release(1), 1);
    for member in [&mut a, &mut b, &mut late] {
        assert_eq!(member.read(), b"\xF5\x01\x00\x00\x00\x01\x00k1");
    }
    assert!(store.wait_for(1, PATIENCE));
    store.release_all();
    for (member, frames) in [(&mut a, [0xF5, 0xF3]), (&mut b, [0xF5, 0xF2]), (&mut late, [0xF5, 0xF2])] {
        assert_eq!([member.read()[0], member.read()[0]], frames);
    }
}

#[test]
fn a_room_survives_everyone_and_a_restart() {
    let dir = tempfile::tempdir().expect("a directory");
    let relay = TestRelay::start(SqliteStore::open(dir.path()).expect("a store"));
    let mut writer = relay.join("r");
    writer.send(b"\xF4\x01\x00kv");
    writer.send(b"\xF1world");
    assert_eq!((writer.read()[0], writer.read()[0]), (0xF5, 0xF3));
    writer.close();
    eventually("no room", || relay.health("rooms") == 0);
    let expect_join_data = |relay: &TestRelay| {
        let mut member = relay.join("r");
        assert_eq!(member.read(), b"\xF6\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00k\x01\x00\x00\x00v");
        assert_eq!(member.read(), b"\xF2world");
        member
    };
    expect_join_data(&relay);
    relay.stop().expect("an end in order");
    let relay = TestRelay::start(SqliteStore::open(dir.path()).expect("the store again"));
    let mut member = expect_join_data(&relay);
    member.send(b"\xF4\x01\x00kw");
    assert_eq!(member.read(), b"\xF5\x03\x00\x00\x00\x01\x00kw");
    relay.stop().expect("an end in order");
}

#[test]
fn a_store_that_fails_is_the_end_of_the_relay() {
    let relay = TestRelay::start(FailingStore::new(MemoryStore::new(), 2));
    let (mut a, mut b, mut elsewhere) = (relay.join("r"), relay.join("r"), relay.join("s"));
    a.read();
    b.read();
    a.send(b"\xF4\x01\x00k1");
    assert_eq!((a.read()[0], b.read()[0]), (0xF5, 0xF5));
    b.send(b"\xF4\x01\x00k2");
    for member in [&mut a, &mut b] {
        let (messages, code, reason) = member.read_to_close();
        assert_eq!((code, reason), (close::STORAGE.code, "storage: the store has failed".to_owned()));
        assert!(
            messages.iter().all(|message| message[0] == 0x07),
            "nobody is told of the write: {messages:?}"
        );
    }
    let (_, code, _) = elsewhere.read_to_close();
    assert!(code == close::STORAGE.code || code == close::RESTART.code);
    assert!(matches!(relay.ended(), Err(RelayError::Store(StoreError::Failed(_)))));
}

/// A store that cannot read the rooms whose id begins with `bad`.
struct Unreadable(MemoryStore);

impl Store for Unreadable {
    fn load(&self, room: &RoomName, done: Done<StoredRoom>) {
        if room.room.starts_with("bad") {
            done(Err(StoreError::Corrupt { room: room.clone(), what: "for a test".into() }));
        } else {
            self.0.load(room, done);
        }
    }

    fn commit_batch(&self, batch: Batch, done: Done<()>) {
        self.0.commit_batch(batch, done);
    }

    fn close(&self) -> Result<(), StoreError> {
        self.0.close()
    }
}

#[test]
fn a_room_that_cannot_be_read_is_refused_and_others_are_served() {
    let relay = TestRelay::start(Unreadable(MemoryStore::new()));
    let mut good = relay.join("good");
    for _ in 0..2 {
        let mut bad = relay.open("/r/bad?g=g&v=1");
        assert_eq!(bad.read_close(), (close::STORAGE.code, "storage: the room cannot be read".to_owned()));
    }
    good.send(b"\xF4\x01\x00k");
    assert_eq!(good.read()[0], 0xF5);
    eventually("one room", || relay.health("rooms") == 1);
    relay.stop().expect("an end in order");
}
