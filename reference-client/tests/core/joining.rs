//! From the attempt to "ready".

use roomwire_client::core::Config;
use roomwire_client::{Event, Stage, Status, WriteError};

use roomwire_codec::registry::limit;

use crate::bench::{Bench, Did, PEER, address, changes, peer};

fn joining() -> Bench {
    let mut bench = Bench::new();
    bench.session.join(address("r"), bench.now);
    bench.open();
    bench
}

#[test]
fn the_way_to_ready() {
    let mut bench = Bench::new();
    assert_eq!(bench.session.status(), Status::Idle);
    bench.session.join(address("r"), bench.now);
    assert_eq!(bench.session.status(), Status::Linked(Stage::Connecting));
    assert_eq!(bench.events(), [Event::Connecting { attempt: 1 }]);
    assert_eq!(bench.did, [Did::Dial("ws://h/r/r?g=g&v=1".into())]);
    bench.open();
    assert_eq!(bench.events(), [Event::Opened]);
    assert_eq!(bench.session.status(), Status::Linked(Stage::Open));
    bench.peer_id();
    assert_eq!(bench.events(), [Event::Joined { peer: peer(PEER) }]);
    assert_eq!(bench.session.status(), Status::Linked(Stage::Joining));
    assert_eq!(bench.session.peer(), Some(peer(PEER)));
    bench.advance(limit::READY_QUIET - 1);
    assert_eq!(bench.events(), []);
    bench.advance(1);
    assert_eq!(bench.events(), [Event::Ready]);
    assert_eq!(bench.session.status(), Status::Linked(Stage::Ready));
}

/// CLIENT-READY-2, H46: ready comes after the events of the join data, however long each part of it takes.
#[test]
fn ready_comes_after_the_join_data() {
    let mut bench = joining();
    bench.peer_id();
    bench.advance(200);
    bench.add_peer(0x100);
    bench.advance(200);
    bench.snapshot(&[(1, "turn", b"1")]);
    bench.advance(200);
    bench.world(b"w");
    bench.advance(10_000);
    let events = bench.events();
    let place = |wanted: fn(&Event) -> bool| events.iter().position(wanted).unwrap();
    let ready = place(|event| *event == Event::Ready);
    assert!(place(|event| matches!(event, Event::PeerAdded { .. })) < ready);
    assert!(place(|event| matches!(event, Event::StateChanged { .. })) < ready);
    assert!(place(|event| matches!(event, Event::WorldLoaded { .. })) < ready);
    assert_eq!(events.iter().filter(|event| **event == Event::Ready).count(), 1);
}

/// CLIENT-READY-1: without a peer id there is no ready, and in the end the attempt is given up.
#[test]
fn no_ready_without_a_peer_id() {
    let mut bench = joining();
    bench.advance(19_999);
    assert_eq!(bench.events(), [Event::Opened]);
    bench.advance(1);
    let closed = bench.closed();
    assert_eq!(closed.to_string(), "connection lost: no answer within 20 s");
    assert_eq!(closed.stage, Stage::Open);
}

/// CLIENT-READY-2: bytes of a large world that is still coming put ready off.
#[test]
fn a_slow_world_puts_ready_off() {
    let mut bench = joining();
    bench.peer_id();
    for _ in 0..100 {
        bench.advance(200);
        bench.session.heard(bench.link.unwrap(), bench.now);
    }
    assert!(!bench.events().contains(&Event::Ready));
    bench.world(&[7; 1000]);
    bench.advance(limit::READY_QUIET);
    assert!(matches!(bench.events().as_slice(), [Event::WorldLoaded { .. }, Event::Ready]));
}

/// CLIENT-READY-2: the first live frame shows that the join data is over. Ready comes before what is live, and once.
#[test]
fn a_live_frame_means_ready() {
    let mut bench = joining();
    bench.peer_id();
    bench.add_peer(0x100);
    bench.snapshot(&[(1, "a", b"")]);
    assert!(!bench.events().contains(&Event::Ready));
    bench.update(2, "a", b"");
    bench.update(3, "a", b"");
    bench.advance(10_000);
    let events = bench.events();
    assert_eq!(events.first(), Some(&Event::Ready));
    assert_eq!(changes(&events), [("a".into(), 2), ("a".into(), 3)]);
    assert_eq!(events.len(), 3);
    assert_eq!(bench.session.status(), Status::Linked(Stage::Ready));
    assert_eq!(bench.session.set("a", b""), Ok(()));
}

/// CLIENT-READY-2: the length of the quiet is a setting; `ready_quiet` of the registry if it is not set.
#[test]
fn the_quiet_can_be_set() {
    assert_eq!(Config::default().quiet, std::time::Duration::from_millis(limit::READY_QUIET));
    let mut bench = Bench::with(Config { quiet: std::time::Duration::from_secs(2), ..Config::default() });
    bench.session.join(address("r"), bench.now);
    bench.open();
    bench.peer_id();
    bench.advance(1_999);
    assert!(!bench.events().contains(&Event::Ready));
    bench.advance(1);
    assert!(bench.events().contains(&Event::Ready));
}

/// H46, H94: before ready a write is refused, and nothing is kept for later.
#[test]
fn no_write_before_ready() {
    let mut bench = Bench::new();
    assert_eq!(bench.session.set("a", b""), Err(WriteError::NotConnected));
    bench.session.join(address("r"), bench.now);
    assert_eq!(bench.session.set("a", b""), Err(WriteError::NotConnected));
    bench.open();
    assert_eq!(bench.session.set("a", b""), Err(WriteError::NotConnected));
    bench.peer_id();
    assert_eq!(bench.session.set("a", b""), Err(WriteError::NotReady));
    assert_eq!(bench.session.save(b""), Err(WriteError::NotReady));
    bench.advance(limit::READY_QUIET);
    bench.events();
    assert_eq!(bench.did, [Did::Dial("ws://h/r/r?g=g&v=1".into())]);
    assert_eq!(bench.session.set("a", b""), Ok(()));
}

/// CLIENT-ALIVE-1: a silent relay is asked whether it is there, and given up only after three times as long.
#[test]
fn a_silent_relay_is_pinged_and_then_given_up() {
    let mut bench = Bench::ready();
    for _ in 0..10 {
        bench.advance(15_000);
        bench.events();
        assert_eq!(bench.did, [Did::Ping]);
        bench.did.clear();
        // The pong.
        bench.session.heard(bench.link.unwrap(), bench.now);
    }
    bench.advance(44_999);
    assert_eq!(bench.events(), []);
    assert_eq!(bench.did, [Did::Ping]);
    bench.advance(1);
    assert_eq!(bench.closed().to_string(), "connection lost: nothing came for 45 s");
}
