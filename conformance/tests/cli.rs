//! The program from outside: exit codes, reports, filters.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::io::{BufRead as _, BufReader};
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
fn a_selection_passes_and_writes_the_reports() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["F0001", "F0020", "S0001", "S0002", "C0001", "--report-dir", "there"]);
    assert_eq!(code(&output), 0, "{output:?}");
    assert!(out(&output).contains("5 cases in"), "{output:?}");
    let html = std::fs::read_to_string(dir.path().join("there/report.html")).unwrap();
    assert!(html.contains("S0002") && html.contains("ROOM-SNAP-1") && html.contains("By chapter"));
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
    // What the chapters say is what the clauses say.
    let chapters = report["coverage"].as_array().unwrap();
    let clauses = report["clauses"].as_object().unwrap();
    let count = |member: &str| chapters.iter().map(|chapter| chapter[member].as_u64().unwrap()).sum::<u64>();
    assert_eq!(count("clauses"), clauses.len() as u64);
    assert_eq!(count("with_reason"), clauses.values().filter(|c| c.get("reason").is_some()).count() as u64);
    assert!(out(&output).contains("all chapters"), "{output:?}");
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
        &["--patience", "1e300", "F0001"],
        &["--time-scale", "inf", "F0001"],
        &["--jobs", "0", "S0001"],
        &["--relay", "http://x"],
        &["--relay", "ws://127.0.0.1:1", "--spawn", "x"],
        &["F0001", "S9999"],
        &["--report-dir", "/dev/null/x", "F0001"],
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

/// Three cases of the reference codec's: one that it fails, one that it passes, and one that it rejects for another reason.
const CASES: &str = r#"[
    {"id":"F0001","name":"a/wrong","rev":1,"since":"1","origin":"hand","reqs":["PRIM-END-1"],
     "needs":["room"],"v":1,"to":"client","ops":["decode"],"kind":"valid","wire":"f3",
     "spans":[[0,8,"opcode","0xF3"]],"expect":{"accept":{"frame":"WORLD_LOAD","blob":"<&\u0000"}}},
    {"id":"F0002","name":"a/right","rev":1,"since":"1","origin":"hand","reqs":["OP-SPACE-1","PRIM-END-1"],
     "needs":["room"],"v":1,"to":"client","ops":["decode","encode"],"kind":"valid","wire":"f200",
     "spans":[[0,8,"opcode","0xF2"],[8,8,"blob","00"]],"expect":{"accept":{"frame":"WORLD_LOAD","blob":"00"}}},
    {"id":"F0003","name":"a/reason","rev":1,"since":"1","origin":"hand","reqs":["ERR-ORDER-2","PRIM-END-1","OP-SPACE-1"],
     "needs":["room"],"v":1,"to":"client","ops":["decode"],"kind":"invalid","wire":"f300",
     "spans":[[0,8,"opcode","0xF3"]],"twin":"F0002","fault":"it's a byte","expect":{"reject":{"class":"value","rule":"PRIM-END-1"}}}
]"#;

fn cases(dir: &Path) {
    std::fs::create_dir(dir.join("v")).unwrap();
    std::fs::write(dir.join("v/cases.json"), CASES.replace("<&\\u0000", "")).unwrap();
}

#[test]
fn a_failing_case_is_told_in_full() {
    let dir = tempfile::tempdir().unwrap();
    cases(dir.path());
    let output = run(dir.path(), &["--vectors", "v", "--kind", "codec"]);
    assert_eq!(code(&output), 1, "{output:?}");
    for part in [
        "FAIL F0001",
        "expected: WORLD_LOAD",
        "got:      WORLD_SAVE_ACK",
        "\n  breaks PRIM-END-1: A layout that",
        "WRONG_REASON F0003",
    ] {
        assert!(out(&output).contains(part), "{part}: {output:?}");
    }
    // The clause that is broken comes first, with its text; of the others the ids.
    let told = out(&output).split("WRONG_REASON F0003").nth(1).unwrap().to_owned();
    let (first, rest) = told.split_once("\n  breaks PRIM-END-1: ").expect(&told);
    assert!(!first.contains("ERR-ORDER-2"), "{told}");
    assert!(rest.contains("\n  the case is about ERR-ORDER-2, OP-SPACE-1, too\n"), "{told}");
}

/// A codec that does nothing right would fill the terminal.
#[test]
fn of_many_failing_cases_the_first_are_told_in_full() {
    let dir = tempfile::tempdir().unwrap();
    cases(dir.path());
    let file = dir.path().join("v/cases.json");
    let mut cases: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let wrong = cases.remove(0);
    let all = (1..=30).map(|n| {
        let mut case = wrong.clone();
        case["id"] = format!("F{n:04}").into();
        case["name"] = format!("a/wrong-{n}").into();
        case["wire"] = format!("f2{n:02x}").into();
        case["spans"] = serde_json::json!([[0, 8, "opcode", "0xF2"], [8, 8, "blob", format!("{n:02x}")]]);
        case["expect"]["accept"]["blob"] = "".into();
        case
    });
    std::fs::write(file, serde_json::Value::from_iter(all).to_string()).unwrap();
    let output = run(dir.path(), &["--vectors", "v", "--kind", "codec"]);
    let told = out(&output);
    assert_eq!(told.matches("  again: ").count(), 8, "{output:?}");
    assert!(told.contains("\nand 22 more, which reports/report.html tells of:\n"), "{told}");
    assert!(told.contains(": F0009 F0010") && told.contains("F0020 and 10 more\n"), "{told}");
}

#[test]
fn where_several_clauses_are_cited_and_none_is_known_to_be_broken_it_says_so() {
    let dir = tempfile::tempdir().unwrap();
    cases(dir.path());
    let text = CASES.replace("\"reqs\":[\"PRIM-END-1\"]", "\"reqs\":[\"PRIM-END-1\",\"OP-SPACE-1\"]");
    std::fs::write(dir.path().join("v/cases.json"), text.replace("<&\\u0000", "")).unwrap();
    let output = run(dir.path(), &["--vectors", "v", "F0001"]);
    let told = "  breaks one of these:\n    PRIM-END-1: A layout";
    assert!(out(&output).contains(told) && out(&output).contains("\n    OP-SPACE-1: "), "{output:?}");
}

#[test]
fn the_command_that_runs_a_case_again_does_the_same_again() {
    let dir = tempfile::tempdir().unwrap();
    cases(dir.path());
    std::fs::write(dir.path().join("it's known.toml"), "[[case]]\nid = 'F0002'\nissue = 'x'\n").unwrap();
    let program = env!("CARGO_BIN_EXE_roomwire-conformance");
    let adapter = format!("'{program}' adapter");
    let args = ["--vectors", "v", "--codec", &adapter, "--expected", "it's known.toml", "--patience", "20.5"];
    let output = run(dir.path(), &[&args[..], &["--report-dir", "reports/again"]].concat());
    assert_eq!(code(&output), 1, "{output:?}");
    let text = out(&output);
    let again: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  again: ")).collect();
    assert_eq!(again.len(), 3, "{text}");
    for (command, verdict) in again.iter().zip(["FAIL", "STALE_XFAIL", "WRONG_REASON"]) {
        for part in [
            " --vectors v",
            " --patience 20.5",
            " --codec '",
            " --expected 'it'\\''s known.toml'",
            " --report-dir reports/again",
        ] {
            assert!(command.contains(part), "{command}");
        }
        let mut shell = Command::new("sh");
        let output = shell.current_dir(dir.path()).arg("-c").arg(command).output().unwrap();
        assert_eq!(code(&output), 1, "{output:?}");
        assert!(out(&output).contains(&format!(" s: 1 {verdict}\n")), "{output:?}");
    }
}

#[test]
fn expected_failures_count_in_every_mode() {
    let dir = tempfile::tempdir().unwrap();
    cases(dir.path());
    let adapter = format!("'{}' adapter", env!("CARGO_BIN_EXE_roomwire-conformance"));
    let list = |text: &str| std::fs::write(dir.path().join("known.toml"), text).unwrap();
    let line = |id: &str, more: &str| format!("[[case]]\nid = '{id}'\nissue = 'https://x/1'\n{more}");
    for codec in [&[][..], &["--codec", &adapter]] {
        let run = |ids: &[&str]| {
            let args =
                [&["--vectors", "v", "--kind", "codec", "--expected", "known.toml"][..], codec, ids].concat();
            run(dir.path(), &args)
        };
        list(&[line("F0001", ""), line("F0003", "")].concat());
        let known = run(&[]);
        assert_eq!(code(&known), 0, "{known:?}");
        assert!(out(&known).contains("1 PASS, 2 XFAIL"), "{known:?}");
        list(&[line("F0001", ""), line("F0002", ""), line("F0003", "flaky = true\n")].concat());
        let stale = run(&[]);
        assert_eq!(code(&stale), 1, "{stale:?}");
        assert!(out(&stale).contains("1 XFAIL, 1 STALE_XFAIL, 1 FLAKY"), "{stale:?}");
        assert!(out(&stale).contains("PASS, listed as an expected failure: https://x/1"), "{stale:?}");
        // A flaky case that passes is no news, and one that fails is none either.
        list(&[line("F0002", "flaky = true\n"), line("F0003", "flaky = true\n")].concat());
        let flaky = run(&["F0002", "F0003"]);
        assert_eq!(code(&flaky), 0, "{flaky:?}");
    }
    // Relays are no other matter.
    list(&line("S0002", ""));
    let relay = ["--relay", "ws://127.0.0.1:1", "--expected", "known.toml", "S0002"];
    let known = run(dir.path(), &relay);
    assert_eq!(code(&known), 0, "{known:?}");
    assert!(out(&known).contains("1 XFAIL"), "{known:?}");
}

#[test]
fn junit_is_xml_that_tells_failures_from_errors_and_skips() {
    let dir = tempfile::tempdir().unwrap();
    cases(dir.path());
    let ugly = CASES.replace(
        "{\"frame\":\"WORLD_LOAD\",\"blob\":\"<&\\u0000\"}",
        "{\"frame\":\"STATE_UPDATE\",\"rev\":1,\"key\":\"<]]>&'\\u0001\\ufffe\",\"value\":\"\"}",
    );
    std::fs::write(dir.path().join("v/cases.json"), ugly.replace("it's a byte", "\\\"<\\u0007 a & b\\n"))
        .unwrap();
    std::fs::write(dir.path().join("known.toml"), "[[case]]\nid = 'S0003'\nissue = '<x>'\n").unwrap();
    std::fs::write(dir.path().join("d.toml"), "relay = 'ws://127.0.0.1:1'\ncapabilities = ['room']").unwrap();
    let args = ["--vectors", "v", "--descriptor", "d.toml", "--expected", "known.toml", "--codec"];
    let adapter = format!("'{}' adapter", env!("CARGO_BIN_EXE_roomwire-conformance"));
    let cases = ["F0*", "S0002", "S0003", "S0052"];
    let output = run(dir.path(), &[&args[..], &[&adapter], &cases].concat());
    assert_eq!(code(&output), 1, "{output:?}");
    let program = r#"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(root.tag, *(root.get(name) for name in ("failures", "errors")))
for case in root.iter("testcase"):
    for child in case:
        print(case.get("name").split()[0], child.tag, child.get("type"), child.get("message").split(":")[0], repr(child.text or "")[:400])
"#;
    let mut python = Command::new("python3");
    let parsed = python.current_dir(dir.path()).args(["-c", program, "reports/junit.xml"]).output().unwrap();
    let text = out(&parsed);
    assert!(parsed.status.success(), "{parsed:?}");
    for part in [
        "testsuites 2 1\n",
        "F0001 failure FAIL FAIL ",
        "F0003 failure WRONG_REASON WRONG_REASON ",
        "S0002 error UNTESTABLE UNTESTABLE ",
        "S0003 skipped None XFAIL ",
        "skipped None SKIP ",
        "<]]>&",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("F0002"), "what passes has nothing to tell: {text}");
}

#[test]
fn clauses_lead_to_cases_and_accepting_writes_what_they_say() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["clauses", "--dir", "."];
    let fresh = run(dir.path(), &args);
    assert_eq!(code(&fresh), 1, "{fresh:?}");
    assert!(String::from_utf8_lossy(&fresh.stderr).contains("ROOM-CAP-2 is new"), "{fresh:?}");
    assert!(out(&fresh).contains("ROOM-CAP-2 MUST NOT 03-rooms.md: S"), "{fresh:?}");
    assert_eq!(code(&run(dir.path(), &["clauses", "--accept", "--dir", "."])), 0);
    assert_eq!(code(&run(dir.path(), &args)), 0);
    let path = dir.path().join("clauses.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let at = text.find("ROOM-CAP-2 = \"").unwrap() + "ROOM-CAP-2 = \"".len();
    std::fs::write(&path, format!("{}000000000000{}", &text[..at], &text[at + 12..])).unwrap();
    let reworded = run(dir.path(), &args);
    assert_eq!(code(&reworded), 1, "{reworded:?}");
    let told = String::from_utf8_lossy(&reworded.stderr).into_owned();
    assert!(told.starts_with("ROOM-CAP-2 was reworded. Read again: S0039"), "{told}");
    assert!(told.contains("cargo run -p roomwire-conformance -- clauses --accept"), "{told}");
}

#[test]
fn what_is_not_claimed_is_skipped() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("d.toml"), "relay = 'ws://127.0.0.1:1'\ncapabilities = ['peers']")
        .unwrap();
    let output = run(dir.path(), &["--descriptor", "d.toml", "S0002", "S0083"]);
    assert_eq!(code(&output), 2, "a run that shows nothing is not clean: {output:?}");
    assert!(out(&output).contains("2 SKIP"), "{output:?}");
    assert!(out(&output).contains("    2 skipped: the relay does not claim room\n"), "{output:?}");
}

/// A relay whose own limits leave no way to show something.
#[test]
fn what_its_limits_rule_out_is_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let limits = "[limits]\nroom_members_v1 = 16\n[times]\nidle_timeout = 4000";
    std::fs::write(dir.path().join("d.toml"), format!("relay = 'ws://127.0.0.1:1'\n{limits}")).unwrap();
    let output = run(dir.path(), &["--descriptor", "d.toml", "S0010", "S0081"]);
    assert!(out(&output).contains("2 SKIP"), "{output:?}");
    for why in ["it takes 27 members, and the relay lets 16 into a room", "a slow member is idle first"] {
        assert!(out(&output).contains(&format!("    1 skipped: {why}")), "{why}: {output:?}");
    }
}

#[test]
fn what_is_claimed_and_cannot_be_reached_fails() {
    let dir = tempfile::tempdir().unwrap();
    let output = run(dir.path(), &["--relay", "ws://127.0.0.1:1", "S0002"]);
    assert_eq!(code(&output), 1, "{output:?}");
    assert!(out(&output).contains("1 UNTESTABLE"), "{output:?}");
}

#[test]
fn a_relay_that_does_not_start_is_told_once_and_nothing_is_tested() {
    let dir = tempfile::tempdir().unwrap();
    for (command, patience, told) in [
        ("sh -c 'exit 7'", "60", "the relay ended before it wrote a line: exit status: 7"),
        ("sleep 1000", "0.5", "no line from the relay within 500ms"),
        ("cat /dev/zero", "60", "a line of more than 4096 bytes from the relay"),
        ("echo hello", "60", "the first line is not {\"listening\":…}: hello"),
    ] {
        let output =
            run(dir.path(), &["--spawn", command, "--patience", patience, "S0001", "S0002", "S0085"]);
        assert_eq!(code(&output), 3, "{command}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.matches(told).count(), 1, "{command}: {said}");
        assert!(said.contains("nothing was tested"), "{command}: {said}");
        assert!(!dir.path().join("reports").exists(), "{command}");
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
fn an_expected_failure_of_no_case_is_a_usage_error() {
    let dir = tempfile::tempdir().unwrap();
    let known = "[[case]]\nid = 'F0001'\nissue = 'x'\n[[case]]\nid = 'F00O2'\nissue = 'x'\n";
    std::fs::write(dir.path().join("known.toml"), known).unwrap();
    let output = run(dir.path(), &["F0001", "--expected", "known.toml"]);
    assert_eq!(code(&output), 2, "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("F00O2"), "{output:?}");
}

/// All that writes to standard output, in ways that exit with 0 when it is read.
const SPEAKERS: [&[&str]; 5] = [
    &["--list"],
    &["clauses"],
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
    command.current_dir(dir.path()).args(["--relay", "ws://127.0.0.1:1", "S0002"]).stderr(Stdio::null());
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

#[test]
fn an_interrupted_run_reports_what_ran() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_roomwire-conformance"));
    command.current_dir(dir.path()).args(["--kind", "relay"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(told.next().unwrap().unwrap().starts_with("scenarios: "));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert!(told.any(|line| line.unwrap().starts_with("interrupted: ")));
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 3, "{output:?}");
    assert!(out(&output).contains(" cases ran\n"), "{output:?}");
    let report = std::fs::read(dir.path().join("reports/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["exit"], 3);
}
