//! A find as a candidate for the golden frames.

use std::fs;
use std::path::PathBuf;

use roomwire_conformance::codec::{Answer, CodecUnderTest as _, ReferenceCodec, To};
use roomwire_conformance::hex::Hex;
use roomwire_fuzz::{Way, fields, room_trace, round_trip_wire};
use serde_json::{Value, json};

pub(crate) fn tell(target: &str, files: &[PathBuf]) -> Result<usize, String> {
    let mut cases = Vec::new();
    for file in files {
        let data = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        match target {
            "decode" => cases.extend(data.split_first().map(|(way, wire)| case(*way, wire))),
            "round_trip" => cases.extend(round_trip_wire(&data).map(|(way, wire)| case(way, &wire))),
            _ => room_trace(&data).iter().for_each(|op| println!("{op}")),
        }
    }
    if target == "decode" || target == "round_trip" {
        println!("{:#}", Value::from(cases));
        eprintln!(
            "Give each an id and a name, check `expect` against the specification, and see what check.py says."
        );
    }
    Ok(0)
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
        "v": 1, "to": to.name(), "ops": ["decode"], "kind": kind, "wire": Hex(wire.to_vec()),
        "spans": spans(Way::of(way), wire), "expect": expect,
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

/// Fields with readable values, in the form of the golden frames: first bit, bits, field, value.
pub(crate) fn spans(way: Way, wire: &[u8]) -> Value {
    let mut named = Vec::<(usize, usize, &str, String)>::new();
    let mut size = None;
    for (at, len, field) in fields(way, wire) {
        let bytes = &wire[at..at + len];
        let number = bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let hex = || bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let cut = || format!("0x{}", hex());
        let value = match field {
            "opcode" | "lead" => format!("0x{number:02X}"),
            "command" => number.to_string(),
            "peer" if len == 4 => (number as u32).cast_signed().to_string(),
            "rev" | "count" | "entry.rev" | "entry.val_len" if len == 4 => number.to_string(),
            "key_len" | "entry.key_len" if len == 2 => number.to_string(),
            "peer" | "rev" | "count" | "entry.rev" | "entry.val_len" | "key_len" | "entry.key_len" => cut(),
            // The length that comes before tells whether it is whole.
            "key" | "entry.key" | "entry.value" if size != Some(len as u64) => cut(),
            "key" | "entry.key" => std::str::from_utf8(bytes).map_or_else(|_| cut(), str::to_owned),
            _ => hex(),
        };
        size = Some(number);
        named.push((8 * at, 8 * len, field, value));
    }
    json!(named)
}

/// As `roomwire_fuzz::Way` has it.
pub(crate) fn way_of(way: u8) -> (To, bool) {
    match way % 3 {
        0 => (To::Relay, false),
        1 => (To::Client, false),
        _ => (To::Client, true),
    }
}
