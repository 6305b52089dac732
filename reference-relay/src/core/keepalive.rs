//! When to ping a member, and when to give it up (LIM-TIME-2).

use std::time::Duration;

use super::limits::Timing;
use super::time::Time;

/// One connection's silence.
#[derive(Clone, Copy, Debug)]
pub struct Keepalive {
    heard: Time,
    pinged: Time,
    /// When the next call is due.
    due: Time,
}

/// What [`Keepalive::timeout`] wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet; ask again at that moment.
    Wait(Time),
    /// Send a ping, and ask again at that moment.
    Ping(Time),
    /// Nothing at all came for the idle timeout: close.
    Idle,
}

impl Keepalive {
    /// A connection that has just opened.
    pub const fn new(now: Time) -> Self {
        Self { heard: now, pinged: now, due: Time::from_origin(Duration::MAX) }
    }

    /// Something came from the member: a message, a part of one, a pong. Cheap; deadlines move only when
    /// [`timeout`](Self::timeout) is asked.
    pub const fn heard(&mut self, now: Time) {
        self.heard = now;
    }

    /// Decides what is due at `now`. Every answer but [`Verdict::Idle`] carries the moment of the next call. By as much as that
    /// comes later, the relay did not run: it neither pinged nor read, so that time is not the member's silence.
    pub fn timeout(&mut self, now: Time, timing: &Timing) -> Verdict {
        self.heard = now.min(self.heard + now.since(self.due));
        let verdict = self.decide(now, timing);
        if let Verdict::Wait(next) | Verdict::Ping(next) = verdict {
            self.due = next;
        }
        verdict
    }

    fn decide(&mut self, now: Time, timing: &Timing) -> Verdict {
        let idle_at = self.heard + timing.idle_timeout;
        if now >= idle_at {
            return Verdict::Idle;
        }
        let ping_at = self.pinged + timing.ping_interval;
        if now >= ping_at {
            self.pinged = now;
            return Verdict::Ping(idle_at.min(now + timing.ping_interval));
        }
        Verdict::Wait(idle_at.min(ping_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing() -> Timing {
        Timing {
            ping_interval: Duration::from_millis(15),
            idle_timeout: Duration::from_millis(45),
            ..Timing::default()
        }
    }

    fn at(ms: u64) -> Time {
        Time::from_millis(ms)
    }

    #[test]
    fn a_silent_member_is_pinged_and_then_given_up() {
        let mut keepalive = Keepalive::new(at(100));
        assert_eq!(keepalive.timeout(at(100), &timing()), Verdict::Wait(at(115)));
        assert_eq!(keepalive.timeout(at(115), &timing()), Verdict::Ping(at(130)));
        assert_eq!(keepalive.timeout(at(130), &timing()), Verdict::Ping(at(145)));
        assert_eq!(keepalive.timeout(at(144), &timing()), Verdict::Wait(at(145)));
        assert_eq!(keepalive.timeout(at(145), &timing()), Verdict::Idle);
    }

    #[test]
    fn whatever_is_heard_keeps_the_member() {
        let mut keepalive = Keepalive::new(at(0));
        for ms in 1..1000 {
            keepalive.heard(at(ms));
            assert_ne!(keepalive.timeout(at(ms + 44), &timing()), Verdict::Idle);
        }
        assert_eq!(keepalive.timeout(at(999 + 45), &timing()), Verdict::Idle);
    }

    /// A process that was stopped, or a machine that was paused.
    #[test]
    fn time_in_which_the_relay_did_not_run_is_no_silence() {
        let mut keepalive = Keepalive::new(at(0));
        assert_eq!(keepalive.timeout(at(15), &timing()), Verdict::Ping(at(30)));
        assert_eq!(keepalive.timeout(at(10_030), &timing()), Verdict::Ping(at(10_045)));
        assert_eq!(keepalive.timeout(at(10_045), &timing()), Verdict::Idle);
    }

    #[test]
    fn pings_go_on_while_a_member_talks() {
        let mut keepalive = Keepalive::new(at(0));
        let mut pings = 0;
        for ms in 0..=150 {
            keepalive.heard(at(ms));
            pings += u32::from(matches!(keepalive.timeout(at(ms), &timing()), Verdict::Ping(_)));
        }
        assert_eq!(pings, 10);
    }
}
