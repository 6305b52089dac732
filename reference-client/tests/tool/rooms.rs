//! `get`, `set`, `save`, `load` and `peers` against a relay.

use serde_json::json;

use crate::run::{Ran, run, run_with_input};
use crate::running::Running;

fn at<'a>(url: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    let mut all = args.to_vec();
    all.extend(["--relay", url, "--game", "g", "--room", "r"]);
    all
}

fn in_room(relay: &Running, args: &[&str]) -> Ran {
    run(&at(&relay.url(), args))
}

/// CLIENT-GET-1: not set is not the same as empty.
#[test]
fn set_and_get() {
    let relay = Running::start();
    let ran = in_room(&relay, &["get", "turn"]);
    assert_eq!((ran.code, ran.text(), ran.stderr.as_str()), (Some(3), "", "roomwire: turn is not set\n"));
    assert_eq!(in_room(&relay, &["set", "turn", "X"]).stderr, "turn is set (rev 1)\n");
    assert_eq!(in_room(&relay, &["get", "turn"]).text(), "X\n");
    assert_eq!(in_room(&relay, &["get", "turn", "--hex"]).text(), "58\n");
    assert_eq!(in_room(&relay, &["set", "turn", ""]).code, Some(0));
    assert_eq!(in_room(&relay, &["get", "turn"]).text(), "\n");
    assert_eq!(
        in_room(&relay, &["get", "turn", "--json"]).json(),
        json!({"rev": 2, "key": "turn", "value": "", "text": ""})
    );
    assert_eq!(in_room(&relay, &["get", "x", "--json"]).json()["error"]["class"], "not-set");
}

#[test]
fn values_of_every_kind() {
    let relay = Running::start();
    assert_eq!(in_room(&relay, &["set", "bin", "--hex", "00ff0a"]).code, Some(0));
    assert_eq!(in_room(&relay, &["get", "bin"]).text(), "00ff0a\n");
    assert_eq!(in_room(&relay, &["get", "bin", "--raw"]).stdout, [0, 0xFF, 0x0A]);
    let url = relay.url();
    assert_eq!(run_with_input(&at(&url, &["set", "in", "--stdin"]), b"a\nb").code, Some(0));
    assert_eq!(in_room(&relay, &["get", "in", "--raw"]).stdout, b"a\nb");
    assert_eq!(in_room(&relay, &["get", "in", "--text"]).text(), "a\\nb\n");
    assert_eq!(in_room(&relay, &["set", "neg", "-5"]).code, Some(0));
    let all = in_room(&relay, &["get"]);
    assert_eq!(all.text(), "bin = 0x00ff0a\nin = 0x610a62\nneg = \"-5\"\n");
    assert_eq!(all.stderr, "3 keys\n");
    assert_eq!(in_room(&relay, &["set", "odd", "--hex", "0"]).code, Some(2));
}

/// CLIENT-WRITE-1: a bad key is refused before anything is sent.
#[test]
fn a_bad_key() {
    let relay = Running::start();
    let ran = in_room(&relay, &["set", "", "x"]);
    assert_eq!((ran.code, ran.stderr.contains("must be 1 to 1024")), (Some(2), true), "{ran:?}");
}

/// CLIENT-WORLD-1: an empty world is a world.
#[test]
fn save_and_load() {
    let relay = Running::start();
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let ran = in_room(&relay, &["load"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(3), "roomwire: no world was ever saved in this room\n")
    );
    let world: Vec<u8> = (0..1_000_000u32).map(|n| n.to_le_bytes()[1]).collect();
    std::fs::write(path("in"), &world).unwrap();
    assert_eq!(in_room(&relay, &["save", &path("in")]).stderr, "1000000 bytes saved\n");
    assert_eq!(in_room(&relay, &["load", &path("out")]).stderr, "1000000 bytes loaded\n");
    assert_eq!(std::fs::read(path("out")).unwrap(), world);
    assert_eq!(in_room(&relay, &["load"]).stdout, world);
    assert_eq!(run_with_input(&at(&relay.url(), &["save", "-", "--json"]), b"").json(), json!({"saved": 0}));
    assert_eq!(in_room(&relay, &["load", "--json"]).json(), json!({"loaded": 0, "blob": ""}));
    let ran = in_room(&relay, &["save", &path("missing")]);
    assert_eq!((ran.code, ran.stderr.contains("missing")), (Some(1), true));
    let ran = run_with_input(&at(&relay.url(), &["save", "-"]), &vec![0; 1 << 21]);
    assert_eq!((ran.code, ran.stderr.contains("more than 1048576 bytes")), (Some(1), true));
}

/// CLIENT-CLOSE-1: code and reason of a refusal are shown.
#[test]
fn a_refusal_is_shown() {
    let relay = Running::start();
    assert_eq!(run_with_input(&at(&relay.url(), &["save", "-"]), &vec![0; 1 << 20]).code, Some(0));
    let ran = in_room(&relay, &["set", "k", "v"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("roomwire: closed by the relay: 4413 too large"), "{}", ran.stderr);
    let error = &in_room(&relay, &["set", "k", "v", "--json"]).json()["error"];
    assert_eq!((&error["class"], &error["code"]), (&json!("closed"), &json!(4413)));
    let full = Running::with_members(0);
    let ran = in_room(&full, &["get"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("roomwire: refused by the relay: 4432 room full"), "{}", ran.stderr);
    let url = relay.url();
    drop(relay);
    let ran = run(&at(&url, &["get"]));
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("roomwire: cannot connect: "), "{}", ran.stderr);
}

#[test]
fn a_relay_that_says_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let ran = run(&at(&url, &["get", "--timeout", "1"]));
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(1), "roomwire: the relay does not answer within 1 s\n")
    );
}

#[test]
fn peers_are_listed() {
    let relay = Running::start();
    assert_eq!(in_room(&relay, &["peers"]).stderr, "0 peers besides this one\n");
    let alone = in_room(&relay, &["peers", "--json"]).json();
    assert_eq!(alone["peers"], json!([]));
    assert!(alone["peer"].is_i64());
}

/// There is no TLS, and the tool says so and what to do.
#[test]
fn a_relay_behind_tls() {
    let ran = run(&at("wss://relay.example", &["get"]));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for part in ["TLS is not supported by this build", "ws:// address", "proxy"] {
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
}
