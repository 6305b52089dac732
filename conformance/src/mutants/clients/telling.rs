//! Broken clients that tell of ready, of the end, of refused writes and of unanswered saves what is not so.

use roomwire_client::{Stage, Status, WriteError};
use roomwire_codec::registry::limit;
use serde_json::json;

use super::{ClientMutant, Memory, Seen, Told, game};
use crate::hex;
use crate::verdict::Verdict;

/// Faults in what is told of ready, of the end, and of what was not answered.
pub(super) fn all() -> Vec<ClientMutant> {
    vec![
        game("is-ready-twice", "joining/ready-once", |_, seen| {
            let twice = vec![seen.value().clone(), seen.value().clone()];
            if seen.is_event("ready") { Told::Instead(twice) } else { Told::AsIs }
        }),
        game("is-ready-after-the-live-frame", "joining/ready-before-a-live-frame", late_ready)
            .coming_to(Verdict::Warn),
        game("is-ready-after-the-live-peer", "joining/ready-before-a-live-peer", late_ready)
            .coming_to(Verdict::Warn),
        game("forgets-values-at-a-reconnect", "cache/what-does-not-come-again", |memory, seen| {
            if seen.is_event("closed") {
                memory.values.clear();
            }
            if seen.is_event("state") {
                memory.values.insert(seen.text("key"), seen.text("value"));
            }
            if seen.is_command("get") && !memory.values.contains_key(&seen.text("key")) {
                return Told::Instead(vec![json!({"ok": true, "set": false})]);
            }
            Told::AsIs
        }),
        game("forgets-unanswered-saves", "worlds/unanswered-saves", |_, seen| {
            if seen.is_event("closed") { seen.with("unanswered", json!([])) } else { Told::AsIs }
        }),
        game("answers-saves-of-before", "worlds/acks-are-of-their-connection", |_, seen| {
            if seen.is_event("saved") { seen.with("save", json!(1)) } else { Told::AsIs }
        }),
        game("takes-packets-before-it-can", "writing/packets-that-fail", |_, seen| {
            if seen.is_command("send") { Told::Instead(vec![json!({"ok": true})]) } else { Told::AsIs }
        }),
        game("forgets-its-mode", "writing/not-in-this-mode", |_, seen| {
            let refused = seen.is_command("set").then(|| seen.client().set(&seen.text("key"), []));
            match refused {
                Some(Err(WriteError::Mode { .. })) => Told::Instead(vec![json!({"ok": true})]),
                _ => Told::AsIs,
            }
        }),
        game("takes-packets-of-any-size", "writing/the-largest-packet", |_, seen| {
            let most = 2 * (limit::MAX_INBOUND_MESSAGE - 6);
            if seen.is_command("send") && seen.text("payload").len() > most {
                return Told::Instead(vec![json!({"ok": true})]);
            }
            Told::AsIs
        }),
        game("queues-writes-until-ready", "writing/between-the-peer-id-and-ready", |memory, seen| {
            if seen.is_command("set") && seen.client().status() != Status::Linked(Stage::Ready) {
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
        game("writes-again-after-a-4500", "writing/not-again-after-4400-and-4500", write_again),
        game("writes-again-by-itself", "writing/not-again-by-itself", write_again),
        game("tells-1006-for-its-own-close", "ending/its-own-code", |_, seen| {
            if seen.is_event("closed") { seen.with("code", json!(1006)) } else { Told::AsIs }
        }),
        game("tells-1006-for-its-own-error", "ending/its-own-code-after-broken-framing", |_, seen| {
            if seen.is_event("closed") { seen.with("code", json!(1006)) } else { Told::AsIs }
        }),
        game("tells-1006-where-there-is-no-code", "ending/without-a-code", |_, seen| {
            if seen.is_event("closed") { seen.with("code", json!(1006)) } else { Told::AsIs }
        }),
        game("tells-a-code-that-is-none", "websocket/a-close-frame-with-a-code-that-is-none", |_, seen| {
            if seen.is_event("closed") { seen.with("code", json!(1005)) } else { Told::AsIs }
        }),
        game("knows-few-codes", "ending/every-code", |_, seen| {
            let unknown = seen.is_event("closed") && seen.value().get("code") == Some(&json!(1014));
            if unknown { seen.with("code", json!(1002)) } else { Told::AsIs }
        }),
        game("tells-each-end-twice", "ending/its-own-code", |_, seen| {
            let twice = vec![seen.value().clone(), seen.value().clone()];
            if seen.is_event("closed") { Told::Instead(twice) } else { Told::AsIs }
        }),
        game("tells-no-peers-at-the-end", "peers/gone-before-the-end", |memory, seen| {
            if seen.is_event("peer-removed") {
                memory.held.push(seen.value().clone());
                return Told::Instead(vec![]);
            }
            let mut events = std::mem::take(&mut memory.held);
            if !matches!(seen, Seen::Event(..)) {
                memory.held = events;
                return Told::AsIs;
            }
            if seen.is_event("closed") {
                events.clear();
            }
            events.push(seen.value().clone());
            Told::Instead(events)
        }),
    ]
}

/// Tells ready after the event that follows it.
fn late_ready(memory: &mut Memory, seen: Seen<'_>) -> Told {
    if seen.is_event("ready") {
        memory.held.push(seen.value().clone());
        return Told::Instead(vec![]);
    }
    if let Seen::Event(event, _) = seen {
        let mut events = vec![event.clone()];
        events.append(&mut memory.held);
        return Told::Instead(events);
    }
    Told::AsIs
}

/// Writes the first value again over the next connection.
pub(super) fn write_again(memory: &mut Memory, seen: Seen<'_>) -> Told {
    if seen.is_command("set") && memory.writes.is_empty() {
        let value = hex::decode(&seen.text("value")).unwrap_or_default();
        memory.writes.push((seen.text("key"), value));
    } else if seen.is_event("ready") {
        for (key, value) in &memory.writes {
            let _ = seen.client().set(key, value);
        }
    }
    Told::AsIs
}
