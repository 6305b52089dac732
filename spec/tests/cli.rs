//! The tool: what it writes, says and exits with.

#![allow(clippy::expect_used, reason = "a test helper that fails should stop the test")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{FRAMES, REGISTRY, with, write_project};
use tempfile::TempDir;

/// Exit code, stdout and stderr.
fn run(arguments: &[&str], root: &Path) -> (Option<i32>, String, String) {
    let tool = env!("CARGO_BIN_EXE_roomwire-spec");
    let out = Command::new(tool).args(arguments).arg("--root").arg(root).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (out.status.code(), text(out.stdout), text(out.stderr))
}

fn project(registry: &str, frames: &str) -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary directory");
    write_project(dir.path(), registry, frames);
    dir
}

const CHANGED: [&str; 3] = ["spec/01-frames.md", "spec/02-index.md", "codec/src/registry.rs"];

#[test]
fn bless_mends_what_check_finds() {
    let dir = project(REGISTRY, FRAMES);
    let (code, out, err) = run(&["check"], dir.path());
    let stale: String = CHANGED.iter().map(|path| format!("stale: {path}\n")).collect();
    assert_eq!(
        (code, out),
        (Some(1), format!("{stale}To mend it, run: cargo run -p roomwire-spec -- bless\n"))
    );
    assert_eq!(err, "");

    let wrote: String = CHANGED.iter().map(|path| format!("wrote {path}\n")).collect();
    assert_eq!(run(&["bless"], dir.path()), (Some(0), wrote, String::new()));
    assert_eq!(run(&["check"], dir.path()), (Some(0), String::new(), String::new()));
    assert_eq!(run(&["bless"], dir.path()), (Some(0), "nothing changed\n".to_owned(), String::new()));

    let file = dir.path().join("codec/src/registry.rs");
    fs::write(&file, "tampered").expect("it can be written");
    let (code, out, _) = run(&["check"], dir.path());
    assert_eq!(code, Some(1));
    assert!(out.starts_with("stale: codec/src/registry.rs\n"), "{out}");
}

#[test]
fn nothing_is_written_from_a_bad_registry() {
    let dir = project(&with(REGISTRY, "0x28", "0xF4"), FRAMES);
    let (code, out, err) = run(&["bless"], dir.path());
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(
        err.contains("opcode LIST: code 244 is taken") && err.ends_with("Nothing was written.\n"),
        "{err}"
    );
    assert!(!dir.path().join("codec/src/registry.rs").exists());
}

#[test]
fn problems_of_chapters_are_told_after_writing() {
    let dir = project(REGISTRY, &format!("{FRAMES}\nIt MUST.\n"));
    for command in ["bless", "check"] {
        let (code, _, err) = run(&[command], dir.path());
        // The line is that of the chapter as it was written.
        assert_eq!((code, err.as_str()), (Some(1), "spec/01-frames.md:190: MUST outside a clause\n"));
    }
}

#[test]
fn clauses_are_listed() {
    let dir = project(REGISTRY, FRAMES);
    let (code, out, _) = run(&["clauses"], dir.path());
    assert_eq!(code, Some(0));
    insta::assert_snapshot!("clauses", out);
    let (code, out, _) = run(&["clauses", "--json"], dir.path());
    assert_eq!(code, Some(0));
    insta::assert_snapshot!("clauses_json", out);
}

#[test]
fn a_reader_that_has_gone_is_no_failure() {
    let dir = project(REGISTRY, FRAMES);
    for arguments in [&["clauses"][..], &["clauses", "--json"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let tool = env!("CARGO_BIN_EXE_roomwire-spec");
        let mut command = Command::new(tool);
        command.args(arguments).arg("--root").arg(dir.path()).stdout(writer);
        let out = command.output().expect("it runs");
        assert_eq!((out.status.code(), out.stderr), (Some(0), vec![]), "{arguments:?}");
    }
}

#[test]
fn a_chapter_ends_with_the_end_of_a_line() {
    for end in ["", "\n\n\n"] {
        let dir = project(REGISTRY, &format!("{}{end}", FRAMES.trim_end()));
        assert_eq!(run(&["bless"], dir.path()).0, Some(0));
        let text = fs::read_to_string(dir.path().join("spec/01-frames.md")).expect("the chapter");
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{:?}", text.get(text.len() - 20..));
    }
}

#[test]
fn wrong_usage_is_2() {
    let dir = project(REGISTRY, FRAMES);
    for arguments in [&["blest"][..], &["check", "--jason"]] {
        assert_eq!(run(arguments, dir.path()).0, Some(2), "{arguments:?}");
    }
    let (code, _, err) = run(&["check"], &dir.path().join("nowhere"));
    assert_eq!(code, Some(2));
    assert!(err.contains("registry.toml"), "{err}");
}

#[test]
fn a_registry_that_does_not_parse_is_1() {
    let dir = project(&format!("{REGISTRY}\n[[limits]]\n"), FRAMES);
    let (code, _, err) = run(&["bless"], dir.path());
    assert_eq!(code, Some(1));
    assert!(err.contains("unknown field `limits`"), "{err}");
}

#[test]
fn help_is_complete() {
    let (code, out, _) = run(&["--help"], Path::new("."));
    assert_eq!(code, Some(0));
    for word in
        ["bless", "check", "clauses", "--root <DIR>", "Exit codes:", "spec/registry.toml", "[default: "]
    {
        assert!(out.contains(word), "{word} is missing in {out}");
    }
}
