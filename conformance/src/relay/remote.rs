//! A relay that runs already, at an address.

use std::net::{SocketAddr, ToSocketAddrs};
use std::process::Command;
use std::time::Duration;

use super::times::default_time;
use super::{ControlError, Descriptor, RelayUnderTest, RunningRelay};
use crate::scenario::model::{Capability, Hook, Scenario};

/// `--relay ws://host:port`.
pub struct RemoteRelay {
    addr: SocketAddr,
    host: String,
    descriptor: Descriptor,
    time_scale: f64,
}

impl RemoteRelay {
    /// A relay at a URL such as `ws://127.0.0.1:8080`. Its times are multiplied by `time_scale`.
    ///
    /// # Errors
    /// A text if the URL is not of that form or the name does not resolve.
    pub fn new(url: &str, descriptor: Descriptor, time_scale: f64) -> Result<Self, String> {
        let host = url.strip_prefix("ws://").ok_or_else(|| format!("{url} does not begin with ws://"))?;
        let host = host.trim_end_matches('/').to_owned();
        if host.contains('/') {
            return Err(format!("{url} has a path: only ws://host:port can be tested"));
        }
        let with_port = if host.contains(':') { host.clone() } else { format!("{host}:80") };
        let mut addrs = with_port.to_socket_addrs().map_err(|error| format!("{url}: {error}"))?;
        let addr = addrs.next().ok_or_else(|| format!("{url} resolves to nothing"))?;
        Ok(Self { addr, host, descriptor, time_scale })
    }
}

impl RelayUnderTest for RemoteRelay {
    fn name(&self) -> String {
        format!("{} at ws://{}", self.descriptor.name, self.host)
    }

    fn claims(&self, capability: Capability) -> bool {
        self.descriptor.capabilities.contains(&capability)
    }

    fn supports(&self, hook: Hook) -> bool {
        self.descriptor.supports(hook)
    }

    fn limit(&self, name: &str) -> Option<i64> {
        self.descriptor.limits.get(name).copied()
    }

    fn open(&self, _scenario: &Scenario) -> Result<Box<dyn RunningRelay + '_>, ControlError> {
        Ok(Box::new(Handle(self)))
    }
}

struct Handle<'a>(&'a RemoteRelay);

impl Handle<'_> {
    fn run(&self, name: &str, fill: &[(&str, &str)]) -> Result<std::process::Output, ControlError> {
        let command = self.0.descriptor.command(name, fill);
        let command = command.ok_or_else(|| ControlError::Unsupported(name.to_owned()))?;
        Command::new("sh").arg("-c").arg(&command).output().map_err(ControlError::failed)
    }

    fn succeed(&self, name: &str, fill: &[(&str, &str)]) -> Result<(), ControlError> {
        let output = self.run(name, fill)?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Err(ControlError::Failed(format!("the command {name}: {}: {text}", output.status)))
    }
}

impl RunningRelay for Handle<'_> {
    fn addr(&self) -> SocketAddr {
        self.0.addr
    }

    fn host(&self) -> String {
        self.0.host.clone()
    }

    fn time(&self, limit: &str) -> Option<Duration> {
        let stated = self.0.descriptor.times.get(limit).copied().map(Duration::from_millis);
        stated.or_else(|| default_time(limit)).map(|time| time.mul_f64(self.0.time_scale))
    }

    fn alive(&mut self) -> Option<bool> {
        None
    }

    fn stop(&mut self) -> Result<(), ControlError> {
        self.succeed("stop", &[])
    }

    fn kill(&mut self) -> Result<(), ControlError> {
        self.succeed("kill", &[])
    }

    fn start(&mut self) -> Result<(), ControlError> {
        self.succeed("start", &[])
    }

    fn seed_rev(&mut self, game: &str, room: &str, rev: u32) -> Result<(), ControlError> {
        self.succeed("seed_rev", &[("game", game), ("room", room), ("rev", &rev.to_string())])
    }

    fn hold(&mut self, held: bool) -> Result<(), ControlError> {
        self.succeed(if held { "hold" } else { "release" }, &[])
    }

    fn fail_store(&mut self) -> Result<(), ControlError> {
        self.succeed("fail_store", &[])
    }

    fn count_rooms(&mut self) -> Result<u64, ControlError> {
        let output = self.run("count_rooms", &[])?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        text.parse().map_err(|_| ControlError::Failed(format!("count_rooms printed {text:?}, not a number")))
    }

    fn second_refused(&mut self) -> Result<bool, ControlError> {
        Ok(!self.run("second", &[])?.status.success())
    }

    fn damage(&mut self, game: &str, room: &str) -> Result<(), ControlError> {
        self.succeed("damage", &[("game", game), ("room", room)])
    }
}
