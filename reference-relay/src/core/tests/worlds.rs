//! Spec 03-rooms, "The world".

use super::*;

#[test]
fn the_saver_gets_the_ack_and_the_others_the_world() {
    let mut sim = Sim::new();
    let (saver, state, peers) = (sim.enter(Mode::Both), sim.enter(Mode::State), sim.enter(Mode::Peers));
    sim.read(saver);
    sim.save(saver, b"w");
    assert!(sim.inbox.values().all(Vec::is_empty));
    sim.commit();
    assert_eq!(sim.read(saver), [&b"\xF3"[..]]);
    assert_eq!(sim.read(state), [&b"\xF2w"[..]]);
    assert!(sim.read(peers).is_empty());
}

#[test]
fn worlds_go_out_at_once_and_then_once_a_second_and_then_the_newest() {
    let mut sim = Sim::new();
    let (saver, other) = (sim.enter(Mode::State), sim.enter(Mode::State));
    assert_eq!(sim.room.next_timeout(), None);
    for blob in [b"1", b"2", b"3"] {
        sim.save(saver, blob);
        sim.commit();
        sim.wait(100);
    }
    assert_eq!(names(&sim.read(other)), ["world 1"]);
    assert_eq!(sim.room.next_timeout(), Some(Time::from_millis(1 + 1000)));
    sim.wait(699);
    assert!(sim.read(other).is_empty());
    sim.wait(1);
    assert_eq!(names(&sim.read(other)), ["world 3"]);
    assert_eq!(names(&sim.read(saver)), ["ack", "ack", "ack"]);
    assert_eq!(sim.room.next_timeout(), None);
    // A quiet second later the next one goes at once.
    sim.wait(1000);
    sim.save(saver, b"4");
    sim.commit();
    assert_eq!(names(&sim.read(other)), ["world 4"]);
}

#[test]
fn nobody_gets_a_world_older_than_the_one_it_holds() {
    let mut sim = Sim::new();
    let (a, b, c) = (sim.enter(Mode::State), sim.enter(Mode::State), sim.enter(Mode::State));
    sim.save(a, b"a");
    sim.commit();
    assert_eq!(names(&sim.read(b)), ["world a"]);
    sim.save(a, b"a2");
    sim.commit();
    sim.save(b, b"b");
    sim.commit();
    let late = sim.join(Mode::State);
    assert_eq!(names(&sim.read(late))[1..], ["world b"]);
    sim.wait(1000);
    assert_eq!(names(&sim.read(a)), ["ack", "ack", "world b"]);
    assert_eq!(names(&sim.read(b)), ["ack"]);
    assert_eq!(names(&sim.read(c)), ["world a", "world b"]);
    assert!(sim.read(late).is_empty(), "its join data had the newest");
}

#[test]
fn of_two_saves_in_one_batch_each_saver_ends_with_the_newer() {
    let mut sim = Sim::new();
    let (a, b, c) = (sim.enter(Mode::State), sim.enter(Mode::State), sim.enter(Mode::State));
    sim.save(a, b"a");
    sim.save(b, b"b");
    sim.commit();
    assert_eq!(names(&sim.read(a)), ["ack", "world b"]);
    assert_eq!(names(&sim.read(b)), ["ack"]);
    assert_eq!(names(&sim.read(c)), ["world b"]);
}

#[test]
fn a_save_that_nobody_else_sees_starts_no_second() {
    let mut sim = Sim::new();
    let alone = sim.enter(Mode::State);
    sim.save(alone, b"1");
    sim.commit();
    let other = sim.enter(Mode::State);
    sim.save(alone, b"2");
    sim.commit();
    assert_eq!(names(&sim.read(other)), ["world 2"]);
}

#[test]
fn acks_and_updates_come_in_commit_order() {
    let mut sim = Sim::new();
    let writer = sim.enter(Mode::State);
    sim.set(writer, "a", b"");
    sim.save(writer, b"1");
    sim.set(writer, "b", b"");
    sim.save(writer, b"");
    sim.commit();
    assert_eq!(names(&sim.read(writer)), ["a@1", "ack", "b@3", "ack"]);
}
