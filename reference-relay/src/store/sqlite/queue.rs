//! Calls on their way to the thread.
//!
//! Not a channel, since the thread wants to sleep until *several* calls wait, and each wake-up that is saved is some
//! microseconds for both sides.

use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::store::reply::Reply;
use crate::store::{Batch, RoomName, StoredRoom};

/// One call.
pub(super) enum Job {
    Load(RoomName, Reply<StoredRoom>),
    Commit(Batch, Reply<()>),
    /// What comes after it is dropped unread.
    Close,
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    enough: Condvar,
}

#[derive(Default)]
struct State {
    jobs: Vec<Job>,
    /// Whether one of `jobs` is to be served at once.
    urgent: bool,
    /// How many jobs the thread sleeps for; 0 while it is awake.
    wanted: usize,
    /// Nobody will take jobs any more.
    ended: bool,
}

impl State {
    fn has(&self, count: usize) -> bool {
        self.urgent || self.jobs.len() >= count
    }

    fn take(&mut self) -> Vec<Job> {
        self.wanted = 0;
        self.urgent = false;
        mem::take(&mut self.jobs)
    }
}

impl Queue {
    /// Adds a job. If nobody will take it, it is dropped, and so its reply says that the store is closed.
    pub(super) fn push(&self, job: Job) {
        let mut state = self.state();
        if state.ended {
            drop(state);
            return drop(job);
        }
        state.urgent |= !matches!(job, Job::Commit(..));
        state.jobs.push(job);
        if state.wanted > 0 && state.has(state.wanted) {
            state.wanted = 0;
            // Unlocked first, so that the thread does not wake up to wait for the lock.
            drop(state);
            self.enough.notify_one();
        }
    }

    /// Waits for a job; then, at most for `patience`, until there are as many as are `expected` by then, or an urgent
    /// one. Takes them all.
    pub(super) fn wait(&self, patience: Duration, expected: impl FnOnce(Instant) -> usize) -> Vec<Job> {
        let mut state = self.state();
        while !state.has(1) {
            state.wanted = 1;
            state = self.enough.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let begun = Instant::now();
        let count = expected(begun);
        while !state.has(count)
            && let Some(rest) = patience.checked_sub(begun.elapsed())
        {
            state.wanted = count;
            state = self.enough.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.take()
    }

    /// Takes all jobs that are there.
    pub(super) fn take(&self) -> Vec<Job> {
        self.state().take()
    }

    /// Takes no more jobs, and drops those that are there.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        let jobs = state.take();
        // Unlocked first: their replies may call the store.
        drop(state);
        drop(jobs);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver};
    use std::thread;

    use super::*;
    use crate::store::StoreError;
    use crate::store::tests::{batch, room, set};

    const FOR_EVER: Duration = Duration::from_secs(1_000_000);

    fn commit(rev: u32) -> (Job, Receiver<Result<(), StoreError>>) {
        let (sender, receiver) = mpsc::channel();
        let reply = Reply::new(Box::new(move |result| drop(sender.send(result))));
        (Job::Commit(batch(&room("r"), [set(rev, "a", "")]), reply), receiver)
    }

    #[test]
    fn the_thread_sleeps_until_enough_jobs_wait() {
        let queue = Queue::default();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| queue.wait(FOR_EVER, |_| 3).len());
            for rev in 1..=3 {
                queue.push(commit(rev).0);
                thread::yield_now();
            }
            assert_eq!(waiter.join().unwrap(), 3);
        });
        // More than were asked for are taken as well.
        (1..=5).for_each(|rev| queue.push(commit(rev).0));
        assert_eq!(queue.wait(FOR_EVER, |_| 2).len(), 5);
        assert_eq!(queue.take().len(), 0);
    }

    #[test]
    fn patience_ends() {
        let queue = Queue::default();
        for patience in [Duration::ZERO, Duration::from_millis(2)] {
            queue.push(commit(1).0);
            assert_eq!(queue.wait(patience, |_| 2).len(), 1);
        }
    }

    #[test]
    fn a_load_and_a_close_are_not_kept_waiting() {
        let urgent: [fn() -> Job; 2] = [|| Job::Load(room("r"), Reply::new(Box::new(|_| ()))), || Job::Close];
        for urgent in urgent {
            let queue = Queue::default();
            queue.push(commit(1).0);
            queue.push(urgent());
            assert_eq!(queue.wait(FOR_EVER, |_| 9).len(), 2);
            // The next are patient again.
            queue.push(commit(1).0);
            assert_eq!(queue.wait(Duration::ZERO, |_| 2).len(), 1);
            thread::scope(|scope| {
                scope.spawn(|| queue.wait(FOR_EVER, |_| 9));
                queue.push(urgent());
            });
        }
    }

    #[test]
    fn what_nobody_takes_is_told_so() {
        let queue = Queue::default();
        let (before, told_before) = commit(1);
        let (after, told_after) = commit(2);
        queue.push(before);
        queue.end();
        queue.push(after);
        for told in [told_before, told_after] {
            assert_eq!(told.try_recv(), Ok(Err(StoreError::Closed)));
        }
    }
}
