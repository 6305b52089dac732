//! The sending side of a WebSocket connection: one non-blocking write where the socket takes it, a queue and a task where
//! it does not.

use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use socket2::SockRef;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use super::clock::Clock;
use super::outgoing::{Outgoing, Peer, Took};
use super::turn::{Parts, Turn};
use super::wire;
use crate::core::backlog::Pace;
use crate::core::closing::Closing;
use crate::core::limits::QueueLimits;
use crate::core::time::Time;

/// Most separate parts that one write takes.
const MOST_SLICES: usize = 64;

/// What connections share.
#[derive(Debug)]
pub(crate) struct Sending {
    pub(crate) clock: Clock,
    pub(crate) tasks: TaskTracker,
    pub(crate) limits: QueueLimits,
    pub(crate) close_timeout: Duration,
}

/// A connection that can be sent to, from any task. Its reader has the other half of the socket.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedWriteHalf,
    outgoing: Mutex<Outgoing>,
    /// Wakes the task that works on what is queued: the queue was changed other than at its end, or the reader ended.
    kick: Notify,
    sending: Arc<Sending>,
}

impl Connection {
    pub(crate) fn new(socket: OwnedWriteHalf, sending: Arc<Sending>) -> Arc<Self> {
        Arc::new(Self { socket, outgoing: Mutex::default(), kick: Notify::new(), sending })
    }

    fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the member its parts of a turn, and tells how it keeps up.
    pub(crate) fn send(self: &Arc<Self>, now: Time, turn: &Turn, parts: &Parts) -> Pace {
        let mut outgoing = self.outgoing();
        if outgoing.is_clear() {
            match self.write_parts(turn, parts) {
                Took::All => return Pace::Fine,
                Took::Some(taken) => outgoing.queue(turn, parts, taken),
                Took::Broken => outgoing.break_off(),
            }
            self.start_writer(&mut outgoing);
        } else {
            outgoing.queue(turn, parts, 0);
        }
        outgoing.pace(now, &self.sending.limits)
    }

    /// Judges the member's pace again, when its grace may have ended.
    pub(crate) fn pace(&self, now: Time) -> Pace {
        self.outgoing().pace(now, &self.sending.limits)
    }

    /// Sends a ping.
    pub(crate) fn ping(self: &Arc<Self>) {
        self.enqueue(Outgoing::queue_ping);
    }

    /// Answers a ping.
    pub(crate) fn pong(self: &Arc<Self>, payload: &[u8]) {
        self.enqueue(|outgoing| outgoing.queue_pong(payload));
    }

    /// Answers the other side's close frame, unless that is the answer to ours.
    pub(crate) fn answer_close(self: &Arc<Self>, code: Option<u16>) {
        self.enqueue(|outgoing| {
            outgoing.peer = if outgoing.is_open() { Peer::Ended } else { Peer::Answered };
            outgoing.queue_close(wire::close_answer(code), false);
        });
    }

    /// Closes the connection after what is queued; see [`Outgoing::queue_close`].
    pub(crate) fn close(self: &Arc<Self>, closing: &Closing, drop_queue: bool) {
        self.enqueue(|outgoing| outgoing.queue_close(wire::close(closing), drop_queue));
    }

    /// Whether nothing can be sent any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.outgoing().is_broken()
    }

    /// The other side cannot be understood any more: its close frame is not waited for.
    pub(crate) fn peer_broken(&self) {
        self.outgoing().peer = Peer::Ended;
        self.kick.notify_one();
    }

    /// Nothing more comes from the other side. If it ended without a close, it gets nothing more either.
    pub(crate) fn reader_done(&self) {
        let mut outgoing = self.outgoing();
        outgoing.reader_done = true;
        if outgoing.is_open() {
            outgoing.break_off();
        }
        self.kick.notify_one();
    }

    fn enqueue(self: &Arc<Self>, queue: impl FnOnce(&mut Outgoing)) {
        let mut outgoing = self.outgoing();
        queue(&mut outgoing);
        if outgoing.has_writer {
            self.kick.notify_one();
            return;
        }
        outgoing.drain(|bytes| self.write(bytes));
        self.start_writer(&mut outgoing);
    }

    /// Starts the task that does the rest, if there is a rest and no task.
    fn start_writer(self: &Arc<Self>, outgoing: &mut Outgoing) {
        if !outgoing.has_writer && !outgoing.is_clear() {
            outgoing.has_writer = true;
            self.sending.tasks.spawn(Arc::clone(self).finish());
        }
    }

    /// Sends what is queued. At the end of the connection, sees to it that the other side gets the close frame.
    async fn finish(self: Arc<Self>) {
        if !self.drain().await {
            return;
        }
        let deadline = self.sending.clock.now() + self.sending.close_timeout;
        tokio::select! {
            () = self.part() => {}
            () = self.sending.clock.sleep_until(Some(deadline)) => {}
        }
        // Whoever still reads from the socket gets its end now.
        self.shutdown(std::net::Shutdown::Both);
    }

    /// Sends what is queued until there is nothing left (false), or nothing but the close (true).
    async fn drain(&self) -> bool {
        loop {
            {
                let mut outgoing = self.outgoing();
                outgoing.drain(|bytes| self.write(bytes));
                outgoing.pace(self.sending.clock.now(), &self.sending.limits);
                if outgoing.is_clear() {
                    outgoing.has_writer = false;
                    return false;
                }
                if !outgoing.is_open() {
                    return true;
                }
            }
            tokio::select! {
                writable = self.socket.writable() => {
                    if writable.is_err() {
                        self.outgoing().break_off();
                    }
                }
                () = self.kick.notified() => {}
            }
        }
    }

    /// Sends the rest with the close frame and waits for the other side's. Where that has come already or will not come,
    /// waits for the end of what it sends: to end the connection while something is unread could lose the close frame.
    async fn part(&self) {
        let mut ended = false;
        loop {
            let drained = {
                let mut outgoing = self.outgoing();
                outgoing.drain(|bytes| self.write(bytes));
                let drained = outgoing.is_drained();
                let over = outgoing.reader_done || outgoing.peer == Peer::Answered;
                if outgoing.is_broken() || (drained && over) {
                    return;
                }
                if drained && outgoing.peer == Peer::Ended && !ended {
                    ended = true;
                    self.shutdown(std::net::Shutdown::Write);
                }
                drained
            };
            tokio::select! {
                writable = self.socket.writable(), if !drained => {
                    if writable.is_err() {
                        self.outgoing().break_off();
                    }
                }
                () = self.kick.notified() => {}
            }
        }
    }

    fn shutdown(&self, how: std::net::Shutdown) {
        // The other side may have ended the connection already; there is nothing to do about it.
        let _ = SockRef::from(self.socket.as_ref()).shutdown(how);
    }

    fn write(&self, bytes: &[u8]) -> Took {
        took(self.socket.try_write(bytes), bytes.len())
    }

    fn write_parts(&self, turn: &Turn, parts: &Parts) -> Took {
        let mut taken = 0usize;
        for parts in parts.chunks(MOST_SLICES) {
            let len = parts.iter().fold(0usize, |sum, part| sum.saturating_add(part.len()));
            let written = match parts {
                [part] => self.socket.try_write(turn.bytes(part)),
                parts => {
                    let slices: Vec<IoSlice<'_>> =
                        parts.iter().map(|part| IoSlice::new(turn.bytes(part))).collect();
                    self.socket.try_write_vectored(&slices)
                }
            };
            match took(written, len) {
                Took::All => taken = taken.saturating_add(len),
                Took::Some(some) => return Took::Some(taken.saturating_add(some)),
                Took::Broken => return Took::Broken,
            }
        }
        Took::All
    }
}

fn took(written: io::Result<usize>, len: usize) -> Took {
    match written {
        Ok(taken) if taken >= len => Took::All,
        Ok(taken) => Took::Some(taken),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Took::Some(0),
        Err(_) => Took::Broken,
    }
}
