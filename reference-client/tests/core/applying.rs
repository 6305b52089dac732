//! What comes, and what is held.

use roomwire_client::core::{End, ProtocolError, Session};
use roomwire_client::{By, Event, Held};
use roomwire_codec::ErrorClass;

use crate::bench::{Bench, Did, address, changes, snapshot};

fn rev(session: &Session, key: &str) -> Option<u32> {
    session.get(key).map(|held| held.rev)
}

/// CLIENT-APPLY-1, Z64: an entry that is not newer changes nothing and makes no event.
#[test]
fn older_entries_are_ignored() {
    let mut bench = Bench::ready();
    bench.update(5, "a", b"5");
    assert_eq!(changes(&bench.events()), [("a".into(), 5)]);
    bench.update(5, "a", b"again");
    bench.update(4, "a", b"late");
    bench.snapshot(&[(3, "a", b"old"), (4, "b", b"4"), (6, "c", b"")]);
    assert_eq!(changes(&bench.events()), [("b".into(), 4), ("c".into(), 6)]);
    assert_eq!(bench.session.get("a"), Some(&Held { rev: 5, value: b"5".as_slice().into() }));
}

/// CLIENT-APPLY-3, Z22: each entry that counts is reported once, in the order of the frame.
#[test]
fn entries_are_reported_in_order() {
    let mut bench = Bench::ready();
    bench.snapshot(&[(2, "z", b"2"), (7, "a", b"7"), (9, "m", b"9")]);
    let events = bench.events();
    assert_eq!(changes(&events), [("z".into(), 2), ("a".into(), 7), ("m".into(), 9)]);
    assert!(matches!(&events[1], Event::StateChanged { value, .. } if value == b"7".as_slice()));
}

/// CLIENT-APPLY-2, CLIENT-APPLY-4, H68, Z58 to Z63, Z57: a message that does not decode changes nothing, is reported, and closes with 4400.
#[test]
fn a_broken_message_changes_nothing() {
    let mut cut = snapshot(&[(1, "a", b"1"), (2, "b", b"2")]);
    cut.pop();
    let mut trailing = snapshot(&[(1, "a", b"1")]);
    trailing.push(0);
    let mut late_fault = snapshot(&[(1, "a", b"1"), (2, "b", b"2")]);
    let second_rev = 5 + 12;
    late_fault[second_rev] = 1;
    let cases: [(&str, &[u8], ErrorClass, &str); 14] = [
        ("a snapshot cut in its second entry", &cut, ErrorClass::Truncated, "entry.value"),
        ("bytes after the last entry", &trailing, ErrorClass::Trailing, "end"),
        ("revisions that do not ascend", &late_fault, ErrorClass::Value, "entry.rev"),
        ("a key twice", &snapshot(&[(1, "a", b"1"), (2, "a", b"2")]), ErrorClass::Value, "entry.key"),
        ("a count that cannot fit", b"\xF6\xFF\xFF\xFF\xFF", ErrorClass::Truncated, "count"),
        ("a short snapshot", b"\xF6\x01", ErrorClass::Truncated, "count"),
        ("a short update", b"\xF5\x01", ErrorClass::Truncated, "rev"),
        ("an update with a cut key", b"\xF5\x01\0\0\0\x02\0a", ErrorClass::Truncated, "key"),
        ("revision 0", b"\xF5\0\0\0\0\x01\0a", ErrorClass::Value, "rev"),
        ("an empty key", b"\xF5\x01\0\0\0\0\0", ErrorClass::Limit, "key_len"),
        ("a key that is not UTF-8", b"\xF5\x01\0\0\0\x01\0\xFF", ErrorClass::Value, "key"),
        ("an ack with more", b"\xF3\0", ErrorClass::Trailing, "end"),
        ("an empty message", b"", ErrorClass::Truncated, "opcode"),
        ("a frame that only members send", b"\xF4\x01\0a", ErrorClass::Direction, "opcode"),
    ];
    for (what, message, class, field) in cases {
        let mut bench = Bench::ready();
        bench.message(message);
        let events = bench.events();
        let [Event::Error(ProtocolError::Decode(error)), Event::Closed(closed)] = events.as_slice() else {
            panic!("{what}: {events:?}");
        };
        assert_eq!((error.class, error.field), (class, field), "{what}");
        assert_eq!((closed.code, closed.by, closed.retry_in), (4400, By::Client, None), "{what}");
        let text = format!("malformed: {class} at byte {}, {field} [{}]", error.offset, error.rule);
        assert_eq!(closed.reason, text, "{what}");
        assert_eq!(bench.did, [Did::Close(4400, text)], "{what}");
        assert!(bench.session.cache().is_empty(), "{what}");
    }
}

/// CLIENT-LATE-1: after the error nothing of that connection counts.
#[test]
fn what_follows_a_broken_message_is_ignored() {
    let mut bench = Bench::ready();
    bench.message(b"\xF5");
    bench.events();
    bench.update(1, "a", b"1");
    bench.session.ended(bench.link.unwrap(), End::by_relay(4400, "malformed"), bench.now);
    assert_eq!(bench.events(), []);
    assert!(bench.session.cache().is_empty());
}

/// CLIENT-TEXT-1, CLIENT-TEXT-2, Z50: a text message is an error and closes with 1003.
#[test]
fn text_is_an_error() {
    let mut bench = Bench::ready();
    bench.session.text(bench.link.unwrap(), bench.now);
    let events = bench.events();
    let [Event::Error(ProtocolError::Text), Event::Closed(closed)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!((closed.code, closed.reason.as_str()), (1003, "text: messages are binary"));
    assert_eq!(closed.retry_in, None);
    assert!(matches!(bench.did.as_slice(), [Did::Close(1003, _)]));
}

/// CLIENT-WORLD-1, Z20, Z21: each world is reported, an empty one and one that is the same as before, too.
#[test]
fn every_world_is_reported() {
    let mut bench = Bench::ready();
    bench.world(b"");
    bench.world(b"w");
    bench.world(b"w");
    let worlds: Vec<_> = ["", "w", "w"].map(|blob| Event::WorldLoaded { blob: blob.into() }).into();
    assert_eq!(bench.events(), worlds);
}

/// CLIENT-CACHE-1, H59, Z66: another room starts empty, and its revisions start over.
#[test]
fn another_room_starts_empty() {
    let mut bench = Bench::ready();
    bench.update(500, "turn", b"7");
    bench.events();
    bench.session.join(address("other"), bench.now);
    assert!(bench.session.get("turn").is_none());
    let events = bench.events();
    assert!(matches!(events.as_slice(), [Event::Closed(_), Event::Connecting { attempt: 1 }]), "{events:?}");
    bench.open_and_wait();
    bench.update(3, "turn", b"8");
    assert_eq!(changes(&bench.events()), [("turn".into(), 3)]);
}

/// CLIENT-CACHE-2: over a reconnect to the same room the values stay, and only what changed meanwhile makes an event.
#[test]
fn a_reconnect_keeps_what_is_held() {
    let mut bench = Bench::ready();
    bench.update(1, "a", b"1");
    bench.update(2, "b", b"2");
    bench.events();
    bench.close(1012, "restart");
    assert_eq!(rev(&bench.session, "a"), Some(1));
    bench.advance(1_000);
    bench.enter();
    bench.snapshot(&[(1, "a", b"1"), (9, "b", b"9")]);
    assert_eq!(changes(&bench.events()), [("b".into(), 9)]);
    assert_eq!((rev(&bench.session, "a"), rev(&bench.session, "b")), (Some(1), Some(9)));
}

/// CLIENT-CACHE-2: a relay that lost its store begins at 1 again, and what it brings counts, though the revisions are lower. From
/// the first entry on, the revisions of the new connection decide (CLIENT-APPLY-1).
#[test]
fn a_relay_that_lost_its_store_is_believed() {
    let mut bench = Bench::ready();
    bench.snapshot(&[(500, "turn", b"X"), (501, "5", b"O"), (502, "9", b"X")]);
    bench.events();
    bench.close(1012, "restart");
    bench.session.reconnect(bench.now);
    bench.enter();
    bench.events();
    bench.snapshot(&[(1, "turn", b"O"), (2, "5", b"O")]);
    assert_eq!(changes(&bench.events()), [("turn".into(), 1), ("5".into(), 2)]);
    assert_eq!(bench.session.get("turn"), Some(&Held { rev: 1, value: b"O".as_slice().into() }));
    bench.update(3, "turn", b"X");
    bench.update(2, "turn", b"late");
    bench.update(4, "9", b"O");
    assert_eq!(changes(&bench.events()), [("turn".into(), 3), ("9".into(), 4)]);
    assert_eq!(rev(&bench.session, "9"), Some(4));
}

/// CLIENT-CACHE-2: a value of the same revision that is another one is news.
#[test]
fn the_same_revision_with_another_value_counts() {
    let mut bench = Bench::ready();
    bench.update(1, "a", b"before");
    bench.events();
    bench.session.reconnect(bench.now);
    bench.enter();
    bench.events();
    bench.snapshot(&[(1, "a", b"after")]);
    assert_eq!(changes(&bench.events()), [("a".into(), 1)]);
    assert_eq!(bench.session.get("a").unwrap().value, b"after".as_slice());
}

/// CLIENT-CACHE-1: what comes late from the connection to the old room does not count in the new one.
#[test]
fn an_old_connection_cannot_speak() {
    let mut bench = Bench::ready();
    let old = bench.link.unwrap();
    bench.session.join(address("other"), bench.now);
    bench.open_and_wait();
    bench.session.message(old, b"\xF5\x63\0\0\0\x01\0a".as_slice().into(), bench.now);
    bench.session.text(old, bench.now);
    bench.session.ended(old, End::by_relay(4400, ""), bench.now);
    assert_eq!(bench.events(), []);
    assert!(bench.session.cache().is_empty());
}

/// CLIENT-ECHO-1, Z46, Z47: a write changes nothing here until the relay's update comes.
#[test]
fn nothing_changes_before_the_echo() {
    let mut bench = Bench::ready();
    bench.session.set("a", b"mine").unwrap();
    assert_eq!(bench.session.get("a"), None);
    assert_eq!(bench.events(), []);
    bench.update(1, "a", b"mine");
    assert_eq!(changes(&bench.events()), [("a".into(), 1)]);
    assert_eq!(rev(&bench.session, "a"), Some(1));
}
