//! Reads scenarios and checks what must hold of them before any is played.

use std::collections::BTreeSet;
use std::path::Path;

use super::model::{Do, Hook, Scenario, Step};
use crate::embedded::{self, SourceFile};
use crate::vectors::check::is_id;

/// Loads every scenario: from `dir` if one is given, else those that the binary carries. Sorted by id.
///
/// # Errors
/// A text that names the file and what is wrong with it.
pub fn load(dir: Option<&Path>) -> Result<Vec<Scenario>, String> {
    let files = match dir {
        Some(dir) => embedded::read_dir(dir)?,
        None => embedded::scenarios(),
    };
    let mut all = Vec::new();
    for SourceFile { path, text } in files {
        let scenarios: Vec<Scenario> =
            serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
        all.extend(scenarios);
    }
    all.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(all)
}

/// Everything that is wrong with the set, one line each. Empty: nothing.
pub fn faults(scenarios: &[Scenario], clauses: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    let mut names = BTreeSet::new();
    for scenario in scenarios {
        let mut fault = |text: String| faults.push(format!("{} {}: {text}", scenario.id, scenario.name));
        if !is_id(&scenario.id, 'S') {
            fault("the id is not S and four digits".into());
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
        for req in scenario.reqs.iter().chain(choices(&scenario.steps).iter()) {
            if !clauses.contains(req) {
                fault(format!("{req} is no clause"));
            }
        }
        if scenario.needs.is_empty() {
            fault("no capability".into());
        }
        let used = hooks(&scenario.steps);
        let declared: BTreeSet<Hook> = scenario.hooks.iter().copied().collect();
        if used != declared {
            fault(format!("it uses the hooks {used:?} and declares {declared:?}"));
        }
        if let Some(actor) = shared_actor(&scenario.steps) {
            fault(format!("two branches use the actor {actor}"));
        }
    }
    faults
}

impl Scenario {
    /// The part of the name before the slash.
    pub fn group(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Does it need a relay of its own?
    pub fn needs_own_relay(&self) -> bool {
        self.alone || !self.hooks.is_empty() || !self.timers.is_empty()
    }
}

/// Visits every step, those within others too.
fn visit(steps: &[Step], seen: &mut dyn FnMut(&Step)) {
    for step in steps {
        seen(step);
        match step {
            Step::Repeat(inner) => visit(&inner.steps, seen),
            Step::Count(inner) => visit(&inner.steps, seen),
            Step::Together(inner) => inner.branches.iter().for_each(|branch| visit(branch, seen)),
            _ => {}
        }
    }
}

fn hooks(steps: &[Step]) -> BTreeSet<Hook> {
    let mut found = BTreeSet::new();
    visit(steps, &mut |step| {
        if let Step::Do(action) = step {
            found.extend(match action {
                Do::Stop {} => Some(Hook::Restart),
                Do::Kill {} => Some(Hook::Kill),
                Do::Hold {} | Do::Release {} => Some(Hook::Hold),
                Do::SeedRev { .. } => Some(Hook::SeedRev),
                Do::FailStore {} => Some(Hook::FailStore),
                Do::CountRooms { .. } => Some(Hook::CountRooms),
                Do::SecondRefused {} => Some(Hook::Second),
                Do::Damage { .. } => Some(Hook::Damage),
                Do::Start {} | Do::ExpectExit {} => None,
            });
        }
    });
    found
}

fn choices(steps: &[Step]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    visit(steps, &mut |step| {
        if let Step::Choice(choice) = step {
            found.insert(choice.clause.clone());
        }
    });
    found
}

/// The actors that a step names.
fn actors(step: &Step) -> Vec<&str> {
    match step {
        Step::Connect(step) => vec![&step.actor],
        Step::Send(step) => vec![&step.actor],
        Step::Raw(step) => vec![&step.actor],
        Step::Ping(step) => vec![&step.actor],
        Step::ExpectPing(step) | Step::Stall(step) | Step::Resume(step) | Step::ExpectEnd(step) => {
            vec![&step.actor]
        }
        Step::Expect(step) => vec![&step.actor],
        Step::Await(step) => vec![&step.actor],
        Step::ExpectClose(step) => vec![&step.actor],
        Step::Close(step) => vec![&step.actor],
        Step::Cut(step) => vec![&step.actor],
        Step::Fence(step) => step.members.iter().chain([&step.by]).map(String::as_str).collect(),
        Step::Converge(step) => step.actors.iter().map(String::as_str).collect(),
        Step::Survives(step) => vec![&step.told, &step.holder],
        Step::Choice(step) => vec![&step.actor],
        Step::Count(step) => vec![&step.actor],
        _ => vec![],
    }
}

/// An actor that two branches of one step use: which of them gets a frame would be chance.
fn shared_actor(steps: &[Step]) -> Option<String> {
    let mut shared = None;
    visit(steps, &mut |step| {
        let Step::Together(together) = step else { return };
        let mut owners = std::collections::BTreeMap::new();
        for (index, branch) in together.branches.iter().enumerate() {
            visit(branch, &mut |step| {
                for actor in actors(step) {
                    if *owners.entry(actor.to_owned()).or_insert(index) != index {
                        shared = Some(actor.to_owned());
                    }
                }
            });
        }
    });
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(hooks: &str, steps: &str) -> Scenario {
        let text = format!(
            r#"{{"id":"S0001","name":"a/b","rev":1,"since":"1","about":"x","reqs":["R-1"],"needs":["room"],
                "hooks":{hooks},"steps":{steps}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn faults_of(hooks: &str, steps: &str) -> Vec<String> {
        faults(&[scenario(hooks, steps)], &BTreeSet::from(["R-1".to_owned()]))
    }

    #[test]
    fn hooks_are_declared() {
        assert!(faults_of(r#"["kill"]"#, r#"[{"do":{"kill":{}}}]"#).is_empty());
        assert_eq!(faults_of("[]", r#"[{"do":{"kill":{}}}]"#).len(), 1);
        assert_eq!(faults_of(r#"["kill"]"#, "[]").len(), 1);
    }

    #[test]
    fn branches_share_no_actor() {
        let steps = |b: &str| {
            format!(
                r#"[{{"together":{{"branches":[
                    [{{"stall":{{"actor":"a"}}}}],
                    [{{"repeat":{{"var":"i","from":1,"to":2,"steps":[{{"stall":{{"actor":"{b}"}}}}]}}}}]]}}}}]"#
            )
        };
        assert!(faults_of("[]", &steps("b")).is_empty());
        assert_eq!(faults_of("[]", &steps("a")).len(), 1);
    }
}
