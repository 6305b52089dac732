//! Spec 05-joining.

use bytes::Bytes;
use roomwire_codec::registry::{close, limit};

use super::*;
use crate::core::room::Damaged;
use crate::store::{Entry, World};

/// The room of the spec's worked example.
fn table_7() -> StoredRoom {
    StoredRoom {
        rev: 7,
        world: Some(World { rev: 5, blob: Bytes::from_static(&[0xCA, 0xFE]) }),
        entries: vec![Entry { rev: 7, key: Bytes::from_static(b"turn"), value: Bytes::from_static(&[2]) }],
    }
}

fn le(peer: i32) -> [u8; 4] {
    peer.to_le_bytes()
}

#[test]
fn the_join_data_is_that_of_the_worked_example() {
    let mut sim = Sim::load(table_7());
    let there = sim.join(Mode::Both);
    let there_id = sim.peer(there);
    sim.read(there);
    let new = sim.join(Mode::Both);
    let new_id = sim.peer(new);
    assert_eq!(
        sim.read(new),
        [
            le(new_id).to_vec(),
            [&[0x07, 0x01][..], &le(there_id)].concat(),
            b"\xF6\x01\x00\x00\x00\x07\x00\x00\x00\x04\x00turn\x01\x00\x00\x00\x02".to_vec(),
            b"\xF2\xCA\xFE".to_vec(),
        ]
    );
    assert_eq!(sim.read(there), [[&[0x07, 0x01][..], &le(new_id)].concat()]);
}

#[test]
fn an_empty_room_is_a_peer_id_and_nothing_else() {
    for mode in [Mode::Both, Mode::State, Mode::Peers] {
        let mut sim = Sim::new();
        let member = sim.join(mode);
        let peer = sim.peer(member);
        assert_eq!(sim.read(member), [le(peer).to_vec()]);
    }
}

#[test]
fn a_mode_leaves_out_what_does_not_concern_it() {
    let mut sim = Sim::load(table_7());
    let members = [Mode::Both, Mode::State, Mode::Peers, Mode::Peers].map(|mode| sim.join(mode));
    let seen = members.map(|member| sim.read(member).into_iter().skip(1).collect::<Vec<_>>());
    assert_eq!(names(&seen[0]), ["snapshot of 1", "world \u{FFFD}\u{FFFD}", "ADD_PEER", "ADD_PEER"]);
    assert_eq!(names(&seen[1]), ["snapshot of 1", "world \u{FFFD}\u{FFFD}"]);
    assert_eq!(names(&seen[2]), ["ADD_PEER", "ADD_PEER"]);
    assert_eq!(names(&seen[3]), ["ADD_PEER", "ADD_PEER"]);
}

#[test]
fn an_empty_world_is_a_world() {
    let mut sim =
        Sim::load(StoredRoom { rev: 1, world: Some(World { rev: 1, blob: Bytes::new() }), entries: vec![] });
    let member = sim.join(Mode::State);
    assert_eq!(names(&sim.read(member))[1..], ["world "]);
}

#[test]
fn a_join_shows_committed_writes_only_and_misses_none() {
    let mut sim = Sim::new();
    let writer = sim.enter(Mode::Both);
    sim.set(writer, "a", b"1");
    sim.save(writer, b"w");
    let early = sim.join(Mode::State);
    assert_eq!(sim.read(early).len(), 1, "nothing is committed yet");
    assert!(sim.commit());
    assert_eq!(names(&sim.read(early)), ["a@1", "world w"]);
    let late = sim.join(Mode::State);
    assert_eq!(names(&sim.read(late))[1..], ["snapshot of 1", "world w"]);
    sim.set(writer, "a", b"2");
    sim.commit();
    assert_eq!(names(&sim.read(late)), ["a@3"]);
}

#[test]
fn a_join_between_commit_and_sending_gets_the_write_once() {
    let mut sim = Sim::new();
    let writer = sim.enter(Mode::Both);
    sim.set(writer, "a", b"1");
    sim.room.take_batch(sim.now).expect("a batch");
    sim.room.committed(sim.now);
    let joiner = sim.join(Mode::State);
    assert_eq!(names(&sim.read(joiner))[1..], ["snapshot of 1"]);
}

#[test]
fn the_room_fills_and_a_place_is_free_at_once() {
    let mut sim = Sim::new();
    let modes = [Mode::Both, Mode::State, Mode::Peers];
    let members: Vec<_> = (0..limit::ROOM_MEMBERS_V1).map(|n| sim.enter(modes[n % modes.len()])).collect();
    sim.read(members[0]);
    let refused = sim.try_join(Mode::Both).expect_err("the room is full");
    assert_eq!(
        (refused.close, refused.reason()),
        (close::ROOM_FULL, "room full: 32 of 32 members".to_owned())
    );
    assert!(sim.read(members[0]).is_empty(), "a refused connection leaves no trace");
    sim.room.leave(members[5]);
    sim.enter(Mode::Both);
    sim.send(members[6], &[]);
    sim.enter(Mode::Both);
    assert!(sim.try_join(Mode::Peers).is_err());
}

#[test]
fn a_stored_room_that_cannot_be_is_not_served() {
    let entry = |rev, key| Entry { rev, key: Bytes::from_static(key), value: Bytes::new() };
    for (rev, entries, world, damaged) in [
        (1, vec![entry(2, b"a")], None, Damaged::Rev),
        (1, vec![entry(0, b"a")], None, Damaged::Rev),
        (1, vec![entry(1, b"")], None, Damaged::Key),
        (1, vec![entry(1, b"a\0")], None, Damaged::Key),
        (1, vec![], Some(World { rev: 2, blob: Bytes::new() }), Damaged::Rev),
    ] {
        let stored = StoredRoom { rev, world, entries };
        let room = Room::new(RoomName::new("g", "r"), stored, RoomLimits::default());
        assert_eq!(room.map(|_| ()), Err(damaged));
    }
}

#[test]
fn a_room_that_stops_tells_what_it_accepted_and_takes_no_more() {
    let mut sim = Sim::new();
    let (writer, other) = (sim.enter(Mode::State), sim.enter(Mode::State));
    sim.set(writer, "a", b"");
    sim.room.stop(Closing::new(close::RESTART, ""));
    sim.pump();
    assert!(sim.closed.is_empty(), "the write comes first");
    sim.set(writer, "b", b"");
    assert_eq!(sim.try_join(Mode::Both).expect_err("it stops").close, close::RESTART);
    sim.commit();
    assert_eq!(names(&sim.read(other)), ["a@1"]);
    assert_eq!((sim.code(writer), sim.code(other)), (Some(1012), Some(1012)));
    assert!(sim.room.is_idle());
}
