//! Spec 04-peers.

use roomwire_codec::registry::close;

use super::*;

fn relay(target: i32, payload: &[u8]) -> Vec<u8> {
    [&[0x07, 0x03][..], &target.to_le_bytes(), payload].concat()
}

/// A room with `N` peers members and their ids, nothing unread.
fn table<const N: usize>(sim: &mut Sim) -> [(MemberId, i32); N] {
    let members = [(); N].map(|()| {
        let member = sim.join(Mode::Both);
        (member, sim.peer(member))
    });
    members.iter().for_each(|(member, _)| drop(sim.read(*member)));
    members
}

#[test]
fn presence_is_told_once_and_in_order() {
    let mut sim = Sim::new();
    let [(_, first_id), (_, second_id)] = table(&mut sim);
    let third = sim.join(Mode::Peers);
    let frames = sim.read(third);
    assert_eq!(frames[1][2..], first_id.to_le_bytes());
    assert_eq!(frames[2][2..], second_id.to_le_bytes());
}

#[test]
fn a_leave_is_told_once_after_what_was_relayed() {
    let mut sim = Sim::new();
    let [(a, a_id), (b, _)] = table(&mut sim);
    sim.room.receive(a, &relay(0, b"last words"));
    sim.room.leave(a);
    sim.room.leave(a);
    sim.room.close(a, Closing::new(close::IDLE, ""));
    sim.pump();
    let gone = [&[0x07, 0x02][..], &a_id.to_le_bytes()].concat();
    assert_eq!(sim.read(b), [relay(a_id, b"last words"), gone]);
    assert!(sim.closed.is_empty());
}

#[test]
fn a_relay_reaches_its_target_and_nobody_else() {
    let mut sim = Sim::new();
    let [(a, a_id), (b, b_id), (c, c_id)] = table(&mut sim);
    let state = sim.enter(Mode::State);
    for (target, gets) in [
        (b_id, vec![b]),
        (c_id, vec![c]),
        (0, vec![b, c]),
        (-b_id, vec![c]),
        (-a_id, vec![b, c]),
        (-1, vec![b, c]),
        (i32::MIN, vec![b, c]),
        (i32::MIN + 1, vec![b, c]),
        (1, vec![]),
        (a_id, vec![]),
        (i32::MAX, vec![]),
        (2, vec![]),
    ] {
        sim.send(a, &relay(target, b"\xF4\x01\x00kv"));
        for member in [a, b, c, state] {
            let expected = if gets.contains(&member) { vec![relay(a_id, b"\xF4\x01\x00kv")] } else { vec![] };
            assert_eq!(sim.read(member), expected, "target {target}, {member:?}");
        }
    }
    assert!(!sim.commit(), "a payload is never read");
    assert!(sim.closed.is_empty());
}

#[test]
fn the_first_byte_is_always_written_anew() {
    let mut sim = Sim::new();
    let [(a, a_id), (b, _)] = table(&mut sim);
    let mut message = relay(0, b"x");
    message[0] = 0xFF;
    sim.send(a, &message);
    assert_eq!(sim.read(b), [relay(a_id, b"x")]);
}

#[test]
fn a_state_member_is_a_stranger_to_the_peers() {
    let mut sim = Sim::new();
    let [(a, _), (b, _)] = table(&mut sim);
    let ghost = sim.join(Mode::State);
    let ghost_id = sim.peer(ghost);
    assert_eq!(sim.read(ghost).len(), 1);
    sim.send(ghost, &relay(0, b"boo"));
    sim.send(a, &relay(ghost_id, b"hello?"));
    sim.send(a, &relay(-ghost_id, b"all but a ghost"));
    sim.room.leave(ghost);
    sim.pump();
    assert!(sim.read(ghost).is_empty() && sim.read(a).is_empty());
    assert_eq!(sim.read(b).len(), 1);
}

#[test]
fn other_godot_traffic_is_dropped() {
    let mut sim = Sim::new();
    let [(a, _), (b, b_id)] = table(&mut sim);
    let add = [&[0x07, 0x01][..], &b_id.to_le_bytes()].concat();
    for message in
        [&[0x00][..], &[0x20, 1, 2], &[0xF0], &[0xF7], &[0x07], &[0x07, 0x02], &[0x07, 0x09, 1], &add]
    {
        sim.send(a, message);
    }
    assert!(sim.read(a).is_empty() && sim.read(b).is_empty() && sim.closed.is_empty());
}

#[test]
fn a_peers_member_may_not_write() {
    let mut sim = Sim::new();
    let witness = sim.enter(Mode::State);
    for (message, reason) in [
        (&b"\xF4\x01\x00kv"[..], "malformed: STATE_SET from a member with m=peers"),
        (b"\xF1w", "malformed: WORLD_SAVE from a member with m=peers"),
    ] {
        let member = sim.enter(Mode::Peers);
        sim.send(member, message);
        assert_eq!(sim.closed[&member].reason(), reason);
    }
    assert!(!sim.commit() && sim.read(witness).is_empty());
}
