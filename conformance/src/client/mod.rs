//! Clients under test: the runner is their relay, and one that misbehaves where a scenario says so.
//!
//! A *driven* client obeys commands, one JSON object a line on its standard input, and tells on its standard output what
//! happens. One that only follows a *URL* is started with it, by a command or by hand; it is judged by what it sends alone.
//! `conformance/README.md` is for those who write an adapter.

pub mod adapter;
mod connecting;
mod engine;
mod frames;
mod link;
mod listener;
pub mod load;
pub mod model;
mod pattern;
mod request;
mod run;
mod steps;
mod told;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::engine::{Engine, Reach};
use self::listener::Listener;
use self::model::{ClientCapability, ClientScenario};
use crate::out::complain;
use crate::process::{Output, Process};
use crate::result::Finding;
use crate::scenario::engine::Played;
use crate::verdict::Verdict;

pub use load::load;

/// The version of the lines that runner and client write.
pub const PROTOCOL: u32 = 1;

/// How many lines that no step has asked for are kept; a client that writes more waits.
const AHEAD: usize = 16 * 1024;

/// A client under test.
pub struct ClientUnderTest {
    kind: ClientKind,
    patience: Duration,
    name: String,
    capabilities: BTreeSet<ClientCapability>,
}

enum ClientKind {
    Driven(String),
    Url(String),
    ByHand(Listener),
}

/// What an adapter says of itself.
struct Hello {
    name: String,
    capabilities: BTreeSet<ClientCapability>,
}

impl ClientUnderTest {
    /// A client that a command starts and that speaks over its standard input and output. It is started once here, for what
    /// it says of itself, and then once for each case.
    ///
    /// # Errors
    /// A text that tells why it cannot be tested.
    pub fn driven(command: &str, patience: Duration) -> Result<Self, String> {
        let (_, Hello { name, capabilities }) = introduced(command, patience)?;
        Ok(Self { kind: ClientKind::Driven(command.to_owned()), patience, name, capabilities })
    }

    /// The reference client, as an adapter that this program is, perhaps with a fault.
    ///
    /// # Errors
    /// A text that tells why it cannot be tested.
    pub fn reference(program: &Path, fault: Option<&str>, patience: Duration) -> Result<Self, String> {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let mut command = format!("exec {} client-adapter", quoted(&program.to_string_lossy()));
        if let Some(fault) = fault {
            command.push_str(&format!(" --fault {}", quoted(fault)));
        }
        Self::driven(&command, patience)
    }

    /// A client that a command starts with `{url}`, or with `{relay}`, `{game}` and `{room}`, once for each case.
    ///
    /// # Errors
    /// A text, if the command names no address.
    pub fn by_url(command: &str, patience: Duration) -> Result<Self, String> {
        if !command.contains("{url}") && !command.contains("{relay}") {
            return Err("the command has neither {url} nor {relay} in it".into());
        }
        let kind = ClientKind::Url(command.to_owned());
        Ok(Self { kind, patience, name: command.to_owned(), capabilities: all_by_url() })
    }

    /// A client that somebody points to a URL for each case, at this address.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn by_hand(addr: SocketAddr, patience: Duration) -> Result<Self, String> {
        let listener = Listener::bind(addr).map_err(|error| format!("{addr}: {error}"))?;
        complain(&format!(
            "each case prints a URL: point the client to it within {} s (--patience), and leave it there until the next one comes",
            patience.as_secs_f64()
        ));
        let name = format!("whoever connects to {}", listener.addr);
        Ok(Self { kind: ClientKind::ByHand(listener), patience, name, capabilities: all_by_url() })
    }

    /// For the report.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Can cases run at the same time?
    pub fn is_parallel(&self) -> bool {
        !matches!(self.kind, ClientKind::ByHand(_))
    }

    /// Plays a scenario.
    pub fn play(&self, scenario: &ClientScenario) -> Played {
        // One that follows a URL claims nothing: that it is not driven is why it is spared.
        let told = !matches!(self.kind, ClientKind::Driven(_));
        if let Some(why) = scenario.needs_a_driver().filter(|_| told) {
            return ended(Verdict::Skip, format!("a client that only follows its URL cannot play it: {why}"));
        }
        let missing = scenario.needs.iter().find(|need| !self.capabilities.contains(need));
        if let Some(capability) = missing {
            return ended(Verdict::Skip, format!("the client does not claim {}", capability.name()));
        }
        self.try_play(scenario).unwrap_or_else(|text| ended(Verdict::Untestable, text))
    }

    fn try_play(&self, scenario: &ClientScenario) -> Result<Played, String> {
        let bind =
            || Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).map_err(|error| error.to_string());
        let play = |reach: Reach<'_>, relays: Vec<&Listener>| {
            Engine::new(scenario, self.patience, reach, relays).play()
        };
        match &self.kind {
            ClientKind::Driven(command) => {
                let (first, second) = (bind()?, bind()?);
                let (process, hello) = introduced(command, self.patience)?;
                if hello.capabilities != self.capabilities {
                    return Err("started again, the client says something else of itself".into());
                }
                Ok(play(Reach::Driven(process), vec![&first, &second]))
            }
            ClientKind::Url(command) => Ok(play(Reach::Url(command, None), vec![&bind()?])),
            ClientKind::ByHand(listener) => {
                complain(&format!("{}  ws://{}{}", scenario.id, listener.addr, by_hand(&scenario.id)));
                Ok(play(Reach::ByHand, vec![listener]))
            }
        }
    }
}

/// What stands before `/r/` in the URL of a case.
fn prefix(id: &str) -> String {
    format!("/c/{id}")
}

fn by_hand(id: &str) -> String {
    format!("{}/r/room?g=game&v=1", prefix(id))
}

/// A client that follows a URL cannot say what it claims; nothing that it is asked needs more.
fn all_by_url() -> BTreeSet<ClientCapability> {
    BTreeSet::from([ClientCapability::Room, ClientCapability::Peers])
}

fn ended(verdict: Verdict, text: String) -> Played {
    Played {
        verdict,
        checks: 0,
        findings: vec![Finding::text("start", text)],
        arms: std::collections::BTreeMap::new(),
    }
}

/// A process that has said what it is, and that it does not know what it does not know.
fn introduced(command: &str, patience: Duration) -> Result<(Process, Hello), String> {
    let told = |text: String| format!("the client `{command}`: {text}");
    let mut process = Process::start(command, AHEAD).map_err(|error| told(error.to_string()))?;
    let seq = fastrand::u64(..1_000_000_000);
    process.send(json!({"seq": seq, "cmd": "hello", "protocol": PROTOCOL}).to_string());
    let answer = answer(&mut process, seq, patience).map_err(|text| told(format!("hello: {text}")))?;
    let hello = hello(&answer).map_err(|text| told(format!("hello: {text}")))?;
    let unknown: String = (0..8).map(|_| fastrand::lowercase()).collect();
    let next = seq.wrapping_add(1);
    process.send(json!({"seq": next, "cmd": format!("x{unknown}")}).to_string());
    let answer =
        self::answer(&mut process, next, patience).map_err(|text| told(format!("x{unknown}: {text}")))?;
    if answer.get("unsupported") != Some(&Value::Bool(true)) {
        return Err(told(format!(
            "it answers a command that does not exist with {answer}, and not with {{\"seq\":…,\"unsupported\":true}}"
        )));
    }
    Ok((process, hello))
}

fn answer(process: &mut Process, seq: u64, patience: Duration) -> Result<Value, String> {
    match process.next(Instant::now() + patience) {
        Output::Line(line) if line.get("seq") == Some(&seq.into()) => Ok(line),
        Output::Line(line) => Err(format!("not answered, but {line}")),
        Output::Garbage(text) | Output::Ended(text) => Err(text),
        Output::Nothing => Err(format!("no answer within {} s (--patience)", patience.as_secs_f64())),
    }
}

fn hello(answer: &Value) -> Result<Hello, String> {
    if answer.get("protocol") != Some(&PROTOCOL.into()) {
        return Err(format!("it does not speak version {PROTOCOL} of these lines"));
    }
    let text = |name: &str| answer.get(name).and_then(Value::as_str).ok_or_else(|| format!("no {name}"));
    let name = format!("{} {} ({})", text("name")?, text("version")?, text("language")?);
    let list = answer.get("capabilities").and_then(Value::as_array).ok_or("no capabilities")?;
    let capability = |value: &Value| {
        let name = value.as_str().unwrap_or_default();
        ClientCapability::of(name).ok_or_else(|| format!("the capability {value}"))
    };
    Ok(Hello { name, capabilities: list.iter().map(capability).collect::<Result<_, _>>()? })
}
