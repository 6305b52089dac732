//! The golden frames of `conformance/vectors`, all of them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use roomwire_codec::{
    DecodeError, Direction, EncodeError, Frame, PeerIdMessage, decode, decode_first, decode_strict,
};
use serde_json::Value;

use crate::model::{Model, unhex};
use crate::prefixes::check_prefixes;

/// What to decode a case's bytes with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    First,
    Later(Direction),
}

impl Mode {
    fn of(case: &Value) -> Self {
        match (case["to"].as_str().unwrap(), case["first"].as_bool()) {
            ("client", Some(true)) => Self::First,
            ("client", None) => Self::Later(Direction::ToClient),
            ("relay", None) => Self::Later(Direction::ToRelay),
            other => panic!("no such way: {other:?}"),
        }
    }

    pub(crate) fn decode(self, message: &[u8]) -> Result<Frame<'_>, DecodeError> {
        match self {
            Self::First => decode_first(message).map(Frame::from),
            Self::Later(direction) => decode(direction, message),
        }
    }

    fn decode_strict(self, message: &[u8]) -> Result<Frame<'_>, DecodeError> {
        match self {
            Self::First => decode_first(message).map(Frame::from),
            Self::Later(direction) => decode_strict(direction, message),
        }
    }

    pub(crate) fn direction(self) -> Direction {
        match self {
            Self::First => Direction::ToClient,
            Self::Later(direction) => direction,
        }
    }
}

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/vectors")
}

/// Every file of cases, by its path below the directory.
fn files() -> Vec<(String, Vec<Value>)> {
    let mut files = Vec::new();
    for class in fs::read_dir(vectors()).expect("conformance/vectors is part of the repository") {
        let class = class.unwrap().path();
        if !class.is_dir() {
            continue;
        }
        for file in fs::read_dir(&class).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let name = format!("{}/{}", stem(&class), stem(&path));
                files.push((name, serde_json::from_slice(&fs::read(&path).unwrap()).unwrap()));
            }
        }
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert!(!files.is_empty(), "no golden frames in {}", vectors().display());
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

fn cases() -> impl Iterator<Item = Value> {
    files().into_iter().flat_map(|(_, cases)| cases)
}

fn wire(case: &Value) -> Vec<u8> {
    unhex(case["wire"].as_str().unwrap())
}

#[test]
fn every_valid_frame_decodes_to_what_it_says_and_encodes_to_its_bytes() {
    let mut count = 0;
    for case in cases().filter(|case| case["kind"] == "valid") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        let frame = mode.decode_strict(&wire).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(mode.decode(&wire), Ok(frame), "{id}");
        assert_eq!(frame.name(), case["expect"]["accept"]["frame"], "{id}");
        let expected = Model::from_json(&case["expect"]["accept"]);
        assert_eq!(Model::of(frame), expected, "{id}");
        assert_eq!(expected.encode(mode.direction()), wire, "{id}");
        assert_encodes_to(frame, &wire);
        count += 1;
    }
    assert!(count > 0, "no valid frames");
}

fn assert_encodes_to(frame: Frame<'_>, wire: &[u8]) {
    assert_eq!(frame.encode_to_vec().as_deref(), Ok(wire));
    let needed = frame.encoded_len();
    assert_eq!(needed, wire.len());
    for available in [0, needed / 2, needed - 1] {
        let short = frame.encode(&mut vec![0; available]);
        assert_eq!(short, Err(EncodeError::BufferTooShort { needed, available }));
    }
}

#[test]
fn every_invalid_frame_is_refused_for_its_reason() {
    let mut count = 0;
    for case in cases().filter(|case| case["kind"] == "invalid") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        let error = mode.decode(&wire).map(Model::of).expect_err(id.as_str().unwrap());
        assert_reject(&error, &case["expect"]["reject"], id);
        assert_eq!(mode.decode_strict(&wire), Err(error), "{id}");
        count += 1;
    }
    assert!(count > 0, "no invalid frames");
}

fn assert_reject(error: &DecodeError, reject: &Value, id: &Value) {
    assert_eq!(error.class.name(), reject["class"], "{id}: {error}");
    assert_eq!(error.offset as u64, reject["offset"], "{id}: {error}");
    assert_eq!(error.field, reject["field"], "{id}: {error}");
    if let Some(rule) = reject.get("rule") {
        assert_eq!(error.rule, rule, "{id}: {error}");
    }
}

/// The spec leaves open who looks for duplicate keys: `decode` does not, `decode_strict` does.
#[test]
fn both_arms_of_every_choice() {
    for case in cases().filter(|case| case["kind"] == "choice") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        assert_eq!(case["expect"]["choice"]["clause"], "ROOM-SNAP-2", "{id}");
        for arm in case["expect"]["choice"]["arms"].as_array().unwrap() {
            if let Some(accept) = arm.get("accept") {
                assert_eq!(mode.decode(&wire).map(Model::of), Ok(Model::from_json(accept)), "{id}");
            } else {
                assert_reject(&mode.decode_strict(&wire).unwrap_err(), &arm["reject"], id);
            }
        }
    }
}

#[test]
fn no_case_is_of_another_kind() {
    for case in cases() {
        let kind = case["kind"].as_str().unwrap();
        assert!(["valid", "invalid", "choice"].contains(&kind), "{}: {kind}", case["id"]);
    }
}

#[test]
fn every_prefix_of_every_frame_is_an_error_or_a_shorter_value() {
    for case in cases() {
        check_prefixes(Mode::of(&case), &wire(&case));
    }
}

/// What each case comes to, for reading: frames and the texts of errors.
#[test]
fn shown() {
    for (name, cases) in files() {
        let mut text = String::new();
        for case in cases {
            let wire = wire(&case);
            let (id, name) = (case["id"].as_str().unwrap(), case["name"].as_str().unwrap());
            match Mode::of(&case).decode_strict(&wire) {
                Ok(frame) => writeln!(text, "{id} {name}\n    {}", Model::of(frame)).unwrap(),
                Err(error) => writeln!(text, "{id} {name}\n    {error}").unwrap(),
            }
        }
        insta::assert_snapshot!(name.replace('/', "__"), text);
    }
}

/// A peer id decodes the same alone and as what the first message holds.
#[test]
fn first_messages_are_peer_ids() {
    for case in cases().filter(|case| case["first"] == true && case["kind"] == "valid") {
        let wire = wire(&case);
        let PeerIdMessage { peer } = decode_first(&wire).unwrap();
        assert_eq!(peer.get().to_le_bytes(), *wire);
    }
}
