//! What a client has told, and what is true of its events in every scenario.

use std::collections::BTreeSet;

use serde_json::Value;

use super::engine::name_of;

/// The connection that a client tells of.
#[derive(Debug, Default)]
pub(super) struct Told {
    joined: bool,
    ready: bool,
    /// The last connection has ended for good, and no other was begun.
    over: bool,
    peers: BTreeSet<i64>,
}

impl Told {
    /// Whether a write may be taken (CLIENT-WRITE-1).
    pub(super) fn is_ready(&self) -> bool {
        self.ready
    }

    /// The client is told to join a room.
    pub(super) fn joining(&mut self) {
        self.over = false;
    }

    /// Takes note of an event. The error is the clause that it breaks, and what is right.
    pub(super) fn note(&mut self, event: &Value) -> Result<(), (&'static str, &'static str)> {
        let peer = event.get("peer").and_then(Value::as_i64);
        match name_of(event) {
            "connecting" | "opened" => self.over = false,
            "joined" => (self.joined, self.over) = (true, false),
            "ready" if !self.joined => return Err(("CLIENT-READY-1", "ready after the peer id")),
            "ready" if self.ready => return Err(("CLIENT-READY-1", "ready once in each connection")),
            "ready" => self.ready = true,
            "peer-added" => self.peers.extend(peer),
            "peer-removed" => {
                let _ = peer.map(|peer| self.peers.remove(&peer));
            }
            "closed" if self.over => return Err(("CLIENT-CLOSE-1", "each end once")),
            "closed" if !self.peers.is_empty() => {
                return Err(("CLIENT-PEER-1", "each peer told to be gone before the end is"));
            }
            "closed" => {
                let over = event.get("retry") == Some(&Value::Bool(false));
                *self = Self { over, ..Self::default() };
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(events: &[Value]) -> Option<&'static str> {
        let mut told = Told::default();
        events.iter().find_map(|event| told.note(event).err()).map(|fault| fault.0)
    }

    #[test]
    fn what_is_always_true() {
        let [joined, ready] = ["joined", "ready"].map(|name| json!({"event": name, "peer": 512}));
        let [added, removed] = ["peer-added", "peer-removed"].map(|name| json!({"event": name, "peer": 258}));
        let [again, gone] = [true, false].map(|retry| json!({"event": "closed", "retry": retry}));
        let all = |events: &[&Value]| fault(&events.iter().map(|&event| event.clone()).collect::<Vec<_>>());
        assert_eq!(all(&[&joined, &added, &ready, &removed, &again, &again, &joined, &ready, &gone]), None);
        assert_eq!(all(&[&ready]), Some("CLIENT-READY-1"));
        assert_eq!(all(&[&joined, &ready, &ready]), Some("CLIENT-READY-1"));
        assert_eq!(all(&[&joined, &again, &ready]), Some("CLIENT-READY-1"));
        assert_eq!(all(&[&joined, &added, &gone]), Some("CLIENT-PEER-1"));
        assert_eq!(all(&[&joined, &gone, &gone]), Some("CLIENT-CLOSE-1"));
    }
}
