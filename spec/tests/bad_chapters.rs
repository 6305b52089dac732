//! Each check of the chapters is seen to fail: the small specification with one thing broken.

mod common;

use common::{FRAMES, INDEX, registry, with};
use roomwire_spec::chapter::Chapter;
use roomwire_spec::clauses::Level;
use roomwire_spec::{check, render};

/// What the checks say of the small chapters, the first with this text.
fn problems(frames: &str) -> Vec<String> {
    let registry = registry();
    let chapters = [Chapter::parse("01-frames.md", frames), Chapter::parse("02-index.md", INDEX)];
    let mut out = check::chapters(&registry, &chapters, "tests/common".as_ref());
    out.extend(render::chapter(&registry, &chapters, &chapters[0]).1);
    out.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn expect(from: &str, to: &str, expected: &[&str]) {
    assert_eq!(problems(&with(FRAMES, from, to)), expected, "{from} -> {to}");
}

/// With a text at the end, line 51 is its first.
#[track_caller]
fn expect_after(text: &str, expected: &[&str]) {
    assert_eq!(problems(&format!("{FRAMES}\n{text}\n")), expected, "{text}");
}

#[test]
fn the_small_chapters_are_sound() {
    assert_eq!(problems(FRAMES), [""; 0]);
}

#[test]
fn clauses_are_found() {
    let text = "\
- **A-1** One\n  MUST wrap.\n- no clause\n- **A-2** Two MAY have\n\n  a second paragraph:\n\n  ```text\n  MUST\n  ```\n\n\
Words.\n\n**B-C-10** A paragraph SHOULD\nwrap too.\n\n> **D-1** A quoted one MUST NOT be missed.\n\n1. **E-1** It MUST.\n";
    let chapter = Chapter::parse("01-x.md", &format!("# 1. X\n\n## 1.1 A `b` (c)\n\n{text}"));
    assert_eq!(chapter.problems, []);
    let found: Vec<_> =
        chapter.clauses.iter().map(|c| (c.id.as_str(), c.level, c.line, c.text.as_str())).collect();
    assert_eq!(
        found,
        [
            ("A-1", Level::Must, 5, "One MUST wrap."),
            ("A-2", Level::May, 8, "Two MAY have a second paragraph: ```text MUST ```"),
            ("B-C-10", Level::Should, 18, "A paragraph SHOULD wrap too."),
            ("D-1", Level::MustNot, 21, "A quoted one MUST NOT be missed."),
            ("E-1", Level::Must, 23, "It MUST."),
        ]
    );
    assert!(chapter.clauses.iter().all(|clause| clause.link() == "01-x.md#11-a-b-c"));
}

#[test]
fn clause_ids() {
    expect_after(
        "- **KEY-1** It MAY.",
        &["spec/01-frames.md:51: clause id KEY-1 is taken by 01-frames.md:21"],
    );
    for id in ["Key-2", "KEY_A-2", "KEY--2", "K2-1"] {
        let text = format!("- **{id}** It MAY.");
        let problem =
            format!("spec/01-frames.md:51: `{id}` is not the shape of a clause's id, such as ROOM-KEY-1");
        expect_after(&text, &[&problem]);
    }
    expect_after("**KEY-2**: it MAY.", &["spec/01-frames.md:51: clause KEY-2: a space must follow the id"]);
    expect_after(
        "- **KEY-2** It MAY.\n  - **KEY-3** It MAY.",
        &["spec/01-frames.md:52: clause KEY-3 stands inside clause KEY-2"],
    );
    expect_after("See KEY-3.", &["spec/01-frames.md:51: there is no clause KEY-3"]);
    expect_after("UTF-8 is fine, and so is `KEY-3`.", &[]);
}

#[test]
fn requirement_words() {
    let none = "spec/01-frames.md:51: clause KEY-2 has none of the words MUST, SHOULD, MAY";
    expect_after("**KEY-2** It must, `MUST`.", &[none]);
    expect_after("A relay MUST not.", &["spec/01-frames.md:51: MUST outside a clause"]);
    expect_after("- A relay\n  SHOULD.", &["spec/01-frames.md:52: SHOULD outside a clause"]);
    expect_after("| a |\n|---|\n| SHALL |", &["spec/01-frames.md:53: SHALL outside a clause"]);
    expect_after("`MUST`, a MUSTARD and what one may\n\n```text\nMUST\n```", &[]);
    expect(
        "<!-- terms -->",
        "",
        &[
            "spec/01-frames.md:7: `<!-- /terms -->` closes nothing",
            "spec/01-frames.md:4: MUST outside a clause",
        ],
    );
}

#[test]
fn links() {
    for good in [
        "#1-frames",
        "01-frames.md#11-put",
        "02-index.md#2-index",
        "registry.toml",
        "https://example.org/x.md#y",
    ] {
        expect_after(&format!("[x]({good})"), &[]);
    }
    for (target, what) in [
        ("03-none.md", "file"),
        ("../none/x.md#y", "file"),
        ("#nowhere", "heading"),
        ("02-index.md#1-frames", "heading"),
        ("registry.toml#nowhere", "heading"),
    ] {
        let problem = format!("spec/01-frames.md:51: link to {target}: there is no such {what}");
        expect_after(&format!("[x]({target})"), &[&problem]);
    }
    expect_after("<a id=\"here\"></a>\n\n[x](#here)", &[]);
    expect_after("## Twice\n\n## Twice\n\n[x](#twice-1)", &[]);
}

#[test]
fn markers() {
    expect_after("<!-- generated: limits -->", &["spec/01-frames.md:51: `<!-- /generated -->` is missing"]);
    expect_after(
        "<!-- generated: layout NONE -->\n<!-- /generated -->",
        &["spec/01-frames.md:51: the registry has nothing that is named NONE"],
    );
    expect_after(
        "<!-- generated: limit -->\n<!-- /generated -->",
        &["spec/01-frames.md:51: `generated: limit` is nothing that is rendered"],
    );
    expect(
        "<!-- generated: layout FIRST -->",
        "<!-- generated: layout PASS -->",
        &[
            "spec/registry.toml, message FIRST: 01-frames.md lacks the marker `<!-- generated: layout FIRST -->`",
        ],
    );
}

#[test]
fn the_registry_against_the_chapters() {
    expect(
        "**LIST-COUNT-1**",
        "**LIST-COUNT-2**",
        &["spec/registry.toml, opcode LIST: field count: no chapter defines the clause LIST-COUNT-1"],
    );
    let mut registry = registry();
    registry.opcodes[1].chapter = "09-none.md".to_owned();
    let chapters = [Chapter::parse("01-frames.md", FRAMES), Chapter::parse("02-index.md", INDEX)];
    let problems = check::chapters(&registry, &chapters, "tests/common".as_ref());
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems, ["spec/registry.toml, opcode LIST: there is no chapter 09-none.md"]);
}
