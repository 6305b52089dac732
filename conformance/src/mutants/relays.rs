//! Broken relays: the reference relay behind a proxy with one fault, or on a store with one.

use super::proxy::{Fate, Link, Tamper};
use crate::codec::{Answer, CodecUnderTest, ReferenceCodec, To};
use crate::frame_json::JsonFrame;
use crate::verdict::Verdict;
use crate::ws::frame::{RawFrame, close_payload, encode, op};

/// Where a relay's fault is.
pub enum Fault {
    /// Between the relay and its members.
    Proxy(Tamper),
    /// In its store, by the name that [`super::stores::wrap`] knows.
    Store(&'static str),
}

/// A relay with one fault, and the scenario that finds it.
pub struct RelayMutant {
    /// What is wrong with it.
    pub name: &'static str,
    /// The scenario that finds it.
    pub killed_by: &'static str,
    /// What that comes to.
    pub verdict: Verdict,
    /// The fault.
    pub fault: Fault,
}

/// The first byte of a binary message.
fn first(raw: &RawFrame) -> Option<u8> {
    raw.payload.first().copied().filter(|_| raw.opcode == op::BINARY)
}

fn is_sys(raw: &RawFrame, command: u8) -> bool {
    raw.opcode == op::BINARY && raw.payload.len() >= 6 && raw.payload.starts_with(&[7, command])
}

fn close_code(raw: &RawFrame) -> Option<u16> {
    let code = raw.payload.first_chunk::<2>().filter(|_| raw.opcode == op::CLOSE)?;
    Some(u16::from_be_bytes(*code))
}

fn close(code: u16, reason: &str) -> Fate {
    Fate::Raw(encode(true, op::CLOSE, &close_payload(code, reason), None))
}

type ToClient = fn(&mut Link, &RawFrame) -> Fate;

fn to_client(
    name: &'static str,
    killed_by: &'static str,
    verdict: Verdict,
    to_client: ToClient,
) -> RelayMutant {
    let fault = Fault::Proxy(Tamper { to_client, ..Tamper::NOTHING });
    RelayMutant { name, killed_by, verdict, fault }
}

fn to_relay(
    name: &'static str,
    killed_by: &'static str,
    verdict: Verdict,
    to_relay: ToClient,
) -> RelayMutant {
    let fault = Fault::Proxy(Tamper { to_relay, ..Tamper::NOTHING });
    RelayMutant { name, killed_by, verdict, fault }
}

fn store(name: &'static str, killed_by: &'static str, verdict: Verdict) -> RelayMutant {
    RelayMutant { name, killed_by, verdict, fault: Fault::Store(name) }
}

/// All of them.
pub fn all() -> Vec<RelayMutant> {
    let mut all = rooms();
    all.extend(peers());
    all.extend(binding());
    all.extend([
        store("acks before the commit", "S0086", Verdict::Fail),
        store("commits some time after it acks", "S0085", Verdict::Fail),
        store("forgets the world", "S0083", Verdict::Timeout),
        store("lets a room be joined without end", "S0106", Verdict::Fail),
        store("goes on from the newest value's revision", "S0083", Verdict::Fail),
        store("makes a row for every room that is joined", "S0019", Verdict::Fail),
        store("serves a damaged room as a new one", "S0093", Verdict::Fail),
        store("takes a failed commit for a good one", "S0089", Verdict::Fail),
    ]);
    all
}

fn rooms() -> Vec<RelayMutant> {
    vec![
        to_client("sends a snapshot of an empty room", "S0001", Verdict::Fail, |link, raw| {
            if link.to_client == 1 && raw.opcode == op::BINARY {
                link.inject(&[0xf6, 0, 0, 0, 0]);
            }
            Fate::Pass
        }),
        to_client("does not send an update to its author", "S0020", Verdict::Timeout, |link, raw| {
            let own = link.last.first() == Some(&0xf4) && link.last.get(1..) == raw.payload.get(5..);
            if own && first(raw) == Some(0xf5) { Fate::Drop } else { Fate::Pass }
        }),
        to_client("sends an update twice", "S0022", Verdict::Fail, |link, raw| {
            if first(raw) == Some(0xf5) {
                link.inject(&raw.payload);
            }
            Fate::Pass
        }),
        to_client("sends a saved world to its author, too", "S0028", Verdict::Fail, |link, raw| {
            if first(raw) == Some(0xf3)
                && let Some(blob) = link.last.get(1..)
            {
                let load: Vec<u8> = [0xf2].iter().chain(blob).copied().collect();
                link.inject(&load);
            }
            Fate::Pass
        }),
        to_client("acks every other save only", "S0029", Verdict::Fail, |link, raw| {
            link.seen += u32::from(first(raw) == Some(0xf3));
            if first(raw) == Some(0xf3) && link.seen.is_multiple_of(2) { Fate::Drop } else { Fate::Pass }
        }),
        to_client("sends the world before after an ack", "S0032", Verdict::Fail, |link, raw| {
            match first(raw) {
                Some(0xf2) => link.kept.clone_from(&raw.payload),
                Some(0xf3) if !link.kept.is_empty() => {
                    let before = link.kept.clone();
                    link.inject(&before);
                }
                _ => {}
            }
            Fate::Pass
        }),
        to_client("sends a world as often as it likes", "S0030", Verdict::Fail, |link, raw| {
            if first(raw) == Some(0xf2) {
                (0..9).for_each(|_| link.inject(&raw.payload));
            }
            Fate::Pass
        }),
        to_client("orders a snapshot by key", "S0002", Verdict::Fail, |_, raw| {
            match ReferenceCodec.decode(To::Client, false, &raw.payload) {
                Answer::Done(JsonFrame::StateSnapshot { mut entries }) if first(raw) == Some(0xf6) => {
                    entries.sort_by(|a, b| a.key.cmp(&b.key));
                    let mut wire = vec![0xf6];
                    wire.extend((entries.len() as u32).to_le_bytes());
                    for entry in entries {
                        wire.extend(entry.rev.to_le_bytes());
                        wire.extend((entry.key.len() as u16).to_le_bytes());
                        wire.extend(entry.key.as_bytes());
                        wire.extend((entry.value.bytes().len() as u32).to_le_bytes());
                        wire.extend(entry.value.bytes());
                    }
                    Fate::Message(wire)
                }
                _ => Fate::Pass,
            }
        }),
        to_client("loses the first update after the join data", "S0010", Verdict::Fail, |link, raw| {
            let second = link.to_client == 3 && link.seen == 1;
            link.seen |= u32::from(first(raw) == Some(0xf6));
            if second && first(raw) == Some(0xf5) { Fate::Drop } else { Fate::Pass }
        }),
        to_client("keeps a world of no bytes to itself", "S0004", Verdict::Timeout, |_, raw| {
            if raw.payload == [0xf2] { Fate::Drop } else { Fate::Pass }
        }),
        to_relay("acks a save over the cap and drops it", "S0037", Verdict::Fail, |link, raw| {
            if first(raw) == Some(0xf1) && raw.payload.len() > 1_048_577 {
                link.inject(&[0xf3]);
                return Fate::Drop;
            }
            Fate::Pass
        }),
        to_relay("drops a write of the value that is stored", "S0022", Verdict::Timeout, |link, raw| {
            if first(raw) == Some(0xf4) && raw.payload == link.last { Fate::Drop } else { Fate::Pass }
        }),
        to_relay(
            "drops forged frames and keeps their sender",
            "S0044",
            Verdict::Timeout,
            |_, raw| match first(raw) {
                Some(0xf2 | 0xf3 | 0xf5 | 0xf6) => Fate::Drop,
                _ => Fate::Pass,
            },
        ),
        to_relay("drops unassigned opcodes and keeps their sender", "S0045", Verdict::Timeout, |_, raw| {
            let unassigned = first(raw).is_some_and(|first| first & 8 != 0 && first & 7 != 7);
            if unassigned { Fate::Drop } else { Fate::Pass }
        }),
        to_relay("cuts a value that is too long", "S0025", Verdict::Fail, |_, raw| {
            if first(raw) == Some(0xf4) && raw.payload.len() > 0xffff {
                return Fate::Message(raw.payload.iter().take(0xffff).copied().collect());
            }
            Fate::Pass
        }),
    ]
}

fn peers() -> Vec<RelayMutant> {
    vec![
        to_client("gives out an id that begins like an ack", "S0052", Verdict::Fail, |link, raw| {
            if link.to_client == 1 && raw.opcode == op::BINARY {
                let mut id = raw.payload.clone();
                id.iter_mut().take(1).for_each(|byte| *byte = 0xf3);
                return Fate::Message(id);
            }
            Fate::Pass
        }),
        to_client("forgets ADD_PEER", "S0053", Verdict::Timeout, |_, raw| {
            if is_sys(raw, 1) { Fate::Drop } else { Fate::Pass }
        }),
        to_client("forgets DEL_PEER", "S0053", Verdict::Timeout, |_, raw| {
            if is_sys(raw, 2) { Fate::Drop } else { Fate::Pass }
        }),
        to_client("sends updates to a peers member", "S0020", Verdict::Fail, |link, raw| {
            if link.target.contains("m=peers") && is_sys(raw, 1) {
                link.inject(&[0xf5, 1, 0, 0, 0, 1, 0, b'k', 1, 2]);
            }
            Fate::Pass
        }),
        to_client("keeps Godot's flags in the first byte", "S0063", Verdict::Fail, |_, raw| {
            if is_sys(raw, 3) {
                let mut message = raw.payload.clone();
                message.iter_mut().take(1).for_each(|lead| *lead |= 0x40);
                return Fate::Message(message);
            }
            Fate::Pass
        }),
        to_relay("sends a RELAY back to its sender", "S0058", Verdict::Fail, |link, raw| {
            if is_sys(raw, 3) && raw.payload.get(2..6) == Some(&[0; 4]) {
                let mut echo = vec![7, 3];
                echo.extend(&link.id);
                echo.extend(raw.payload.iter().skip(6));
                link.inject(&echo);
            }
            Fate::Pass
        }),
        to_relay(
            "takes a payload that begins with F4 for a write",
            "S0061",
            Verdict::Fail,
            |_, raw| match raw.payload.get(6..) {
                Some(inner @ [0xf4, ..]) if is_sys(raw, 3) => Fate::Message(inner.to_vec()),
                _ => Fate::Pass,
            },
        ),
        to_relay("sends to everyone what is for all but one", "S0059", Verdict::Fail, |_, raw| {
            if is_sys(raw, 3) && raw.payload.get(5).is_some_and(|byte| byte & 0x80 != 0) {
                let mut message = raw.payload.clone();
                message.iter_mut().skip(2).take(4).for_each(|byte| *byte = 0);
                return Fate::Message(message);
            }
            Fate::Pass
        }),
    ]
}

fn binding() -> Vec<RelayMutant> {
    let headers = "Sec-WebSocket-Protocol: binary\r\n";
    vec![
        RelayMutant {
            name: "chooses a subprotocol",
            killed_by: "S0069",
            verdict: Verdict::Fail,
            fault: Fault::Proxy(Tamper { headers, ..Tamper::NOTHING }),
        },
        to_client("fragments large messages", "S0073", Verdict::Fail, |_, raw| {
            let (head, tail) = raw.payload.split_at(raw.payload.len() / 2);
            if raw.opcode != op::BINARY || raw.payload.len() < 1000 {
                return Fate::Pass;
            }
            Fate::Raw(
                [encode(false, op::BINARY, head, None), encode(true, op::CONTINUATION, tail, None)].concat(),
            )
        }),
        to_client("masks its frames", "S0073", Verdict::Fail, |_, raw| {
            Fate::Raw(encode(true, raw.opcode, &raw.payload, Some([1, 2, 3, 4])))
        }),
        to_client("closes with 1000 after a text message", "S0049", Verdict::WrongReason, |_, raw| {
            if close_code(raw) == Some(1003) { close(1000, "") } else { Fate::Pass }
        }),
        to_client("gives no reason", "S0037", Verdict::WrongReason, |_, raw| match close_code(raw) {
            Some(code) if code > 4000 => close(code, ""),
            _ => Fate::Pass,
        }),
        to_client("admits one more than the room takes", "S0017", Verdict::Fail, |_, raw| {
            if close_code(raw) == Some(4432) { Fate::Message(vec![0, 2, 0, 0]) } else { Fate::Pass }
        }),
        to_client("goes down without a word", "S0083", Verdict::Fail, |_, raw| {
            if close_code(raw) == Some(1012) { Fate::Drop } else { Fate::Pass }
        }),
        to_client("answers pings with nothing in them", "S0068", Verdict::Fail, |_, raw| {
            if raw.opcode == op::PONG { Fate::Raw(encode(true, op::PONG, &[], None)) } else { Fate::Pass }
        }),
    ]
}
