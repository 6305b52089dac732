//! The reference client behind the lines that the runner speaks: `roomwire-conformance client-adapter`.

use std::io::BufRead as _;
use std::time::Duration;

use roomwire_client::json::JsonEvent;
use roomwire_client::{Address, Backoff, Client, Event, Events, Mode, Options, PeerId, Target, connect};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::PROTOCOL;
use crate::hex::Hex;
use crate::out;
use crate::verdict::Exit;

/// The reference client as a client under test; without an address it obeys the lines of its standard input.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Connect there and do what the relay asks, without lines
    #[arg(requires_all = ["game", "room"])]
    relay: Option<String>,
    /// The game
    game: Option<String>,
    /// The room
    room: Option<String>,
    /// A fault to build in: see the mutants
    #[arg(long)]
    fault: Option<String>,
}

/// How long nothing has to come before the client is ready. Short, like the waits: how long they are is nothing that the runner
/// asks about.
const QUIET: Duration = Duration::from_millis(100);

/// Waits between attempts.
const WAITS: Backoff = Backoff { first: Duration::from_millis(20), limit: Duration::from_millis(200) };

/// What stands between the client and the lines: nothing, or a fault.
pub trait Between: Send {
    /// Where the client really connects to.
    fn relay(&mut self, relay: &str) -> String {
        relay.to_owned()
    }

    /// What is told in place of an event.
    fn event(&mut self, event: Value, _client: &Client) -> Vec<Value> {
        vec![event]
    }

    /// The answer to a command in place of the client's.
    fn command(&mut self, _command: &Value, _client: &Client) -> Option<Value> {
        None
    }
}

/// Nothing.
struct Honest;

impl Between for Honest {}

fn between(fault: Option<&str>) -> Result<Box<dyn Between>, String> {
    match fault {
        None => Ok(Box::new(Honest)),
        #[cfg(feature = "mutants")]
        Some(fault) => crate::mutants::clients::build(fault),
        #[cfg(not(feature = "mutants"))]
        Some(fault) => Err(format!("built without the fault {fault}")),
    }
}

/// Runs it until its standard input ends.
pub fn main(args: &Args) -> Exit {
    let between = match between(args.fault.as_deref()) {
        Ok(between) => between,
        Err(text) => return crate::cli::harness(&text),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return crate::cli::harness(&error.to_string()),
    };
    let mut adapter = Adapter { client: None, paused: false, between };
    let ran = match (&args.relay, &args.game, &args.room) {
        (Some(relay), Some(game), Some(room)) => {
            let command = Command {
                relay: relay.clone(),
                game: game.clone(),
                room: room.clone(),
                user: String::new(),
                mode: String::new(),
            };
            runtime.block_on(async {
                let joined = adapter.connect(command);
                wait_for_end(lines()).await;
                joined.map(drop)
            })
        }
        _ => runtime.block_on(adapter.serve(lines())),
    };
    match ran {
        Ok(()) => Exit::Clean,
        Err(text) => crate::cli::harness(&text),
    }
}

async fn wait_for_end(mut lines: UnboundedReceiver<String>) {
    while lines.recv().await.is_some() {}
}

fn lines() -> UnboundedReceiver<String> {
    let (sender, receiver) = unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

struct Adapter {
    client: Option<(Client, Events)>,
    paused: bool,
    between: Box<dyn Between>,
}

/// The command `connect`.
#[derive(Deserialize)]
struct Command {
    relay: String,
    game: String,
    room: String,
    #[serde(default)]
    user: String,
    #[serde(default)]
    mode: String,
}

impl Adapter {
    async fn serve(&mut self, mut lines: UnboundedReceiver<String>) -> Result<(), String> {
        loop {
            tokio::select! {
                line = lines.recv() => {
                    let Some(line) = line else { return Ok(()) };
                    // What happened before a command is told before its answer.
                    self.tell_all()?;
                    let answer = self.answer(&line)?;
                    write(&answer)?;
                }
                event = next(&mut self.client, self.paused) => self.tell(&event)?,
            }
        }
    }

    fn tell_all(&mut self) -> Result<(), String> {
        while let Some(event) = self.client.as_mut().filter(|_| !self.paused).and_then(|(_, e)| e.try_recv())
        {
            self.tell(&event)?;
        }
        Ok(())
    }

    fn tell(&mut self, event: &Event) -> Result<(), String> {
        let Some((client, _)) = &self.client else { return Ok(()) };
        let mut line = serde_json::to_value(JsonEvent::from(event)).map_err(|error| error.to_string())?;
        if let Some(line) = line.as_object_mut() {
            match event {
                Event::Closed(closed) => {
                    line.insert("retry".into(), closed.retry_in.is_some().into());
                }
                // A text message is an error like any other.
                _ if line.get("event").is_some_and(|name| name == "text") => {
                    line.insert("event".into(), "error".into());
                    line.insert("class".into(), "text".into());
                }
                _ => {}
            }
        }
        self.between.event(line, client).iter().try_for_each(write)
    }

    fn answer(&mut self, line: &str) -> Result<Value, String> {
        let command: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let changed = self.client.as_ref().and_then(|(client, _)| self.between.command(&command, client));
        let answered = changed.map_or_else(|| self.obey(&command), Ok);
        let mut answer = answered.unwrap_or_else(|refused| json!({"refused": refused}));
        if let (Some(answer), Some(seq)) = (answer.as_object_mut(), command.get("seq")) {
            answer.insert("seq".into(), seq.clone());
        }
        Ok(answer)
    }

    /// Does what it is told. The error is why the client refuses.
    fn obey(&mut self, command: &Value) -> Result<Value, String> {
        let text = |name: &str| command.get(name).and_then(Value::as_str).unwrap_or_default();
        let bytes = |name: &str| match crate::hex::decode(text(name)) {
            Some(bytes) => Ok(bytes),
            None => Err(format!("{name} is not lowercase hex")),
        };
        let client = || self.client.as_ref().map(|(client, _)| client).ok_or("no room was joined");
        let ok = || Ok(json!({"ok": true}));
        match text("cmd") {
            "hello" => Ok(json!({
                "protocol": PROTOCOL,
                "name": "roomwire-client",
                "version": env!("CARGO_PKG_VERSION"),
                "language": "Rust",
                "capabilities": ["room", "peers", "reconnect", "pause"],
            })),
            "connect" => {
                self.connect(serde_json::from_value(command.clone()).map_err(|error| error.to_string())?)
            }
            "set" => {
                client()?.set(text("key"), bytes("value")?).map_err(|error| error.to_string())?;
                ok()
            }
            "save" => {
                let save = client()?.save(bytes("blob")?).map_err(|error| error.to_string())?;
                Ok(json!({"ok": true, "save": save.get()}))
            }
            "send" => {
                let to =
                    command.get("to").and_then(Value::as_i64).and_then(target).ok_or("no such target")?;
                client()?.send_packet(to, bytes("payload")?).map_err(|error| error.to_string())?;
                ok()
            }
            "get" => match self.client.as_ref().and_then(|(client, _)| client.get(text("key"))) {
                Some(held) => {
                    let value = Hex::from(held.value.as_ref());
                    Ok(json!({"ok": true, "set": true, "rev": held.rev, "value": value}))
                }
                None => Ok(json!({"ok": true, "set": false})),
            },
            "peers" => {
                let peers: Vec<i32> = client()?.peers().into_iter().map(PeerId::get).collect();
                Ok(json!({"ok": true, "peers": peers}))
            }
            "close" => {
                client()?.leave();
                ok()
            }
            "pause" | "resume" => {
                self.paused = text("cmd") == "pause";
                ok()
            }
            _ => Ok(Value::Object(Map::from_iter([("unsupported".to_owned(), true.into())]))),
        }
    }

    fn connect(&mut self, command: Command) -> Result<Value, String> {
        let mode = match command.mode.as_str() {
            "state" => Mode::State,
            "peers" => Mode::Peers,
            _ => Mode::Both,
        };
        let relay = self.between.relay(&command.relay);
        let address = Address::new(&relay, &command.game, &command.room)
            .and_then(|address| address.with_user(&command.user))
            .map_err(|error| error.to_string())?
            .with_mode(mode);
        match &self.client {
            Some((client, _)) => client.join(address).map_err(|error| error.to_string())?,
            None => {
                let mut options = Options::new(address);
                options.config.reconnect = Some(WAITS);
                options.config.quiet = QUIET;
                self.client = Some(connect(options).map_err(|error| error.to_string())?);
            }
        }
        Ok(json!({"ok": true}))
    }
}

/// The next event; never, if there is no client, or its game is paused.
async fn next(client: &mut Option<(Client, Events)>, paused: bool) -> Event {
    match client {
        Some((_, events)) if !paused => match events.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        },
        _ => std::future::pending().await,
    }
}

fn target(number: i64) -> Option<Target> {
    let number = i32::try_from(number).ok()?;
    match number {
        0 => Some(Target::All),
        1.. => PeerId::new(number).map(Target::Peer),
        _ => PeerId::new(number.checked_neg()?).map(Target::AllBut),
    }
}

fn write(line: &Value) -> Result<(), String> {
    out::write(&format!("{line}\n")).map_err(|error| error.to_string())
}
