//! The program from outside: exit codes, reports, filters.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roomwire-conformance"));
    command.current_dir(dir).args(args).output().expect("the program runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn a_selection_passes_and_writes_both_reports() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["F0001", "F0020", "S0001", "S0002", "--report-dir", "there"]);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(out(&output).contains("4 cases in"), "{output:?}");
    let html = std::fs::read_to_string(dir.path().join("there/report.html")).unwrap();
    assert!(html.contains("S0002") && html.contains("ROOM-SNAP-1"));
    for outside in ["http://", "https://", "src="] {
        assert!(!html.contains(outside), "the page needs {outside}");
    }
    let text = std::fs::read_to_string(dir.path().join("there/report.json")).unwrap();
    let report = serde_json::from_str(&text).unwrap();
    let schema = serde_json::from_str(&support::read("schema/report.schema.json")).unwrap();
    let faults: Vec<String> = jsonschema::draft202012::new(&schema)
        .unwrap()
        .iter_errors(&report)
        .map(|fault| format!("{} {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn a_filter_that_matches_nothing_is_a_usage_error() {
    let dir = tempfile::tempdir().unwrap();
    for args in [
        &["F9999"][..],
        &["no/such/*"],
        &["S0001", "--kind", "codec"],
        &["--req", "NO-SUCH-1"],
        &["--no-such-option"],
        &["--time-scale", "0"],
        &["--jobs", "0", "S0001"],
        &["--relay", "http://x"],
        &["--relay", "ws://127.0.0.1:1", "--spawn", "x"],
    ] {
        assert_eq!(code(&run(dir.path(), args)), 2, "{args:?}");
    }
    assert!(!dir.path().join("reports").exists());
}

#[test]
fn the_list_names_cases_and_runs_none() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["--list", "--req", "ROOM-CAP-2"]);
    assert_eq!(code(&output), 0);
    assert!(out(&output).contains("S0039 relay caps/most-keys"), "{output:?}");
    assert!(!out(&output).contains("S0001"));
    assert!(!dir.path().join("reports").exists());
}

#[test]
fn a_suite_that_does_not_load_is_a_failure_of_the_harness() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("bad.json"), "[{}]").unwrap();
    let output = run(dir.path(), &["--vectors", ".", "--kind", "codec"]);
    assert_eq!(code(&output), 3, "{output:?}");
}

#[test]
fn a_failing_case_is_told_in_full() {
    let dir = tempfile::tempdir().unwrap();
    let wrong = r#"[{"id":"F0001","name":"a/wrong","rev":1,"since":"1","origin":"hand","reqs":["PRIM-END-1"],
        "needs":["room"],"v":1,"to":"client","ops":["decode"],"kind":"valid","wire":"f3",
        "spans":[[0,8,"opcode","0xF3"]],"expect":{"accept":{"frame":"WORLD_LOAD","blob":""}}}]"#;
    std::fs::create_dir(dir.path().join("v")).unwrap();
    std::fs::write(dir.path().join("v/wrong.json"), wrong).unwrap();
    let args = ["--vectors", "v", "--kind", "codec"];
    let output = run(dir.path(), &args);
    assert_eq!(code(&output), 1, "{output:?}");
    for part in ["FAIL F0001", "expected: WORLD_LOAD", "got:      WORLD_SAVE_ACK", "PRIM-END-1: "] {
        assert!(out(&output).contains(part), "{part}: {output:?}");
    }
    // Known and listed, it does not fail the run; once it passes, the line is stale.
    std::fs::write(dir.path().join("known.toml"), "[[case]]\nid = 'F0001'\nissue = 'x'\n").unwrap();
    let known = run(dir.path(), &[&args[..], &["--expected", "known.toml"]].concat());
    assert_eq!(code(&known), 0, "{known:?}");
    let stale = run(dir.path(), &["F0001", "--kind", "codec", "--expected", "known.toml"]);
    assert_eq!(code(&stale), 1, "{stale:?}");
}

#[test]
fn what_is_not_claimed_is_skipped() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("d.toml"), "relay = 'ws://127.0.0.1:1'\ncapabilities = ['peers']")
        .unwrap();
    let output = run(dir.path(), &["--descriptor", "d.toml", "S0002", "S0083"]);
    assert_eq!(code(&output), 2, "a run that shows nothing is not clean: {output:?}");
    assert!(out(&output).contains("2 SKIP"), "{output:?}");
}

#[test]
fn what_is_claimed_and_cannot_be_reached_fails() {
    let dir = tempfile::tempdir().unwrap();
    for args in [&["--relay", "ws://127.0.0.1:1", "S0002"], &["--spawn", "exit 1", "S0002"]] {
        let output = run(dir.path(), args);
        assert_eq!(code(&output), 1, "{output:?}");
        assert!(out(&output).contains("1 UNTESTABLE"), "{output:?}");
    }
}

#[test]
fn a_relay_of_ones_own_is_spawned_and_killed() {
    let dir = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_roomwire-conformance");
    let config = r#"{"data":"{data}","times":{},"fault":null}"#;
    let descriptor = format!(
        "name = 'mine'\nhooks = ['kill', 'second']\nspawn = '''env ROOMWIRE_CONFORMANCE_RELAY='{config}' {program}'''\n"
    );
    std::fs::write(dir.path().join("d.toml"), descriptor).unwrap();
    let output = run(dir.path(), &["--descriptor", "d.toml", "S0002", "S0085", "S0092", "S0083"]);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(out(&output).contains("3 PASS, 1 SKIP"), "{output:?}");
}

#[test]
fn a_command_that_never_ends_its_first_line_is_told_and_not_read_for_ever() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["--spawn", "cat /dev/zero", "S0001", "S0002"]);
    assert_eq!(code(&output), 1, "{output:?}");
    assert!(out(&output).contains("a line of more than 4096 bytes from the relay"), "{output:?}");
    assert!(out(&output).contains("2 UNTESTABLE"), "{output:?}");
}

#[test]
fn an_expected_failure_of_no_case_is_a_usage_error() {
    let dir = tempfile::tempdir().unwrap();
    let known = "[[case]]\nid = 'F0001'\nissue = 'x'\n[[case]]\nid = 'F00O2'\nissue = 'x'\n";
    std::fs::write(dir.path().join("known.toml"), known).unwrap();
    let output = run(dir.path(), &["F0001", "--expected", "known.toml"]);
    assert_eq!(code(&output), 2, "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("F00O2"), "{output:?}");
}

/// All that writes to standard output, in ways that exit with 0 when it is read.
const SPEAKERS: [&[&str]; 4] = [
    &["--list"],
    &["--help"],
    &["F0001", "F0020"],
    &["crash", "--rounds", "1", "--rooms", "1", "--acks", "20"],
];

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    for args in SPEAKERS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_roomwire-conformance"));
        command.current_dir(dir.path()).args(args);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command.stdout(writer).output().expect("the program runs");
        assert_eq!(code(&output), 0, "{args:?}: {output:?}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("failed"), "{args:?}: {output:?}");
    }
    // That nobody reads does not make a run that failed a good one.
    let mut command = Command::new(env!("CARGO_BIN_EXE_roomwire-conformance"));
    command.current_dir(dir.path()).args(["--spawn", "exit 1", "S0002"]).stderr(Stdio::null());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(command.stdout(writer).status().unwrap().code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_a_failure_of_the_harness() {
    let dir = tempfile::tempdir().unwrap();
    for args in SPEAKERS {
        let mut command = Command::new(env!("CARGO_BIN_EXE_roomwire-conformance"));
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command.current_dir(dir.path()).args(args).stdout(full).output().unwrap();
        assert_eq!(code(&output), 3, "{args:?}: {output:?}");
        let told =
            String::from_utf8_lossy(&output.stderr).contains("the suite itself failed: standard output");
        assert!(told, "{args:?}: {output:?}");
    }
}
