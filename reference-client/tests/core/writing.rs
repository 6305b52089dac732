//! What is sent, and what is not.

use roomwire_client::core::Config;
use roomwire_client::{Event, KeyError, Stage, Status, Target, WriteError};
use roomwire_codec::registry::limit;

use crate::bench::{Bench, Did, address, peer};

/// CLIENT-WRITE-1, Z37, Z49: a write that cannot be sent fails at once, and nothing is sent.
#[test]
fn what_cannot_be_sent_fails_at_once() {
    let mut bench = Bench::ready();
    assert_eq!(bench.session.set("", b""), Err(WriteError::Key(KeyError::Length { len: 0 })));
    assert_eq!(bench.session.set("a\0b", b""), Err(WriteError::Key(KeyError::Nul { at: 1 })));
    let (len, max) = (limit::ROOM_BYTES + 1, limit::ROOM_BYTES);
    assert_eq!(bench.session.save(&vec![0; len]), Err(WriteError::TooLarge { len, max }));
    assert_eq!(bench.session.send_packet(Target::All, b""), Err(WriteError::EmptyPacket));
    bench.close(1012, "restart");
    assert_eq!(bench.session.set("a", b""), Err(WriteError::NotConnected));
    assert_eq!(bench.session.save(b""), Err(WriteError::NotConnected));
    assert_eq!(bench.session.send_packet(Target::All, b"x"), Err(WriteError::NotConnected));
    bench.events();
    assert_eq!(bench.did, []);
}

#[test]
fn writes_are_sent_in_order() {
    let mut bench = Bench::ready();
    bench.session.set("a", b"1").unwrap();
    bench.session.save(b"w").unwrap();
    bench.session.send_packet(Target::Peer(peer(0x100)), b"p").unwrap();
    bench.events();
    let sent = [&b"\xF4\x01\0a1"[..], b"\xF1w", b"\x07\x03\0\x01\0\0p"];
    assert_eq!(bench.did, sent.map(|message| Did::Send(message.into())));
}

/// CLIENT-WRITE-2: what was written before an end is not sent again after the reconnect, nor is what was written meanwhile.
#[test]
fn writes_do_not_cross_a_reconnect() {
    let mut bench = Bench::ready();
    bench.session.set("a", b"1").unwrap();
    bench.session.save(b"w").unwrap();
    bench.close(1012, "restart");
    assert_eq!(bench.session.set("a", b"2"), Err(WriteError::NotConnected));
    bench.did.clear();
    bench.advance(1_000);
    bench.events();
    assert!(matches!(bench.did.as_slice(), [Did::Dial(_)]));
    bench.open_and_wait();
    bench.advance(10_000);
    bench.events();
    assert_eq!(bench.did, []);
}

/// CLIENT-WRITE-2: a write for which the relay closed is not repeated, nor does the client come back by itself.
#[test]
fn a_refused_write_is_not_repeated() {
    let mut bench = Bench::ready();
    bench.session.save(b"w").unwrap();
    assert_eq!(bench.close(4413, "too large").retry_in, None);
    bench.did.clear();
    bench.advance(3_600_000);
    assert_eq!(bench.events(), []);
    assert_eq!(bench.did, []);
    bench.session.reconnect(bench.now);
    bench.open_and_wait();
    assert_eq!(bench.did, []);
}

/// CLIENT-WORLD-1, Z21: acks answer saves in their order, and the ticket tells which.
#[test]
fn acks_are_told_apart() {
    let mut bench = Bench::ready();
    let first = bench.session.save(b"1").unwrap();
    let second = bench.session.save(b"2").unwrap();
    bench.ack();
    let third = bench.session.save(b"3").unwrap();
    bench.ack();
    bench.ack();
    let saved = [first, second, third].map(|save| Event::WorldSaved { save });
    assert_eq!(bench.events(), saved);
    assert!(first < second && second < third);
}

/// CLIENT-STRANGE-1: an ack that answers nothing is ignored, and answers nothing that is saved later.
#[test]
fn an_ack_too_many_answers_nothing() {
    let mut bench = Bench::ready();
    bench.ack();
    assert_eq!(bench.events(), []);
    let save = bench.session.save(b"1").unwrap();
    bench.ack();
    bench.ack();
    assert_eq!(bench.events(), [Event::WorldSaved { save }]);
    assert_eq!(bench.session.status(), Status::Linked(Stage::Ready));
}

/// CLIENT-WORLD-1: what the end left unanswered is named, and acks of the next connection do not answer it.
#[test]
fn unanswered_saves_are_named() {
    let mut bench = Bench::ready();
    let first = bench.session.save(b"1").unwrap();
    let second = bench.session.save(b"2").unwrap();
    let third = bench.session.save(b"3").unwrap();
    bench.ack();
    bench.events();
    assert_eq!(bench.close(1012, "restart").unanswered_saves, [second, third]);
    bench.session.reconnect(bench.now);
    bench.open_and_wait();
    let fourth = bench.session.save(b"4").unwrap();
    assert!(third > first && fourth > third);
    bench.ack();
    assert_eq!(bench.events(), [Event::WorldSaved { save: fourth }]);
}

/// H94: a connection that does not take more says so to whoever writes.
#[test]
fn a_full_buffer_refuses() {
    let mut bench = Bench::with(Config { send_buffer: 100, ..Config::default() });
    bench.session.join(address("r"), bench.now);
    bench.open_and_wait();
    bench.session.save(&[0; 99]).unwrap();
    let unsent = 100;
    assert_eq!(bench.session.set("a", b""), Err(WriteError::Backlog { unsent }));
    assert_eq!(bench.session.save(b""), Err(WriteError::Backlog { unsent }));
    bench.session.sent(bench.link.unwrap(), 50);
    bench.session.set("a", b"").unwrap();
    assert_eq!(bench.session.save(&[0; 50]), Err(WriteError::Backlog { unsent: 54 }));
    // A save that was refused has no ticket.
    assert_eq!(bench.session.save(b"").map(|save| save.get()), Ok(2));
}
