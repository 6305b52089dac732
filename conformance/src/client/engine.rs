//! Plays a scenario with a client.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::link::{Came, Link};
use super::listener::Listener;
use super::model::{ClientScenario, ClientStep};
use super::pattern::{Kept, brief};
use super::told::Told;
use crate::hex::{Hex, shorten};
use crate::process::{Output, Process};
use crate::result::Finding;
use crate::scenario::engine::Played;
use crate::verdict::Verdict;

/// Why a scenario stopped.
pub(super) struct Stop {
    pub(super) verdict: Verdict,
    pub(super) finding: Box<Finding>,
}

/// How the client of a scenario is reached.
pub(super) enum Reach<'a> {
    /// It obeys, and tells what happens.
    Driven(Process),
    /// It is started with an address and does what it does. The process is there to be killed.
    Url(&'a str, Option<Process>),
    /// Somebody starts it.
    ByHand,
}

/// A scenario in play.
pub(super) struct Engine<'a> {
    pub(super) scenario: &'a ClientScenario,
    pub(super) patience: Duration,
    pub(super) reach: Reach<'a>,
    pub(super) relays: Vec<&'a Listener>,
    pub(super) links: Vec<Link>,
    /// Events that came before the answer to a command.
    pub(super) events: std::collections::VecDeque<Value>,
    pub(super) ready: bool,
    /// After the last end that a step asked about the client tries again by itself.
    pub(super) again: bool,
    /// What the client has told so far, whether or not a step has asked about it.
    pub(super) told: Told,
    pub(super) kept: Kept,
    /// Writes that the client took and that no step has asked about, as messages.
    pub(super) writes: Vec<Vec<u8>>,
    /// The highest revision that was sent, and how many fences.
    pub(super) rev: u32,
    pub(super) fences: u32,
    pub(super) seq: u64,
    pub(super) checks: u32,
    pub(super) path: String,
}

/// Events that tell how a connection goes on: no scenario counts them, unless it asks for one.
const NOISE: [&str; 3] = ["connecting", "opened", "godot"];

/// Events that must not be left over at the end.
const COUNTED: [&str; 5] = ["state", "world", "saved", "packet", "error"];

impl<'a> Engine<'a> {
    pub(super) fn new(
        scenario: &'a ClientScenario,
        patience: Duration,
        reach: Reach<'a>,
        relays: Vec<&'a Listener>,
    ) -> Self {
        Self {
            scenario,
            patience,
            reach,
            relays,
            links: vec![],
            events: std::collections::VecDeque::new(),
            ready: false,
            again: false,
            told: Told::default(),
            kept: Kept::new(),
            writes: vec![],
            rev: 0,
            fences: 0,
            seq: fastrand::u64(..1_000_000_000),
            checks: 0,
            path: String::new(),
        }
    }

    /// Plays it to its end.
    pub(super) fn play(mut self) -> Played {
        let scenario = self.scenario;
        let outcome = self.run(&scenario.steps).and_then(|()| self.leftovers());
        let (verdict, findings) = match outcome {
            Ok(()) if self.checks == 0 => {
                (Verdict::Inconclusive, vec![Finding::text("end", "nothing was checked")])
            }
            Ok(()) => (Verdict::Pass, vec![]),
            Err(Stop { verdict, finding }) => (verdict, vec![*finding]),
        };
        Played { verdict, checks: self.checks, findings, arms: BTreeMap::new() }
    }

    pub(super) fn run(&mut self, steps: &[ClientStep]) -> Result<(), Stop> {
        let outer = self.path.clone();
        for (index, step) in steps.iter().enumerate() {
            self.path = format!("{outer}/{}", index + 1);
            self.step(step)?;
        }
        self.path = outer;
        Ok(())
    }

    /// Nothing that nobody asked about may have come by the end: no message, and no event where the scenario is about events.
    fn leftovers(&mut self) -> Result<(), Stop> {
        self.path = "/end".into();
        for mut link in std::mem::take(&mut self.links) {
            while let Some(came) = link.ready() {
                match came {
                    Came::Message(_) | Came::Broken(..) => return Err(self.unexpected("nothing more", came)),
                    Came::Pong(_) | Came::Close(..) | Came::End => {}
                }
            }
        }
        if self.scenario.needs_a_driver().is_none() {
            return Ok(());
        }
        if let Reach::Driven(process) = &self.reach {
            let more: Vec<Value> = std::iter::from_fn(|| process.ready()).collect();
            for event in more {
                self.note(&event)?;
                self.events.push_back(event);
            }
        }
        let left = self.events.iter().find(|event| COUNTED.contains(&name_of(event)));
        left.map_or(Ok(()), |event| Err(self.differs(Verdict::Fail, "no more events", brief(event))))
    }

    /// One more thing was checked and right.
    pub(super) fn checked(&mut self) {
        self.checks = self.checks.saturating_add(1);
    }

    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.patience
    }

    /// The next event that counts; `ready` counts if `strict`, else it is only remembered.
    pub(super) fn event(&mut self, wanted: &str, deadline: Instant) -> Result<Value, Stop> {
        loop {
            let event = match self.events.pop_front() {
                Some(event) => event,
                None => {
                    let event = self.line(wanted, deadline)?;
                    self.note(&event)?;
                    event
                }
            };
            match name_of(&event) {
                "ready" => {
                    self.ready = true;
                    if self.scenario.strict_ready {
                        return Ok(event);
                    }
                    if wanted == "ready" {
                        return Ok(event);
                    }
                }
                "" => return Err(self.differs(Verdict::Fail, "an event", brief(&event))),
                "connecting" => {
                    self.ready = false;
                    if wanted == "connecting" {
                        return Ok(event);
                    }
                }
                name if name != wanted && NOISE.contains(&name) => {}
                // An attempt of its own that nobody accepted, given up since it was told to leave or to join again.
                "closed" if wanted != "closed" && self.again => {}
                "closed" => {
                    self.ready = false;
                    self.again = event.get("retry") == Some(&Value::Bool(true));
                    return Ok(event);
                }
                "joined" => {
                    self.again = false;
                    return Ok(event);
                }
                // With a connection its peers go (`Told` counts them), and what ended it may have been an error: whether that is told
                // is left open.
                "peer-removed" | "error" if wanted == "closed" => {}
                _ => return Ok(event),
            }
        }
    }

    /// Takes note of an event as it comes, and holds it to what is true of all events.
    pub(super) fn note(&mut self, event: &Value) -> Result<(), Stop> {
        self.told.note(event).map_err(|(rule, wanted)| self.breaks(rule, wanted, brief(event)))
    }

    /// Stops since a clause is broken that holds in every scenario.
    pub(super) fn breaks(&self, rule: &str, expected: &str, got: String) -> Stop {
        let mut stop = self.differs(Verdict::Fail, expected, got);
        stop.finding.rule = Some(rule.to_owned());
        stop
    }

    /// The next line of a driven client.
    pub(super) fn line(&mut self, wanted: &str, deadline: Instant) -> Result<Value, Stop> {
        let Reach::Driven(process) = &mut self.reach else {
            return Err(self.stop(Verdict::Inconclusive, "the scenario: this client tells nothing"));
        };
        match process.next(deadline) {
            Output::Line(line) => Ok(line),
            Output::Garbage(text) => Err(self.differs(Verdict::Fail, wanted, text)),
            Output::Ended(text) => Err(self.differs(Verdict::Crash, wanted, text)),
            Output::Nothing => {
                let text = format!("nothing within {:?}", self.patience);
                Err(self.differs(Verdict::Timeout, wanted, text))
            }
        }
    }

    /// The connection that a step is about.
    pub(super) fn link(&mut self, number: Option<usize>) -> Result<&mut Link, Stop> {
        let number = number.unwrap_or(self.links.len());
        if number == 0 || number > self.links.len() {
            return Err(self.stop(Verdict::Inconclusive, "the scenario: there is no such connection"));
        }
        let found = self.links.get_mut(number.saturating_sub(1));
        found.ok_or_else(|| Stop {
            verdict: Verdict::Inconclusive,
            finding: Box::new(Finding::text("", "the scenario: there is no such connection")),
        })
    }

    pub(super) fn stop(&self, verdict: Verdict, text: impl Into<String>) -> Stop {
        Stop { verdict, finding: Box::new(Finding::text(&self.path, text)) }
    }

    /// Turns an error of a pattern into a stop: the scenario itself is at fault.
    pub(super) fn ours<T>(&self, result: Result<T, String>) -> Result<T, Stop> {
        result.map_err(|text| self.stop(Verdict::Inconclusive, format!("the scenario: {text}")))
    }

    pub(super) fn differs(&self, verdict: Verdict, expected: &str, got: String) -> Stop {
        let mut stop = self.stop(verdict, "not what was expected");
        stop.finding.expected = Some(expected.to_owned());
        stop.finding.got = Some(got);
        stop
    }

    /// Stops since something else came over a connection than what was expected.
    pub(super) fn unexpected(&self, expected: &str, came: Came) -> Stop {
        let (mut rule, mut wire) = (None, None);
        let got = match came {
            Came::Message(bytes) => {
                let got = format!("the message {}", shorten(&bytes, 48));
                wire = Some(Hex(bytes));
                got
            }
            Came::Pong(bytes) => format!("a pong with {}", Hex(bytes)),
            Came::Close(code, reason) => {
                let code = code.map_or_else(|| "without a code".to_owned(), |code| code.to_string());
                format!("close {code} {:?}", String::from_utf8_lossy(&reason))
            }
            Came::End => "the end of the connection".into(),
            Came::Broken(clause, text) => {
                rule = Some(clause.to_owned());
                text
            }
        };
        let mut stop = self.differs(Verdict::Fail, expected, got);
        (stop.finding.rule, stop.finding.wire) = (rule, wire);
        stop
    }

    /// The next thing on a connection, or a stop that says what was expected.
    pub(super) fn came(&mut self, link: Option<usize>, expected: &str) -> Result<Came, Stop> {
        let deadline = self.deadline();
        loop {
            match self.link(link)?.next(deadline) {
                // Of a ping that no step waits for, or unasked, which RFC 6455 allows.
                Some(Came::Pong(_)) => {}
                Some(came) => return Ok(came),
                None => return Err(self.late(expected)),
            }
        }
    }

    pub(super) fn late(&mut self, expected: &str) -> Stop {
        let text = self.with_end(format!("nothing within {:?}", self.patience));
        self.differs(Verdict::Timeout, expected, text)
    }

    /// What became of the process of a client that follows its URL: if it has ended, that may be why nothing comes.
    pub(super) fn with_end(&mut self, text: String) -> String {
        let Reach::Url(_, Some(process)) = &mut self.reach else { return text };
        process.ended().map_or(text.clone(), |end| format!("{text}; of the client's command: {end}"))
    }
}

/// The name of an event; empty if it is none.
pub(super) fn name_of(event: &Value) -> &str {
    event.get("event").and_then(Value::as_str).unwrap_or_default()
}
