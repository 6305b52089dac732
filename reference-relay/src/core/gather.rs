//! How long a batch waits for more writes.
//!
//! Every commit costs an fsync, and every broadcast one send for each member, however many writes they hold. Members that
//! answer each other's writes come in step: each waits for the same commit. So those who wrote a moment ago are likely to
//! write in the next moment, and a batch that waits for them all is worth it. Where the guess is wrong, it costs the
//! patience once, and is corrected by the next batch. A member that writes alone never waits.

use std::collections::HashSet;
use std::time::Duration;

use super::member::MemberId;
use super::time::Time;

/// Decides when the next batch is to be taken.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    /// Who is waited for: as many authors as had written when the last commit ended.
    expected: usize,
    /// Until when.
    until: Time,
    /// Authors of the writes that are pending, and of those that are in flight.
    pending: HashSet<MemberId>,
    in_flight: HashSet<MemberId>,
}

impl Gather {
    /// A write was accepted.
    pub(crate) fn wrote(&mut self, author: MemberId) {
        self.pending.insert(author);
    }

    /// When the pending writes are to be taken; a moment that is over means now.
    pub(crate) fn due(&self) -> Time {
        if self.pending.len() >= self.expected { Time::ZERO } else { self.until }
    }

    /// The pending writes were taken.
    pub(crate) fn took(&mut self) {
        std::mem::swap(&mut self.pending, &mut self.in_flight);
        self.pending.clear();
    }

    /// They are durable.
    pub(crate) fn committed(&mut self, now: Time, patience: Duration) {
        self.expected = self.in_flight.union(&self.pending).count();
        self.until = now + patience;
        self.in_flight.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(4);

    fn at(ms: u64) -> Time {
        Time::from_millis(ms)
    }

    fn write(gather: &mut Gather, authors: &[u64]) {
        authors.iter().for_each(|author| gather.wrote(MemberId(*author)));
    }

    #[test]
    fn who_writes_alone_never_waits() {
        let mut gather = Gather::default();
        for ms in 0..10 {
            write(&mut gather, &[1, 1, 1]);
            assert_eq!(gather.due(), Time::ZERO);
            gather.took();
            gather.committed(at(ms), PATIENCE);
        }
    }

    #[test]
    fn members_in_two_groups_come_together() {
        let mut gather = Gather::default();
        write(&mut gather, &[1, 2]);
        gather.took();
        write(&mut gather, &[3]);
        gather.committed(at(10), PATIENCE);
        assert_eq!(gather.due(), at(14));
        write(&mut gather, &[1]);
        assert_eq!(gather.due(), at(14));
        write(&mut gather, &[2]);
        assert_eq!(gather.due(), Time::ZERO, "all three");
    }

    #[test]
    fn a_wrong_guess_is_corrected() {
        let mut gather = Gather::default();
        write(&mut gather, &[1, 2]);
        gather.took();
        gather.committed(at(10), PATIENCE);
        write(&mut gather, &[1]);
        assert_eq!(gather.due(), at(14));
        gather.took();
        gather.committed(at(15), PATIENCE);
        write(&mut gather, &[1]);
        assert_eq!(gather.due(), Time::ZERO);
    }
}
