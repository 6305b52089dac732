//! A room's flusher: the one task that sends. It is woken once a burst, and writes to each member once a turn.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use roomwire_codec::registry::close;

use super::connection::Connection;
use super::relay::Shared;
use super::room::{RoomHandle, Work};
use super::turn::{Parts, Turn, add};
use crate::core::backlog::Pace;
use crate::core::closing::Closing;
use crate::core::effect::{Audience, Effect};
use crate::core::member::{MemberId, Mode};
use crate::core::time::Time;

thread_local! {
    /// A turn never waits, so all rooms whose flushers run on a thread share one buffer.
    static TURN: RefCell<Turn> = RefCell::default();
}

/// The members of a room as its flusher knows them: those to whom the effects so far have led.
#[derive(Debug)]
struct Flusher {
    shared: Arc<Shared>,
    room: Arc<RoomHandle>,
    /// Ascending by id: ids rise with each join.
    slots: Vec<Slot>,
    work: Work,
}

#[derive(Debug)]
struct Slot {
    member: MemberId,
    mode: Mode,
    connection: Arc<Connection>,
    /// What the member gets of the turn.
    parts: Parts,
    /// When the grace of a slow member ends.
    grace: Option<Time>,
    end: End,
}

/// Whether the member is still there after the turn.
#[derive(Debug)]
enum End {
    No,
    Left,
    Close(Closing),
}

/// Serves a room until the directory has forgotten it.
pub(crate) async fn run(shared: Arc<Shared>, room: Arc<RoomHandle>) {
    let mut flusher = Flusher { shared, room, slots: Vec::new(), work: Work::default() };
    loop {
        flusher.wait().await;
        while flusher.turn() {}
        if flusher.room.is_idle() {
            flusher.shared.settle(&flusher.room);
        }
        if flusher.room.is_retired() {
            return;
        }
    }
}

impl Flusher {
    /// Waits for something to do, and then gives every reader that is ready the chance to add to it.
    async fn wait(&self) {
        let graces = self.slots.iter().filter_map(|slot| slot.grace);
        let timeout = graces.chain(self.room.next_timeout()).min();
        tokio::select! {
            () = self.room.wake.notified() => {}
            () = self.shared.sending.clock.sleep_until(timeout) => {}
        }
        tokio::task::yield_now().await;
    }

    /// Does what is to be done now. Returns whether that was anything.
    fn turn(&mut self) -> bool {
        let now = self.shared.sending.clock.now();
        self.judge(now);
        if !self.room.take_work(now, &mut self.work) {
            return false;
        }
        if let Some(failure) = self.work.failure.take() {
            self.shared.fail(failure);
        }
        if let Some(batch) = self.work.batch.take() {
            self.shared.commit(&self.room, batch);
        }
        if !self.work.effects.is_empty() {
            TURN.with_borrow_mut(|turn| {
                self.place(turn);
                self.write(now, turn);
                turn.reset();
            });
        }
        true
    }

    /// Places every frame in the turn's buffer and settles who gets it.
    fn place(&mut self, turn: &mut Turn) {
        let mut effects = std::mem::take(&mut self.work.effects);
        for effect in effects.drain(..) {
            match effect {
                Effect::Joined { member, mode } => self.arrive(member, mode),
                Effect::Send { to, frame } => {
                    let at = turn.place(frame);
                    self.address(&to, &at);
                }
                Effect::Left { member } => self.end(member, End::Left),
                Effect::Close { member, closing } => self.end(member, End::Close(closing)),
            }
        }
        self.work.effects = effects;
    }

    fn arrive(&mut self, member: MemberId, mode: Mode) {
        let Some(at) = self.work.arrivals.iter().position(|(arrival, _)| *arrival == member) else { return };
        let (_, connection) = self.work.arrivals.swap_remove(at);
        self.slots.push(Slot { member, mode, connection, parts: Parts::new(), grace: None, end: End::No });
    }

    fn address(&mut self, to: &Audience, at: &Range<usize>) {
        match to {
            Audience::One(member) => self.slot(*member).into_iter().for_each(|slot| slot.add(at)),
            Audience::Some(members) => {
                members
                    .iter()
                    .for_each(|&member| self.slot(member).into_iter().for_each(|slot| slot.add(at)));
            }
            Audience::State => {
                self.slots.iter_mut().filter(|slot| slot.mode.has_state()).for_each(|slot| slot.add(at));
            }
            Audience::Peers { not, nor } => {
                let others = |slot: &&mut Slot| slot.member != *not && Some(slot.member) != *nor;
                let peers = self.slots.iter_mut().filter(|slot| slot.mode.has_peers());
                peers.filter(others).for_each(|slot| slot.add(at));
            }
        }
    }

    fn slot(&mut self, member: MemberId) -> Option<&mut Slot> {
        let at = self.slots.binary_search_by_key(&member, |slot| slot.member).ok()?;
        self.slots.get_mut(at)
    }

    fn end(&mut self, member: MemberId, end: End) {
        if let Some(slot) = self.slot(member)
            && slot.is_here()
        {
            slot.end = end;
        }
    }

    /// One write for each member.
    fn write(&mut self, now: Time, turn: &Turn) {
        let mut slow = Vec::new();
        self.slots.retain_mut(|slot| {
            if !slot.parts.is_empty() {
                if !matches!(slot.end, End::Left) {
                    let pace = slot.connection.send(now, turn, &slot.parts);
                    slot.judge(pace, &mut slow);
                }
                slot.parts.clear();
            }
            match &slot.end {
                End::No => true,
                End::Left => false,
                End::Close(closing) => {
                    slot.connection.close(closing, false);
                    false
                }
            }
        });
        self.give_up(slow);
    }

    /// Looks again at the slow members whose grace is over.
    fn judge(&mut self, now: Time) {
        let mut slow = Vec::new();
        for slot in self.slots.iter_mut().filter(|slot| slot.grace.is_some_and(|ends| ends <= now)) {
            let pace = slot.connection.pace(now);
            slot.judge(pace, &mut slow);
        }
        self.give_up(slow);
    }

    /// Closes members that read too slowly, at once: their queues are dropped (SLOW-4).
    fn give_up(&self, slow: Vec<(MemberId, Arc<Connection>, usize)>) {
        for (member, connection, bytes) in slow {
            let detail =
                format!("{bytes} bytes are queued, the limit is {}", self.shared.sending.limits.limit);
            let closing = Closing::new(close::SLOW, detail);
            connection.close(&closing, true);
            self.room.close(member, closing);
        }
    }
}

impl Slot {
    fn is_here(&self) -> bool {
        matches!(self.end, End::No)
    }

    fn add(&mut self, at: &Range<usize>) {
        if self.is_here() {
            add(&mut self.parts, at);
        }
    }

    fn judge(&mut self, pace: Pace, slow: &mut Vec<(MemberId, Arc<Connection>, usize)>) {
        self.grace = match pace {
            Pace::Fine => None,
            Pace::Grace(ends) => Some(ends),
            Pace::TooSlow(bytes) => {
                slow.push((self.member, Arc::clone(&self.connection), bytes));
                None
            }
        };
    }
}
