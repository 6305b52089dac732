//! Broken codecs: the reference codec with one fault each.

use crate::codec::{Answer, CodecUnderTest, Fault, ReferenceCodec, Reports, To};
use crate::frame_json::{JsonEntry, JsonFrame};
use crate::hex::Hex;
use crate::verdict::Verdict;

type Decoded = Answer<JsonFrame>;

/// Changes what the reference codec made of a frame.
type Encode = fn(&JsonFrame, Answer<Vec<u8>>) -> Answer<Vec<u8>>;

/// A codec with one fault, and the golden frame that finds it.
pub struct CodecMutant {
    /// What is wrong with it.
    pub name: &'static str,
    /// The golden frame that finds it.
    pub killed_by: &'static str,
    /// What that comes to.
    pub verdict: Verdict,
    decode: fn(To, bool, &[u8], Decoded) -> Decoded,
    encode: Encode,
}

impl CodecUnderTest for CodecMutant {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn reports(&self) -> Reports {
        Reports { offset: true, field: true, rule: false }
    }

    fn decode(&self, to: To, first: bool, wire: &[u8]) -> Decoded {
        (self.decode)(to, first, wire, ReferenceCodec.decode(to, first, wire))
    }

    fn encode(&self, to: To, frame: &JsonFrame) -> Answer<Vec<u8>> {
        (self.encode)(frame, ReferenceCodec.encode(to, frame))
    }
}

fn decoding(
    name: &'static str,
    killed_by: &'static str,
    verdict: Verdict,
    decode: fn(To, bool, &[u8], Decoded) -> Decoded,
) -> CodecMutant {
    CodecMutant { name, killed_by, verdict, decode, encode: |_, encoded| encoded }
}

fn encoding(name: &'static str, killed_by: &'static str, encode: Encode) -> CodecMutant {
    CodecMutant { name, killed_by, verdict: Verdict::Fail, decode: |_, _, _, decoded| decoded, encode }
}

fn reject(class: &str, offset: usize, field: &str) -> Decoded {
    Answer::Rejected(Fault {
        class: class.to_owned(),
        offset: Some(offset),
        field: Some(field.to_owned()),
        rule: None,
    })
}

/// Is it a rejection of this class at this field?
fn is(decoded: &Decoded, class: &str, field: &str) -> bool {
    matches!(decoded, Answer::Rejected(fault) if fault.class == class && fault.field.as_deref() == Some(field))
}

/// A STATE_SET or STATE_UPDATE read without any check but that its bytes are there.
fn lenient(wire: &[u8]) -> Option<JsonFrame> {
    let (first, rest) = wire.split_first()?;
    let (rev, rest) = match first {
        0xf5 => {
            let (rev, rest) = rest.split_first_chunk::<4>()?;
            (Some(u32::from_le_bytes(*rev)), rest)
        }
        0xf4 => (None, rest),
        _ => return None,
    };
    let (len, rest) = rest.split_first_chunk::<2>()?;
    let (key, value) = rest.split_at_checked(usize::from(u16::from_le_bytes(*len)))?;
    let (key, value) = (String::from_utf8_lossy(key).into_owned(), Hex::from(value));
    Some(match rev {
        Some(rev) => JsonFrame::StateUpdate { rev, key, value },
        None => JsonFrame::StateSet { key, value },
    })
}

/// The entries of a STATE_SNAPSHOT as far as they are there, in any order.
fn lenient_snapshot(wire: &[u8]) -> Option<JsonFrame> {
    let mut rest = wire.get(5..)?;
    let mut entries = Vec::new();
    while let Some((entry, after)) = lenient_entry(rest) {
        entries.push(entry);
        rest = after;
    }
    Some(JsonFrame::StateSnapshot { entries })
}

fn lenient_entry(bytes: &[u8]) -> Option<(JsonEntry, &[u8])> {
    let (rev, rest) = bytes.split_first_chunk::<4>()?;
    let (len, rest) = rest.split_first_chunk::<2>()?;
    let (key, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*len)))?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let (value, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*len)).ok()?)?;
    let key = String::from_utf8_lossy(key).into_owned();
    Some((JsonEntry { rev: u32::from_le_bytes(*rev), key, value: Hex::from(value) }, rest))
}

fn or(lenient: Option<JsonFrame>, decoded: Decoded) -> Decoded {
    lenient.map_or(decoded, Answer::Done)
}

/// All of them.
pub fn all() -> Vec<CodecMutant> {
    let mut all = leniences();
    all.extend(wrong_reasons());
    all.extend(misreadings());
    all.extend([
        encoding("writes the key length in characters", "F0044", |frame, encoded| match (frame, encoded) {
            (JsonFrame::StateSet { key, .. }, Answer::Done(mut wire)) => {
                if let Some(len) = wire.get_mut(1) {
                    *len = key.chars().count() as u8;
                }
                Answer::Done(wire)
            }
            (_, encoded) => encoded,
        }),
        encoding("writes revisions big-endian", "F0089", |frame, encoded| match (frame, encoded) {
            (JsonFrame::StateUpdate { .. }, Answer::Done(mut wire)) => {
                if let Some(rev) = wire.get_mut(1..5) {
                    rev.reverse();
                }
                Answer::Done(wire)
            }
            (_, encoded) => encoded,
        }),
        encoding("writes 07 in place of the first byte that was read", "F0329", |frame, encoded| {
            match (frame, encoded) {
                (JsonFrame::Relay { .. }, Answer::Done(mut wire)) => {
                    wire.iter_mut().take(1).for_each(|lead| *lead = 7);
                    Answer::Done(wire)
                }
                (_, encoded) => encoded,
            }
        }),
    ]);
    all
}

/// Accept what is to be rejected.
fn leniences() -> Vec<CodecMutant> {
    vec![
        decoding("ignores bytes after the last field", "F0020", Verdict::Fail, |to, first, wire, decoded| {
            match &decoded {
                Answer::Rejected(Fault { class, offset: Some(offset), .. }) if class == "trailing" => {
                    ReferenceCodec.decode(to, first, wire.get(..*offset).unwrap_or(wire))
                }
                _ => decoded,
            }
        }),
        decoding("accepts a key of 1025 bytes", "F0056", Verdict::Fail, |_, _, wire, decoded| {
            if is(&decoded, "limit", "key_len") && wire.get(1..3) == Some(&[1, 4]) {
                return or(lenient(wire), decoded);
            }
            decoded
        }),
        decoding("accepts an empty key", "F0113", Verdict::Fail, |_, _, wire, decoded| match lenient(wire) {
            Some(JsonFrame::StateUpdate { key, rev, value }) if key.is_empty() && rev > 0 => {
                Answer::Done(JsonFrame::StateUpdate { key, rev, value })
            }
            _ => decoded,
        }),
        decoding("replaces what is not UTF-8", "F0067", Verdict::Fail, |_, _, wire, decoded| {
            if is(&decoded, "value", "key") && !wire.contains(&0xef) && !wire.ends_with(&[0]) {
                return or(lenient(wire), decoded);
            }
            decoded
        }),
        decoding("allows NUL in keys", "F0060", Verdict::Fail, |_, _, wire, decoded| match lenient(wire) {
            Some(frame @ JsonFrame::StateSet { .. }) if is(&decoded, "value", "key") && wire.contains(&0) => {
                Answer::Done(frame)
            }
            _ => decoded,
        }),
        decoding("allows a byte order mark before a key", "F0064", Verdict::Fail, |_, _, wire, decoded| {
            if is(&decoded, "value", "key") && wire.get(3..6) == Some(&[0xef, 0xbb, 0xbf]) {
                return or(lenient(wire), decoded);
            }
            decoded
        }),
        decoding("accepts revision 0", "F0112", Verdict::Fail, |_, _, wire, decoded| {
            if is(&decoded, "value", "rev") { or(lenient(wire), decoded) } else { decoded }
        }),
        decoding("accepts a snapshot in any order", "F0210", Verdict::Fail, |_, _, wire, decoded| {
            if is(&decoded, "value", "entry.rev") { or(lenient_snapshot(wire), decoded) } else { decoded }
        }),
        decoding("keeps the entries before a cut", "F0182", Verdict::Fail, |_, _, wire, decoded| {
            if is(&decoded, "truncated", "entry.value") {
                or(lenient_snapshot(wire), decoded)
            } else {
                decoded
            }
        }),
        decoding("ignores the direction", "F0083", Verdict::Fail, |to, _, wire, decoded| {
            let other = if to == To::Relay { To::Client } else { To::Relay };
            if is(&decoded, "direction", "opcode") {
                ReferenceCodec.decode(other, false, wire)
            } else {
                decoded
            }
        }),
        decoding("takes any number for a peer id", "F0240", Verdict::Fail, |_, first, wire, decoded| {
            match wire.first_chunk() {
                Some(id) if first && is(&decoded, "value", "peer") => {
                    Answer::Done(JsonFrame::PeerId { peer: i32::from_le_bytes(*id) })
                }
                _ => decoded,
            }
        }),
        decoding("takes unassigned opcodes for Godot's", "F0412", Verdict::Fail, |_, _, wire, decoded| {
            if is(&decoded, "opcode", "opcode") {
                return Answer::Done(JsonFrame::Godot { bytes: Hex::from(wire) });
            }
            decoded
        }),
        decoding(
            "accepts a RELAY without a payload",
            "F0337",
            Verdict::Fail,
            |_, _, wire, decoded| match wire.split_first_chunk::<6>() {
                Some(([lead, _, peer @ ..], [])) if is(&decoded, "truncated", "payload") => {
                    let peer = i32::from_le_bytes(*peer);
                    Answer::Done(JsonFrame::Relay { lead: *lead, peer, payload: Hex(vec![]) })
                }
                _ => decoded,
            },
        ),
    ]
}

/// Reject what is to be rejected, for another reason.
fn wrong_reasons() -> Vec<CodecMutant> {
    vec![
        decoding(
            "calls a count that cannot fit a limit",
            "F0170",
            Verdict::WrongReason,
            |_, _, _, decoded| {
                if is(&decoded, "truncated", "count") { reject("limit", 1, "count") } else { decoded }
            },
        ),
        decoding("reports where the bad byte stands", "F0082", Verdict::WrongReason, |_, _, _, decoded| {
            match decoded {
                Answer::Rejected(Fault { class, offset: Some(offset), field, .. }) if class == "value" => {
                    reject(&class, offset + 1, field.as_deref().unwrap_or_default())
                }
                decoded => decoded,
            }
        }),
        decoding(
            "reads the key before it checks its length",
            "F0057",
            Verdict::WrongReason,
            |_, _, wire, decoded| {
                if is(&decoded, "limit", "key_len") && lenient(wire).is_none() {
                    return reject("truncated", 3, "key");
                }
                decoded
            },
        ),
        decoding(
            "looks at the fields before the direction",
            "F0084",
            Verdict::WrongReason,
            |to, _, wire, decoded| {
                let other = if to == To::Relay { To::Client } else { To::Relay };
                match ReferenceCodec.decode(other, false, wire) {
                    fault @ Answer::Rejected(_) if is(&decoded, "direction", "opcode") => fault,
                    _ => decoded,
                }
            },
        ),
        decoding("rejects everything", "F0020", Verdict::Inconclusive, |_, _, _, _| {
            reject("trailing", 1, "end")
        }),
        decoding("waits for more where a frame is cut", "F0050", Verdict::Timeout, |_, _, _, decoded| {
            match decoded {
                Answer::Rejected(Fault { class, .. }) if class == "truncated" => Answer::Timeout,
                decoded => decoded,
            }
        }),
        decoding("ends on a count of 2^32 - 1", "F0170", Verdict::Crash, |_, _, wire, decoded| {
            if wire.get(1..5) == Some(&[0xff; 4]) { Answer::Crash("out of memory".into()) } else { decoded }
        }),
    ]
}

/// Read what is to be accepted as something else.
fn misreadings() -> Vec<CodecMutant> {
    vec![
        decoding("reads revisions as signed", "F0091", Verdict::Fail, |_, _, _, decoded| match decoded {
            Answer::Done(JsonFrame::StateUpdate { rev, .. }) if rev > i32::MAX as u32 => {
                reject("value", 1, "rev")
            }
            decoded => decoded,
        }),
        decoding("takes 07 alone for SYS", "F0329", Verdict::Fail, |_, _, wire, decoded| match decoded {
            Answer::Done(JsonFrame::Relay { lead, .. }) if lead != 7 => {
                Answer::Done(JsonFrame::Godot { bytes: Hex::from(wire) })
            }
            decoded => decoded,
        }),
        decoding(
            "looks for opcodes in payloads",
            "F0325",
            Verdict::Fail,
            |to, _, _, decoded| match &decoded {
                Answer::Done(JsonFrame::Relay { payload, .. }) if payload.bytes().first() == Some(&0xf4) => {
                    ReferenceCodec.decode(to, false, payload.bytes())
                }
                _ => decoded,
            },
        ),
        decoding("normalises keys", "F0037", Verdict::Fail, |_, _, _, decoded| match decoded {
            Answer::Done(JsonFrame::StateSet { key, value }) => {
                Answer::Done(JsonFrame::StateSet { key: key.replace("e\u{301}", "\u{e9}"), value })
            }
            decoded => decoded,
        }),
        decoding(
            "strips zeros at the end of values",
            "F0027",
            Verdict::Fail,
            |_, _, _, decoded| match decoded {
                Answer::Done(JsonFrame::StateSet { key, value }) => {
                    let kept = value.bytes().iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
                    let value = Hex::from(value.bytes().get(..kept).unwrap_or_default());
                    Answer::Done(JsonFrame::StateSet { key, value })
                }
                decoded => decoded,
            },
        ),
    ]
}
