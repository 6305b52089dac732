//! The golden frames of `conformance/vectors`, all of them.

use std::fs;
use std::path::{Path, PathBuf};

use roomwire_codec::{DecodeError, Direction, Frame, decode, decode_first};
use serde_json::Value;

use crate::model::unhex;

/// What to decode a case's bytes with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    First,
    Later(Direction),
}

impl Mode {
    pub(crate) fn of(case: &Value) -> Self {
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
pub(crate) fn files() -> Vec<(String, Vec<Value>)> {
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

pub(crate) fn cases() -> impl Iterator<Item = Value> {
    files().into_iter().flat_map(|(_, cases)| cases)
}

pub(crate) fn wire(case: &Value) -> Vec<u8> {
    unhex(case["wire"].as_str().unwrap())
}
