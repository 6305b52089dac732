//! The relay side of the suite: what a relay under test is to the runner.

pub mod child;
pub mod controlled;
pub mod descriptor;
pub mod process;
pub mod reference;
pub mod remote;
pub mod spawned;
pub mod times;

use std::net::SocketAddr;
use std::time::Duration;

use crate::scenario::model::{Capability, Hook, Scenario};

pub use descriptor::Descriptor;
pub use reference::ReferenceRelay;
pub use remote::RemoteRelay;
pub use spawned::SpawnedRelay;

/// Why the runner could not do something to a relay.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Nobody said how.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// It was tried, and failed.
    #[error("{0}")]
    Failed(String),
}

impl ControlError {
    /// From anything that can be shown.
    pub fn failed(what: impl std::fmt::Display) -> Self {
        ControlError::Failed(what.to_string())
    }
}

/// A relay that runs, for one scenario or for many.
pub trait RunningRelay: Send {
    /// Where it listens.
    fn addr(&self) -> SocketAddr;

    /// The `Host` header for it.
    fn host(&self) -> String {
        self.addr().to_string()
    }

    /// How long a time of the protocol (the name of a limit in milliseconds) is at this relay.
    fn time(&self, limit: &str) -> Option<Duration>;

    /// Does its process run? `None` if the runner cannot know.
    fn alive(&mut self) -> Option<bool>;

    /// Ends it in order.
    ///
    /// # Errors
    /// See [`ControlError`]; so for all that follow.
    fn stop(&mut self) -> Result<(), ControlError> {
        Err(ControlError::Unsupported("stop".into()))
    }

    /// Ends it at once.
    fn kill(&mut self) -> Result<(), ControlError> {
        Err(ControlError::Unsupported("kill".into()))
    }

    /// Starts it again on the same store.
    fn start(&mut self) -> Result<(), ControlError> {
        Err(ControlError::Unsupported("start".into()))
    }

    /// While it is down: sets the last revision of a room.
    fn seed_rev(&mut self, _game: &str, _room: &str, _rev: u32) -> Result<(), ControlError> {
        Err(ControlError::Unsupported("seed_rev".into()))
    }

    /// Holds commits back or lets them go.
    fn hold(&mut self, _held: bool) -> Result<(), ControlError> {
        Err(ControlError::Unsupported("hold".into()))
    }

    /// Makes the next commit fail.
    fn fail_store(&mut self) -> Result<(), ControlError> {
        Err(ControlError::Unsupported("fail_store".into()))
    }

    /// Waits until its process has ended by itself.
    fn expect_exit(&mut self, _within: Duration) -> Result<(), ControlError> {
        Err(ControlError::Unsupported("expect_exit".into()))
    }

    /// While it is down: how many rooms the store has.
    fn count_rooms(&mut self) -> Result<u64, ControlError> {
        Err(ControlError::Unsupported("count_rooms".into()))
    }

    /// Starts a second relay on the same store; `true` if it refused.
    fn second_refused(&mut self) -> Result<bool, ControlError> {
        Err(ControlError::Unsupported("second".into()))
    }

    /// While it is down: damages what the store has of a room.
    fn damage(&mut self, _game: &str, _room: &str) -> Result<(), ControlError> {
        Err(ControlError::Unsupported("damage".into()))
    }
}

/// A relay under test: gives out running relays.
pub trait RelayUnderTest: Sync {
    /// Its name, for the reports.
    fn name(&self) -> String;

    /// Does it claim this capability?
    fn claims(&self, capability: Capability) -> bool;

    /// Can the runner do this to it?
    fn supports(&self, hook: Hook) -> bool;

    /// A limit of this relay (such as `room_members_v1`) that differs from the registry's default.
    fn limit(&self, _name: &str) -> Option<i64> {
        None
    }

    /// Before the run, once: is there a relay at all? One that the runner cannot start is told now, and not by every
    /// scenario.
    ///
    /// # Errors
    /// See [`ControlError`]: nothing can be tested.
    fn prepare(&self, _scenarios: &[&Scenario]) -> Result<(), ControlError> {
        Ok(())
    }

    /// Gives a relay for the scenario: one of its own if it uses hooks or times, else one that others use too.
    ///
    /// # Errors
    /// See [`ControlError`]: the case cannot be run.
    fn open(&self, scenario: &Scenario) -> Result<Box<dyn RunningRelay + '_>, ControlError>;

    /// The end of the run: what was started is ended.
    fn finish(&self) {}
}
