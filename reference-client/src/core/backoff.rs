//! When to connect again (spec 12-clients, "The end").

use std::time::Duration;

use roomwire_codec::registry::close;

/// How long to wait before each new attempt.
///
/// After the n-th failure in a row the wait is a random time between half and all of `first × 2^(n-1)`, and that product is at
/// most `limit`. So until the limit each wait is at least as long as the one before, and the members of a relay that went down do
/// not come back all at once (CLIENT-RETRY-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Longest wait after the first failure.
    pub first: Duration,
    /// Longest wait after any failure.
    pub limit: Duration,
}

impl Default for Backoff {
    /// Half a second at first, half a minute at most.
    fn default() -> Self {
        Self { first: Duration::from_millis(500), limit: Duration::from_secs(30) }
    }
}

/// Whether a client may come back by itself after this close code, whichever side closed with it: not where the same thing would
/// happen again (CLIENT-RETRY-2).
#[must_use]
pub const fn is_worth_retrying(code: u16) -> bool {
    const HOPELESS: [u16; 7] = [
        close::WEBSOCKET.code,
        close::TEXT.code,
        close::TOO_BIG.code,
        close::MALFORMED.code,
        close::BAD_ROOM.code,
        close::VERSION.code,
        close::TOO_LARGE.code,
    ];
    let mut codes: &[u16] = &HOPELESS;
    while let [hopeless, rest @ ..] = codes {
        if *hopeless == code {
            return false;
        }
        codes = rest;
    }
    true
}

/// The failures so far, and the dice.
#[derive(Clone, Debug)]
pub(super) struct Retries {
    policy: Option<Backoff>,
    failures: u32,
    rng: fastrand::Rng,
}

impl Retries {
    pub(super) fn new(policy: Option<Backoff>, seed: u64) -> Self {
        Self { policy, failures: 0, rng: fastrand::Rng::with_seed(seed) }
    }

    /// The attempt that comes next, counted from 1.
    pub(super) fn attempt(&self) -> u32 {
        self.failures.saturating_add(1)
    }

    /// A connection has held: the next failure is the first again.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }

    /// Counts a failure and gives the wait after it; `None` if there are no retries.
    pub(super) fn failed(&mut self) -> Option<Duration> {
        let Backoff { first, limit } = self.policy?;
        let factor = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        let longest = first.checked_mul(factor).unwrap_or(limit).min(limit);
        self.failures = self.failures.saturating_add(1);
        let half = longest / 2;
        let nanos = u64::try_from(half.as_nanos()).unwrap_or(u64::MAX);
        Some(longest.saturating_sub(Duration::from_nanos(self.rng.u64(0..=nanos))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// CLIENT-RETRY-1: each wait is at least as long as the one before up to the limit, none is longer than the limit, and
        /// none is shorter than half of what is due.
        #[test]
        fn waits_grow_to_the_limit(seed: u64, first in 1u64..5_000, doublings in 0u32..12) {
            let first = Duration::from_millis(first);
            let limit = first * 2u32.pow(doublings);
            let mut retries = Retries::new(Some(Backoff { first, limit }), seed);
            let mut before = Duration::ZERO;
            for failure in 0..40 {
                let wait = retries.failed().unwrap();
                let due = first * 2u32.pow(doublings.min(failure));
                prop_assert!(due / 2 <= wait && wait <= due, "{failure}: {wait:?} of {due:?}");
                if failure <= doublings {
                    prop_assert!(before <= wait);
                }
                before = wait;
            }
        }
    }

    /// CLIENT-RETRY-1: clients that lost the same relay at one moment do not come back at one moment.
    #[test]
    fn waits_differ_between_clients() {
        let waits: std::collections::BTreeSet<Duration> =
            (0..100).filter_map(|seed| Retries::new(Some(Backoff::default()), seed).failed()).collect();
        assert!(waits.len() > 90, "{} different waits of 100", waits.len());
        let spread = waits.last().unwrap().saturating_sub(*waits.first().unwrap());
        assert!(spread > Backoff::default().first / 4, "{spread:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_waits() {
        let waits = |seed| {
            let mut retries = Retries::new(Some(Backoff::default()), seed);
            (0..20).map(|_| retries.failed()).collect::<Vec<_>>()
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
    }

    #[test]
    fn a_connection_that_held_starts_over() {
        let mut retries = Retries::new(Some(Backoff::default()), 1);
        for _ in 0..10 {
            retries.failed();
        }
        assert_eq!(retries.attempt(), 11);
        retries.reset();
        assert_eq!(retries.attempt(), 1);
        assert!(retries.failed().unwrap() <= Backoff::default().first);
        assert_eq!(Retries::new(None, 1).failed(), None);
    }

    /// CLIENT-RETRY-2.
    #[test]
    fn hopeless_codes() {
        let hopeless: Vec<u16> =
            close::ALL.iter().map(|close| close.code).filter(|&code| !is_worth_retrying(code)).collect();
        assert_eq!(hopeless, [1002, 1003, 1009, 4400, 4404, 4406, 4413]);
        assert!(is_worth_retrying(1006) && is_worth_retrying(4999));
    }
}
