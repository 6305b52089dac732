//! The session, its outputs and its timer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use super::meter::{Counts, Traffic};
use super::transport;
use crate::core::{Address, Config, Event, LinkId, Output, Session, Status, Time};

/// What the handles, the timer and the connections of one client share.
///
/// The session is behind a lock that is held for the time of one call into it and for handing on its outputs; nothing waits for
/// anything while it holds it. So a write answers at once, from any thread.
#[derive(Debug)]
pub(super) struct Shared {
    inner: Mutex<Inner>,
    origin: Instant,
    runtime: Handle,
    /// The time of the next timeout may have changed, or the client is gone.
    wake: Notify,
    /// Connections whose tasks still run.
    live: watch::Sender<usize>,
    status: watch::Sender<Status>,
    counts: Arc<Counts>,
}

#[derive(Debug)]
struct Inner {
    session: Session,
    /// `None` once the client is gone.
    events: Option<UnboundedSender<Event>>,
    links: HashMap<LinkId, LinkHandle>,
}

/// How a connection is reached.
#[derive(Debug)]
struct LinkHandle {
    commands: UnboundedSender<Command>,
    /// Ends the connection when that time has passed, whatever it is waiting for.
    end_after: oneshot::Sender<Duration>,
}

/// What a connection is told.
#[derive(Debug)]
pub(super) enum Command {
    Send(Bytes),
    Ping,
    Close { code: u16, reason: String },
}

/// How long a connection that is closed may take to send what waits.
const FLUSH: Duration = Duration::from_secs(10);

impl Shared {
    pub(super) fn new(config: Config, runtime: Handle) -> (Arc<Self>, UnboundedReceiver<Event>) {
        let (events, receiver) = mpsc::unbounded_channel();
        let session = Session::new(config);
        let status = watch::Sender::new(session.status());
        let inner = Inner { session, events: Some(events), links: HashMap::new() };
        let shared = Self {
            inner: Mutex::new(inner),
            origin: Instant::now(),
            runtime,
            wake: Notify::new(),
            live: watch::Sender::new(0),
            status,
            counts: Arc::default(),
        };
        (Arc::new(shared), receiver)
    }

    /// Calls into the session and does what it then wants done.
    pub(super) fn with<T>(self: &Arc<Self>, call: impl FnOnce(&mut Session, Time) -> T) -> T {
        let now = self.now();
        let mut inner = self.lock();
        let due = inner.session.next_timeout();
        let result = call(&mut inner.session, now);
        while let Some(output) = inner.session.output() {
            self.carry_out(&mut inner, output);
        }
        let status = inner.session.status();
        self.status.send_if_modified(|held| std::mem::replace(held, status) != status);
        // A later time need not wake the timer: it finds out when it looks.
        let sooner = match (inner.session.next_timeout(), due) {
            (Some(next), Some(before)) => next < before,
            (next, before) => next.is_some() && before.is_none(),
        };
        drop(inner);
        if sooner {
            self.wake.notify_one();
        }
        result
    }

    /// Looks into the session without changing it.
    pub(super) fn read<T>(&self, look: impl FnOnce(&Session) -> T) -> T {
        look(&self.lock().session)
    }

    fn carry_out(self: &Arc<Self>, inner: &mut Inner, output: Output) {
        match output {
            Output::Dial { link, address } => inner.links.extend([(link, self.spawn_link(link, address))]),
            Output::Send { link, message } => inner.command(link, Command::Send(message)),
            Output::Ping { link } => inner.command(link, Command::Ping),
            Output::Close { link, code, reason } => {
                inner.command(link, Command::Close { code, reason });
                inner.end(link, FLUSH.saturating_add(transport::GOODBYE));
            }
            Output::Drop { link } => inner.end(link, Duration::ZERO),
            Output::Event(event) => {
                // Nobody listens any more: the events are not wanted.
                let _ = inner.events.as_ref().map(|events| events.send(event));
            }
        }
    }

    fn spawn_link(self: &Arc<Self>, link: LinkId, address: Address) -> LinkHandle {
        let (commands, receiver) = mpsc::unbounded_channel();
        let (end_after, ended) = oneshot::channel();
        let shared = Arc::clone(self);
        self.live.send_modify(|live| *live = live.saturating_add(1));
        self.runtime.spawn(async move {
            tokio::select! {
                () = transport::run(&shared, link, &address, receiver) => {}
                () = wait_for(ended) => {}
            }
            shared.lock().links.remove(&link);
            shared.live.send_modify(|live| *live = live.saturating_sub(1));
        });
        LinkHandle { commands, end_after }
    }

    /// Runs what is due until the client is gone.
    pub(super) fn spawn_timer(self: &Arc<Self>) {
        let shared = Arc::clone(self);
        self.runtime.spawn(async move {
            while shared.lock().events.is_some() {
                let due = shared.read(Session::next_timeout);
                let wait = due.map(|due| due.since(shared.now()));
                tokio::select! {
                    () = shared.wake.notified() => {}
                    () = sleep(wait) => shared.with(Session::timeout),
                }
            }
        });
    }

    /// The client is gone: nothing happens any more but that its last connection closes.
    pub(super) fn finish(self: &Arc<Self>) {
        self.with(Session::leave);
        self.lock().events = None;
        self.wake.notify_one();
    }

    /// Waits until no connection is left.
    pub(super) async fn all_links_done(&self) {
        // The sender lives as long as this does, so waiting cannot fail.
        let _ = self.live.subscribe().wait_for(|&live| live == 0).await;
    }

    /// What the session is doing, for waiting for changes of it.
    pub(super) fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.counts)
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.counts.read()
    }

    fn now(&self) -> Time {
        Time::from_origin(self.origin.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing in a locked section panics; were it to, the session would still be whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn command(&self, link: LinkId, command: Command) {
        // A connection that is gone has reported its end, or is about to.
        let _ = self.links.get(&link).map(|handle| handle.commands.send(command));
    }

    fn end(&mut self, link: LinkId, after: Duration) {
        let _ = self.links.remove(&link).map(|handle| handle.end_after.send(after));
    }
}

/// Waits until the connection is told to end, and then as long as it may still take.
async fn wait_for(ended: oneshot::Receiver<Duration>) {
    sleep(ended.await.ok()).await;
}

async fn sleep(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}
