//! Ends, and what follows them.

use std::time::Duration;

use roomwire_client::core::{Config, End};
use roomwire_client::{Backoff, By, Event, Stage, Status};

use crate::bench::{Bench, Did, address};

/// CLIENT-CLOSE-1, H81, Z53: a relay that refuses is heard, though the connection never came further than open.
#[test]
fn a_refusal_is_reported() {
    for (code, reason, retried) in [
        (4404, "bad room: the room has 65 bytes", false),
        (4406, "version: 1", false),
        (4432, "room full", true),
        (4500, "storage", true),
        (1012, "restart", true),
    ] {
        let mut bench = Bench::new();
        bench.session.join(address("r"), bench.now);
        bench.open();
        assert_eq!(bench.events(), [Event::Opened]);
        let closed = bench.close(code, reason);
        assert_eq!((closed.code, closed.reason.as_str(), closed.by), (code, reason, By::Relay));
        assert_eq!(closed.stage, Stage::Open);
        assert_eq!(closed.retry_in.is_some(), retried);
        assert_eq!(closed.to_string(), format!("refused by the relay: {code} {reason}"));
    }
}

/// CLIENT-CLOSE-1, Z43: an attempt that never came to a connection is reported, too.
#[test]
fn a_failed_attempt_is_reported() {
    let mut bench = Bench::new();
    bench.session.join(address("r"), bench.now);
    bench.link();
    let closed = bench.end(End::broken("connection refused"));
    assert_eq!((closed.code, closed.reason.as_str()), (1006, ""));
    assert_eq!((closed.by, closed.stage), (By::Network, Stage::Connecting));
    assert_eq!(closed.detail, "connection refused");
    assert_eq!(closed.to_string(), "cannot connect: connection refused");
    assert!(closed.retry_in.is_some());
}

/// CLIENT-CLOSE-1: where no close frame came, the code is 1006 and the reason empty, however the connection ended.
#[test]
fn an_end_without_a_close_frame_is_1006() {
    let mut broken = Bench::ready();
    let mut silent = Bench::ready();
    silent.advance(45_000);
    let mut unanswered = Bench::new();
    unanswered.session.join(address("r"), unanswered.now);
    unanswered.open();
    unanswered.advance(20_000);
    let mut given_up = Bench::new();
    given_up.session.join(address("r"), given_up.now);
    given_up.link();
    given_up.session.leave(given_up.now);
    for (closed, by, text) in [
        (broken.end(End::broken("reset")), By::Network, "connection lost: reset"),
        (silent.closed(), By::Network, "connection lost: nothing came for 45 s"),
        (unanswered.closed(), By::Network, "connection lost: no answer within 20 s"),
        (given_up.closed(), By::Client, "attempt given up"),
    ] {
        assert_eq!((closed.code, closed.reason.as_str(), closed.by), (1006, "", by), "{text}");
        assert_eq!(closed.to_string(), text);
    }
    // A close frame without a code is one.
    let closed = Bench::ready().end(End::by_relay(1005, ""));
    assert_eq!((closed.code, closed.reason.as_str(), closed.by), (1005, "", By::Relay));
}

/// CLIENT-CLOSE-1: each end once, with the stage that it came in.
#[test]
fn an_end_is_reported_once() {
    let mut bench = Bench::ready();
    let link = bench.link.unwrap();
    let closed = bench.close(4409, "too slow");
    assert_eq!((closed.code, closed.stage), (4409, Stage::Ready));
    bench.session.ended(link, End::broken("again"), bench.now);
    assert_eq!(bench.events(), []);
}

/// CLIENT-RETRY-1: the waits between attempts grow, and end with the connection that holds.
#[test]
fn attempts_come_further_apart() {
    let mut bench = Bench::new();
    bench.session.join(address("r"), bench.now);
    let mut before = Duration::ZERO;
    for attempt in 1..=6 {
        assert!(bench.events().contains(&Event::Connecting { attempt }));
        let wait = bench.end(End::broken("refused")).retry_in.unwrap();
        let due = Duration::from_millis(500 << (attempt - 1));
        assert!(due / 2 <= wait && wait <= due && before <= wait, "{attempt}: {wait:?}");
        assert_eq!(bench.session.status(), Status::Waiting);
        bench.advance(u64::try_from(wait.as_millis()).unwrap() - 1);
        assert_eq!(bench.events(), []);
        bench.advance(2);
        before = wait;
    }
    // Being let in and thrown out at once is a failure like any other.
    bench.open_and_wait();
    let wait = bench.close(4409, "too slow").retry_in.unwrap();
    assert!(wait >= before);
    bench.advance(u64::try_from(wait.as_millis()).unwrap() + 1);
    // One that holds for a while is not.
    bench.open_and_wait();
    bench.advance(10_000);
    bench.events();
    assert!(bench.close(1012, "restart").retry_in.unwrap() <= Duration::from_millis(500));
    bench.advance(1_000);
    assert_eq!(bench.events(), [Event::Connecting { attempt: 2 }]);
}

/// CLIENT-RETRY-1: an attempt that ends before it is ready is a failure, however long the connection was open or joining.
#[test]
fn what_was_never_ready_is_a_failure() {
    for joins in [false, true] {
        let mut bench = Bench::new();
        bench.session.join(address("r"), bench.now);
        let mut before = Duration::ZERO;
        for attempt in 1..=6 {
            assert!(bench.events().contains(&Event::Connecting { attempt }));
            bench.open();
            if joins {
                bench.peer_id();
            }
            for _ in 0..60 {
                // Bytes of a message that does not end put ready off.
                bench.advance(200);
                bench.session.heard(bench.link.unwrap(), bench.now);
            }
            let wait = bench.close(4432, "room full").retry_in.unwrap();
            assert!(
                before <= wait && wait >= Duration::from_millis(250 << (attempt - 1)),
                "{attempt}: {wait:?}"
            );
            bench.advance(u64::try_from(wait.as_millis()).unwrap() + 1);
            before = wait;
        }
    }
}

/// CLIENT-RETRY-1: there is a longest wait.
#[test]
fn waits_have_a_limit() {
    let reconnect = Some(Backoff { first: Duration::from_secs(1), limit: Duration::from_secs(4) });
    let mut bench = Bench::with(Config { reconnect, ..Config::default() });
    bench.session.join(address("r"), bench.now);
    for _ in 0..100 {
        bench.events();
        assert!(bench.end(End::broken("refused")).retry_in.unwrap() <= Duration::from_secs(4));
        bench.advance(4_000);
    }
}

/// CLIENT-RETRY-2: where the same thing would happen again, the client does not come back by itself, but can be told to.
#[test]
fn some_closes_are_for_good() {
    for code in [1002, 1003, 1009, 4400, 4404, 4406, 4413] {
        let mut bench = Bench::ready();
        assert_eq!(bench.close(code, "x").retry_in, None);
        assert_eq!(bench.session.status(), Status::Idle);
        assert_eq!(bench.session.next_timeout(), None);
        bench.did.clear();
        assert!(bench.session.reconnect(bench.now));
        assert!(matches!(bench.events().as_slice(), [Event::Connecting { .. }]));
        assert!(matches!(bench.did.as_slice(), [Did::Dial(_)]));
    }
    for code in [1000, 1005, 1006, 1011, 1012, 4408, 4409, 4432, 4500, 4999] {
        assert!(Bench::ready().close(code, "x").retry_in.is_some(), "{code}");
    }
}

#[test]
fn without_a_policy_there_are_no_retries() {
    let mut bench = Bench::with(Config { reconnect: None, ..Config::default() });
    bench.session.join(address("r"), bench.now);
    bench.link();
    assert_eq!(bench.end(End::broken("refused")).retry_in, None);
    assert_eq!(bench.session.next_timeout(), None);
}

/// CLIENT-CLOSE-1: leaving is an end, too.
#[test]
fn leaving_is_reported() {
    let mut bench = Bench::ready();
    bench.update(1, "a", b"1");
    bench.events();
    bench.session.leave(bench.now);
    let closed = bench.closed();
    assert_eq!((closed.code, closed.by, closed.retry_in), (1000, By::Client, None));
    assert_eq!(bench.did, [Did::Close(1000, String::new())]);
    assert!(bench.session.get("a").is_some());
    bench.session.leave(bench.now);
    assert_eq!(bench.events(), []);
}

#[test]
fn leaving_ends_an_attempt_and_a_wait() {
    let mut bench = Bench::new();
    bench.session.join(address("r"), bench.now);
    bench.link();
    bench.did.clear();
    bench.session.leave(bench.now);
    assert_eq!(bench.closed().stage, Stage::Connecting);
    assert_eq!(bench.did, [Did::Drop]);

    let mut bench = Bench::ready();
    bench.close(1012, "restart");
    bench.session.leave(bench.now);
    bench.advance(3_600_000);
    assert_eq!(bench.events(), []);
    assert_eq!(bench.session.status(), Status::Idle);
}

#[test]
fn a_reconnect_cuts_the_wait_short() {
    let mut bench = Bench::new();
    assert!(!bench.session.reconnect(bench.now), "there is no room yet");
    assert_eq!(bench.events(), []);
    let mut bench = Bench::ready();
    bench.close(1012, "restart");
    bench.session.reconnect(bench.now);
    assert_eq!(bench.session.status(), Status::Linked(Stage::Connecting));
}
