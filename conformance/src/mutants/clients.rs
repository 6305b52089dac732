//! Broken clients, each killed by the scenario that is named for it.
//!
//! Each is the reference client with something between it and the runner: a proxy on its connection, or a hand on its events
//! and commands.

mod telling;

use std::collections::BTreeMap;

use roomwire_client::Client;
use roomwire_codec::registry::opcode;
use roomwire_codec::{Direction, Frame, decode, decode_first};
use serde_json::{Value, json};

use super::proxy::{Fate, Link, Proxy, Tamper};
use crate::client::adapter::Between;
use crate::hex;
use crate::verdict::Verdict;
use crate::ws::frame::{self, RawFrame, op};

/// A live frame that takes nothing away: the STATE_UPDATE of a value that the join data of the case brings as well.
const LIVE: &[u8] = &[0xF5, 7, 0, 0, 0, 1, 0, b'a', 1];

/// A client with a fault.
pub struct ClientMutant {
    /// What it does wrong; `--fault` takes it.
    pub name: &'static str,
    /// The scenario that finds it.
    pub killed_by: &'static str,
    /// What that scenario comes to.
    pub verdict: Verdict,
    fault: Fault,
}

enum Fault {
    /// On the wire.
    Wire(Tamper),
    /// Between the client and its game.
    Game(fn(&mut Memory, Seen<'_>) -> Told),
}

/// What a fault keeps.
#[derive(Default)]
struct Memory {
    /// Values by key.
    values: BTreeMap<String, String>,
    /// Writes.
    writes: Vec<(String, Vec<u8>)>,
    /// Peers that were added.
    peers: Vec<Value>,
    /// Whether the client has been in.
    joined: bool,
    /// Events that are told later.
    held: Vec<Value>,
}

/// What a fault sees.
enum Seen<'a> {
    Event(&'a Value, &'a Client),
    Command(&'a Value, &'a Client),
}

/// What it makes of that.
enum Told {
    /// Nothing else than the client does.
    AsIs,
    /// These events in place of the one, or the first as the answer to the command.
    Instead(Vec<Value>),
}

impl Seen<'_> {
    fn is_event(&self, name: &str) -> bool {
        matches!(self, Seen::Event(event, _) if event.get("event").is_some_and(|have| have == name))
    }

    fn is_command(&self, name: &str) -> bool {
        matches!(self, Seen::Command(command, _) if command.get("cmd").is_some_and(|have| have == name))
    }

    fn value(&self) -> &Value {
        match self {
            Seen::Event(value, _) | Seen::Command(value, _) => value,
        }
    }

    fn client(&self) -> &Client {
        match self {
            Seen::Event(_, client) | Seen::Command(_, client) => client,
        }
    }

    fn text(&self, name: &str) -> String {
        self.value().get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn with(&self, name: &str, value: Value) -> Told {
        let mut changed = self.value().clone();
        if let Some(changed) = changed.as_object_mut() {
            changed.insert(name.to_owned(), value);
        }
        Told::Instead(vec![changed])
    }
}

/// A fault in place.
struct Broken {
    fault: Fault,
    memory: Memory,
    proxies: Vec<Proxy>,
}

impl Between for Broken {
    fn relay(&mut self, relay: &str) -> String {
        let Fault::Wire(tamper) = &self.fault else { return relay.to_owned() };
        let rest = relay.strip_prefix("ws://").unwrap_or(relay);
        let (authority, path) =
            rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
        let proxy = authority.parse().ok().and_then(|addr| Proxy::start(addr, *tamper).ok());
        let through = proxy.as_ref().map(|proxy| format!("ws://{}/{path}", proxy.addr));
        self.proxies.extend(proxy);
        through.unwrap_or_else(|| relay.to_owned())
    }

    fn event(&mut self, event: Value, client: &Client) -> Vec<Value> {
        let Fault::Game(fault) = &self.fault else { return vec![event] };
        match fault(&mut self.memory, Seen::Event(&event, client)) {
            Told::AsIs => vec![event],
            Told::Instead(events) => events,
        }
    }

    fn command(&mut self, command: &Value, client: &Client) -> Option<Value> {
        let Fault::Game(fault) = &self.fault else { return None };
        match fault(&mut self.memory, Seen::Command(command, client)) {
            Told::AsIs => None,
            Told::Instead(answer) => answer.into_iter().next(),
        }
    }
}

/// The fault of that name, in place.
pub(crate) fn build(name: &str) -> Result<Box<dyn Between>, String> {
    let found = all().into_iter().find(|mutant| mutant.name == name);
    let fault = found.ok_or_else(|| format!("no fault {name}"))?.fault;
    Ok(Box::new(Broken { fault, memory: Memory::default(), proxies: vec![] }))
}

fn to_client(
    name: &'static str,
    killed_by: &'static str,
    verdict: Verdict,
    to_client: fn(&mut Link, &RawFrame) -> Fate,
) -> ClientMutant {
    ClientMutant { name, killed_by, verdict, fault: Fault::Wire(Tamper { to_client, ..Tamper::NOTHING }) }
}

fn to_relay(
    name: &'static str,
    killed_by: &'static str,
    verdict: Verdict,
    to_relay: fn(&mut Link, &RawFrame) -> Fate,
) -> ClientMutant {
    ClientMutant { name, killed_by, verdict, fault: Fault::Wire(Tamper { to_relay, ..Tamper::NOTHING }) }
}

fn game(
    name: &'static str,
    killed_by: &'static str,
    fault: fn(&mut Memory, Seen<'_>) -> Told,
) -> ClientMutant {
    ClientMutant { name, killed_by, verdict: Verdict::Fail, fault: Fault::Game(fault) }
}

/// The whole entries at the beginning of a snapshot that is cut.
fn whole_entries(message: &[u8]) -> Option<Vec<u8>> {
    let (count, mut rest) = message.get(1..)?.split_at_checked(4)?;
    let count = u32::from_le_bytes(count.try_into().ok()?);
    let entries = rest;
    let mut whole: u32 = 0;
    while whole < count {
        let Some(len) = entry_len(rest) else { break };
        let Some(after) = rest.get(len..) else { break };
        rest = after;
        whole = whole.saturating_add(1);
    }
    let mut out = vec![opcode::STATE_SNAPSHOT];
    out.extend(whole.to_le_bytes());
    out.extend(entries.get(..entries.len().saturating_sub(rest.len()))?);
    Some(out)
}

fn entry_len(entry: &[u8]) -> Option<usize> {
    let key = usize::from(u16::from_le_bytes(entry.get(4..6)?.try_into().ok()?));
    let value = entry.get(6_usize.checked_add(key)?..)?.get(..4)?;
    let value = usize::try_from(u32::from_le_bytes(value.try_into().ok()?)).ok()?;
    key.checked_add(value)?.checked_add(10)
}

/// An update with a revision above all that came before, kept in `link.seen`.
fn newer(link: &mut Link, raw: &RawFrame) -> Fate {
    let mut message = raw.payload.clone();
    let rev = message.get(1..5).and_then(|rev| Some(u32::from_le_bytes(rev.try_into().ok()?)));
    if let (Some(&opcode::STATE_UPDATE), Some(rev)) = (message.first(), rev) {
        link.seen = link.seen.saturating_add(1).max(rev);
        let rev = link.seen.to_le_bytes();
        message.splice(1..5, rev);
        return Fate::Message(message);
    }
    Fate::Pass
}

/// All of them.
pub fn all() -> Vec<ClientMutant> {
    let mut all = on_the_wire();
    all.extend(towards_the_game());
    all.extend(telling::all());
    all
}

fn on_the_wire() -> Vec<ClientMutant> {
    vec![
        to_client("applies-half-a-snapshot", "malformed/snapshot-cut", Verdict::Fail, |link, raw| {
            let cut = raw.payload.first() == Some(&opcode::STATE_SNAPSHOT)
                && decode(Direction::ToClient, &raw.payload).is_err();
            match whole_entries(&raw.payload).filter(|_| cut) {
                Some(half) => {
                    link.inject(&raw.payload);
                    Fate::Message(half)
                }
                None => Fate::Pass,
            }
        }),
        to_client("ignores-text", "malformed/text", Verdict::Timeout, |_, raw| match raw.opcode {
            op::TEXT => Fate::Drop,
            _ => Fate::Pass,
        }),
        to_client(
            "ignores-what-does-not-decode",
            "malformed/unknown-opcode",
            Verdict::Timeout,
            |link, raw| {
                let broken = decode(Direction::ToClient, &raw.payload).is_err();
                if raw.opcode == op::BINARY && link.to_client > 1 && broken { Fate::Drop } else { Fate::Pass }
            },
        ),
        to_client("applies-older-revisions", "state/older-and-equal-revisions", Verdict::Fail, newer),
        to_client("takes-a-fragment-for-a-frame", "websocket/fragments", Verdict::Fail, |_, raw| {
            if raw.opcode == op::BINARY && !raw.fin { Fate::Message(raw.payload.clone()) } else { Fate::Pass }
        }),
        to_client("forgets-empty-worlds", "worlds/each-one-is-reported", Verdict::Timeout, |_, raw| {
            if raw.payload == [opcode::WORLD_LOAD] { Fate::Drop } else { Fate::Pass }
        }),
        to_client("goes-on-after-broken-framing", "websocket/a-reserved-bit", Verdict::Timeout, |_, raw| {
            if raw.rsv == 0 { Fate::Pass } else { Fate::Drop }
        }),
        to_client(
            "takes-a-packet-from-nobody-for-a-live-frame",
            "joining/strange-frames-show-nothing",
            Verdict::Warn,
            |_, raw| match decode(Direction::ToClient, &raw.payload) {
                Ok(Frame::Relay(_)) => Fate::Message(LIVE.to_vec()),
                _ => Fate::Pass,
            },
        ),
        to_client(
            "takes-godots-traffic-for-live-frames",
            "joining/godots-traffic-shows-nothing",
            Verdict::Warn,
            |link, raw| match decode(Direction::ToClient, &raw.payload) {
                Ok(Frame::Godot(_)) if link.to_client > 1 => Fate::Message(LIVE.to_vec()),
                _ => Fate::Pass,
            },
        ),
        to_client(
            "waits-on-for-a-peer-id",
            "joining/nothing-after-a-wrong-first-message",
            Verdict::Fail,
            |link, raw| match link.to_client {
                1 if decode_first(&raw.payload).is_err() => {
                    link.to_client = 0;
                    Fate::Drop
                }
                _ => Fate::Pass,
            },
        ),
        to_client("waits-on-after-a-text", "joining/nothing-after-a-first-text", Verdict::Fail, |_, raw| {
            if raw.opcode == op::TEXT { Fate::Drop } else { Fate::Pass }
        }),
        to_client("takes-any-close-frame", "websocket/broken-close-frames-close", Verdict::Warn, |_, raw| {
            match raw.opcode {
                op::CLOSE => Fate::Raw(frame::encode(true, op::CLOSE, &[], None)),
                _ => Fate::Pass,
            }
        }),
        to_client(
            "goes-on-after-a-broken-close-frame",
            "websocket/a-close-frame-of-one-byte",
            Verdict::Timeout,
            |_, raw| if raw.opcode == op::CLOSE { Fate::Drop } else { Fate::Pass },
        ),
        to_client(
            "goes-on-after-a-close-frame-that-is-no-text",
            "websocket/a-close-frame-that-is-no-text",
            Verdict::Timeout,
            |_, raw| if raw.opcode == op::CLOSE { Fate::Drop } else { Fate::Pass },
        ),
        ClientMutant {
            name: "takes-any-upgrade",
            killed_by: "joining/no-upgrade-header",
            verdict: Verdict::Fail,
            fault: Fault::Wire(Tamper { headers: "Upgrade: websocket\r\n", ..Tamper::NOTHING }),
        },
        ClientMutant {
            name: "takes-an-upgrade-that-keeps-no-connection",
            killed_by: "joining/no-connection-header",
            verdict: Verdict::Fail,
            fault: Fault::Wire(Tamper { headers: "Connection: Upgrade\r\n", ..Tamper::NOTHING }),
        },
        to_relay(
            "drops-writes-at-its-close",
            "writing/before-the-close-frame",
            Verdict::Fail,
            |link, raw| {
                match raw.opcode {
                    // Each write waits for the next one; the close frame does not.
                    op::BINARY => match std::mem::replace(&mut link.kept, raw.payload.clone()) {
                        none if none.is_empty() => Fate::Drop,
                        before => Fate::Message(before),
                    },
                    _ => Fate::Pass,
                }
            },
        ),
        to_relay("sends-no-pong", "websocket/pings", Verdict::Timeout, |_, raw| match raw.opcode {
            op::PONG => Fate::Drop,
            _ => Fate::Pass,
        }),
        to_relay("answers-no-close", "ending/a-close-is-answered", Verdict::Fail, |_, raw| {
            match raw.opcode {
                op::CLOSE => Fate::Drop,
                _ => Fate::Pass,
            }
        }),
        to_relay("writes-text", "writing/the-echo", Verdict::Fail, |_, raw| match raw.opcode {
            op::BINARY => Fate::Raw(frame::encode(true, op::TEXT, &raw.payload, Some([0; 4]))),
            _ => Fate::Pass,
        }),
        to_relay("does-not-mask", "writing/the-echo", Verdict::Fail, |_, raw| match raw.opcode {
            op::BINARY => Fate::Raw(frame::encode(true, op::BINARY, &raw.payload, None)),
            _ => Fate::Pass,
        }),
    ]
}

fn towards_the_game() -> Vec<ClientMutant> {
    vec![
        game("is-ready-when-it-is-open", "joining/no-ready-without-a-peer-id", |_, seen| {
            if seen.is_event("opened") {
                return Told::Instead(vec![seen.value().clone(), json!({"event": "ready"})]);
            }
            if seen.is_event("ready") { Told::Instead(vec![]) } else { Told::AsIs }
        }),
        game("keeps-values-in-another-room", "cache/another-room", |memory, seen| {
            if seen.is_event("state") {
                memory.values.insert(seen.text("key"), seen.text("value"));
            }
            match memory.values.get(&seen.text("key")) {
                Some(value) if seen.is_command("get") => {
                    Told::Instead(vec![json!({"ok": true, "set": true, "value": value})])
                }
                _ => Told::AsIs,
            }
        }),
        game("queues-writes", "writing/before-the-peer-id", |memory, seen| {
            if seen.is_command("set") && seen.client().peer().is_none() {
                let value = hex::decode(&seen.text("value")).unwrap_or_default();
                memory.writes.push((seen.text("key"), value));
                return Told::Instead(vec![json!({"ok": true})]);
            }
            if seen.is_event("ready") {
                for (key, value) in memory.writes.drain(..) {
                    let _ = seen.client().set(&key, value);
                }
            }
            Told::AsIs
        }),
        game("says-it-wrote-before-it-could", "writing/before-the-connection", |_, seen| {
            if seen.is_command("set") { Told::Instead(vec![json!({"ok": true})]) } else { Told::AsIs }
        }),
        game("writes-again-after-a-reconnect", "writing/nothing-is-sent-twice", telling::write_again),
        game("shows-a-write-before-its-echo", "writing/the-echo", |memory, seen| {
            if seen.is_command("set") {
                memory.values.insert(seen.text("key"), seen.text("value"));
            }
            match memory.values.get(&seen.text("key")) {
                Some(value) if seen.is_command("get") => {
                    Told::Instead(vec![json!({"ok": true, "set": true, "value": value})])
                }
                _ => Told::AsIs,
            }
        }),
        game("hides-a-refusal", "joining/refused-by-http-403", |memory, seen| {
            memory.joined |= seen.is_event("joined");
            if seen.is_event("closed") && !memory.joined { Told::Instead(vec![]) } else { Told::AsIs }
        })
        .coming_to(Verdict::Timeout),
        game("comes-back-after-every-close", "ending/it-stays-away", |_, seen| {
            let again = seen.is_event("closed") && seen.value().get("retry") == Some(&json!(false));
            if again {
                seen.client().reconnect();
                return seen.with("retry", json!(true));
            }
            Told::AsIs
        })
        .coming_to(Verdict::Warn),
        game("takes-any-key", "writing/keys-that-are-none", |_, seen| {
            if seen.is_command("set") && seen.text("key").is_empty() {
                return Told::Instead(vec![json!({"ok": true})]);
            }
            Told::AsIs
        }),
        game("keeps-peers-after-the-end", "peers/gone-with-the-connection", |memory, seen| {
            if seen.is_event("peer-added") {
                memory.peers.extend(seen.value().get("peer").cloned());
            }
            if seen.is_command("peers") {
                return Told::Instead(vec![json!({"ok": true, "peers": memory.peers})]);
            }
            Told::AsIs
        }),
        game("takes-empty-for-unset", "state/unset-is-not-empty", |_, seen| {
            let held = seen.is_command("get").then(|| seen.client().get(&seen.text("key"))).flatten();
            match held {
                Some(held) if held.value.is_empty() => Told::Instead(vec![json!({"ok": true, "set": false})]),
                _ => Told::AsIs,
            }
        }),
        game("tells-the-wrong-save", "worlds/acks-answer-saves-in-order", |_, seen| {
            if seen.is_event("saved") { seen.with("save", json!(2)) } else { Told::AsIs }
        }),
        game("crashes-at-a-close", "ending/the-last-words", |_, seen| {
            if seen.is_event("closed") {
                std::process::exit(1);
            }
            Told::AsIs
        })
        .coming_to(Verdict::Crash),
        game("hangs-at-a-get", "state/unset-is-not-empty", |_, seen| {
            while seen.is_command("get") {
                std::thread::park();
            }
            Told::AsIs
        })
        .coming_to(Verdict::Timeout),
    ]
}

impl ClientMutant {
    fn coming_to(self, verdict: Verdict) -> Self {
        Self { verdict, ..self }
    }
}
