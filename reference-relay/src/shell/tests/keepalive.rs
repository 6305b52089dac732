//! Pings, and whoever does not answer them.

use roomwire_codec::registry::close;

use super::client::{self, BINARY, CLOSE, PING, PONG};
use super::*;

fn relay(ping: u64, idle: u64) -> TestRelay {
    let mut limits = Limits::default();
    limits.timing.ping_interval = Duration::from_millis(ping);
    limits.timing.idle_timeout = Duration::from_millis(idle);
    TestRelay::with(limits, MemoryStore::new())
}

#[test]
fn a_silent_member_is_pinged_and_then_closed() {
    let relay = relay(50, 400);
    let mut witness = relay.join("r");
    let mut silent = relay.join("r");
    silent.read();
    let mut pings = 0;
    let reason = loop {
        match silent.read_frame() {
            Some((PING, payload)) => {
                assert!(payload.is_empty());
                pings += 1;
            }
            Some((CLOSE, payload)) => break String::from_utf8_lossy(&payload[2..]).into_owned(),
            other => panic!("{other:?}"),
        }
        // The witness answers, and so stays.
        witness.send_bytes(&client::frame(PONG, b""));
    };
    assert!(pings >= 1 && reason == "idle: nothing came for 400 ms", "{pings} pings, {reason}");
    let mut seen = Vec::new();
    while seen.len() < 2 {
        match witness.read_frame() {
            Some((BINARY, message)) => seen.push(message[1]),
            Some((PING, _)) => witness.send_bytes(&client::frame(PONG, b"")),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(seen, [1, 2], "it came and went");
}

#[test]
fn anything_keeps_a_member() {
    let relay = relay(10_000, 300);
    let mut member = relay.join("r");
    let frames = [
        client::frame(PONG, b""),
        client::frame(PING, b""),
        client::frame(BINARY, b"\x20"),
        // A byte at a time of a message that does not end.
        vec![0x82],
        vec![0x85],
        vec![0],
    ];
    for frame in frames {
        std::thread::sleep(Duration::from_millis(150));
        member.send_bytes(&frame);
    }
    loop {
        match member.read_frame() {
            Some((PONG, _)) => {}
            Some((CLOSE, payload)) => {
                assert_eq!(payload[..2], close::IDLE.code.to_be_bytes());
                return;
            }
            other => panic!("{other:?}"),
        }
    }
}
