//! One WebSocket connection from its upgrade to its end: enters the room, reads, leaves.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use roomwire_codec::registry::close;
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::connection::Connection;
use super::inbound::{Event, Inbound};
use super::rates::{Place, Sends};
use super::relay::Shared;
use super::room::{Received, RoomHandle};
use crate::core::admission::Admission;
use crate::core::closing::Closing;
use crate::core::keepalive::{Keepalive, Verdict};
use crate::core::member::MemberId;

/// Runs a connection whose upgrade was accepted. `first` is what was read together with the request.
pub(crate) async fn run(
    shared: Arc<Shared>,
    socket: TcpStream,
    first: Bytes,
    admission: Result<Admission, Closing>,
    place: Place,
) {
    let (read, write) = socket.into_split();
    let connection = Connection::new(write, Arc::clone(&shared.sending));
    let mut inbound = Inbound::new(read, first);
    let membership = match admission {
        Ok(admission) => Membership::begin(&shared, admission, &place, &connection).await,
        Err(closing) => Err(closing),
    };
    let membership = membership.map_err(|closing| {
        tracing::debug!(code = closing.code(), reason = closing.reason(), "refused");
        connection.close(&closing, false);
        inbound.skip_messages();
    });
    let session = Session {
        keepalive: Keepalive::new(shared.sending.clock.now()),
        sends: shared.rates.of_member(),
        timer: Box::pin(tokio::time::sleep(shared.timing.ping_interval.min(shared.timing.idle_timeout))),
        shared,
        connection: Arc::clone(&connection),
        inbound,
        membership: membership.ok(),
    };
    session.read().await;
    connection.reader_done();
    drop(place);
}

/// A place in a room; given back when it is dropped.
struct Membership {
    shared: Arc<Shared>,
    room: Arc<RoomHandle>,
    member: Option<MemberId>,
}

impl Membership {
    async fn begin(
        shared: &Arc<Shared>,
        admission: Admission,
        place: &Place,
        connection: &Arc<Connection>,
    ) -> Result<Self, Closing> {
        if shared.stop.is_cancelled() {
            return Err(shared.stopping());
        }
        place.join(&admission.room)?;
        let room = shared.enter(&admission.room);
        let mut membership = Self { shared: Arc::clone(shared), room, member: None };
        membership.room.loaded().await?;
        let member = membership.room.join(admission.mode, connection)?;
        membership.member = Some(member);
        tracing::debug!(room = %admission.room, member = member.0, mode = ?admission.mode, "joined");
        Ok(membership)
    }

    fn close(&self, closing: Closing) {
        if let Some(member) = self.member {
            tracing::debug!(room = %self.room.name(), member = member.0, reason = closing.reason(), "closed");
            self.room.close(member, closing);
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        if let Some(member) = self.member {
            self.room.leave(member);
        }
        self.shared.exit(&self.room);
    }
}

/// How often a member that is held back is looked after.
const LOOK: Duration = Duration::from_millis(200);

struct Session {
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    inbound: Inbound,
    /// None for a connection that was refused: it is only read until its end.
    membership: Option<Membership>,
    keepalive: Keepalive,
    /// What the member may send.
    sends: Sends,
    timer: Pin<Box<Sleep>>,
}

/// What [`Session::poll`] came upon.
enum Step {
    Event(Event),
    /// Nothing came for the idle timeout.
    Idle,
}

impl Session {
    /// Reads until nothing more can come.
    async fn read(mut self) {
        loop {
            match std::future::poll_fn(|cx| self.poll(cx)).await {
                Step::Event(Event::Message) => self.receive().await,
                Step::Event(Event::Refused(closing)) => self.close(closing),
                Step::Event(Event::Broken(closing)) => {
                    self.close(closing);
                    self.connection.peer_broken();
                }
                // The member leaves now (PEER-SYS-4): whoever has the answer finds its place free (JOIN-ADMIT-2).
                Step::Event(Event::Closed(code)) => {
                    drop(self.leave());
                    self.connection.answer_close(code);
                }
                Step::Event(Event::End) => return,
                Step::Idle => {
                    let timeout = self.shared.timing.idle_timeout;
                    self.close(Closing::new(
                        close::IDLE,
                        format!("nothing came for {} ms", timeout.as_millis()),
                    ));
                }
            }
        }
    }

    async fn receive(&mut self) {
        let Some(Membership { room, member: Some(member), .. }) = &self.membership else { return };
        let (room, member) = (Arc::clone(room), *member);
        if !self.may_send(&room, member).await {
            return drop(self.leave());
        }
        loop {
            match room.receive(member, self.inbound.message()) {
                Received::Taken => return,
                Received::Congested => {
                    // Whether there is room or not, whoever was closed meanwhile is found out.
                    let relieved = tokio::time::timeout(LOOK, room.relieved());
                    let _ = self.wait_for(relieved).await;
                    if self.connection.is_broken() {
                        return drop(self.leave());
                    }
                }
                Received::Gone => return drop(self.leave()),
            }
        }
    }

    /// Waits until the member and then its room may send so much (RATE-SEND-1): the member's own rate first, so that it does not
    /// hold up others. Returns whether the member is still there; one that is closed meanwhile is read from again, so that
    /// its close frame is seen (CLOSE-8).
    async fn may_send(&mut self, room: &RoomHandle, member: MemberId) -> bool {
        let len = self.inbound.message().len();
        while let Some(wait) = self.sends.take(len) {
            if !self.look(room, member, tokio::time::sleep(wait.min(LOOK))).await {
                return false;
            }
        }
        if let Ok(_turn) = room.turn.try_lock()
            && room.sends.take(len).is_none()
        {
            return true;
        }
        // Whoever waits for the room's rate goes in turn, a large message before the small ones that came after it (RATE-SEND-3).
        let turn = room.turn.lock();
        tokio::pin!(turn);
        let mut held = None;
        while held.is_none() {
            let taken = tokio::time::timeout(LOOK, turn.as_mut());
            if !self.look(room, member, async { held = taken.await.ok() }).await {
                return false;
            }
        }
        while let Some(wait) = room.sends.take(len) {
            if !self.look(room, member, tokio::time::sleep(wait.min(LOOK))).await {
                return false;
            }
        }
        true
    }

    /// Waits, and tells whether the member is still there.
    async fn look(&mut self, room: &RoomHandle, member: MemberId, wait: impl Future<Output = ()>) -> bool {
        self.wait_for(wait).await;
        room.has(member) && !self.connection.is_broken()
    }

    /// Reads no more until `relieved` ends. The member is pinged meanwhile, and that it is not read from does not count as
    /// its silence (LIM-TIME-2).
    async fn wait_for<T>(&mut self, relieved: impl Future<Output = T>) -> T {
        tokio::pin!(relieved);
        std::future::poll_fn(|cx| {
            self.keepalive.heard(self.shared.sending.clock.now());
            // It was heard just now, so this pings at most.
            let _ = self.tick(cx);
            relieved.as_mut().poll(cx)
        })
        .await
    }

    /// Closes the member and gives its place back.
    fn close(&mut self, closing: Closing) {
        if let Some(membership) = self.leave() {
            membership.close(closing);
        }
    }

    /// From now on what the connection sends means nothing. The place in the room is given back with what is returned.
    fn leave(&mut self) -> Option<Membership> {
        self.inbound.skip_messages();
        self.membership.take()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        let mut heard = false;
        let event = self.inbound.poll(cx, &self.connection, &mut heard);
        if heard {
            self.keepalive.heard(self.shared.sending.clock.now());
        }
        if let Poll::Ready(event) = event {
            return Poll::Ready(Step::Event(event));
        }
        self.tick(cx)
    }

    /// Does what the time asks for.
    fn tick(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        while self.timer.as_mut().poll(cx).is_ready() {
            let now = self.shared.sending.clock.now();
            let next = match self.keepalive.timeout(now, &self.shared.timing) {
                Verdict::Wait(next) => next,
                Verdict::Ping(next) => {
                    self.connection.ping();
                    next
                }
                // Whoever is closed already is not asked any more: the end of the connection has a time-out of its own.
                Verdict::Idle => {
                    self.keepalive.heard(now);
                    return Poll::Ready(Step::Idle);
                }
            };
            if let Some(instant) = self.shared.sending.clock.instant(next) {
                self.timer.as_mut().reset(instant);
            }
        }
        Poll::Pending
    }
}
