//! Each check of the registry is seen to fail: the small registry with one thing broken.

#![allow(clippy::expect_used, reason = "a test helper that fails should stop the test")]

mod common;

use common::{REGISTRY, registry, with};
use roomwire_spec::check;
use roomwire_spec::registry::Registry;

/// What the checks say of the small registry after one replacement.
fn problems(from: &str, to: &str) -> Vec<String> {
    let registry = Registry::parse(&with(REGISTRY, from, to)).expect("it parses");
    check::registry(&registry).iter().map(ToString::to_string).collect()
}

#[track_caller]
fn expect(from: &str, to: &str, problem: &str) {
    assert_eq!(problems(from, to), [format!("spec/registry.toml{problem}")], "{from} -> {to}");
}

#[test]
fn the_small_registry_is_sound() {
    assert_eq!(check::registry(&registry()), []);
}

#[test]
fn unknown_members_are_refused_with_their_line() {
    let text =
        with(REGISTRY, "summary = \"Write one key.\"", "summary = \"Write one key.\"\ncolour = \"red\"");
    let error = Registry::parse(&text).expect_err("an unknown member").to_string();
    assert!(error.contains("line 13") && error.contains("unknown field `colour`"), "{error}");
}

#[test]
fn codes() {
    expect("0x28", "0xF4", ", opcode LIST: code 244 is taken by registry.toml, opcode PUT");
    let space =
        "can begin a Godot packet: an opcode is F1 to F6, or has bit 3 set and low three bits other than 7";
    for code in ["0x00", "0x20", "0xF0", "0xE6"] {
        expect("0x28", code, &format!(", opcode LIST: code {} {space}", code.to_lowercase()));
    }
    for code in ["0x08", "0x0E", "0xF1", "0xF6", "0xFE"] {
        assert_eq!(problems("0x28", code), [""; 0], "{code}");
    }
    let both = [
        format!("spec/registry.toml, opcode LIST: code 0x2f {space}"),
        "spec/registry.toml, opcode LIST: the code is the first byte of a SYS packet".to_owned(),
    ];
    assert_eq!(problems("0x28", "0x2F"), both);
    expect(
        "code = 1003",
        "code = 4400",
        ", close TEXT: code 4400 is taken by registry.toml, close MALFORMED",
    );
    expect("code = 1003", "code = 1006", ", close TEXT: 1006 is no close code that may be sent");
    let second = "[[sys_command]]\ncode = 3\nname = \"AGAIN\"\nclass = \"peers\"\ndirection = \"both\"\nsince = 1\n\
                  chapter = \"01-frames.md\"\nsummary = \"x\"\nlayout = [{ name = \"lead\", type = \"u8\" }, \
                  { name = \"command\", type = \"u8\" }]\n\n[[error_class]]";
    expect(
        "[[error_class]]",
        second,
        ", sys_command AGAIN: code 3 is taken by registry.toml, sys_command PASS",
    );
    expect("lead = 0x07", "lead = 0x06", ", sys: `lead` under `lead_mask` is not `lead_low_bits`");
}

#[test]
fn names() {
    expect("\"LIST\"", "\"PUT\"", ", opcode PUT: name PUT is taken by registry.toml, opcode PUT");
    expect("\"FIRST\"", "\"PUT\"", ", message PUT: name PUT is taken by registry.toml, opcode PUT");
    expect(
        "\"TEXT\"",
        "\"MALFORMED\"",
        ", close MALFORMED: name MALFORMED is taken by registry.toml, close MALFORMED",
    );
    expect(
        "\"idle\"",
        "\"close_reason_max\"",
        ", limit close_reason_max: name close_reason_max is taken by registry.toml, limit close_reason_max",
    );
    let second = "[[error_class]]\nname = \"limit\"\nsummary = \"x\"\n\n[[close]]";
    expect(
        "[[close]]",
        second,
        ", error_class limit: name limit is taken by registry.toml, error_class limit",
    );
    expect("\"LIST\"", "\"List\"", ", opcode List: a name here is upper-case letters, digits and `_`");
    expect("\"idle\"", "\"2idle\"", ", limit 2idle: a name here is lower-case letters, digits and `_`");
    expect("\"PASS\"", "\"LEAD\"", ", sys_command LEAD: the name is one of the lead's constants");
    expect("\"A packet.\"", "\" \"", ", sys_command PASS: the summary is empty");
}

#[test]
fn versions() {
    expect("until = 2", "until = 3", ", opcode LIST: version 3 is not in `protocol.versions`");
    expect("until = 2", "until = 1", ", opcode LIST: `until` is before `since`");
    expect(
        "since = 2\nsummary",
        "since = 9\nsummary",
        ", close TEXT: version 9 is not in `protocol.versions`",
    );
    expect("[1, 2]", "[1, 2, 2]", ", protocol: `versions` must ascend and hold at least one");
}

#[test]
fn close_reasons() {
    let long = "x".repeat(124);
    expect(
        "reason = \"text\"",
        &format!("reason = \"{long}\""),
        ", close TEXT: the reason has 124 bytes, above `close_reason_max` (123)",
    );
    let shape = ", close TEXT: a reason prefix is not empty and holds no colon, since a colon ends it";
    expect("reason = \"text\"", "reason = \"\"", shape);
    expect("reason = \"text\"", "reason = \"text: no\"", shape);
    expect(
        "reason = \"text\"",
        "reason = \"malformed\"",
        ", close TEXT: reason malformed is taken by registry.toml, close MALFORMED",
    );
    expect("\"close_reason_max\"", "\"other\"", ": the limit `close_reason_max` is missing");
}

#[test]
fn references() {
    let len = "which is no unsigned field before it";
    expect(
        "len = \"key_len\"",
        "len = \"length\"",
        &format!(", opcode PUT: field key: `len` names length, {len}"),
    );
    expect(
        "len = \"key_len\"",
        "len = \"value\"",
        &format!(", opcode PUT: field key: `len` names value, {len}"),
    );
    expect(
        "len = \"len\"",
        "len = \"delta\"",
        &format!(", opcode LIST: field entry.value: `len` names delta, {len}"),
    );
    expect(
        "len = \"len\"",
        "len = \"count\"",
        &format!(", opcode LIST: field entry.value: `len` names count, {len}"),
    );
    expect(
        "count = \"count\"",
        "count = \"n\"",
        &format!(", opcode LIST: field entry: `count` names n, {len}"),
    );
    expect(", len = \"len\"", "", ", opcode LIST: field entry.value: bytes needs `len`");
    expect(" count = \"count\",", "", ", opcode LIST: field entry: repeat needs `count`");
    expect(
        "type = \"i32\" }",
        "type = \"i32\", len = \"x\" }",
        ", opcode LIST: field entry.delta: i32 has no `len`",
    );
    expect(
        "type = \"i32\" }",
        "type = \"i32\", of = [{ name = \"x\", type = \"u8\" }] }",
        ", opcode LIST: field entry.delta: i32 has no `of`",
    );
}

#[test]
fn layouts() {
    expect(
        "{ name = \"value\", type = \"rest\", doc = \"0 bytes | more\" },",
        "{ name = \"value\", type = \"rest\" }, { name = \"more\", type = \"u8\" },",
        ", opcode PUT: field value: a rest must be the last field of the frame",
    );
    expect(
        "type = \"bytes\", len = \"len\"",
        "type = \"rest\"",
        ", opcode LIST: field entry.value: a rest must be the last field of the frame",
    );
    expect(
        "\"value\", type = \"bytes\"",
        "\"len\", type = \"bytes\"",
        ", opcode LIST: field entry.len stands twice",
    );
    expect(
        "\"delta\"",
        "\"Delta\"",
        ", opcode LIST: field entry.Delta: a name here is lower-case letters, digits and `_`",
    );
    expect(
        "\"opcode\", type",
        "\"code\", type",
        ", opcode PUT: the layout needs a field `opcode` of type u8 at byte 0",
    );
    let command = ", sys_command PASS: the layout needs a field `command` of type u8 at byte 1";
    expect("\"command\", type = \"u8\"", "\"command\", type = \"u16\"", command);
    expect("\"lead\", type = \"u8\"", "\"lead\", type = \"u16\"", command);
    expect(
        "[{ name = \"peer\", type = \"i32\", min = -5, max = 1000000 }]",
        "[]",
        ", message FIRST: the layout has no fields",
    );
}

#[test]
fn ranges() {
    expect(
        "min = 1, max = 1024",
        "min = 1025, max = 1024",
        ", opcode PUT: field key_len: min 1025 is above max 1024",
    );
    expect("max = 1024", "max = 65536", ", opcode PUT: field key_len: 1 to 65536 does not fit in u16");
    expect(
        "\"u8\", min = 1,",
        "\"u8\", min = -1,",
        ", opcode LIST: field entry.len: -1 to 255 does not fit in u8",
    );
}

#[test]
fn what_version_1_reserves() {
    expect(
        "since = 2\nuntil = 2",
        "since = 1",
        ", opcode LIST: code 0x28 is reserved in version 1: it can be used since version 2",
    );
}

/// The small registry's limit of a key, which no layout names yet.
const KEY_MAX: &str = "[[limit]]\nname = \"key_max\"\nvalue = 1024\nunit = \"bytes\"\nsummary = \"x\"\n\n";

#[test]
fn a_limit_has_one_place() {
    let with_limit = with(REGISTRY, "[[limit]]", &format!("{KEY_MAX}[[limit]]"));
    let told = |text: &str| -> Vec<String> {
        let registry = Registry::parse(text).expect("it parses");
        check::registry(&registry).iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        told(&with_limit),
        [
            "spec/registry.toml, opcode PUT: field key_len: 1024 is the limit key_max: write `max = \"key_max\"`"
        ]
    );
    let named = with(&with_limit, "max = 1024", "max = \"key_max\"");
    assert_eq!(told(&named), [""; 0]);
    // What a limit comes to has to fit, too.
    let large = with(&named, "value = 1024", "value = 65536");
    assert_eq!(
        told(&large),
        ["spec/registry.toml, opcode PUT: field key_len: 1 to 65536 does not fit in u16"]
    );
    expect(
        "max = 1024",
        "max = \"key_mix\"",
        ", opcode PUT: field key_len: `max` names key_mix, which is no limit",
    );
}

#[test]
fn one_rule_has_one_range() {
    expect(
        "{ name = \"value\", type = \"rest\", doc = \"0 bytes | more\" }",
        "{ name = \"other_len\", type = \"u16\", min = 1, max = 1023, rule = \"KEY-1\" }",
        ", opcode PUT: field other_len: another range than key_len in registry.toml, opcode PUT, though KEY-1 governs \
         both",
    );
}
