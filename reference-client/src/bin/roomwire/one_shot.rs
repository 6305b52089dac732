//! Joining a room for one thing, and waiting for what comes of it.

use std::time::Duration;

use bytes::Bytes;
use roomwire_client::{Client, Event, Events, Mode, Options, Traffic, connect};

use crate::args::{PatienceArgs, RoomArgs};
use crate::failure::Failure;
use crate::progress::Progress;

/// How often progress is looked at.
const TICK: Duration = Duration::from_millis(100);

/// A room that has been joined and is ready.
pub(crate) struct OneShot {
    pub(crate) client: Client,
    events: Events,
    timeout: Duration,
    /// The world of the join data.
    pub(crate) world: Option<Bytes>,
}

impl OneShot {
    /// Joins, without trying again, and waits until the room's state has come.
    pub(crate) async fn join(
        room: &RoomArgs,
        patience: &PatienceArgs,
        mode: Mode,
        mut progress: Progress,
    ) -> Result<Self, Failure> {
        let mut options = Options::new(room.address(mode)?);
        options.config.reconnect = None;
        options.config.quiet = patience.quiet();
        let (client, events) = connect(options)?;
        let mut joined = Self { client, events, timeout: patience.timeout(), world: None };
        let mut world = None;
        let what = || "the relay does not answer".into();
        joined
            .wait(
                what,
                |traffic| progress.update(traffic.received),
                |event| match event {
                    Event::WorldLoaded { blob } => {
                        world = Some(blob);
                        None
                    }
                    Event::Ready => Some(()),
                    _ => None,
                },
            )
            .await?;
        joined.world = world;
        Ok(joined)
    }

    /// Takes events until one is what was waited for. Gives up when the connection ends, or when nothing has moved over it for as
    /// long as the user said; `late` then says what did not happen.
    pub(crate) async fn wait<T>(
        &mut self,
        late: impl FnOnce() -> String,
        mut progress: impl FnMut(Traffic),
        mut wanted: impl FnMut(Event) -> Option<T>,
    ) -> Result<T, Failure> {
        let mut last = (self.client.traffic(), tokio::time::Instant::now());
        loop {
            match tokio::time::timeout(TICK, self.events.recv()).await {
                Ok(Some(Event::Closed(closed))) => return Err(Failure::Closed(closed)),
                Ok(Some(event)) => {
                    if let Some(found) = wanted(event) {
                        return Ok(found);
                    }
                }
                // The end of the events follows an end of the connection, which has returned.
                Ok(None) => return Err(Failure::Timeout(late())),
                Err(_) => {
                    let traffic = self.client.traffic();
                    progress(traffic);
                    if traffic != last.0 {
                        last = (traffic, tokio::time::Instant::now());
                    } else if last.1.elapsed() >= self.timeout {
                        return Err(Failure::Timeout(format!(
                            "{} within {} s",
                            late(),
                            self.timeout.as_secs()
                        )));
                    }
                }
            }
        }
    }

    /// Leaves the room.
    pub(crate) async fn leave(self) {
        self.client.close().await;
    }
}
