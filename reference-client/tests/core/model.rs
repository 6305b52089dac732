//! Random relays, well-behaved and not: whatever comes, the session keeps its promises.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use roomwire_client::core::{Config, End, LinkId, Output, Session, Time};
use roomwire_client::{Address, Event, Status};

use crate::bench::{PEER, snapshot};

/// Something that happens to a session.
#[derive(Clone, Debug)]
enum Step {
    Join(u8),
    Leave,
    Reconnect,
    Opened,
    PeerId,
    Updates(Vec<(u32, u8, u8)>),
    Bytes(Vec<u8>),
    Text,
    Ended(u16),
    Stale(Vec<u8>),
    Wait(u16),
    Set(u8),
    Save(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => (0u8..2).prop_map(Step::Join),
        1 => Just(Step::Leave),
        1 => Just(Step::Reconnect),
        4 => Just(Step::Opened),
        4 => Just(Step::PeerId),
        8 => vec((1u32..30, 0u8..4, any::<u8>()), 1..6).prop_map(Step::Updates),
        2 => vec(any::<u8>(), 0..8).prop_map(Step::Bytes),
        1 => Just(Step::Text),
        2 => prop_oneof![Just(1006), Just(1012), Just(4400), Just(4432)].prop_map(Step::Ended),
        1 => vec(any::<u8>(), 0..8).prop_map(Step::Stale),
        6 => (0u16..2_000).prop_map(Step::Wait),
        2 => any::<u8>().prop_map(Step::Set),
        2 => any::<u8>().prop_map(Step::Save),
    ]
}

/// What a game can rely on, kept beside the session.
#[derive(Default)]
struct Model {
    room: Option<u8>,
    /// Revision and value reported last for each key of the room.
    held: BTreeMap<String, (u32, Bytes)>,
    /// Keys reported on this connection.
    brought: BTreeSet<String>,
    link: Option<LinkId>,
    old: Option<LinkId>,
    joined: bool,
    ready: bool,
    open_links: usize,
    last_save: u64,
}

impl Model {
    fn see(&mut self, output: Output) -> Result<(), TestCaseError> {
        match output {
            Output::Dial { link, .. } => {
                prop_assert!(self.link < Some(link), "a name is used again");
                self.old = self.link.replace(link);
                self.brought.clear();
            }
            Output::Event(event) => self.hear(event)?,
            Output::Send { link, .. } | Output::Ping { link } => {
                prop_assert_eq!(Some(link), self.link);
                prop_assert!(self.joined);
            }
            Output::Close { .. } | Output::Drop { .. } => {}
        }
        Ok(())
    }

    fn hear(&mut self, event: Event) -> Result<(), TestCaseError> {
        match event {
            Event::Connecting { .. } => {
                // CLIENT-CLOSE-1: the end of one connection is told before the next begins.
                prop_assert_eq!(self.open_links, 0);
                self.open_links = 1;
            }
            Event::Joined { .. } => self.joined = true,
            Event::Ready => {
                // CLIENT-READY-2.
                prop_assert!(self.joined && !self.ready);
                self.ready = true;
            }
            Event::StateChanged { key, rev, value } => {
                prop_assert!(self.joined);
                let before = self.held.insert(key.to_string(), (rev, value.clone()));
                if self.brought.insert(key.to_string()) {
                    // CLIENT-CACHE-2: what is held already is not reported again.
                    prop_assert_ne!(before, Some((rev, value)));
                } else {
                    // CLIENT-APPLY-1: within a connection nothing goes back, and nothing is reported twice.
                    prop_assert!(before.is_some_and(|(before, _)| before < rev));
                }
            }
            Event::Closed(closed) => {
                prop_assert_eq!(self.open_links, 1);
                self.open_links = 0;
                self.joined = false;
                self.ready = false;
                prop_assert!(closed.reason.len() <= 123);
            }
            _ => {}
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn promises_hold(steps in vec(step(), 1..120), seed: u64) {
        let mut session = Session::new(Config { seed, ..Config::default() });
        let mut now = Time::ZERO;
        let mut model = Model::default();
        for step in steps {
            let link = model.link;
            match (step, link) {
                (Step::Join(room), _) => {
                    if model.room.replace(room) != Some(room) {
                        model.held.clear();
                    }
                    session.join(Address::new("ws://h", "g", &room.to_string()).unwrap(), now);
                }
                (Step::Leave, _) => session.leave(now),
                (Step::Reconnect, _) => {
                    session.reconnect(now);
                }
                (Step::Opened, Some(link)) => session.opened(link, now),
                (Step::PeerId, Some(link)) => session.message(link, Bytes::copy_from_slice(&PEER.to_le_bytes()), now),
                (Step::Updates(entries), Some(link)) => {
                    let entries: BTreeMap<u32, (u8, u8)> =
                        entries.into_iter().map(|(rev, key, value)| (rev, (key, value))).collect();
                    let mut keys = BTreeSet::new();
                    let entries: Vec<(u32, String, [u8; 1])> = entries
                        .into_iter()
                        .filter(|(_, (key, _))| keys.insert(*key))
                        .map(|(rev, (key, value))| (rev, format!("k{key}"), [value]))
                        .collect();
                    let entries: Vec<(u32, &str, &[u8])> =
                        entries.iter().map(|(rev, key, value)| (*rev, key.as_str(), value.as_slice())).collect();
                    session.message(link, snapshot(&entries).into(), now);
                }
                (Step::Bytes(bytes), Some(link)) => session.message(link, bytes.into(), now),
                (Step::Text, Some(link)) => session.text(link, now),
                (Step::Ended(code), Some(link)) => session.ended(link, End::by_relay(code, "x"), now),
                (Step::Wait(ms), _) => {
                    let end = now + Duration::from_millis(ms.into());
                    while let Some(at) = session.next_timeout().filter(|&at| at <= end) {
                        now = now.max(at);
                        session.timeout(now);
                        // A bench that never comes to rest would hang here, not fail.
                        while let Some(output) = session.output() {
                            model.see(output)?;
                        }
                    }
                    now = end;
                }
                (Step::Set(value), _) => {
                    let before = session.get("k0").cloned();
                    let sent = session.set("k0", &[value]);
                    prop_assert_eq!(sent.is_ok(), model.ready);
                    prop_assert_eq!(session.get("k0"), before.as_ref());
                }
                (Step::Save(value), _) => {
                    if let Ok(save) = session.save(&[value]) {
                        prop_assert_eq!(save.get(), model.last_save + 1);
                        model.last_save = save.get();
                    }
                }
                (Step::Stale(bytes), _) => {
                    // What comes late from the connection before is not heard.
                    let Some(old) = model.old else { continue };
                    session.message(old, bytes.into(), now);
                    session.text(old, now);
                    session.opened(old, now);
                    session.ended(old, End::by_relay(4400, ""), now);
                    prop_assert_eq!(session.output(), None);
                }
                (Step::Opened | Step::PeerId | Step::Updates(_) | Step::Bytes(_) | Step::Text
                    | Step::Ended(_), _) => {}
            }
            while let Some(output) = session.output() {
                model.see(output)?;
            }
            let held: BTreeMap<String, (u32, Bytes)> =
                session.cache().iter().map(|(key, held)| (key.to_string(), (held.rev, held.value.clone()))).collect();
            prop_assert_eq!(&held, &model.held);
            prop_assert_eq!(session.status() == Status::Idle, session.next_timeout().is_none());
        }
    }
}
