//! Spec 03-rooms, revisions, keys, values and caps; spec 06-durability.

use roomwire_codec::registry::{close, limit};

use super::*;
use crate::store::{Entry, Write};

#[test]
fn a_write_is_told_to_everyone_once_it_is_durable() {
    let mut sim = Sim::new();
    let (writer, state, peers) = (sim.enter(Mode::Both), sim.enter(Mode::State), sim.enter(Mode::Peers));
    sim.read(writer);
    sim.set(writer, "k", b"v");
    let batch = sim.room.take_batch(sim.now).expect("a batch");
    sim.pump();
    assert!(sim.inbox.values().all(Vec::is_empty), "nothing leaves before the commit");
    let entry = Entry { rev: 1, key: "k".into(), value: "v".into() };
    assert_eq!(batch, Batch { room: RoomName::new("g", "r"), rev: 1, writes: vec![Write::Set(entry)] });
    sim.room.committed(sim.now);
    sim.pump();
    for member in [writer, state] {
        assert_eq!(sim.read(member), [&b"\xF5\x01\x00\x00\x00\x01\x00kv"[..]]);
    }
    assert!(sim.read(peers).is_empty());
}

#[test]
fn one_batch_is_on_its_way_at_a_time_and_takes_all_that_waits() {
    let mut sim = Sim::new();
    let writer = sim.enter(Mode::State);
    sim.set(writer, "a", b"");
    let first = sim.room.take_batch(sim.now).expect("a batch");
    sim.set(writer, "a", b"same");
    sim.set(writer, "a", b"same");
    sim.save(writer, b"w");
    assert!(sim.room.take_batch(sim.now).is_none() && !sim.room.is_idle());
    sim.room.committed(sim.now);
    let second = sim.room.take_batch(sim.now).expect("a batch");
    assert_eq!((first.rev, second.rev), (1, 4));
    assert_eq!(second.writes.iter().map(Write::rev).collect::<Vec<_>>(), [2, 3, 4]);
    sim.room.committed(sim.now);
    sim.pump();
    assert_eq!(names(&sim.read(writer)), ["a@1", "a@2", "a@3", "ack"]);
}

#[test]
fn a_batch_waits_a_moment_for_those_who_wrote_in_the_last_one() {
    let mut sim = Sim::with_limits(StoredRoom::default(), RoomLimits::default());
    let (a, b) = (sim.enter(Mode::State), sim.enter(Mode::State));
    sim.set(a, "a", b"");
    sim.set(b, "b", b"");
    assert!(sim.commit() && sim.room.next_timeout().is_none());
    sim.set(a, "a", b"");
    assert!(sim.room.has_work() && !sim.commit());
    let due = sim.room.next_timeout().expect("the end of the wait");
    assert_eq!(due, sim.now + RoomLimits::default().patience);
    sim.set(a, "a", b"");
    assert!(!sim.room.has_work(), "nothing has changed");
    sim.set(b, "b", b"");
    assert!(sim.room.has_work() && sim.commit());
    sim.set(a, "a", b"");
    sim.now = sim.room.next_timeout().expect("the end of the wait");
    assert!(sim.commit(), "one of them has fallen silent");
    sim.set(a, "a", b"");
    assert!(sim.commit(), "and is not waited for any more");
}

#[test]
fn writes_of_a_member_that_has_gone_are_committed_as_ever() {
    let mut sim = Sim::new();
    let (writer, other) = (sim.enter(Mode::State), sim.enter(Mode::State));
    sim.set(writer, "a", b"");
    sim.save(writer, b"w");
    sim.room.leave(writer);
    sim.commit();
    assert_eq!(names(&sim.read(other)), ["a@1", "world w"]);
    assert!(sim.read(writer).is_empty());
}

#[test]
fn the_caps_count_what_is_on_its_way() {
    let mut sim = Sim::new();
    let (a, b) = (sim.enter(Mode::State), sim.enter(Mode::State));
    // 12 bytes of entry and the rest of world: exactly the cap.
    sim.set(a, "k", b"v");
    sim.save(a, &vec![0; limit::ROOM_BYTES - 12]);
    sim.set(b, "k", b"vv");
    assert_eq!(sim.code(b), Some(close::TOO_LARGE.code));
    assert_eq!(sim.closed[&b].reason(), "too large: the room would hold 1048577 bytes, the cap is 1048576");
    // What is replaced does not count.
    sim.save(a, &vec![1; limit::ROOM_BYTES - 12]);
    sim.set(a, "k", b"w");
    sim.commit();
    assert_eq!(names(&sim.read(a)), ["k@1", "ack", "ack", "k@4"]);
    let late = sim.join(Mode::State);
    let longest = sim.read(late).iter().map(Bytes::len).max();
    assert_eq!(longest, Some(limit::ROOM_BYTES - 11));
    sim.save(a, &vec![0; limit::ROOM_BYTES - 11]);
    assert_eq!(sim.code(a), Some(close::TOO_LARGE.code));
    assert!(!sim.commit(), "a refused write changes nothing");
}

#[test]
fn the_keys_are_counted() {
    let mut sim = Sim::new();
    let writer = sim.enter(Mode::State);
    for key in 0..limit::ROOM_KEYS {
        sim.set(writer, &key.to_string(), b"");
    }
    sim.set(writer, "7", b"again");
    assert_eq!(sim.code(writer), None);
    let other = sim.enter(Mode::State);
    sim.set(other, "one more", b"");
    assert_eq!(sim.closed[&other].reason(), "too large: the room would hold 4097 keys, the cap is 4096");
    sim.commit();
    let late = sim.join(Mode::State);
    assert_eq!(names(&sim.read(late))[1..], ["snapshot of 4096"]);
}

#[test]
fn revisions_end_and_are_never_used_again() {
    let mut sim = Sim::load(StoredRoom { rev: limit::REV_MAX - 1, ..StoredRoom::default() });
    let (a, b, c) = (sim.enter(Mode::State), sim.enter(Mode::State), sim.enter(Mode::State));
    sim.set(a, "k", b"");
    sim.save(a, b"");
    assert_eq!((sim.code(a), sim.code(b)), (Some(close::STORAGE.code), None));
    sim.commit();
    assert_eq!(names(&sim.read(b)), ["k@4294967295"]);
    // ROOM-CAP-5.
    sim.save(b, &vec![0; limit::ROOM_BYTES]);
    assert_eq!(sim.code(b), Some(close::TOO_LARGE.code));
    sim.set(c, "k", b"");
    assert_eq!(sim.code(c), Some(close::STORAGE.code));
    assert!(!sim.commit());
}

#[test]
fn a_failed_store_is_the_end_of_everyone() {
    let mut sim = Sim::new();
    let (writer, other) = (sim.enter(Mode::State), sim.enter(Mode::Both));
    sim.set(writer, "a", b"");
    sim.room.take_batch(sim.now).expect("a batch");
    sim.set(writer, "b", b"");
    sim.room.store_failed();
    sim.pump();
    for member in [writer, other] {
        assert_eq!(sim.code(member), Some(close::STORAGE.code));
        assert!(sim.read(member).is_empty(), "nobody is told of the write");
    }
    assert!(sim.room.take_batch(sim.now).is_none() && sim.room.is_idle());
    assert_eq!(sim.try_join(Mode::Both).expect_err("no more").close, close::STORAGE);
}

#[test]
fn a_malformed_message_is_the_end_of_its_sender_alone() {
    let messages: [(&[u8], &str); 9] = [
        (&[], "truncated at byte 0 (opcode)"),
        (b"\xF2", "direction at byte 0 (opcode)"),
        (b"\xF5\xFF\xFF\xFF\xFF\x01\x00k", "direction at byte 0 (opcode)"),
        (b"\x08", "opcode at byte 0 (opcode)"),
        (b"\xF4", "truncated at byte 1 (key_len)"),
        (b"\xF4\x00\x00", "limit at byte 1 (key_len)"),
        (b"\xF4\x01\x00\xFF", "value at byte 3 (key)"),
        (b"\xF4\x04\x00a\0bc", "value at byte 3 (key)"),
        (b"\x07\x03\x01\x00\x00\x00", "truncated at byte 6 (payload)"),
    ];
    let mut sim = Sim::new();
    let witness = sim.enter(Mode::State);
    for (message, fault) in messages {
        let member = sim.enter(Mode::State);
        sim.set(member, "k", b"accepted before");
        sim.send(member, message);
        let reason = sim.closed[&member].reason();
        assert!(reason.starts_with("malformed: ") && reason.contains(fault), "{reason}");
        assert!(reason.len() <= limit::CLOSE_REASON_MAX && reason.ends_with(']'), "{reason}");
        sim.set(member, "k", b"ignored after");
        assert!(sim.commit());
        assert!(!sim.commit(), "CLOSE-7");
    }
    assert_eq!(sim.read(witness).len(), messages.len());
    assert_eq!(sim.here.keys().collect::<Vec<_>>(), [&witness]);
}

#[test]
fn a_room_that_is_given_too_much_says_so() {
    let limits = RoomLimits { congestion_bytes: 1000, patience: Duration::ZERO, ..RoomLimits::default() };
    let mut sim = Sim::with_limits(StoredRoom::default(), limits);
    let writer = sim.enter(Mode::State);
    sim.set(writer, "a", &[0; 900]);
    assert!(!sim.room.is_congested());
    sim.set(writer, "a", &[0; 900]);
    assert!(sim.room.is_congested());
    sim.commit();
    assert!(!sim.room.is_congested());
}
