//! What ends a connection, and that it ends nobody else's.

use roomwire_codec::registry::{close, limit};

use super::client::{self, BINARY, CLOSE, Client, PING, TEXT};
use super::*;

/// Sends `bytes` from a member of a room in which a witness is, and returns how that member was closed. The witness sees
/// it come and go, and nothing else.
fn close_of(relay: &TestRelay, bytes: &[u8]) -> (u16, String) {
    let mut witness = relay.join("r");
    let mut member = relay.join("r");
    member.read();
    // The relay may end the connection before it has read all of it.
    let _ = std::io::Write::write_all(&mut member.stream, bytes);
    let closed = member.read_close();
    let seen = [witness.read(), witness.read()];
    assert_eq!((&seen[0][..2], &seen[1][..2]), (&b"\x07\x01"[..], &b"\x07\x02"[..]));
    witness.send(b"\xF4\x01\x00kv");
    assert_eq!(witness.read()[0], 0xF5);
    witness.send(b"\xF4\x01\x00k");
    assert_eq!(witness.read()[0], 0xF5);
    witness.close();
    eventually("an empty room", || relay.health("rooms") == 0);
    closed
}

#[test]
fn text_in_any_form() {
    for bytes in [
        client::frame(TEXT, b"hello"),
        client::frame(TEXT, b""),
        client::frame(TEXT, b"\xF4\x01\x00k"),
        client::frame(TEXT, b"\xFF\xFE"),
        [client::frame(0x01, b"hel"), client::frame(0x80, b"lo")].concat(),
        [client::frame(0x01, b"\xC3"), client::frame(0x80, b"\x28")].concat(),
    ] {
        let relay = TestRelay::in_memory();
        assert_eq!(close_of(&relay, &bytes), (close::TEXT.code, "text: messages are binary".to_owned()));
    }
}

#[test]
fn broken_framing() {
    let ok = client::frame(BINARY, b"\xF4\x01\x00k");
    for (name, bytes) in [
        ("unmasked", b"\x82\x01\x00".to_vec()),
        ("reserved bit 1", client::frame(0xC2, b"x")),
        ("reserved bit 3", client::frame(0x92, b"x")),
        ("reserved data opcode", client::frame(0x83, b"x")),
        ("reserved control opcode", client::frame(0x8B, b"x")),
        ("fragmented ping", client::frame(0x09, b"x")),
        ("long ping", client::frame(PING, &[0; 126])),
        ("continuation of nothing", client::frame(0x80, b"x")),
        ("a message within a message", [client::frame(0x02, b"x"), ok].concat()),
    ] {
        let (code, reason) = close_of(&TestRelay::in_memory(), &bytes);
        assert_eq!(code, close::WEBSOCKET.code, "{name}: {reason}");
        assert!(reason.starts_with("websocket: "), "{name}: {reason}");
    }
}

#[test]
fn messages_over_the_limit() {
    let over = limit::MAX_INBOUND_MESSAGE as u64 + 1;
    for bytes in [
        client::head(BINARY, over),
        client::head(BINARY, 1 << 30),
        client::head(BINARY, u64::MAX >> 1),
        [client::frame(0x02, &vec![0; limit::MAX_INBOUND_MESSAGE]), client::frame(0x80, b"x")].concat(),
    ] {
        let closed = close_of(&TestRelay::in_memory(), &[bytes, vec![0; 4]].concat());
        assert_eq!(closed, (close::TOO_BIG.code, "message too big: more than 4194304 bytes".to_owned()));
    }
    // At the limit it is the room's cap that counts, and Godot's traffic has none.
    let save = vec![0xF1; limit::MAX_INBOUND_MESSAGE];
    assert_eq!(close_of(&TestRelay::in_memory(), &client::frame(BINARY, &save)).0, close::TOO_LARGE.code);
    let relay = TestRelay::in_memory();
    let (mut a, mut b) = (relay.join("r"), relay.join("r"));
    a.read();
    b.read();
    let mut relayed = vec![0; limit::MAX_INBOUND_MESSAGE];
    relayed[..2].copy_from_slice(b"\x07\x03");
    a.send(&relayed);
    assert_eq!(b.read().len(), limit::MAX_INBOUND_MESSAGE);
}

#[test]
fn malformed_and_forged_frames() {
    for (message, reason) in [
        (&b""[..], "truncated at byte 0 (opcode)"),
        (b"\xF2", "direction at byte 0 (opcode)"),
        (b"\xF3", "direction at byte 0 (opcode)"),
        (b"\xF5\xFF\xFF\xFF\xFF\x01\x00k", "direction at byte 0 (opcode)"),
        (b"\xF6\x00\x00\x00\x00", "direction at byte 0 (opcode)"),
        (b"\x08", "opcode at byte 0 (opcode)"),
        (b"\xF4\x01\x04", "limit at byte 1 (key_len)"),
        (b"\xF4\x02\x00a", "truncated at byte 3 (key)"),
        (b"\x07\x03\x00\x00\x00\x00", "truncated at byte 6 (payload)"),
    ] {
        let (code, text) = close_of(&TestRelay::in_memory(), &client::frame(BINARY, message));
        assert!(
            code == close::MALFORMED.code && text.starts_with("malformed: ") && text.contains(reason),
            "{text}"
        );
    }
}

#[test]
fn a_close_is_answered_and_the_place_is_free_at_once() {
    let relay = TestRelay::in_memory();
    let mut witness = relay.join("r");
    for payload in [&b""[..], &[0x03, 0xE8], b"\x10\x00bye", &[0x03, 0xE9]] {
        let mut member = relay.join("r");
        member.read();
        member.send_bytes(&client::frame(CLOSE, payload));
        let code = payload.get(..2).unwrap_or_default().to_vec();
        assert_eq!(member.read_frame(), Some((CLOSE, code)), "the same code, or none");
        assert_eq!((witness.read()[1], witness.read()[1]), (1, 2));
        // The relay ends its side; what is sent now is dropped.
        assert_eq!(member.read_frame(), None);
        let _ = std::io::Write::write_all(&mut member.stream, &client::frame(BINARY, b"\xF4\x01\x00kv"));
    }
    witness.send(b"\xF4\x01\x00k");
    assert_eq!(witness.read(), b"\xF5\x01\x00\x00\x00\x01\x00k");
}

#[test]
fn whoever_does_not_answer_a_close_is_dropped() {
    let mut limits = Limits::default();
    limits.timing.close_timeout = Duration::from_millis(100);
    let relay = TestRelay::with(limits, MemoryStore::new());
    let mut member = relay.join("r");
    member.send(b"\x08");
    assert_eq!(member.read_frame().map(|(first, _)| first), Some(CLOSE));
    assert_eq!(member.read_frame(), None, "the relay ends the connection by itself");
}

#[test]
fn what_comes_after_a_fault_is_ignored() {
    let relay = TestRelay::in_memory();
    let mut witness = relay.join_as("r", "&m=state");
    let mut member = relay.join_as("r", "&m=state");
    let set = client::frame(BINARY, b"\xF4\x01\x00k1");
    member.send_bytes(&[set.clone(), client::frame(BINARY, b"\x08"), set].concat());
    let (messages, code, _) = member.read_to_close();
    assert!(messages.len() <= 1 && code == close::MALFORMED.code);
    witness.send(b"\xF4\x01\x00k2");
    assert_eq!(witness.read(), b"\xF5\x01\x00\x00\x00\x01\x00k1");
    assert_eq!(witness.read(), b"\xF5\x02\x00\x00\x00\x01\x00k2");
}

#[test]
fn members_that_vanish_leave_nothing() {
    let relay = TestRelay::in_memory();
    let mut witness = relay.join("r");
    for _ in 0..50 {
        let member = relay.join("r");
        member.vanish();
        assert_eq!((witness.read()[1], witness.read()[1]), (1, 2));
    }
    assert_eq!(relay.health("members"), 1);
}

#[test]
fn ten_thousand_names_leave_nothing() {
    let relay = TestRelay::in_memory();
    for names in 0..100 {
        let clients: Vec<Client> = (0..100).map(|name| relay.join(&format!("n{names}-{name}"))).collect();
        clients.into_iter().for_each(Client::vanish);
    }
    eventually("no room", || relay.health("rooms") == 0);
}
