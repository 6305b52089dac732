//! Reads client scenarios and checks what must hold of them before any is played.

use std::collections::BTreeSet;

use super::model::{ClientCapability, ClientScenario, ClientStep};
use crate::embedded::{self, SourceFile};
use crate::vectors::check::is_id;

/// Loads every client scenario that the binary carries, sorted by id.
///
/// # Errors
/// A text that names the file and what is wrong with it.
pub fn load() -> Result<Vec<ClientScenario>, String> {
    let mut all = Vec::new();
    for SourceFile { path, text } in embedded::clients() {
        let scenarios: Vec<ClientScenario> =
            serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
        all.extend(scenarios);
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// Everything that is wrong with the set, one line each. Empty: nothing.
pub fn faults(scenarios: &[ClientScenario], clauses: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut ids, mut names) = (BTreeSet::new(), BTreeSet::new());
    for scenario in scenarios {
        let mut fault = |text: String| faults.push(format!("{} {}: {text}", scenario.id, scenario.name));
        if !is_id(&scenario.id, 'C') {
            fault("the id is not C and four digits".into());
        }
        if !ids.insert(&scenario.id) {
            fault("the id stands twice".into());
        }
        if !names.insert(&scenario.name) {
            fault("the name stands twice".into());
        }
        if !scenario.name.contains('/') {
            fault("the name has no group".into());
        }
        if scenario.reqs.is_empty() {
            fault("no clause".into());
        }
        for req in scenario.reqs.iter().filter(|req| !clauses.contains(*req)) {
            fault(format!("{req} is no clause"));
        }
        if scenario.needs.is_empty() {
            fault("no capability".into());
        }
        if asks_for_pause(&scenario.steps) != scenario.needs.contains(&ClientCapability::Pause) {
            fault("the capability pause goes with the command pause".into());
        }
    }
    faults
}

fn asks_for_pause(steps: &[ClientStep]) -> bool {
    steps.iter().any(|step| match step {
        ClientStep::Ask(ask) => ask.command.get("cmd").is_some_and(|cmd| cmd == "pause"),
        ClientStep::Repeat(repeat) => asks_for_pause(&repeat.steps),
        _ => false,
    })
}
