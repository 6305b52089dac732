//! Adapters: the two good ones pass every golden frame, and each bad one is found out.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use roomwire_conformance::codec::adapter::serve;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_roomwire-conformance");

fn run(adapter: &str, args: &[&str]) -> (Output, Value) {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.current_dir(dir.path()).args(["--codec", adapter]).args(args);
    let output = command.output().expect("the program runs");
    let report = std::fs::read_to_string(dir.path().join("reports/report.json")).unwrap_or_default();
    (output, serde_json::from_str(&report).unwrap_or_default())
}

fn python(script: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    format!("python3 '{}'", path.display())
}

fn bad(fault: &str) -> String {
    format!("{} {fault}", python("tests/support/bad_adapter.py"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn all_pass(adapter: &str, name: &str) {
    let (output, report) = run(adapter, &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let cases = report["cases"].as_array().unwrap();
    assert!(cases.len() >= 528, "{}", cases.len());
    assert_eq!(report["summary"]["PASS"], cases.len(), "{}", report["summary"]);
    assert!(report["codec"].as_str().unwrap().contains(name), "{}", report["codec"]);
    assert_eq!(report.get("relay"), None, "only what is named is tested");
}

#[test]
fn the_reference_codec_passes_as_an_adapter() {
    all_pass(&format!("'{PROGRAM}' adapter"), "(Rust)");
}

#[test]
fn the_second_implementation_passes_as_an_adapter() {
    all_pass(&python("second/adapter.py"), "(Python)");
}

/// F0020 is the message at which the bad adapters go wrong; no other case may suffer for it.
#[test]
fn a_fault_counts_for_its_case_and_no_other() {
    for (fault, verdict, told) in [
        ("crash", "CRASH", "exit status: 9; standard error ends: about to die"),
        ("hang --patience 4", "TIMEOUT", "no answer in time"),
        ("alone --patience 4", "TIMEOUT", "no answer in time"),
        ("garbage", "FAIL", "not a JSON object: \\\"Traceback (most recent call last):\\\""),
        ("other_request", "FAIL", "an answer to another request"),
        ("endless", "FAIL", "a line of more than"),
        ("wrong_class", "WRONG_REASON", "value at 1, end"),
        ("wrong_offset", "WRONG_REASON", "trailing at 0, end"),
        ("wrong_field", "WRONG_REASON", "trailing at 1, opcode"),
        ("wrong_rule", "WRONG_REASON", "(PRIM-LEN-1)"),
        ("class_alone", "WRONG_REASON", r#""got":"trailing","#),
        ("class_alone class-only", "PASS", ""),
        ("wrong_offset class-only", "PASS", ""),
        ("not_supported", "UNTESTABLE", "says that it cannot do this"),
    ] {
        let (fault, patience) = fault.split_once(" --patience ").unwrap_or((fault, "60"));
        let (output, report) = run(&bad(fault), &["world-save-ack/*", "--patience", patience]);
        let verdicts: BTreeMap<&str, &str> = report["cases"]
            .as_array()
            .unwrap_or_else(|| panic!("{fault}: {output:?}"))
            .iter()
            .map(|case| (case["id"].as_str().unwrap(), case["verdict"].as_str().unwrap()))
            .collect();
        assert_eq!(verdicts["F0020"], verdict, "{fault}: {output:?}");
        let others = verdicts.iter().filter(|(id, _)| **id != "F0020");
        assert!(others.clone().count() > 2, "{verdicts:?}");
        assert!(others.clone().all(|(_, verdict)| *verdict == "PASS"), "{fault}: {verdicts:?}");
        assert!(report["cases"].to_string().contains(told), "{fault}: {}", report["cases"]);
        assert_eq!(output.status.code(), Some(i32::from(verdict != "PASS")), "{fault}");
    }
}

#[test]
fn an_answer_too_many_is_not_taken_for_the_next_one() {
    let (output, report) = run(&bad("two_answers"), &["world-save-ack/*"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(report["cases"].to_string().contains("an answer to another request"), "{report}");
}

#[test]
fn an_adapter_that_rejects_everything_proves_nothing() {
    let (output, report) = run(&bad("rejects_everything"), &["world-save-ack/*"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let summary = &report["summary"];
    assert!(summary["INCONCLUSIVE"].as_u64() > Some(0) && summary["FAIL"].as_u64() > Some(0), "{summary}");
    assert_eq!(summary.get("PASS"), None, "{summary}");
}

#[test]
fn one_that_cannot_be_believed_or_reached_ends_the_run() {
    for (adapter, patience, told) in [
        (bad("never_unsupported"), "60", "answers a command that does not exist with something else"),
        (bad("never_hello"), "1", "hello: no answer within 1 s"),
        ("exit 5".to_owned(), "60", "exit status: 5"),
    ] {
        let (output, _) = run(&adapter, &["world-save-ack/*", "--patience", patience]);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(text(&output.stderr).contains(told), "{adapter}: {output:?}");
    }
}

#[test]
fn what_is_not_claimed_is_skipped() {
    let (output, report) = run(&bad("none decode-only"), &["world-save-ack/*"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(report["cases"].as_array().unwrap().iter().all(|case| case["checks"] == 1), "{report}");
    let (output, report) = run(&bad("none peers-only"), &["world-save-ack/*", "add-peer/*"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let skipped = report["summary"]["SKIP"].as_u64().unwrap();
    assert!(skipped > 2 && report["summary"]["PASS"].as_u64().unwrap() > 2, "{report}");
    assert!(text(&output.stdout).contains("the codec does not claim room"), "{output:?}");
}

#[test]
fn a_descriptor_names_an_adapter_too() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("d.toml"), format!("codec = \"'{PROGRAM}' adapter\"\n")).unwrap();
    let mut command = Command::new(PROGRAM);
    let output =
        command.current_dir(dir.path()).args(["--descriptor", "d.toml", "world-*"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report = std::fs::read_to_string(dir.path().join("reports/report.json")).unwrap();
    assert!(report.contains("(Rust)") && !report.contains("\"relay\": \""), "{report}");
}

/// The lines in `ADAPTERS.md`: request, answer, request, answer.
fn documented() -> Vec<(Value, Value)> {
    let text = support::read("ADAPTERS.md");
    let mut lines = Vec::new();
    for block in text.split("```ndjson\n").skip(1) {
        let (block, _) = block.split_once("```").expect("a block ends");
        lines.extend(block.lines().map(|line| serde_json::from_str::<Value>(line).expect(line)));
    }
    lines.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

/// One definition of a schema.
fn part_of(schema: &Value, name: &str) -> jsonschema::Validator {
    let mut part = schema.clone();
    part.as_object_mut().unwrap().remove("oneOf");
    part["$ref"] = format!("#/$defs/{name}").into();
    jsonschema::draft202012::new(&part).unwrap()
}

/// Neither ids nor expectations can be among them: the schema has no member for either.
#[test]
fn all_that_is_said_in_a_run_has_the_shape_of_the_schema() {
    let dir = tempfile::tempdir().unwrap();
    let (asked, answered) = (dir.path().join("asked"), dir.path().join("answered"));
    let adapter = format!("tee '{}' | '{PROGRAM}' adapter | tee '{}'", asked.display(), answered.display());
    let (output, _) = run(&adapter, &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let schema: Value = serde_json::from_str(&support::read("schema/adapter.schema.json")).unwrap();
    for (path, name) in [(asked, "request"), (answered, "answer")] {
        let schema = part_of(&schema, name);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.lines().count() > 1000, "{name}");
        for line in text.lines() {
            let value = serde_json::from_str(line).unwrap();
            let faults: Vec<_> = schema.iter_errors(&value).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{line}: {faults:?}");
        }
    }
}

#[test]
fn the_documented_lines_have_the_shape_of_the_schema_and_are_true() {
    let schema: Value = serde_json::from_str(&support::read("schema/adapter.schema.json")).unwrap();
    let vectors: Value = serde_json::from_str(&support::read("schema/vectors.schema.json")).unwrap();
    for shared in ["frame", "hex", "clause"] {
        assert_eq!(schema["$defs"][shared], vectors["$defs"][shared], "{shared} differs between the schemas");
    }
    let (request_schema, answer_schema) = (part_of(&schema, "request"), part_of(&schema, "answer"));
    let documented = documented();
    assert_eq!(documented.len(), 7);
    for (request, answer) in documented {
        let mut served = Vec::new();
        serve(format!("{request}\n").as_bytes(), &mut served).unwrap();
        let served: Value = serde_json::from_slice(&served).unwrap();
        for (schema, line) in
            [(&request_schema, &request), (&answer_schema, &answer), (&answer_schema, &served)]
        {
            let faults: Vec<_> = schema.iter_errors(line).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{line}: {faults:?}");
        }
        match (&answer.get("refused"), request["cmd"].as_str()) {
            (Some(_), _) => assert!(served["refused"].is_string(), "{served}"),
            (None, Some("hello")) => assert_eq!(served["seq"], answer["seq"]),
            _ => assert_eq!(served, answer),
        }
    }
}
