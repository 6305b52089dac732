//! The one clock of the relay.

use tokio::time::Instant;

use crate::core::time::Time;

/// Gives the core its time: what has passed since the relay started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { origin: Instant::now() }
    }

    pub(crate) fn now(&self) -> Time {
        Time::from_origin(self.origin.elapsed())
    }

    /// The runtime's form of a moment; none if it is beyond what the runtime can tell.
    pub(crate) fn instant(&self, time: Time) -> Option<Instant> {
        self.origin.checked_add(time.since_origin())
    }

    /// Sleeps until `time`; for ever if there is none.
    pub(crate) async fn sleep_until(&self, time: Option<Time>) {
        match time.and_then(|time| self.instant(time)) {
            Some(instant) => tokio::time::sleep_until(instant).await,
            None => std::future::pending().await,
        }
    }
}
