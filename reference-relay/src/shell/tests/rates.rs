//! Rates, with real sockets.

use roomwire_codec::registry::close;

use super::client::{self, Client};
use super::*;
use crate::core::limits::{QueueLimits, Rate, RateLimits};

/// A relay whose rates are so low that nothing comes back during a test.
fn with(rates: RateLimits) -> TestRelay {
    TestRelay::with(Limits { rates, ..Limits::default() }, MemoryStore::new())
}

/// One in ten days.
fn only(burst: u32) -> Rate {
    Rate { per_second: 1, burst }
}

#[test]
fn a_room_that_is_joined_too_often_refuses_and_nobody_is_disturbed() {
    let relay = with(RateLimits { join_room: only(100), ..RateLimits::default() });
    let mut witness = relay.join_as("r", "&m=state");
    let refused = (0..1000).find_map(|_| {
        let mut client = relay.open("/r/r?g=g&v=1&m=state");
        let (first, payload) = client.read_frame().expect("a frame");
        (first == client::CLOSE).then_some(payload)
    });
    let refused = refused.expect("a refusal");
    assert_eq!(refused[..2], close::RATE.code.to_be_bytes());
    assert!(refused[2..].starts_with(b"rate: joins of this room, retry after "), "{refused:?}");
    relay.join("another");
    witness.send(b"\xF4\x01\x00kv");
    assert_eq!(witness.read()[0], 0xF5);
}

#[test]
fn what_is_sent_too_fast_waits_and_nothing_is_lost() {
    let send = Rate { per_second: 2_000_000, burst: RateLimits::least_send_burst() };
    let relay = with(RateLimits { send, send_room: send, ..RateLimits::default() });
    let (mut writer, mut reader) = (relay.join("r"), relay.join_as("r", "&m=state"));
    let frame = [&b"\xF4\x01\x00k"[..], &[7; 50_000]].concat();
    let writing = std::thread::spawn(move || {
        (0..120).for_each(|_| writer.send(&frame));
        writer
    });
    for rev in 1..=120u32 {
        let update = reader.read();
        assert_eq!((update[0], &update[1..5]), (0xF5, &rev.to_le_bytes()[..]));
    }
    drop(writing.join().expect("the writer"));
}

#[test]
fn a_connection_above_the_bound_of_its_address_is_told_so() {
    let relay = with(RateLimits { connections_per_address: 2, forwarded: true, ..RateLimits::default() });
    let open = |address: &str| {
        let header = format!("X-Forwarded-For: 203.0.113.9, {address}\r\n");
        Client::open_with(relay.address, client::upgrade("/r/r?g=g&v=1&m=state", &header).as_bytes())
    };
    let mut members = [open("192.0.2.1"), open("192.0.2.1"), open("192.0.2.2")];
    for member in &mut members {
        member.read_peer_id();
    }
    let refused = || open("192.0.2.1").read_close();
    assert_eq!(refused(), (close::RATE.code, "rate: 2 connections of this address".to_owned()));
    let [first, ..] = members;
    first.close();
    eventually("a place", || open("192.0.2.1").read_frame().is_some_and(|(first, _)| first != client::CLOSE));
}

#[test]
fn above_the_bound_of_all_connections_end() {
    let relay = with(RateLimits { connections: 2, ..RateLimits::default() });
    let (member, _other) = (relay.join("r"), relay.join("r"));
    let mut third = std::net::TcpStream::connect(relay.address).expect("a connection");
    third.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let mut answer = Vec::new();
    let ended = std::io::Read::read_to_end(&mut third, &mut answer);
    assert!(ended.is_err() || answer.is_empty(), "{answer:?}");
    member.close();
    eventually("a place", || {
        let request = client::upgrade("/r/r?g=g&v=1&m=state", "");
        let mut stream = std::net::TcpStream::connect(relay.address).expect("a connection");
        let _ = std::io::Write::write_all(&mut stream, request.as_bytes());
        matches!(std::io::Read::read(&mut stream, &mut [0; 12]), Ok(12))
    });
}

#[test]
fn a_member_that_is_held_back_hears_of_the_end() {
    let send = Rate { per_second: 1, burst: RateLimits::least_send_burst() };
    let relay = with(RateLimits { send, ..RateLimits::default() });
    let mut member = relay.join("r");
    // The first takes nearly all that there is, and the second will not be handled in this life.
    member.send(&vec![0; 4_000_000]);
    member.send(&vec![0; 1_000_000]);
    relay.handle.shutdown();
    assert_eq!(member.read_close().0, close::RESTART.code);
    assert!(relay.ended().is_ok());
}

/// RATE-SEND-3: a large message is not passed over for ever by small ones that each find enough.
#[test]
fn whoever_waits_for_the_rooms_rate_goes_in_turn() {
    let send_room = Rate { per_second: 2_000_000, burst: RateLimits::least_send_burst() };
    let rates = RateLimits { send: Rate::NONE, send_room, ..RateLimits::default() };
    // The writers read nothing, and stay all the same.
    let queue = QueueLimits { limit: usize::MAX, hard_limit: usize::MAX, ..QueueLimits::default() };
    let relay = TestRelay::with(Limits { rates, queue, ..Limits::default() }, MemoryStore::new());
    let (mut large, mut small) = (relay.join_as("r", "&m=state"), relay.join_as("r", "&m=state"));
    let mut reader = relay.join_as("r", "&m=state");
    let set = |key: u8, len| [&[0xF4, 1, 0, key][..], &vec![7; len]].concat();
    for _ in 0..4 {
        large.send(&set(b'l', 1_000_000));
    }
    for _ in 0..4 {
        assert_eq!(reader.read()[7], b'l');
    }
    // The burst is nearly gone. What the small ones send together would take all that comes back.
    const SMALL: usize = 400;
    let smalls = std::thread::spawn(move || {
        (0..SMALL).for_each(|_| small.send(&set(b'k', 10_000)));
        small
    });
    large.send(&set(b'l', 1_000_000));
    let updates: Vec<u8> = (0..=SMALL).map(|_| reader.read()[7]).collect();
    let at = updates.iter().position(|&key| key == b'l').expect("the large one");
    assert!(at < SMALL, "the large one came last");
    drop((large, smalls.join().expect("the writer")));
}

/// RATE-ADDR-1: this host is bounded where the operator wants it.
#[test]
fn this_host_is_bounded_if_asked() {
    let relay =
        with(RateLimits { connections_per_address: 1, bound_loopback: true, ..RateLimits::default() });
    let _member = relay.join("r");
    let refused = relay.open("/r/r?g=g&v=1&m=state").read_close();
    assert_eq!(refused, (close::RATE.code, "rate: 1 connections of this address".to_owned()));
}
