//! Killing a relay under load: what it told anyone must still be there afterwards (DUR-1 to DUR-4, ROOM-REV-3).
//!
//! A round starts the relay, joins rooms and compares the join data with everything that was ever told; then writers keep a
//! window of writes in flight until enough were acknowledged, the process is killed, and what was still on its way to the
//! members is read to the end: it was told too. The next round sees what is left.

pub mod cli;
mod ledger;
mod load;

use std::time::Duration;

pub use ledger::Fault;

use self::ledger::Ledger;
use crate::relay::RunningRelay;
use crate::scenario::Scenario;
use crate::scenario::model::{Capability, Hook};

/// How to kill.
#[derive(Debug, Clone)]
pub struct Options {
    /// How often the relay is killed.
    pub rounds: u32,
    /// Acknowledged writes in a round before it is killed.
    pub acks: u32,
    /// Rooms under load.
    pub rooms: u32,
    /// Writers in each room.
    pub writers: u32,
    /// Writes that each writer keeps in flight.
    pub window: u32,
    /// Chooses keys, sizes and the moment.
    pub seed: u64,
    /// How long a round may take before the harness gives up.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rounds: 50,
            acks: 100,
            rooms: 2,
            writers: 4,
            window: 8,
            seed: 1,
            timeout: Duration::from_secs(60),
        }
    }
}

/// What all rounds came to.
#[derive(Debug, Default)]
pub struct Report {
    /// Rounds that ended with a kill.
    pub rounds: u32,
    /// Rounds in which a writer was told of fewer writes than it had sent.
    pub in_flight: u32,
    /// The smallest number of acknowledged writes in a round.
    pub least_acks: u32,
    /// Acknowledged writes and saves of all rounds.
    pub acks: u64,
    /// Writes that were found after a crash though nobody had been told of them: allowed.
    pub untold_kept: u64,
    /// Why there was no further round, if a relay that broke a rule could not go on.
    pub cut_short: Option<String>,
    /// What broke a rule.
    pub faults: Vec<Fault>,
}

/// What to open a relay with, so that it is one of its own and may be killed.
pub fn scenario() -> Scenario {
    Scenario {
        id: "crash".into(),
        name: "crash/kill".into(),
        rev: 1,
        since: "1".into(),
        about: String::new(),
        reqs: vec![],
        needs: vec![Capability::Room],
        hooks: vec![Hook::Kill],
        timers: vec![],
        members: None,
        alone: true,
        steps: vec![],
    }
}

/// Runs all rounds on a relay that has been started, and one last start that only looks.
///
/// # Errors
/// A sentence when the harness cannot go on though no rule was broken yet: the relay does not start, a room cannot be
/// joined, a round takes too long.
pub fn run(
    options: &Options,
    relay: &mut dyn RunningRelay,
    progress: &mut dyn FnMut(&Report),
) -> Result<Report, String> {
    let mut report = Report::default();
    let mut ledgers: Vec<Ledger> =
        (0..options.rooms).map(|room| Ledger::new(format!("crash-{room}"))).collect();
    let played = rounds(options, relay, progress, &mut report, &mut ledgers);
    report.faults = ledgers.into_iter().flat_map(Ledger::into_faults).collect();
    match played {
        // A relay that used a revision twice need not be fit for another round: that is its fault, not the harness's.
        Err(text) if !report.faults.is_empty() => report.cut_short = Some(text),
        other => other?,
    }
    Ok(report)
}

fn rounds(
    options: &Options,
    relay: &mut dyn RunningRelay,
    progress: &mut dyn FnMut(&Report),
    report: &mut Report,
    ledgers: &mut [Ledger],
) -> Result<(), String> {
    for round in 0..options.rounds {
        load::inspect(relay.addr(), ledgers, report)?;
        let outcome = load::round(options, round, relay, ledgers)?;
        report.least_acks =
            if report.rounds == 0 { outcome.acks } else { report.least_acks.min(outcome.acks) };
        report.rounds += 1;
        report.in_flight += u32::from(outcome.in_flight > 0);
        report.acks += u64::from(outcome.acks);
        progress(report);
        relay.start().map_err(|error| error.to_string())?;
    }
    load::inspect(relay.addr(), ledgers, report)
}
