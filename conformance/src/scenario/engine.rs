//! Plays a scenario against a relay.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::actor::{Actor, Next};
use super::model::{Scenario, Step};
use super::vars::Vars;
use crate::frame_json::JsonFrame;
use crate::hex::Hex;
use crate::relay::{ControlError, RelayUnderTest, RunningRelay};
use crate::result::Finding;
use crate::verdict::Verdict;

/// What a scenario came to.
#[derive(Debug)]
pub struct Played {
    /// The verdict.
    pub verdict: Verdict,
    /// How many things were checked.
    pub checks: u32,
    /// What was wrong.
    pub findings: Vec<Finding>,
    /// Which arm of which clause's choice was taken.
    pub arms: BTreeMap<String, String>,
}

/// What the runner settles for all scenarios.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Makes names of rooms and keys of handshakes.
    pub seed: u64,
    /// How long a step waits for what must come.
    pub patience: Duration,
}

/// Why a scenario stopped.
pub(super) struct Stop {
    pub(super) verdict: Verdict,
    /// Boxed: a step's result is passed on through many calls.
    pub(super) finding: Box<Finding>,
}

/// A scenario in play.
pub(super) struct Engine<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) settings: Settings,
    relay: Mutex<Box<dyn RunningRelay + 'a>>,
    pub(super) addr: Mutex<SocketAddr>,
    actors: Mutex<HashMap<String, Arc<Mutex<Actor>>>>,
    pub(super) arms: Mutex<BTreeMap<String, String>>,
    checks: AtomicU32,
    serial: AtomicU64,
    pub(super) ended_by_us: AtomicBool,
    nonce: String,
}

/// One thread of it: the variables, and where it is.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) vars: Vars,
    pub(super) path: String,
}

impl Played {
    /// A scenario that this relay is not asked for, and why.
    pub fn skipped(why: impl Into<String>) -> Self {
        let findings = vec![Finding::text("start", why)];
        Self { verdict: Verdict::Skip, checks: 0, findings, arms: BTreeMap::new() }
    }
}

/// Plays a scenario.
pub fn play(scenario: &Scenario, relay: &dyn RelayUnderTest, settings: Settings) -> Played {
    let running = match relay.open(scenario) {
        Ok(running) => running,
        Err(error) => {
            let text = format!("no relay for this scenario: {error}");
            return Played {
                verdict: Verdict::Untestable,
                checks: 0,
                findings: vec![Finding::text("start", text)],
                arms: BTreeMap::new(),
            };
        }
    };
    // Who does not read does not answer pings either.
    let is_slow = scenario.timers.iter().any(|name| name == "queue_grace");
    if is_slow && running.time("idle_timeout") <= running.time("queue_grace") {
        return Played::skipped(
            "a slow member is idle first: the relay's idle_timeout is not above its queue_grace",
        );
    }
    // Where a time of the relay has to pass first, what must come may take that much longer.
    let longest = scenario.timers.iter().filter_map(|name| running.time(name)).max().unwrap_or_default();
    let settings = Settings { patience: settings.patience.saturating_add(longest), ..settings };
    let mut random = fastrand::Rng::with_seed(settings.seed ^ hash(&scenario.id));
    let addr = running.addr();
    let engine = Engine {
        scenario,
        settings,
        relay: Mutex::new(running),
        addr: Mutex::new(addr),
        actors: Mutex::default(),
        arms: Mutex::default(),
        checks: AtomicU32::new(0),
        serial: AtomicU64::new(random.u64(..)),
        ended_by_us: AtomicBool::new(false),
        nonce: (0..8).map(|_| random.lowercase()).collect(),
    };
    let mut place = Place { vars: constants(relay), path: String::new() };
    let outcome = engine.run(&scenario.steps, &mut place).and_then(|()| engine.leftovers());
    engine.report(outcome)
}

impl Engine<'_> {
    /// Runs steps in order.
    pub(super) fn run(&self, steps: &[Step], place: &mut Place) -> Result<(), Stop> {
        let outer = place.path.clone();
        for (index, step) in steps.iter().enumerate() {
            place.path = format!("{outer}/{}", index + 1);
            self.step(step, place)?;
        }
        place.path = outer;
        Ok(())
    }

    fn report(&self, outcome: Result<(), Stop>) -> Played {
        let checks = self.checks.load(Ordering::SeqCst);
        let arms = lock(&self.arms).clone();
        let (verdict, findings) = match outcome {
            Ok(()) if checks == 0 => {
                (Verdict::Inconclusive, vec![Finding::text("end", "nothing was checked")])
            }
            Ok(()) => (Verdict::Pass, vec![]),
            Err(Stop { verdict, finding }) => {
                let dead = lock(&self.relay).alive() == Some(false);
                let crashed = dead && !self.ended_by_us.load(Ordering::SeqCst);
                (if crashed { Verdict::Crash } else { verdict }, vec![*finding])
            }
        };
        Played { verdict, checks, findings, arms }
    }

    /// Nothing that nobody asked about may have come by the end.
    fn leftovers(&self) -> Result<(), Stop> {
        let actors: Vec<_> = lock(&self.actors).drain().map(|(_, actor)| actor).collect();
        let place = Place { vars: Vars::default(), path: "/end".into() };
        actors.iter().try_for_each(|actor| self.leftover(&mut lock(actor), &place))
    }

    fn leftover(&self, actor: &mut Actor, place: &Place) -> Result<(), Stop> {
        let over = actor.ended || self.ended_by_us.load(Ordering::SeqCst);
        while let Some(next) = actor.ready() {
            match next {
                Next::Frame(..) if actor.loose => {}
                Next::Close(..) | Next::End(_) if over => return Ok(()),
                Next::Pong(_) => {}
                other => return Err(self.unexpected(place, &actor.name, "nothing more", other)),
            }
        }
        Ok(())
    }

    /// One more thing was checked and right.
    pub(super) fn checked(&self) {
        self.checks.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.settings.patience
    }

    pub(super) fn random(&self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.serial.fetch_add(1, Ordering::SeqCst))
    }

    pub(super) fn serial(&self) -> u64 {
        self.serial.fetch_add(1, Ordering::SeqCst)
    }

    /// The real name of a room or game of this scenario: no other scenario or run has it.
    pub(super) fn name(&self, label: &str, vars: &Vars) -> Result<String, String> {
        Ok(format!("{}-{}-{}", self.scenario.id, self.nonce, vars.fill(label)?))
    }

    pub(super) fn relay<T>(
        &self,
        place: &Place,
        act: impl FnOnce(&mut dyn RunningRelay) -> Result<T, ControlError>,
    ) -> Result<T, Stop> {
        let mut relay = lock(&self.relay);
        let done = act(relay.as_mut());
        *lock(&self.addr) = relay.addr();
        done.map_err(|error| match error {
            ControlError::Unsupported(_) => self.stop(place, Verdict::Untestable, error.to_string()),
            ControlError::Failed(_) => self.stop(place, Verdict::Fail, error.to_string()),
        })
    }

    pub(super) fn time(&self, place: &Place, limit: &str) -> Result<Duration, Stop> {
        let time = lock(&self.relay).time(limit);
        time.ok_or_else(|| {
            self.stop(place, Verdict::Untestable, format!("{limit} is no time of the protocol"))
        })
    }

    pub(super) fn host(&self) -> String {
        lock(&self.relay).host()
    }

    pub(super) fn actor(&self, place: &Place, name: &str) -> Result<Arc<Mutex<Actor>>, Stop> {
        let found = place.vars.fill(name).ok().and_then(|name| lock(&self.actors).get(&name).cloned());
        found.ok_or_else(|| self.stop(place, Verdict::Inconclusive, format!("there is no actor {name}")))
    }

    pub(super) fn add_actor(&self, place: &Place, actor: Actor) -> Result<(), Stop> {
        let name = actor.name.clone();
        let old = lock(&self.actors).insert(name, Arc::new(Mutex::new(actor)));
        old.map_or(Ok(()), |old| self.leftover(&mut lock(&old), place))
    }

    pub(super) fn remove_actor(&self, name: &str) {
        lock(&self.actors).remove(name);
    }

    /// Stops with a verdict and a text.
    pub(super) fn stop(&self, place: &Place, verdict: Verdict, text: impl Into<String>) -> Stop {
        Stop { verdict, finding: Box::new(Finding::text(&place.path, text)) }
    }

    /// Turns an error of an expression into a stop: the scenario itself is at fault.
    pub(super) fn ours<T>(&self, place: &Place, result: Result<T, String>) -> Result<T, Stop> {
        result.map_err(|text| self.stop(place, Verdict::Inconclusive, format!("the scenario: {text}")))
    }

    /// Stops since something else came than what was expected.
    pub(super) fn unexpected(&self, place: &Place, actor: &str, expected: &str, got: Next) -> Stop {
        let mut finding = Box::new(Finding::text(&place.path, format!("{actor}: not what was expected")));
        finding.expected = Some(expected.to_owned());
        let mut verdict = Verdict::Fail;
        match got {
            Next::Frame(frame, wire) => {
                finding.got = Some(frame.brief());
                finding.wire = Some(Hex(wire));
            }
            Next::Pong(bytes) => finding.got = Some(format!("a pong with {}", Hex(bytes))),
            Next::Close(code, reason) => finding.got = Some(brief_close(code, &reason)),
            Next::End(end) => finding.got = Some(format!("the end of the connection ({end})")),
            Next::Broken { rule, text, wire } => {
                finding.got = Some(text);
                finding.rule = (!rule.is_empty()).then_some(rule);
                finding.wire = wire.map(Hex);
            }
            Next::Nothing => {
                finding.got = Some(format!("nothing within {:?}", self.settings.patience));
                verdict = Verdict::Timeout;
            }
        }
        Stop { verdict, finding }
    }

    /// The next frame of an actor, or a stop that says what was expected.
    pub(super) fn frame(
        &self,
        place: &Place,
        actor: &mut Actor,
        deadline: Instant,
        expected: impl FnOnce() -> String,
    ) -> Result<(JsonFrame, Vec<u8>), Stop> {
        match actor.next(deadline) {
            Next::Frame(frame, wire) => Ok((frame, wire)),
            other => Err(self.unexpected(place, &actor.name, &expected(), other)),
        }
    }
}

/// A close, for people.
pub(super) fn brief_close(code: Option<u16>, reason: &[u8]) -> String {
    let code = code.map_or_else(|| "without a code".to_owned(), |code| code.to_string());
    format!("close {code} {:?}", String::from_utf8_lossy(reason))
}

/// Locks, also after another thread panicked: each scenario reports for itself.
pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Limits that scenarios refer to.
fn constants(relay: &dyn RelayUnderTest) -> Vars {
    use roomwire_codec::registry::limit;
    let mut vars = Vars::default();
    for (name, value) in [
        ("key_max", limit::KEY_MAX as i64),
        ("rev_max", i64::from(limit::REV_MAX)),
        ("entry_overhead", limit::ENTRY_OVERHEAD as i64),
        ("room_bytes", limit::ROOM_BYTES as i64),
        ("room_keys", limit::ROOM_KEYS as i64),
        ("room_members_v1", limit::ROOM_MEMBERS_V1 as i64),
        ("name_max", limit::NAME_MAX as i64),
        ("user_max", limit::USER_MAX as i64),
        ("max_inbound_message", limit::MAX_INBOUND_MESSAGE as i64),
        ("queue_limit", limit::QUEUE_LIMIT as i64),
        ("queue_hard_limit", limit::QUEUE_HARD_LIMIT as i64),
        ("join_burst_room", i64::from(limit::JOIN_BURST_ROOM)),
    ] {
        vars.set(name, relay.limit(name).unwrap_or(value));
    }
    vars
}
