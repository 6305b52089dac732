//! The campaign itself: its exit codes, and what it tells.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

use roomwire_fuzz::Way;
use serde_json::Value;

use super::witness::Worlds;
use super::{candidate, golden, run, socket};

fn exit_code(args: &[&str]) -> u8 {
    run(["campaign"].iter().chain(args))
}

#[test]
fn a_wrong_command_line_is_2_and_help_is_0() {
    assert_eq!(exit_code(&["fly"]), 2);
    assert_eq!(exit_code(&["adapter", "true", "--runs", "many"]), 2);
    assert_eq!(exit_code(&["--help"]), 0);
}

#[test]
fn what_cannot_be_used_is_2() {
    assert_eq!(exit_code(&["candidate", "decode", "/nowhere/at/all"]), 2);
    assert_eq!(exit_code(&["adapter", "exit 3"]), 2);
    assert_eq!(exit_code(&["seeds", "/dev/null/corpus"]), 2);
    assert_eq!(exit_code(&["socket", "wss://127.0.0.1:1"]), 2);
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    assert_eq!(exit_code(&["socket", &format!("ws://{free}")]), 2);
}

#[test]
fn relays_are_urls_or_addresses() {
    let there = "127.0.0.1:8080".parse().unwrap();
    for relay in ["ws://127.0.0.1:8080", "ws://127.0.0.1:8080/", "127.0.0.1:8080"] {
        assert_eq!(socket::address(relay), Ok(there), "{relay}");
    }
    assert!(socket::address("ws://127.0.0.1:8080/r/room").is_err());
    assert!(socket::address("ws://127.0.0.1").is_err());
}

#[test]
fn spans_are_those_of_the_golden_frames() {
    for (id, data, spans) in golden::spans() {
        let (way, wire) = data.split_first().unwrap();
        assert_eq!(candidate::spans(Way::of(*way), wire), spans, "{id}");
    }
}

/// An adapter that answers as `answer`, a line of sh with the number in $seq, says.
fn adapter(answer: &str) -> String {
    let hello = r#"\"protocol\":1,\"name\":\"n\",\"version\":\"1\",\"language\":\"sh\",\"ops\":[\"decode\"]"#;
    let hello = format!(r#"{{\"seq\":$seq,{hello},\"capabilities\":[\"room\",\"peers\"],\"errors\":[]}}"#);
    format!(
        r#"while read -r line; do
             seq=${{line#*\"seq\":}}; seq=${{seq%%[!0-9]*}}
             case "$line" in
               *'"hello"'*) echo "{hello}";;
               *'"decode"'*) {answer};;
               *) echo "{{\"seq\":$seq,\"unsupported\":true}}";;
             esac
           done"#
    )
}

#[test]
fn an_adapter_that_claims_nothing_wrong_is_0() {
    assert_eq!(
        exit_code(&["adapter", &adapter(r#"echo "{\"seq\":$seq,\"unsupported\":true}""#), "--runs", "50"]),
        0
    );
}

#[test]
fn an_adapter_that_disagrees_or_ends_is_1_and_does_not_end_the_campaign() {
    let wrong = r#"echo "{\"seq\":$seq,\"frame\":{\"frame\":\"WORLD_SAVE_ACK\"}}""#;
    assert_eq!(exit_code(&["adapter", &adapter(wrong), "--runs", "50"]), 1);
    let runs = crate::Runs { runs: 200, seed: 1, patience: 10 };
    // It crashes at each message, is started again each time, and is given up after ten.
    assert_eq!(crate::adapter::run(&adapter("exit 1"), &runs), Ok(10));
}

#[test]
fn a_world_that_is_old_or_made_up_is_a_find() {
    let mut worlds =
        Worlds { sent: vec![b"a".to_vec(), b"b".to_vec(), b"c".to_vec(), b"a".to_vec()], loaded: 0 };
    assert_eq!(worlds.loads(b"b"), Ok(()));
    assert!(worlds.loads(b"b").is_err(), "it holds that");
    assert!(worlds.loads(b"d").is_err(), "nobody saved that");
    assert_eq!(worlds.loads(b"a"), Ok(()), "the last");
    assert!(worlds.loads(b"c").is_err(), "that is older");
}

#[test]
fn the_reference_relay_disturbs_nobody() {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let listen = port.to_string();
    std::thread::spawn(move || {
        roomwire_relay::run::main(["roomwire-relay", "--listen", &listen, "--store", "memory"])
    });
    while TcpStream::connect(port).is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(exit_code(&["socket", &format!("ws://{port}"), "--runs", "300"]), 0);
}

#[test]
fn seeds_and_candidates_are_0() {
    let dir = std::env::temp_dir().join(format!("roomwire-campaign-{}", std::process::id()));
    let path = dir.to_str().unwrap();
    assert_eq!(exit_code(&["seeds", path]), 0);
    for target in ["decode", "room", "backlog"] {
        assert!(std::fs::read_dir(dir.join(target)).unwrap().count() >= 64, "{target}");
    }
    let find = dir.join("room/63");
    assert_eq!(exit_code(&["candidate", "room", find.to_str().unwrap()]), 0);
    let case: Value = candidate::case(0, b"\xF4\x01\x00a\x07");
    assert_eq!(case["spans"][3], serde_json::json!([32, 8, "value", "07"]), "{case}");
    std::fs::remove_dir_all(dir).unwrap();
}
