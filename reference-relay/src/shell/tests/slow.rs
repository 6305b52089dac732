//! Members that do not read.

use roomwire_codec::registry::{close, limit};
use roomwire_codec::{Direction, Frame, decode_strict};

use super::*;
use crate::core::limits::QueueLimits;

/// Writes values to `key` until the slow member must have a queue: more than the kernel buffers for one connection.
fn fill(writer: &mut Client, key: u8, writes: u32) {
    for number in 1..=writes {
        writer.send(&[&[0xF4, 1, 0, key][..], &number.to_le_bytes(), &[0; 60_000]].concat());
        assert_eq!(writer.read()[7], key, "whoever reads is not held up");
    }
}

#[test]
fn a_backlog_becomes_one_snapshot() {
    let relay = TestRelay::in_memory();
    let mut slow = relay.join_as("r", "&m=state");
    let mut writer = relay.join_as("r", "&m=state");
    fill(&mut writer, b'a', 200);
    fill(&mut writer, b'b', 200);
    writer.send(b"\xF4\x01\x00z");
    let last = u32::from_le_bytes(writer.read()[1..5].try_into().expect("a rev"));
    let (mut rev, mut snapshots, mut frames) = (0, 0, 0);
    while rev < last {
        let message = slow.read();
        frames += 1;
        let mut see = |seen: u32| {
            assert!(seen > rev, "revisions ascend");
            rev = seen;
        };
        match decode_strict(Direction::ToClient, &message).expect("a good frame") {
            Frame::StateUpdate(update) => see(update.rev),
            Frame::StateSnapshot(snapshot) => {
                snapshots += 1;
                snapshot.iter().for_each(|entry| see(entry.rev));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(snapshots >= 1 && frames < last, "{snapshots} snapshots, {frames} frames for {last} commits");
}

fn tight(grace: u64, hard: usize) -> Limits {
    let least = QueueLimits::least(limit::ROOM_MEMBERS_V1);
    let queue = QueueLimits { limit: least, hard_limit: hard, grace: Duration::from_millis(grace) };
    Limits { queue, ..Limits::default() }
}

/// Relays packets to a member that does not read until `gone` says so.
fn flood(relay: &TestRelay, other: &mut Client, slow: i32) {
    let packet = [&b"\x07\x03"[..], &slow.to_le_bytes(), &[0; 100_000]].concat();
    eventually("the slow member is closed", || {
        other.send(&packet);
        relay.health("members") == 1
    });
}

#[test]
fn a_member_above_the_limit_is_closed_after_its_grace() {
    let relay = TestRelay::with(tight(300, 1 << 30), MemoryStore::new());
    let mut slow = relay.open("/r/r?g=g&v=1&m=peers");
    let slow_id = slow.read_peer_id();
    let mut other = relay.join_as("r", "&m=peers");
    other.read();
    flood(&relay, &mut other, slow_id);
    let (messages, code, reason) = slow.read_to_close();
    assert!(
        !messages.is_empty() && messages.iter().skip(1).all(|message| message.len() == 100_006),
        "whole messages"
    );
    assert_eq!(code, close::SLOW.code);
    assert!(reason.starts_with("too slow: ") && reason.contains("bytes are queued"), "{reason}");
    assert_eq!(other.read()[..2], *b"\x07\x02");
}

#[test]
fn a_member_above_the_hard_limit_is_closed_at_once() {
    let relay = TestRelay::with(tight(1 << 40, 2 << 20), MemoryStore::new());
    let mut slow = relay.open("/r/r?g=g&v=1&m=peers");
    let slow_id = slow.read_peer_id();
    let mut other = relay.join_as("r", "&m=peers");
    other.read();
    flood(&relay, &mut other, slow_id);
    assert_eq!(slow.read_to_close().1, close::SLOW.code);
}

#[test]
fn a_member_that_never_reads_is_dropped_in_the_end() {
    let mut limits = tight(100, 1 << 30);
    limits.timing.close_timeout = Duration::from_millis(100);
    let relay = TestRelay::with(limits, MemoryStore::new());
    let mut slow = relay.open("/r/r?g=g&v=1&m=peers");
    let slow_id = slow.read_peer_id();
    let mut other = relay.join_as("r", "&m=peers");
    other.read();
    flood(&relay, &mut other, slow_id);
    relay.stop().expect("an end in order");
}
