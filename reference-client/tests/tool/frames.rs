//! `decode`, `encode`, `completions` and the command line itself.

use serde_json::json;

use crate::run::{run, run_with_input};

#[test]
fn a_frame_is_explained() {
    let ran = run(&["decode", "--direction", "to-client", "f5 07000000 0400", "7475726e 02"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let expected = "\
STATE_UPDATE, to-client, 12 bytes: One committed write.
        0  f5           opcode   0xf5 STATE_UPDATE
        1  07 00 00 00  rev      7
        5  04 00        key_len  4
        7  74 75 72 6e  key      \"turn\"
       11  02           value    0x02, 1 byte
";
    assert_eq!(ran.text(), expected);
}

#[test]
fn every_frame_there_and_back() {
    for (direction, hex, first) in [
        ("to-relay", "f100ff", false),
        ("to-client", "f2", false),
        ("to-client", "f3", false),
        ("to-relay", "f401006101", false),
        ("to-client", "f501000000010061", false),
        ("to-client", "f60100000001000000010061010000000f", false),
        ("to-client", "00020000", true),
        ("to-client", "070100020000", false),
        ("to-client", "f70200020000", false),
        ("to-relay", "0703fbffffffff", false),
        ("to-client", "2001", false),
    ] {
        let mut args = vec!["decode", "--json", "--direction", direction];
        args.extend(first.then_some("--first"));
        args.push(hex);
        let decoded = run(&args);
        assert_eq!(decoded.code, Some(0), "{decoded:?}");
        let encoded = run_with_input(&["encode", "-"], &decoded.stdout);
        assert_eq!((encoded.text(), encoded.code), (format!("{hex}\n").as_str(), Some(0)));
        let explained = run(&args.iter().copied().filter(|arg| *arg != "--json").collect::<Vec<_>>());
        let name = decoded.json()["frame"].as_str().unwrap().to_owned();
        assert!(explained.text().starts_with(&format!("{name}, {direction}, ")), "{explained:?}");
    }
}

#[test]
fn json_of_a_frame_and_of_an_error() {
    let ran = run(&["--json", "decode", "--direction", "to-client", "f501000000010061"]);
    assert_eq!(ran.json(), json!({"frame": "STATE_UPDATE", "rev": 1, "key": "a", "value": ""}));
    let ran = run(&["--json", "decode", "--direction", "to-client", "f501000000020061"]);
    assert_eq!(
        ran.text(),
        "{\"error\":{\"class\":\"truncated\",\"offset\":7,\"field\":\"key\",\"rule\":\"PRIM-LEN-1\"}}\n"
    );
    assert_eq!(ran.code, Some(1));
}

#[test]
fn an_error_is_shown_where_it_is() {
    for (direction, hex, mark, message) in [
        (
            "to-relay",
            "f40000",
            ">       1  00 00  key_len  0  <- limit [ROOM-KEY-1]",
            "limit at byte 1 (key_len)",
        ),
        (
            "to-relay",
            "f40100ff",
            ">       3  ff     key      0xff  <- value [ROOM-KEY-2]",
            "value at byte 3 (key)",
        ),
        (
            "to-client",
            "f300",
            ">       1  00  end     0x00, 1 byte  <- trailing [PRIM-END-1]",
            "trailing at byte 1 (end)",
        ),
        ("to-client", "f1", "<- direction [OP-SPACE-3]", "direction at byte 0 (opcode)"),
        (
            "to-client",
            "08ff",
            ">       0  08  opcode  0x08  <- opcode [OP-SPACE-2]",
            "opcode at byte 0 (opcode)",
        ),
        ("to-client", "", "<- truncated [OP-SPACE-4]", "truncated at byte 0 (opcode)"),
        (
            "to-client",
            "f6ffffffff",
            "count   4294967295  <- truncated [PRIM-COUNT-1]",
            "truncated at byte 1 (count)",
        ),
    ] {
        let ran = run(&["decode", "--direction", direction, hex]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.text().lines().last().unwrap().ends_with(mark), "{}", ran.text());
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}

#[test]
fn a_long_snapshot_is_shortened() {
    let mut entries = Vec::new();
    for rev in 1..=100 {
        entries.push(json!({"rev": rev, "key": format!("k{rev}"), "value": "00"}));
    }
    let frame = json!({"frame": "STATE_SNAPSHOT", "entries": entries}).to_string();
    let hex = run(&["encode", &frame]).text().to_owned();
    let short = run(&["decode", "--direction", "to-client", hex.trim()]);
    assert!(
        short.text().contains("\"k1\"")
            && short.text().contains("\"k100\"")
            && !short.text().contains("\"k50\"")
    );
    assert!(short.text().contains("100 entries in all"));
    let all = run(&["decode", "--all", "--direction", "to-client", hex.trim()]);
    assert!(all.text().contains("\"k50\""));
    // The entry at fault is always shown.
    let bad = hex.replacen("32000000", "00000000", 1);
    let bad = run(&["decode", "--direction", "to-client", bad.trim()]);
    assert!(bad.text().ends_with("entry.rev      0  <- value [ROOM-REV-1]\n"), "{}", bad.text());
}

#[test]
fn frames_from_standard_input() {
    let args = ["decode", "--json", "--direction", "to-relay", "-"];
    assert_eq!(run_with_input(&args, b"f4 01 00\n 61\n").json()["key"], "a");
    let args = ["decode", "--json", "--direction", "to-relay", "--binary", "-"];
    assert_eq!(run_with_input(&args, b"\xF4\x01\0b").json()["key"], "b");
}

#[test]
fn what_cannot_be_encoded() {
    let ran = run(&["encode", "--json", r#"{"frame":"STATE_SET","key":"","value":""}"#]);
    assert_eq!(ran.json(), json!({"error": {"class": "limit", "field": "key_len", "rule": "ROOM-KEY-1"}}));
    assert_eq!(ran.code, Some(1));
    let ran = run(&["encode", "--json", r#"{"frame":"WORLD_SAVE_ACK"}"#]);
    assert_eq!(ran.json(), json!({"bytes": "f3"}));
}

#[test]
fn usage_errors_are_2() {
    for args in [
        ["decode", "--direction", "to-relay", "xyz"].as_slice(),
        &["decode", "--direction", "to-relay", "f"],
        &["decode", "f3"],
        &["decode", "--direction", "sideways", "f3"],
        &["decode", "--direction", "to-relay", "--first", "00020000"],
        &["decode", "--direction", "to-relay", "--binary", "f3"],
        &["encode", "{}"],
        &["encode", "nonsense"],
        &["nonsense"],
        &[],
        &["get", "k"],
        &["get", "k", "--game", "g", "--room", "a b"],
        &["get", "k", "--game", "g", "--room", "r", "--relay", "http://h"],
        &["get", "k", "--game", "g", "--room", "r", "--timeout", "0"],
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        assert!(!ran.stderr.is_empty());
        assert!(ran.stdout.is_empty());
    }
}

/// Only where that is what is missing.
#[test]
fn whoever_names_no_room_is_told_what_a_shell_can_remember() {
    let told = |args: &[&str]| run(args).stderr.contains("export ROOMWIRE_GAME=");
    assert!(told(&["get"]));
    assert!(told(&["watch", "--game", "g"]));
    assert!(!told(&["set", "--game", "g", "--room", "r"]));
    assert!(!told(&["get", "--game", "g", "--room", "a b"]));
}

#[test]
fn help_and_completions() {
    let help = run(&["--help"]);
    assert_eq!(help.code, Some(0));
    for word in ["tic-tac-toe", "Exit codes", "ROOMWIRE_ROOM", "watch", "completions"] {
        assert!(help.text().contains(word), "{word}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        assert_eq!(script.code, Some(0));
        assert!(script.text().contains("decode"), "{shell}");
    }
}
