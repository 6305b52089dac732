//! What each case comes to, for reading: frames and the texts of errors.

use std::fmt::Write as _;

use crate::cases::{Mode, files, wire};
use crate::model::Model;

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
