//! Time as the core sees it: an argument.

use std::ops::Add;
use std::time::Duration;

/// A moment on a monotonic clock, counted from an origin that the caller chooses once (the async client: its start).
///
/// The core never reads a clock. Two moments can be compared only if they have the same origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Time(Duration);

impl Time {
    /// The origin.
    pub const ZERO: Time = Time(Duration::ZERO);

    /// The moment `duration` after the origin.
    #[must_use]
    pub const fn from_origin(duration: Duration) -> Time {
        Time(duration)
    }

    /// The moment `ms` milliseconds after the origin.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Time {
        Time(Duration::from_millis(ms))
    }

    /// How long after the origin this moment is.
    #[must_use]
    pub const fn since_origin(self) -> Duration {
        self.0
    }

    /// How long after `earlier` this moment is; zero if it is not after it.
    #[must_use]
    pub const fn since(self, earlier: Time) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Time {
    type Output = Time;

    /// Saturates at the end of time.
    fn add(self, duration: Duration) -> Time {
        Time(self.0.saturating_add(duration))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Time::ZERO.since(Time::from_millis(5)), Duration::ZERO);
        assert_eq!(Time::from_millis(1500).since(Time::from_millis(500)), Duration::from_secs(1));
        assert_eq!(
            Time::from_origin(Duration::MAX) + Duration::from_secs(1),
            Time::from_origin(Duration::MAX)
        );
    }
}
