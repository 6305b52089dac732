//! For how many batches a transaction waits.
//!
//! Rooms in which one write follows the other's broadcast tend to write in step, once their writes have shared a
//! transaction: each waits for the same fsync. So the number of rooms that wrote a moment ago tells how many will
//! write in the next moment, and a transaction that waits for them all costs one fsync instead of several. Where the
//! guess is wrong, it costs the patience once, and is corrected.

use std::collections::HashSet;
use std::mem;
use std::time::{Duration, Instant};

/// How far back "lately" goes: from one to two of these. Longer than a commit and a broadcast to eight full rooms
/// take; with half of it, rooms that write in step are lost from sight on a busy machine.
const LATELY: Duration = Duration::from_millis(4);

pub(super) struct Gather {
    /// The rooms that wrote since `begun`, and those that wrote in the period before.
    current: HashSet<i64>,
    previous: HashSet<i64>,
    begun: Instant,
}

impl Gather {
    pub(super) fn new(now: Instant) -> Self {
        Self { current: HashSet::new(), previous: HashSet::new(), begun: now }
    }

    /// A batch of this room is in the transaction.
    pub(super) fn wrote(&mut self, room: i64) {
        self.current.insert(room);
    }

    /// How many batches are likely to come before long, at least 1.
    pub(super) fn expected(&mut self, now: Instant) -> usize {
        let elapsed = now.saturating_duration_since(self.begun);
        if elapsed >= LATELY {
            mem::swap(&mut self.previous, &mut self.current);
            self.current.clear();
            self.begun = now;
        }
        if elapsed >= LATELY * 2 {
            self.previous.clear();
        }
        self.current.len().max(self.previous.len()).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_that_wrote_lately_are_expected() {
        let start = Instant::now();
        let mut gather = Gather::new(start);
        assert_eq!(gather.expected(start), 1);
        for room in [7, 8, 9, 8] {
            gather.wrote(room);
        }
        assert_eq!(gather.expected(start), 3);
        // In the next period the fewer that have written so far do not lower it.
        assert_eq!(gather.expected(start + LATELY), 3);
        gather.wrote(7);
        assert_eq!(gather.expected(start + LATELY), 3);
        assert_eq!(gather.expected(start + LATELY * 2), 1);
    }

    #[test]
    fn after_a_silence_nobody_is_expected() {
        let start = Instant::now();
        let mut gather = Gather::new(start);
        for room in 0..5 {
            gather.wrote(room);
        }
        assert_eq!(gather.expected(start + LATELY * 2), 1);
        assert_eq!(gather.expected(start), 1);
    }
}
