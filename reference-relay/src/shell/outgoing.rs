//! What one connection still has to send, and in which order.

use std::ops::Range;

use bytes::{Buf, Bytes};

use super::turn::{Parts, Turn};
use super::wire;
use crate::core::backlog::{Backlog, Pace};
use crate::core::limits::QueueLimits;
use crate::core::time::Time;

/// The sending side of a connection. As long as the socket takes everything, nothing is kept here.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    /// What is left of a WebSocket frame that the socket took in part. It is always finished.
    partial: Bytes,
    /// Control frames, which may stand between any two frames. At most one ping and one pong, the latest: a member that
    /// does not read cannot make them pile up.
    ping: Option<Bytes>,
    pong: Option<Bytes>,
    backlog: Backlog,
    close: Close,
    /// A task is at work on what is kept here.
    pub(crate) has_writer: bool,
    /// The reading side has ended: nothing can come from the other side any more.
    pub(crate) reader_done: bool,
    /// What is known of the other side's close.
    pub(crate) peer: Peer,
}

/// How the other side ends the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Peer {
    /// Not yet.
    #[default]
    Open,
    /// It closed first, or its framing is broken, so that its close frame would not be seen.
    Ended,
    /// It answered our close frame.
    Answered,
}

/// How far the end of the connection is.
#[derive(Debug, Default)]
enum Close {
    #[default]
    Open,
    /// The close frame waits for what is queued before it.
    Queued(Bytes),
    /// The close frame is in `partial` or sent: nothing follows.
    Last,
    /// The connection is broken: nothing can be sent.
    Broken,
}

/// What the socket did with some bytes.
pub(crate) enum Took {
    /// All of them.
    All,
    /// The first so many.
    Some(usize),
    /// None, and it never will take more.
    Broken,
}

impl Outgoing {
    /// Whether bytes may go straight to the socket.
    pub(crate) fn is_clear(&self) -> bool {
        matches!(self.close, Close::Open) && self.is_drained()
    }

    /// Whether frames are still taken: no close frame is queued or sent.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.close, Close::Open)
    }

    /// Whether nothing waits to be sent.
    pub(crate) fn is_drained(&self) -> bool {
        let nothing_queued = self.ping.is_none() && self.pong.is_none() && self.backlog.is_empty();
        self.partial.is_empty() && nothing_queued && !matches!(self.close, Close::Queued(_))
    }

    /// Queues a member's parts of a turn, of which the socket took the first `taken` bytes.
    pub(crate) fn queue(&mut self, turn: &Turn, parts: &Parts, mut taken: usize) {
        if !self.is_open() {
            return;
        }
        for part in parts {
            for (at, frame) in turn.frames(part) {
                let len = at.len();
                if taken == 0 {
                    self.backlog.push(frame.clone());
                } else if taken < len {
                    let rest = Range { start: at.start.saturating_add(taken), end: at.end };
                    self.partial = Bytes::copy_from_slice(turn.bytes(&rest));
                }
                taken = taken.saturating_sub(len);
            }
        }
    }

    /// Queues a ping, unless one waits already.
    pub(crate) fn queue_ping(&mut self) {
        if self.is_open() {
            self.ping = Some(wire::ping().into());
        }
    }

    /// Queues a pong in the place of one that waits.
    pub(crate) fn queue_pong(&mut self, payload: &[u8]) {
        if self.is_open() {
            self.pong = Some(wire::pong(payload).into());
        }
    }

    /// Queues a close frame. Nothing that comes later is taken. `drop_queue` drops what waits, but for a frame that
    /// was sent in part (SLOW-4).
    pub(crate) fn queue_close(&mut self, frame: Vec<u8>, drop_queue: bool) {
        if !self.is_open() {
            return;
        }
        self.close = Close::Queued(frame.into());
        (self.ping, self.pong) = (None, None);
        if drop_queue {
            self.backlog.clear();
        }
    }

    /// The connection is broken: drops everything.
    pub(crate) fn break_off(&mut self) {
        self.backlog.clear();
        self.partial = Bytes::new();
        (self.ping, self.pong) = (None, None);
        self.close = Close::Broken;
    }

    /// Whether the connection can send no more.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self.close, Close::Broken)
    }

    /// Sends with `write` until everything is sent or the socket takes no more, but not for long: whoever has something for
    /// the member waits meanwhile, and that may be the room (SLOW-1). A queue may hold a million frames.
    pub(crate) fn drain(&mut self, mut write: impl FnMut(&[u8]) -> Took) {
        const FRAMES: usize = 64;
        for _ in 0..FRAMES {
            if self.partial.is_empty() {
                match self.next() {
                    Some(frame) => self.partial = frame,
                    None => return,
                }
            }
            match write(&self.partial) {
                Took::All => self.partial = Bytes::new(),
                Took::Some(0) => return,
                Took::Some(taken) => self.partial.advance(taken.min(self.partial.len())),
                Took::Broken => return self.break_off(),
            }
        }
    }

    fn next(&mut self) -> Option<Bytes> {
        if let Some(control) = self.pong.take().or_else(|| self.ping.take()) {
            return Some(control);
        }
        if let Some(frame) = self.backlog.pop() {
            return Some(wire::binary(&frame).into());
        }
        match std::mem::take(&mut self.close) {
            Close::Queued(frame) => {
                self.close = Close::Last;
                Some(frame)
            }
            other => {
                self.close = other;
                None
            }
        }
    }

    /// Judges the member's pace.
    pub(crate) fn pace(&mut self, now: Time, limits: &QueueLimits) -> Pace {
        let control = [&self.ping, &self.pong].into_iter().flatten().map(Bytes::len).sum::<usize>();
        self.backlog.pace(now, self.partial.len().saturating_add(control), limits)
    }
}
