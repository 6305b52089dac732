//! The golden frames as the fuzzer's data, and where they lie.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Every golden frame, as data for the target `decode`: a byte that picks the way, then the message; with the case's id.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    cases().iter().map(|case| (case["id"].as_str().unwrap().to_owned(), seed(case))).collect()
}

/// The same with their spans.
#[cfg(test)]
#[allow(dead_code, reason = "only the tests of the campaign need them")]
pub(crate) fn spans() -> Vec<(String, Vec<u8>, Value)> {
    let spans = |case: &Value| (case["id"].as_str().unwrap().to_owned(), seed(case), case["spans"].clone());
    cases().iter().map(spans).collect()
}

fn cases() -> Vec<Value> {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/vectors");
    let mut files = Vec::new();
    for class in fs::read_dir(vectors).expect("conformance/vectors is part of the repository").flatten() {
        if class.path().is_dir() {
            files.extend(fs::read_dir(class.path()).unwrap().map(|file| file.unwrap().path()));
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let cases: Vec<_> = files
        .iter()
        .flat_map(|path| serde_json::from_slice::<Vec<Value>>(&fs::read(path).unwrap()).unwrap())
        .collect();
    assert!(!cases.is_empty(), "no golden frames");
    cases
}

fn seed(case: &Value) -> Vec<u8> {
    let way = match (case["to"].as_str().unwrap(), case["first"] == true) {
        ("relay", _) => 0,
        (_, false) => 1,
        (_, true) => 2,
    };
    let hex = case["wire"].as_str().unwrap();
    let message = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
    [way].into_iter().chain(message).collect()
}
