//! The state machine of a client.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use roomwire_codec::registry::close;
use roomwire_codec::{DecodeError, PeerId};

use super::address::Address;
use super::backoff::{Retries, is_worth_retrying};
use super::cache::Cache;
use super::config::Config;
use super::end::{By, Closed, End, NORMAL, Stage};
use super::event::{Event, ProtocolError, SaveTicket};
use super::link::{Due, Link, LinkId};
use super::output::{Output, Status};
use super::time::Time;
use super::write::{self, Target, WriteError};

/// A client's place in a room, over as many connections as it takes.
///
/// Whoever runs it does three things: it takes the [`Output`]s after each call and does what they say; it reports what becomes of
/// the connections by [`opened`](Self::opened), [`heard`](Self::heard), [`message`](Self::message), [`text`](Self::text),
/// [`sent`](Self::sent) and [`ended`](Self::ended); and it calls [`timeout`](Self::timeout) when
/// [`next_timeout`](Self::next_timeout) has come.
///
/// ```
/// use roomwire_client::core::{Address, Config, Event, Output, Session, Time};
///
/// let mut session = Session::new(Config::default());
/// let mut now = Time::ZERO;
/// session.join(Address::new("ws://127.0.0.1:8080", "chess", "table-7")?, now);
///
/// let mut events = Vec::new();
/// while let Some(output) = session.output() {
///     match output {
///         Output::Dial { link, address } => {
///             assert_eq!(address.url(), "ws://127.0.0.1:8080/r/table-7?g=chess&v=1");
///             session.opened(link, now);
///             session.message(link, (&[0, 2, 0, 0]).as_slice().into(), now);
///             let snapshot = b"\xF6\x01\0\0\0\x07\0\0\0\x04\0turn\x01\0\0\0\x02";
///             session.message(link, snapshot.as_slice().into(), now);
///         }
///         Output::Event(event) => events.push(event),
///         _ => {}
///     }
/// }
/// assert_eq!(session.get("turn").map(|held| held.value.as_ref()), Some([2].as_slice()));
/// assert!(matches!(events.as_slice(), [_, Event::Opened, Event::Joined { .. }, Event::StateChanged { rev: 7, .. }]));
///
/// // Nothing more comes, so the join data is complete.
/// now = session.next_timeout().unwrap();
/// session.timeout(now);
/// assert_eq!(session.output(), Some(Output::Event(Event::Ready)));
/// session.set("turn", &[1])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Session {
    config: Config,
    address: Option<Address>,
    cache: Cache,
    state: State,
    retries: Retries,
    links: u64,
    saves: u64,
    outputs: VecDeque<Output>,
}

#[derive(Debug)]
enum State {
    Idle,
    Waiting { until: Time },
    Linked(Link),
}

/// Joining, leaving, and what a game asks.
impl Session {
    /// A session that is in no room.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let retries = Retries::new(config.reconnect, config.seed);
        Self {
            config,
            address: None,
            cache: Cache::default(),
            state: State::Idle,
            retries,
            links: 0,
            saves: 0,
            outputs: VecDeque::new(),
        }
    }

    /// Joins a room, and leaves the one before. What is held of another room is forgotten (CLIENT-CACHE-1).
    pub fn join(&mut self, address: Address, now: Time) {
        self.end_link(End::by_client(NORMAL, ""), false, now);
        self.cache.bind(address.place());
        self.address = Some(address);
        self.retries.reset();
        self.dial(now);
    }

    /// Connects to the same room again, now, whether connected or not. Returns `false` if no room was ever joined.
    pub fn reconnect(&mut self, now: Time) -> bool {
        self.end_link(End::by_client(NORMAL, ""), false, now);
        self.dial(now);
        self.address.is_some()
    }

    /// Leaves the room. What is held stays readable, and [`reconnect`](Self::reconnect) goes back.
    pub fn leave(&mut self, now: Time) {
        self.end_link(End::by_client(NORMAL, ""), false, now);
        self.state = State::Idle;
    }

    /// Writes a value. The cache changes when the relay has committed it, not before (CLIENT-ECHO-1).
    ///
    /// # Errors
    ///
    /// A [`WriteError`]; then nothing was sent (CLIENT-WRITE-1).
    pub fn set(&mut self, key: &str, value: &[u8]) -> Result<(), WriteError> {
        let message = write::set(self.mode()?, key, value)?;
        self.send(message, None)
    }

    /// Saves the world. The ticket names this save in the [`Event::WorldSaved`] that says that it is durable.
    ///
    /// # Errors
    ///
    /// A [`WriteError`]; then nothing was sent (CLIENT-WRITE-1).
    pub fn save(&mut self, blob: &[u8]) -> Result<SaveTicket, WriteError> {
        let message = write::save(self.mode()?, blob)?;
        let ticket = SaveTicket(self.saves.saturating_add(1));
        self.send(message, Some(ticket))?;
        self.saves = ticket.0;
        Ok(ticket)
    }

    /// Sends a packet to peers.
    ///
    /// # Errors
    ///
    /// A [`WriteError`]; then nothing was sent.
    pub fn send_packet(&mut self, target: Target, payload: &[u8]) -> Result<(), WriteError> {
        let message = write::packet(self.mode()?, target, payload)?;
        self.send(message, None)
    }

    /// What is held for a key; `None` if it is not set (CLIENT-GET-1).
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&super::Held> {
        self.cache.get(key)
    }

    /// All that is held.
    #[must_use]
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The peers that are present, ascending. None while there is no connection.
    pub fn peers(&self) -> impl Iterator<Item = PeerId> {
        self.link().into_iter().flat_map(|link| link.peers().iter().copied())
    }

    /// This client's own peer id, while there is a connection.
    #[must_use]
    pub fn peer(&self) -> Option<PeerId> {
        self.link().and_then(Link::peer)
    }

    /// What the session is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.state {
            State::Idle => Status::Idle,
            State::Waiting { .. } => Status::Waiting,
            State::Linked(link) => Status::Linked(link.stage()),
        }
    }

    /// The room that was joined last.
    #[must_use]
    pub fn address(&self) -> Option<&Address> {
        self.address.as_ref()
    }

    fn link(&self) -> Option<&Link> {
        match &self.state {
            State::Linked(link) => Some(link),
            State::Idle | State::Waiting { .. } => None,
        }
    }

    fn mode(&self) -> Result<super::Mode, WriteError> {
        self.address.as_ref().map(Address::mode).ok_or(WriteError::NotConnected)
    }

    fn send(&mut self, message: Bytes, save: Option<SaveTicket>) -> Result<(), WriteError> {
        let State::Linked(link) = &mut self.state else { return Err(WriteError::NotConnected) };
        match link.stage() {
            Stage::Connecting | Stage::Open => return Err(WriteError::NotConnected),
            Stage::Joining => return Err(WriteError::NotReady),
            Stage::Ready => {}
        }
        let unsent = link.unsent.saturating_add(message.len());
        if unsent > self.config.send_buffer {
            return Err(WriteError::Backlog { unsent: link.unsent });
        }
        link.unsent = unsent;
        link.saves.extend(save);
        self.outputs.push_back(Output::Send { link: link.id, message });
        Ok(())
    }
}

/// What the transport and the clock report.
impl Session {
    /// The next thing to do; `None` when all is done.
    pub fn output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// A connection is open: its WebSocket handshake is complete.
    pub fn opened(&mut self, link: LinkId, now: Time) {
        if let Some(current) = self.current(link) {
            current.opened(now);
            self.tell(Event::Opened);
        }
    }

    /// Some bytes of a connection came, not necessarily a whole message.
    pub fn heard(&mut self, link: LinkId, now: Time) {
        if let Some(current) = self.current(link) {
            current.heard(now);
        }
    }

    /// A binary message came.
    pub fn message(&mut self, link: LinkId, message: Bytes, now: Time) {
        let Self { config, cache, outputs, state, .. } = self;
        let State::Linked(current) = state else { return };
        if current.id != link {
            return;
        }
        let tell = |event| outputs.push_back(Output::Event(event));
        if let Err(error) = current.message(&message, cache, config, now, tell) {
            self.tell(Event::Error(ProtocolError::Decode(error)));
            let DecodeError { class, offset, field, rule, .. } = error;
            let detail = format_args!("{class} at byte {offset}, {field} [{rule}]");
            self.end_link(End::with_detail(close::MALFORMED, detail), true, now);
        }
    }

    /// A text message came (CLIENT-TEXT-1).
    pub fn text(&mut self, link: LinkId, now: Time) {
        if self.current(link).is_some() {
            self.tell(Event::Error(ProtocolError::Text));
            self.end_link(End::with_detail(close::TEXT, "messages are binary"), true, now);
        }
    }

    /// So many bytes of messages have left.
    pub fn sent(&mut self, link: LinkId, bytes: usize) {
        if let Some(current) = self.current(link) {
            current.unsent = current.unsent.saturating_sub(bytes);
        }
    }

    /// A connection ended, or an attempt failed. The transport is done with it.
    pub fn ended(&mut self, link: LinkId, end: End, now: Time) {
        if self.current(link).is_some() {
            self.end_link(end, true, now);
        }
    }

    /// When [`timeout`](Self::timeout) is to be called; `None` if nothing depends on the time.
    #[must_use]
    pub fn next_timeout(&self) -> Option<Time> {
        match &self.state {
            State::Idle => None,
            State::Waiting { until } => Some(*until),
            State::Linked(link) => Some(link.next_due(&self.config).0),
        }
    }

    /// Does what is due. Too early a call does nothing.
    pub fn timeout(&mut self, now: Time) {
        match &mut self.state {
            State::Idle => {}
            State::Waiting { until } => {
                if *until <= now {
                    self.dial(now);
                }
            }
            State::Linked(link) => {
                let (at, due) = link.next_due(&self.config);
                if at > now {
                    return;
                }
                match due {
                    Due::Ready => {
                        link.ready(now);
                        self.tell(Event::Ready);
                    }
                    Due::Ping => {
                        link.pinged();
                        self.outputs.push_back(Output::Ping { link: link.id });
                    }
                    Due::NoPeerId => {
                        let seconds = self.config.join_timeout.as_secs_f32();
                        self.give_up(format!("no answer within {seconds} s"), now);
                    }
                    Due::Idle => {
                        let seconds = self.config.idle_timeout.as_secs_f32();
                        self.give_up(format!("nothing came for {seconds} s"), now);
                    }
                }
            }
        }
    }

    /// The connection in use, if it is the one that is meant.
    fn current(&mut self, link: LinkId) -> Option<&mut Link> {
        match &mut self.state {
            State::Linked(current) if current.id == link => Some(current),
            _ => None,
        }
    }

    fn tell(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }

    fn dial(&mut self, now: Time) {
        let Some(address) = self.address.clone() else { return };
        self.cache.begin_connection();
        self.links = self.links.saturating_add(1);
        let link = LinkId(self.links);
        self.state = State::Linked(Link::new(link, now));
        self.tell(Event::Connecting { attempt: self.retries.attempt() });
        self.outputs.push_back(Output::Dial { link, address });
    }

    /// The relay does not answer, so there is nobody to say goodbye to.
    fn give_up(&mut self, why: String, now: Time) {
        self.end_link(End::broken(why), true, now);
    }

    /// Ends the connection in use, if there is one, and tells of it. `retry` allows the next attempt.
    fn end_link(&mut self, end: End, retry: bool, now: Time) {
        let State::Linked(link) = &mut self.state else { return };
        let (id, stage) = (link.id, link.stage());
        let peers = link.peers().clone();
        let unanswered_saves = std::mem::take(&mut link.saves).into();
        let held = link.ready_since().is_some_and(|since| now.since(since) >= self.config.settle);
        if held {
            self.retries.reset();
        }
        match end.by {
            By::Client if stage > Stage::Connecting => {
                self.outputs.push_back(Output::Close {
                    link: id,
                    code: end.code,
                    reason: end.reason.clone(),
                });
            }
            By::Client | By::Network => self.outputs.push_back(Output::Drop { link: id }),
            By::Relay => {}
        }
        let retry_in: Option<Duration> =
            if retry && is_worth_retrying(end.code) { self.retries.failed() } else { None };
        self.state = match retry_in {
            Some(wait) => State::Waiting { until: now + wait },
            None => State::Idle,
        };
        // With the connection all its peers are gone (CLIENT-PEER-1).
        for peer in peers {
            self.tell(Event::PeerRemoved { peer });
        }
        // An attempt that is given up comes to no close frame (CLIENT-CLOSE-1).
        let end = if stage == Stage::Connecting && end.by == By::Client {
            End { by: By::Client, ..End::broken("") }
        } else {
            end
        };
        let End { code, reason, by, detail } = end;
        self.tell(Event::Closed(Closed { code, reason, detail, by, stage, retry_in, unanswered_saves }));
    }
}
