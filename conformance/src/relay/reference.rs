//! The reference relay: this program, started once more, on an embedded store in a temporary directory.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;

use super::child::{self, ChildConfig};
use super::process::Process;
use super::times::{default_time, is_scalable};
use super::{ControlError, RelayUnderTest, RunningRelay};
use crate::scenario::model::{Capability, Hook, Scenario};

/// How much shorter the times of a relay are on which a scenario waits for them.
const SCALE: f64 = 0.04;

/// See the module.
pub struct ReferenceRelay {
    program: PathBuf,
    time_scale: f64,
    fault: Option<String>,
    shared: Mutex<Option<Own>>,
}

impl ReferenceRelay {
    /// A reference relay that the program `program` becomes when it finds [`child::ENV`] in its environment. Where
    /// scenarios wait for its times, these are a 25th of the defaults, multiplied by `time_scale`.
    pub fn new(program: PathBuf, time_scale: f64) -> Self {
        Self { program, time_scale, fault: None, shared: Mutex::default() }
    }

    /// The same with a fault built in, by its name: see the mutants.
    #[must_use]
    pub fn with_fault(mut self, fault: &str) -> Self {
        self.fault = Some(fault.to_owned());
        self
    }

    fn spawn(&self, timers: &[String]) -> Result<Own, ControlError> {
        let times: BTreeMap<String, u64> = timers
            .iter()
            .filter(|name| is_scalable(name))
            .filter_map(|name| Some((name.clone(), default_time(name)?)))
            .map(|(name, time)| (name, time.mul_f64(SCALE * self.time_scale).as_millis().max(1) as u64))
            .collect();
        let dir = tempfile::tempdir().map_err(ControlError::failed)?;
        let config = ChildConfig { data: dir.path().join("data"), times, fault: self.fault.clone() };
        let mut own = Own { program: self.program.clone(), dir, config, process: None, addr: None };
        own.start()?;
        Ok(own)
    }
}

impl RelayUnderTest for ReferenceRelay {
    fn name(&self) -> String {
        let fault = self.fault.as_ref().map(|fault| format!(" with the fault {fault}")).unwrap_or_default();
        format!("roomwire-relay {}{fault}", env!("CARGO_PKG_VERSION"))
    }

    fn claims(&self, _capability: Capability) -> bool {
        true
    }

    fn supports(&self, _hook: Hook) -> bool {
        true
    }

    fn open(&self, scenario: &Scenario) -> Result<Box<dyn RunningRelay + '_>, ControlError> {
        if scenario.needs_own_relay() {
            return Ok(Box::new(Handle {
                relay: self,
                own: Some(self.spawn(&scenario.timers)?),
                addr: None,
            }));
        }
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.as_mut().is_none_or(|own| !own.alive()) {
            *shared = Some(self.spawn(&[])?);
        }
        let addr = shared.as_ref().and_then(|own| own.addr);
        Ok(Box::new(Handle { relay: self, own: None, addr }))
    }

    fn finish(&self) {
        *self.shared.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A relay process and its directory.
struct Own {
    program: PathBuf,
    dir: TempDir,
    config: ChildConfig,
    process: Option<Process>,
    addr: Option<SocketAddr>,
}

impl Own {
    fn start(&mut self) -> Result<(), ControlError> {
        let process = self.process()?;
        self.addr = Some(process.addr);
        self.process = Some(process);
        Ok(())
    }

    fn process(&self) -> Result<Process, ControlError> {
        let mut command = Command::new(&self.program);
        command.env(child::ENV, serde_json::to_string(&self.config).map_err(ControlError::failed)?);
        Process::start(command, &self.dir.path().join("log"))
    }

    fn alive(&mut self) -> bool {
        self.process.as_mut().is_some_and(Process::alive)
    }
}

struct Handle<'a> {
    relay: &'a ReferenceRelay,
    own: Option<Own>,
    addr: Option<SocketAddr>,
}

impl Handle<'_> {
    fn own(&mut self) -> Result<&mut Own, ControlError> {
        self.own.as_mut().ok_or_else(|| ControlError::Unsupported("a relay that others use, too".into()))
    }

    fn control(&mut self, line: &str) -> Result<(), ControlError> {
        let process = self.own()?.process.as_mut();
        process.ok_or_else(|| ControlError::failed("the relay is down"))?.control(line)
    }

    fn down(&mut self) -> Result<&Own, ControlError> {
        let own = self.own()?;
        if own.process.is_some() {
            return Err(ControlError::failed("the relay still runs"));
        }
        Ok(own)
    }
}

impl RunningRelay for Handle<'_> {
    fn addr(&self) -> SocketAddr {
        let addr = self.own.as_ref().map_or(self.addr, |own| own.addr);
        addr.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    fn time(&self, limit: &str) -> Option<Duration> {
        let scaled = self.own.as_ref().and_then(|own| own.config.times.get(limit)).copied();
        scaled.map(Duration::from_millis).or_else(|| default_time(limit))
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
        process.map_or(Ok(()), |mut process| process.stop())
    }

    fn kill(&mut self) -> Result<(), ControlError> {
        drop(self.own()?.process.take());
        Ok(())
    }

    fn start(&mut self) -> Result<(), ControlError> {
        self.own()?.start()
    }

    fn seed_rev(&mut self, game: &str, room: &str, rev: u32) -> Result<(), ControlError> {
        child::seed_rev(&self.down()?.config, game, room, rev)
    }

    fn hold(&mut self, held: bool) -> Result<(), ControlError> {
        self.control(if held { "hold" } else { "release" })
    }

    fn fail_store(&mut self) -> Result<(), ControlError> {
        self.control("fail")
    }

    fn expect_exit(&mut self, within: Duration) -> Result<(), ControlError> {
        let process = self.own()?.process.take();
        process.map_or(Ok(()), |mut process| process.wait(within).map(drop))
    }

    fn count_rooms(&mut self) -> Result<u64, ControlError> {
        child::count_rooms(&self.down()?.config)
    }

    fn second_refused(&mut self) -> Result<bool, ControlError> {
        Ok(self.own()?.process().is_err())
    }

    fn damage(&mut self, game: &str, room: &str) -> Result<(), ControlError> {
        child::damage(&self.down()?.config, game, room)
    }
}
