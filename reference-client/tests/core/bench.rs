//! A session on a bench: the test is the transport and the clock.

use std::time::Duration;

use bytes::Bytes;
use roomwire_client::core::{Config, LinkId, Output, Session, Time};
use roomwire_client::{Address, Closed, Event, PeerId};
use roomwire_codec::registry::limit;
use roomwire_codec::{
    AddPeer, DelPeer, Entry, Frame, Key, StateSnapshot, StateUpdate, WorldLoad, WorldSaveAck,
};

/// The peer id that the bench gives out.
pub(crate) const PEER: i32 = 512;

pub(crate) struct Bench {
    pub(crate) session: Session,
    pub(crate) now: Time,
    /// The connection that was asked for last.
    pub(crate) link: Option<LinkId>,
    /// What the session wanted done, events apart.
    pub(crate) did: Vec<Did>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Did {
    Dial(String),
    Send(Bytes),
    Ping,
    Close(u16, String),
    Drop,
}

pub(crate) fn address(room: &str) -> Address {
    Address::new("ws://h", "g", room).unwrap()
}

pub(crate) fn peer(id: i32) -> PeerId {
    PeerId::new(id).unwrap()
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(Config::default())
    }

    pub(crate) fn with(config: Config) -> Self {
        Self { session: Session::new(config), now: Time::from_millis(1_000), link: None, did: Vec::new() }
    }

    /// A bench whose session is ready in room `r`. The events so far are taken.
    pub(crate) fn ready() -> Self {
        Self::ready_at(address("r"))
    }

    pub(crate) fn ready_at(address: Address) -> Self {
        let mut bench = Self::new();
        bench.session.join(address, bench.now);
        bench.open_and_wait();
        bench
    }

    /// Lets the connection that was asked for come to be and become ready, in an empty room.
    pub(crate) fn open_and_wait(&mut self) {
        self.enter();
        self.advance(limit::READY_QUIET);
        assert!(self.events().contains(&Event::Ready));
        self.did.clear();
    }

    /// Lets the connection that was asked for come to be, up to the peer id.
    pub(crate) fn enter(&mut self) {
        self.events();
        self.open();
        self.peer_id();
    }

    /// Takes the outputs: events come back, the rest goes to `did`.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(output) = self.session.output() {
            let did = match output {
                Output::Event(event) => {
                    events.push(event);
                    continue;
                }
                Output::Dial { link, address } => {
                    self.link = Some(link);
                    Did::Dial(address.url())
                }
                Output::Send { message, .. } => Did::Send(message),
                Output::Ping { .. } => Did::Ping,
                Output::Close { code, reason, .. } => Did::Close(code, reason),
                Output::Drop { .. } => Did::Drop,
            };
            self.did.push(did);
        }
        events
    }

    pub(crate) fn link(&mut self) -> LinkId {
        let dialled = self.events();
        assert!(dialled.iter().all(|event| matches!(event, Event::Connecting { .. })), "{dialled:?}");
        self.link.unwrap()
    }

    pub(crate) fn open(&mut self) {
        let link = self.link();
        self.session.opened(link, self.now);
    }

    pub(crate) fn peer_id(&mut self) {
        self.message(&PEER.to_le_bytes());
    }

    /// A message of the relay's comes over the newest connection.
    pub(crate) fn message(&mut self, message: &[u8]) {
        let link = self.link.unwrap();
        self.session.message(link, Bytes::copy_from_slice(message), self.now);
    }

    pub(crate) fn frame(&mut self, frame: Frame<'_>) {
        let mut message = vec![0; frame.encoded_len()];
        frame.encode(&mut message).unwrap();
        self.message(&message);
    }

    pub(crate) fn update(&mut self, rev: u32, key: &str, value: &[u8]) {
        self.frame(Frame::StateUpdate(StateUpdate { rev, key: Key::try_from(key).unwrap(), value }));
    }

    pub(crate) fn snapshot(&mut self, entries: &[(u32, &str, &[u8])]) {
        self.message(&snapshot(entries));
    }

    pub(crate) fn world(&mut self, blob: &[u8]) {
        self.frame(Frame::WorldLoad(WorldLoad { blob }));
    }

    pub(crate) fn ack(&mut self) {
        self.frame(Frame::WorldSaveAck(WorldSaveAck));
    }

    pub(crate) fn add_peer(&mut self, id: i32) {
        self.frame(Frame::AddPeer(AddPeer::new(peer(id))));
    }

    pub(crate) fn del_peer(&mut self, id: i32) {
        self.frame(Frame::DelPeer(DelPeer::new(peer(id))));
    }

    /// The newest connection ends with a close frame of the relay's.
    pub(crate) fn close(&mut self, code: u16, reason: &str) -> Closed {
        self.end(roomwire_client::core::End::by_relay(code, reason))
    }

    pub(crate) fn end(&mut self, end: roomwire_client::core::End) -> Closed {
        let link = self.link.unwrap();
        self.session.ended(link, end, self.now);
        self.closed()
    }

    /// The end that was told of, the last of the events.
    pub(crate) fn closed(&mut self) -> Closed {
        match self.events().pop() {
            Some(Event::Closed(closed)) => closed,
            other => panic!("no end but {other:?}"),
        }
    }

    /// Lets time go by, calling the session whenever it wants to be called.
    pub(crate) fn advance(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        while let Some(at) = self.session.next_timeout().filter(|&at| at <= end) {
            self.now = self.now.max(at);
            self.session.timeout(self.now);
        }
        self.now = end;
    }
}

pub(crate) fn snapshot(entries: &[(u32, &str, &[u8])]) -> Vec<u8> {
    let entries =
        entries.iter().map(|&(rev, key, value)| Entry { rev, key: Key::try_from(key).unwrap(), value });
    let mut message = vec![0; StateSnapshot::encoded_len_of(entries.clone())];
    StateSnapshot::encode_entries(entries, &mut message).unwrap();
    message
}

/// The keys and revisions that were reported.
pub(crate) fn changes(events: &[Event]) -> Vec<(String, u32)> {
    let change = |event: &Event| match event {
        Event::StateChanged { key, rev, .. } => Some((key.to_string(), *rev)),
        _ => None,
    };
    events.iter().filter_map(change).collect()
}
