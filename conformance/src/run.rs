//! Runs the cases that were selected.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use roomwire_codec::registry::limit;

use crate::client::model::ClientScenario;
use crate::codec::CodecUnderTest;
use crate::embedded::Clause;
use crate::interrupt;
use crate::relay::RelayUnderTest;
use crate::result::{CaseResult, Finding, Kind};
use crate::scenario::Scenario;
use crate::scenario::engine::{Played, Settings, play};
use crate::select::{self, Filter};
use crate::vectors::{self, Vector};
use crate::verdict::Verdict;

/// The suite: all that was loaded.
#[derive(Debug, Default)]
pub struct Suite {
    /// Golden frames.
    pub vectors: Vec<Vector>,
    /// Scenarios.
    pub scenarios: Vec<Scenario>,
    /// Client scenarios.
    pub clients: Vec<ClientScenario>,
    /// The specification's clauses.
    pub clauses: BTreeMap<String, Clause>,
}

impl Suite {
    /// Everything that the binary carries, checked.
    ///
    /// # Errors
    /// A text that tells what does not load or does not hold.
    pub fn embedded() -> Result<Self, String> {
        Self::load(None, None)
    }

    /// The suite, with golden frames or scenarios from directories where they are given, checked.
    ///
    /// # Errors
    /// A text that tells what does not load or does not hold.
    pub fn load(
        vectors: Option<&std::path::Path>,
        scenarios: Option<&std::path::Path>,
    ) -> Result<Self, String> {
        let suite = Self {
            vectors: vectors::load(vectors)?,
            scenarios: crate::scenario::load(scenarios)?,
            clients: crate::client::load()?,
            clauses: crate::embedded::clauses()?,
        };
        let ids = suite.clauses.keys().cloned().collect();
        let mut faults = vectors::check::faults(&suite.vectors, &ids);
        faults.extend(crate::scenario::load::faults(&suite.scenarios, &ids));
        faults.extend(crate::client::load::faults(&suite.clients, &ids));
        if faults.is_empty() { Ok(suite) } else { Err(faults.join("\n")) }
    }

    /// Which cases cite which clause.
    pub fn citations(&self) -> BTreeMap<&str, Vec<&str>> {
        let vectors = self.vectors.iter().map(|case| (&case.id, &case.reqs));
        let scenarios = self.scenarios.iter().map(|case| (&case.id, &case.reqs));
        let clients = self.clients.iter().map(|case| (&case.id, &case.reqs));
        let mut citations: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (id, reqs) in vectors.chain(scenarios).chain(clients) {
            for req in reqs {
                citations.entry(req).or_default().push(id);
            }
        }
        citations
    }

    /// Leaves only what the filter lets through. Twins stay, unscored: see [`Selected`].
    pub fn select(&self, filter: &Filter) -> Selected<'_> {
        let vectors = self.vectors.iter();
        let scenarios = self.scenarios.iter();
        let clients = self.clients.iter();
        Selected {
            suite: self,
            vectors: vectors.filter(|v| filter.admits(&v.id, &v.name, Kind::Codec, &v.reqs)).collect(),
            scenarios: scenarios.filter(|s| filter.admits(&s.id, &s.name, Kind::Relay, &s.reqs)).collect(),
            clients: clients.filter(|c| filter.admits(&c.id, &c.name, Kind::Client, &c.reqs)).collect(),
        }
    }
}

/// The cases that are to run.
#[derive(Debug)]
pub struct Selected<'a> {
    /// What they are taken from: an invalid frame's twin need not be selected.
    pub suite: &'a Suite,
    /// Golden frames.
    pub vectors: Vec<&'a Vector>,
    /// Scenarios.
    pub scenarios: Vec<&'a Scenario>,
    /// Client scenarios.
    pub clients: Vec<&'a ClientScenario>,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// For the engine.
    pub settings: Settings,
    /// How many scenarios run at the same time.
    pub jobs: usize,
}

impl Selected<'_> {
    /// How many cases there are.
    pub fn len(&self) -> usize {
        self.vectors.len() + self.scenarios.len() + self.clients.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Is there one that the pattern means?
    pub fn has(&self, pattern: &str) -> bool {
        let vectors = self.vectors.iter().map(|case| (&case.id, &case.name));
        let scenarios = self.scenarios.iter().map(|case| (&case.id, &case.name));
        let clients = self.clients.iter().map(|case| (&case.id, &case.name));
        vectors.chain(scenarios).chain(clients).any(|(id, name)| select::names(pattern, id, name))
    }

    /// Runs the golden frames.
    pub fn run_vectors(
        &self,
        codec: &dyn CodecUnderTest,
        done: &(dyn Fn(&CaseResult) + Sync),
    ) -> Vec<CaseResult> {
        let by_id: BTreeMap<&str, &Vector> = self.suite.vectors.iter().map(|v| (v.id.as_str(), v)).collect();
        let run = |vector: &&Vector| {
            if interrupt::is_set() {
                return None;
            }
            let start = Instant::now();
            let twin = vector.twin.as_deref().and_then(|twin| by_id.get(twin)).copied();
            let outcome = vectors::run::run(vector, twin, codec);
            let result = self.vector_result(vector, outcome, start);
            if interrupt::is_set() {
                return None;
            }
            done(&result);
            Some(result)
        };
        let mut results: Vec<CaseResult> = self.vectors.iter().map_while(run).collect();
        same_arms(&mut results);
        results
    }

    fn vector_result(&self, vector: &Vector, outcome: vectors::run::Outcome, start: Instant) -> CaseResult {
        let about = vector.fault.clone().or_else(|| vector.note.clone()).unwrap_or_default();
        CaseResult {
            id: vector.id.clone(),
            name: vector.name.clone(),
            kind: Kind::Codec,
            group: vector.group().to_owned(),
            about,
            reqs: vector.reqs.clone(),
            verdict: self.soften(outcome.verdict, &vector.reqs),
            checks: outcome.checks,
            millis: millis(start),
            findings: outcome.findings,
            arms: outcome.arm.into_iter().collect(),
            wire: Some(vector.wire.clone()),
            spans: vector.spans.clone(),
            reproduce: vector.id.clone(),
        }
    }

    /// Plays the scenarios, several at the same time. The results are in the order of the ids.
    pub fn run_scenarios(
        &self,
        relay: &dyn RelayUnderTest,
        options: Options,
        done: &(dyn Fn(&CaseResult) + Sync),
    ) -> Vec<CaseResult> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..options.jobs.min(self.scenarios.len()).max(1) {
                scope.spawn(|| {
                    while !interrupt::is_set()
                        && let Some(scenario) = self.scenarios.get(next.fetch_add(1, Ordering::SeqCst))
                    {
                        let result = self.run_scenario(scenario, relay, options.settings);
                        if interrupt::is_set() {
                            break;
                        }
                        done(&result);
                        results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                    }
                });
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by(|a, b| a.id.cmp(&b.id));
        same_arms(&mut results);
        results
    }

    fn run_scenario(
        &self,
        scenario: &Scenario,
        relay: &dyn RelayUnderTest,
        settings: Settings,
    ) -> CaseResult {
        let start = Instant::now();
        let missing = scenario.needs.iter().find(|capability| !relay.claims(**capability));
        let hook = scenario.hooks.iter().find(|hook| !relay.supports(**hook));
        let members = relay.limit("room_members_v1").unwrap_or(limit::ROOM_MEMBERS_V1 as i64);
        let too_many = scenario.members.filter(|needed| i64::from(*needed) > members);
        let played = match (missing, hook, too_many) {
            (Some(capability), ..) => {
                Played::skipped(format!("the relay does not claim {}", capability.name()))
            }
            (_, Some(hook), _) => {
                Played::skipped(format!("the runner has no hook {} for this relay", hook.name()))
            }
            (.., Some(needed)) => Played::skipped(format!(
                "it takes {needed} members, and the relay lets {members} into a room"
            )),
            (None, None, None) => play(scenario, relay, settings),
        };
        CaseResult {
            id: scenario.id.clone(),
            name: scenario.name.clone(),
            kind: Kind::Relay,
            group: scenario.group().to_owned(),
            about: scenario.about.clone(),
            reqs: scenario.reqs.clone(),
            verdict: self.soften(played.verdict, &scenario.reqs),
            checks: played.checks,
            millis: millis(start),
            findings: played.findings,
            arms: played.arms,
            wire: None,
            spans: vec![],
            reproduce: format!("{} --seed {}", scenario.id, settings.seed),
        }
    }

    /// Where a case cites nothing but SHOULDs, a failure is a warning.
    pub(crate) fn soften(&self, verdict: Verdict, reqs: &[String]) -> Verdict {
        let should = |req: &String| self.suite.clauses.get(req).is_some_and(Clause::is_should);
        match verdict {
            Verdict::Fail | Verdict::WrongReason | Verdict::Timeout if reqs.iter().all(should) => {
                Verdict::Warn
            }
            other => other,
        }
    }
}

/// The same arm of a choice has to be taken every time (CONF-2).
fn same_arms(results: &mut [CaseResult]) {
    let mut taken: BTreeMap<String, (String, String)> = BTreeMap::new();
    for result in results {
        for (clause, arm) in result.arms.clone() {
            let (first, id) = taken.entry(clause.clone()).or_insert_with(|| (arm.clone(), result.id.clone()));
            if *first != arm && result.verdict.is_pass() {
                let text = format!("{clause}: {arm} here, {first} in {id}");
                let mut finding = Finding::text("end", text);
                finding.rule = Some("CONF-2".into());
                result.findings.push(finding);
                result.verdict = Verdict::Fail;
            }
        }
    }
}

fn millis(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}
