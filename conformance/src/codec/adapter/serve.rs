//! The other side: a codec of this crate as an adapter, `roomwire-conformance adapter`.

use std::io::{self, BufRead, ErrorKind, Write};

use serde_json::Value;

use super::protocol::{Command, Hello, PROTOCOL, Part, Reply};
use crate::codec::{Answer, CodecUnderTest, ReferenceCodec};
use crate::scenario::model::Capability;
use crate::vectors::Op;

/// What the reference codec says of itself.
pub fn reference_hello() -> Hello {
    Hello {
        seq: 0,
        protocol: PROTOCOL,
        name: "roomwire-codec".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        language: "Rust".into(),
        ops: vec![Op::Decode, Op::Encode],
        capabilities: vec![Capability::Room, Capability::Peers],
        errors: vec![Part::Offset, Part::Field, Part::Rule],
    }
}

/// Serves the reference codec until `input` ends.
///
/// # Errors
/// Those of input and output, a line that is no request, and a codec that panicked.
pub fn serve(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for line in input.lines() {
        let answer = answer(&line?)?;
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(line: &str) -> io::Result<Value> {
    let request: Value = serde_json::from_str(line)?;
    let seq = request.get("seq").and_then(Value::as_u64);
    let seq = seq.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "a request without a seq"))?;
    let known = ["hello", "decode", "encode"];
    let reply = match request.get("cmd").and_then(Value::as_str) {
        Some(cmd) if known.contains(&cmd) => match serde_json::from_str(line)? {
            Command::Hello { .. } => {
                let mut hello = serde_json::to_value(reference_hello())?;
                if let Value::Object(members) = &mut hello {
                    members.insert("seq".into(), seq.into());
                }
                return Ok(hello);
            }
            Command::Decode { to, first, wire } => {
                reply(ReferenceCodec.decode(to, first, wire.bytes()), |reply, answer| match answer {
                    Ok(frame) => reply.frame = Some(frame),
                    Err(fault) => reply.error = Some(fault),
                })?
            }
            Command::Encode { to, frame, .. } => {
                reply(ReferenceCodec.encode(to, &frame), |reply, answer| match answer {
                    Ok(wire) => reply.wire = Some(crate::hex::Hex(wire)),
                    Err(fault) => reply.refused = Some(fault.class),
                })?
            }
            Command::Unknown(_) => unsupported(),
        },
        _ => unsupported(),
    };
    Ok(serde_json::to_value(Reply { seq, ..reply })?)
}

fn unsupported() -> Reply {
    Reply { unsupported: Some(true), ..Reply::default() }
}

/// A codec that panicked must not look like one that rejects: its adapter ends.
fn reply<T>(
    answer: Answer<T>,
    fill: impl FnOnce(&mut Reply, Result<T, crate::codec::Fault>),
) -> io::Result<Reply> {
    let mut reply = Reply::default();
    match answer {
        Answer::Done(done) => fill(&mut reply, Ok(done)),
        Answer::Rejected(fault) => fill(&mut reply, Err(fault)),
        Answer::Unsupported => reply = unsupported(),
        Answer::Crash(text) | Answer::Garbage(text) | Answer::Lost(text) => {
            return Err(io::Error::other(text));
        }
        Answer::Timeout => return Err(io::Error::other("no answer in time")),
    }
    Ok(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_in_order() {
        let requests = concat!(
            r#"{"seq":7,"cmd":"decode","to":"client","first":false,"wire":"f300"}"#,
            "\n",
            r#"{"seq":9,"cmd":"encode","to":"client","first":true,"frame":{"frame":"PEER_ID","peer":2}}"#,
            "\n",
            r#"{"seq":8,"cmd":"dekode","wire":[]}"#,
            "\n",
        );
        let mut out = Vec::new();
        serve(requests.as_bytes(), &mut out).unwrap();
        let lines: Vec<Value> =
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let error = serde_json::json!({"class":"trailing","offset":1,"field":"end","rule":"PRIM-END-1"});
        assert_eq!(
            lines,
            [
                serde_json::json!({"seq":7,"error":error}),
                serde_json::json!({"seq":9,"wire":"02000000"}),
                serde_json::json!({"seq":8,"unsupported":true}),
            ]
        );
        assert!(serve(&b"no JSON\n"[..], &mut Vec::new()).is_err());
    }
}
