//! Runs the client scenarios that were selected.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::ClientUnderTest;
use super::model::ClientScenario;
use crate::interrupt;
use crate::result::{CaseResult, Kind};
use crate::run::Selected;

impl Selected<'_> {
    /// Plays the client scenarios, several at the same time. The results are in the order of the ids.
    pub fn run_clients(
        &self,
        client: &ClientUnderTest,
        jobs: usize,
        done: &(dyn Fn(&CaseResult) + Sync),
    ) -> Vec<CaseResult> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::new());
        let jobs = if client.is_parallel() { jobs.min(self.clients.len()).max(1) } else { 1 };
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while !interrupt::is_set()
                        && let Some(scenario) = self.clients.get(next.fetch_add(1, Ordering::SeqCst))
                    {
                        let result = self.run_client(scenario, client);
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
        results
    }

    fn run_client(&self, scenario: &ClientScenario, client: &ClientUnderTest) -> CaseResult {
        let start = Instant::now();
        let played = client.play(scenario);
        CaseResult {
            id: scenario.id.clone(),
            name: scenario.name.clone(),
            kind: Kind::Client,
            group: scenario.group().to_owned(),
            about: scenario.about.clone(),
            reqs: scenario.reqs.clone(),
            verdict: self.soften(played.verdict, &scenario.reqs),
            checks: played.checks,
            millis: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
            findings: played.findings,
            arms: played.arms,
            wire: None,
            spans: vec![],
            reproduce: scenario.id.clone(),
        }
    }
}
