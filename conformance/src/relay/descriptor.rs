//! What the author of a relay tells the runner about it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::scenario::model::{Capability, Hook};

/// A TOML file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Descriptor {
    /// The relay's name, for the reports.
    #[serde(default = "unnamed")]
    pub name: String,
    /// What it claims.
    #[serde(default = "all_capabilities")]
    pub capabilities: Vec<Capability>,
    /// The command of an adapter, as for `--codec`: an implementation may be a codec and a relay.
    #[serde(default)]
    pub codec: Option<String>,
    /// The command that starts it, as for `--spawn`.
    #[serde(default)]
    pub spawn: Option<String>,
    /// Where it listens, as for `--relay`.
    #[serde(default)]
    pub relay: Option<String>,
    /// What the runner may do to it without a command: `restart` and `kill`, for a relay that the runner spawns.
    #[serde(default)]
    pub hooks: Vec<Hook>,
    /// Commands for hooks: `stop`, `kill`, `start`, `seed_rev`, `hold`, `release`, `fail_store`, `count_rooms`,
    /// `second`, `damage`. In them `{game}`, `{room}`, `{rev}` and `{data}` are filled.
    #[serde(default)]
    pub commands: BTreeMap<String, String>,
    /// Its times in milliseconds, by the names of the limits, where they differ from the defaults.
    #[serde(default)]
    pub times: BTreeMap<String, u64>,
    /// Its limits, by their names, where they differ from the defaults.
    #[serde(default)]
    pub limits: BTreeMap<String, i64>,
}

fn unnamed() -> String {
    "the relay under test".into()
}

fn all_capabilities() -> Vec<Capability> {
    vec![Capability::Room, Capability::Peers]
}

impl Default for Descriptor {
    fn default() -> Self {
        Self {
            name: unnamed(),
            capabilities: all_capabilities(),
            codec: None,
            spawn: None,
            relay: None,
            hooks: vec![],
            commands: BTreeMap::new(),
            times: BTreeMap::new(),
            limits: BTreeMap::new(),
        }
    }
}

impl Descriptor {
    /// Reads one.
    ///
    /// # Errors
    /// A text that names the file and what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| at(&error))?;
        toml::from_str(&text).map_err(|error| at(&error))
    }

    /// Can the runner do this?
    pub fn supports(&self, hook: Hook) -> bool {
        let has = |name: &str| self.commands.contains_key(name);
        self.hooks.contains(&hook)
            || match hook {
                Hook::Restart => has("stop") && has("start"),
                Hook::Kill => has("kill") && has("start"),
                Hook::SeedRev => has("seed_rev"),
                Hook::Hold => has("hold") && has("release"),
                Hook::FailStore => has("fail_store"),
                Hook::CountRooms => has("count_rooms"),
                Hook::Second => has("second"),
                Hook::Damage => has("damage"),
            }
    }

    /// The command for a hook, filled.
    pub fn command(&self, name: &str, fill: &[(&str, &str)]) -> Option<String> {
        let mut command = self.commands.get(name)?.clone();
        for (name, value) in fill {
            command = command.replace(&format!("{{{name}}}"), value);
        }
        Some(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_descriptor_claims_everything_and_can_do_nothing() {
        let descriptor: Descriptor = toml::from_str("").unwrap();
        assert_eq!(descriptor.capabilities.len(), 2);
        assert!(!descriptor.supports(Hook::Restart));
    }

    #[test]
    fn commands_make_hooks_and_are_filled() {
        let descriptor: Descriptor = toml::from_str(
            "capabilities = ['room']\n[commands]\nstop = 's'\nstart = 't'\nseed_rev = 'x {game} {room} {rev}'",
        )
        .unwrap();
        assert!(descriptor.supports(Hook::Restart) && descriptor.supports(Hook::SeedRev));
        assert!(!descriptor.supports(Hook::Kill));
        let filled = descriptor.command("seed_rev", &[("game", "g"), ("room", "r"), ("rev", "7")]);
        assert_eq!(filled.as_deref(), Some("x g r 7"));
    }

    #[test]
    fn an_unknown_member_is_an_error() {
        assert!(toml::from_str::<Descriptor>("capability = []").is_err());
    }
}
