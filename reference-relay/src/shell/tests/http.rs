//! What is asked over HTTP, upgrades among it.

use std::io::Read;

use roomwire_codec::registry::{close, limit};

use super::client::{Client, request, upgrade};
use super::*;
use crate::core::limits::Timing;

#[test]
fn the_answer_to_an_upgrade_has_what_was_asked_and_nothing_else() {
    let relay = TestRelay::in_memory();
    for extra in [
        "",
        "Sec-WebSocket-Protocol: chat, superchat\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n",
        "Origin: http://example.org\r\nConnection: keep-alive\r\n",
    ] {
        let request = upgrade("/r/r?g=g&v=1", extra)
            .replace("Connection: Upgrade\r\n", "connection: keep-alive, uPgRaDe\r\n");
        let mut client = Client::open_with(relay.address, request.as_bytes());
        let answer = client.answer.to_ascii_lowercase();
        let mut lines: Vec<_> =
            answer.trim_end().split("\r\n").filter(|line| !line.starts_with("date:")).collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                "connection: upgrade",
                "http/1.1 101 switching protocols",
                "sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=",
                "upgrade: websocket",
            ]
        );
        client.read_peer_id();
    }
}

#[test]
fn refusals_are_told_by_a_close_on_any_path() {
    let relay = TestRelay::in_memory();
    for (target, code) in [
        ("/r/a", close::VERSION.code),
        ("/nowhere", close::VERSION.code),
        ("/healthz?v=1&g=g", close::BAD_ROOM.code),
        ("/?v=1&g=g", close::BAD_ROOM.code),
        ("/r/?v=1&g=g", close::BAD_ROOM.code),
        ("/r/a/b?v=1&g=g", close::BAD_ROOM.code),
        ("/r/a%2?v=1&g=g", close::BAD_ROOM.code),
        ("/r/a?v=1&g=g&m=x", close::BAD_ROOM.code),
    ] {
        let mut client = relay.open(target);
        assert!(client.answer.starts_with("HTTP/1.1 101 "), "{target}");
        assert_eq!(client.read_close().0, code, "{target}");
    }
    eventually("no room", || relay.health("rooms") == 0);
}

#[test]
fn the_room_that_is_full_says_so() {
    let relay = TestRelay::in_memory();
    let members: Vec<_> = (0..32).map(|_| relay.join_as("r", "&m=state")).collect();
    assert_eq!(relay.health("members"), 32);
    let mut late = relay.open("/r/r?g=g&v=1");
    assert_eq!(late.read_close(), (close::ROOM_FULL.code, "room full: 32 of 32 members".to_owned()));
    for member in members {
        member.vanish();
    }
    eventually("an empty room", || relay.health("members") == 0);
    relay.join("r");
}

#[test]
fn what_is_no_upgrade_gets_an_http_answer() {
    let relay = TestRelay::in_memory();
    let ask = |line: &str, extra: &str| {
        let answer = request(
            relay.address,
            &format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{extra}\r\n"),
        );
        answer.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok()).expect("a status")
    };
    assert_eq!(ask("GET /r/x?g=g&v=1", ""), 426);
    assert_eq!(ask("GET /r/x", ""), 426);
    assert_eq!(ask("POST /r/x?g=g&v=1", "Content-Length: 0\r\n"), 405);
    assert_eq!(ask("GET /", ""), 404);
    assert_eq!(ask("GET /r/x/y", ""), 404);
    assert_eq!(ask("GET /healthz", ""), 200);
    let broken = upgrade("/r/x?g=g&v=1", "").replace("Connection: Upgrade", "Connection: Upgrade, close");
    for (from, to) in [
        ("Version: 13", "Version: 12"),
        ("Sec-WebSocket-Version: 13\r\n", ""),
        ("Sec-WebSocket-Key", "X-Key"),
    ] {
        let answer = request(relay.address, &broken.replace(from, to));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    let answer = request(relay.address, &broken.replace("HTTP/1.1", "HTTP/1.0"));
    assert!(answer.starts_with("HTTP/1.0 4"), "{answer}");
    assert_eq!(relay.health("rooms"), 0);
}

#[test]
fn a_head_has_a_bound() {
    let relay = TestRelay::in_memory();
    let bare = upgrade("/r/x?g=g&v=1", "X: \r\n").len();
    let padded = |len: usize| upgrade("/r/x?g=g&v=1", &format!("X: {}\r\n", "x".repeat(len - bare)));
    assert_eq!(padded(limit::MAX_REQUEST_HEAD).len(), limit::MAX_REQUEST_HEAD);
    Client::open_with(relay.address, padded(limit::MAX_REQUEST_HEAD).as_bytes()).read_peer_id();
    for len in [limit::MAX_REQUEST_HEAD + 1, limit::MAX_REQUEST_HEAD * 2] {
        let refused = Client::open_with(relay.address, padded(len).as_bytes());
        assert!(refused.answer.starts_with("HTTP/1.1 431 "), "{}", refused.answer);
    }
}

#[test]
fn healthz_tells_how_it_is() {
    let relay = TestRelay::in_memory();
    let _members = [relay.join("a"), relay.join("a"), relay.join("b")];
    let answer = request(relay.address, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let version = env!("CARGO_PKG_VERSION");
    assert!(answer.contains("application/json"), "{answer}");
    assert!(
        answer.ends_with(&format!(r#"{{"status":"ok","version":"{version}","rooms":2,"members":3}}"#)),
        "{answer}"
    );
}

#[test]
fn a_request_that_does_not_end_is_given_up() {
    let timing = Timing { handshake_timeout: Duration::from_millis(200), ..Timing::default() };
    let relay = TestRelay::with(Limits { timing, ..Limits::default() }, MemoryStore::new());
    let mut silent = std::net::TcpStream::connect(relay.address).expect("a connection");
    let mut drip = std::net::TcpStream::connect(relay.address).expect("a connection");
    let dripping = std::thread::spawn(move || {
        use std::io::Write;
        // Written until the relay has had enough; each byte comes well within the time-out.
        for byte in upgrade("/r/r?g=g&v=1", "").bytes().cycle().filter(|byte| *byte != b'\n') {
            if drip.write_all(&[byte]).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    silent.set_read_timeout(Some(PATIENCE)).expect("a read time-out");
    assert_eq!(silent.read(&mut [0; 1]).expect("the end"), 0);
    dripping.join().expect("no panic");
    relay.join("r");
}
