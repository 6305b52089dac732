//! A find as a candidate for the golden frames.

use std::fs;
use std::path::PathBuf;

use roomwire_conformance::codec::{Answer, CodecUnderTest as _, ReferenceCodec, To};
use roomwire_conformance::hex::Hex;
use roomwire_fuzz::{room_trace, round_trip_wire};
use serde_json::{Value, json};

pub(crate) fn tell(target: &str, files: &[PathBuf]) -> usize {
    let mut cases = Vec::new();
    for file in files {
        let data = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        match target {
            "decode" => cases.extend(data.split_first().map(|(way, wire)| case(*way, wire))),
            "round_trip" => cases.extend(round_trip_wire(&data).map(|(way, wire)| case(way, &wire))),
            _ => room_trace(&data).iter().for_each(|op| println!("{op}")),
        }
    }
    if target != "room" {
        println!("{:#}", Value::from(cases));
        eprintln!(
            "Give each an id and a name, check `expect` against the specification, and see what check.py says."
        );
    }
    0
}

/// A case without an id. What it expects is what the reference codec makes of it, which is to be checked by hand.
pub(crate) fn case(way: u8, wire: &[u8]) -> Value {
    let (to, first) = way_of(way);
    let (kind, expect, reqs) = match ReferenceCodec.decode(to, first, wire) {
        Answer::Done(frame) => ("valid", json!({ "accept": frame }), json!([])),
        Answer::Rejected(fault) => {
            let reqs = json!(fault.rule.iter().collect::<Vec<_>>());
            ("invalid", json!({ "reject": fault }), reqs)
        }
        other => ("invalid", json!({ "reject": format!("{other:?}") }), json!([])),
    };
    let mut case = json!({
        "id": "F????", "name": "fuzz/", "rev": 1, "since": "1", "origin": "fuzz", "reqs": reqs, "needs": ["room"],
        "v": 1, "to": to.name(), "ops": ["decode"], "kind": kind, "wire": Hex(wire.to_vec()), "spans": [], "expect": expect,
    });
    if first {
        case["first"] = json!(true);
    }
    if kind == "invalid" {
        case["twin"] = json!("F????");
        case["fault"] = json!("");
    }
    case
}

/// As `roomwire_fuzz::Way` has it.
pub(crate) fn way_of(way: u8) -> (To, bool) {
    match way % 3 {
        0 => (To::Relay, false),
        1 => (To::Client, false),
        _ => (To::Client, true),
    }
}
