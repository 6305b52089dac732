//! A relay that the runner starts with a command of its author's.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

use super::process::{self, Process};
use super::times::default_time;
use super::{ControlError, Descriptor, RelayUnderTest, RunningRelay};
use crate::scenario::model::{Capability, Hook, Scenario};

/// `--spawn CMD`: the command prints `{"listening":"host:port"}` as its first line and runs until it gets SIGTERM.
/// `{data}` in it is an empty directory that stays between its restarts.
pub struct SpawnedRelay {
    command: String,
    descriptor: Descriptor,
    time_scale: f64,
    patience: Duration,
    shared: Mutex<Option<Own>>,
}

impl SpawnedRelay {
    /// A relay that this command starts.
    pub fn new(command: &str, descriptor: Descriptor, time_scale: f64) -> Self {
        let patience = process::PATIENCE;
        Self { command: command.to_owned(), descriptor, time_scale, patience, shared: Mutex::default() }
    }

    /// How long it may take to say where it listens.
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    fn spawn(&self) -> Result<Own, ControlError> {
        let data = tempfile::tempdir().map_err(ControlError::failed)?;
        let patience = self.patience;
        let mut own = Own { command: self.command.clone(), data, patience, process: None, addr: None };
        own.start()?;
        Ok(own)
    }

    fn time(&self, limit: &str) -> Option<Duration> {
        let stated = self.descriptor.times.get(limit).copied().map(Duration::from_millis);
        stated.or_else(|| default_time(limit)).map(|time| time.mul_f64(self.time_scale))
    }
}

impl RelayUnderTest for SpawnedRelay {
    fn name(&self) -> String {
        format!("{} ({})", self.descriptor.name, self.command)
    }

    fn claims(&self, capability: Capability) -> bool {
        self.descriptor.capabilities.contains(&capability)
    }

    fn supports(&self, hook: Hook) -> bool {
        // A relay that keeps its data where it is told to can be started on them again.
        let unstated = self.descriptor.hooks.is_empty() && self.command.contains("{data}");
        matches!(hook, Hook::Restart | Hook::Kill | Hook::Second)
            && (unstated || self.descriptor.hooks.contains(&hook))
    }

    fn limit(&self, name: &str) -> Option<i64> {
        self.descriptor.limits.get(name).copied()
    }

    fn prepare(&self, scenarios: &[&Scenario]) -> Result<(), ControlError> {
        let own = self.spawn()?;
        // One with an address of its own cannot run beside those that scenarios start for themselves.
        let shared = scenarios.iter().any(|scenario| !scenario.needs_own_relay());
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = shared.then_some(own);
        Ok(())
    }

    fn open(&self, scenario: &Scenario) -> Result<Box<dyn RunningRelay + '_>, ControlError> {
        if scenario.needs_own_relay() {
            return Ok(Box::new(Handle { relay: self, own: Some(self.spawn()?), addr: None }));
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.as_mut().is_none_or(|own| !own.alive()) {
            *shared = Some(self.spawn()?);
        }
        let addr = shared.as_ref().and_then(|own| own.addr);
        Ok(Box::new(Handle { relay: self, own: None, addr }))
    }

    fn finish(&self) {
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

struct Own {
    command: String,
    data: TempDir,
    patience: Duration,
    process: Option<Process>,
    addr: Option<SocketAddr>,
}

impl Own {
    fn start(&mut self) -> Result<(), ControlError> {
        let data = self.data.path().join("data");
        std::fs::create_dir_all(&data).map_err(ControlError::failed)?;
        let text = self.command.replace("{data}", &data.display().to_string());
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("exec {text}"));
        let process = Process::start_within(self.patience, command, &self.data.path().join("log"))?;
        self.addr = Some(process.addr);
        self.process = Some(process);
        Ok(())
    }

    fn alive(&mut self) -> bool {
        self.process.as_mut().is_some_and(Process::alive)
    }
}

struct Handle<'a> {
    relay: &'a SpawnedRelay,
    own: Option<Own>,
    addr: Option<SocketAddr>,
}

impl Handle<'_> {
    fn own(&mut self) -> Result<&mut Own, ControlError> {
        self.own.as_mut().ok_or_else(|| ControlError::Unsupported("a relay that others use, too".into()))
    }
}

impl RunningRelay for Handle<'_> {
    fn addr(&self) -> SocketAddr {
        let addr = self.own.as_ref().map_or(self.addr, |own| own.addr);
        addr.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    fn time(&self, limit: &str) -> Option<Duration> {
        self.relay.time(limit)
    }

    fn alive(&mut self) -> Option<bool> {
        match &mut self.own {
            Some(own) => Some(own.alive()),
            None => {
                let mut shared = self.relay.shared.lock().unwrap_or_else(PoisonError::into_inner);
                shared.as_mut().map(Own::alive)
            }
        }
    }

    fn stop(&mut self) -> Result<(), ControlError> {
        let process = self.own()?.process.take();
        process.map_or(Ok(()), |mut process| process.terminate())
    }

    fn kill(&mut self) -> Result<(), ControlError> {
        drop(self.own()?.process.take());
        Ok(())
    }

    fn start(&mut self) -> Result<(), ControlError> {
        self.own()?.start()
    }

    fn second_refused(&mut self) -> Result<bool, ControlError> {
        let own = self.own()?;
        let data = own.data.path().join("data");
        let text = own.command.replace("{data}", &data.display().to_string());
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("exec {text}"));
        Ok(Process::start_within(own.patience, command, &own.data.path().join("log")).is_err())
    }
}
