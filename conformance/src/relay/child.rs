//! What this program is when the runner starts it as the reference relay.
//!
//! The configuration comes in an environment variable, control lines come on stdin and are answered by `ok`:
//!
//! | line | what happens |
//! |---|---|
//! | `hold` | commits wait |
//! | `release` | they go on |
//! | `fail` | every commit fails, as after a failed flush |
//! | `stop` | the relay ends in order |
//!
//! When stdin ends, the runner is gone, and so goes the relay.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use roomwire_relay::shell::{Handle, Limits, Relay};
use roomwire_relay::store::{Batch, RoomName, SqliteStore, Store};
use serde::{Deserialize, Serialize};

use super::ControlError;
use super::controlled::ControlledStore;
use crate::out::{self, complain};

/// The variable that holds a [`ChildConfig`] as JSON.
pub const ENV: &str = "ROOMWIRE_CONFORMANCE_RELAY";

/// How the relay is to run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChildConfig {
    /// Where its store is.
    pub data: PathBuf,
    /// Times that differ from the defaults, in milliseconds, by the names of the limits.
    pub times: BTreeMap<String, u64>,
    /// A fault to build in: see the mutants.
    pub fault: Option<String>,
}

/// Becomes the relay, if the environment says so.
pub fn serve_if_asked() -> Option<ExitCode> {
    let config = std::env::var(ENV).ok()?;
    Some(match serde_json::from_str(&config).map_err(|error| error.to_string()).and_then(|c| serve(&c)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            complain(&text);
            ExitCode::FAILURE
        }
    })
}

/// The store in the runner's hands, and what the relay sees of it: the same, or a fault in front of it.
fn open_store(config: &ChildConfig) -> Result<(ControlledStore, Arc<dyn Store>), String> {
    let store = SqliteStore::open(&config.data).map_err(|error| error.to_string())?;
    let store = ControlledStore::new(Box::new(store));
    let seen: Arc<dyn Store> = match &config.fault {
        #[cfg(feature = "mutants")]
        Some(fault) => crate::mutants::stores::wrap(fault, Arc::new(store.clone()))?,
        #[cfg(not(feature = "mutants"))]
        Some(fault) => return Err(format!("built without the fault {fault}")),
        None => Arc::new(store.clone()),
    };
    Ok((store, seen))
}

fn listen_to_runner(store: ControlledStore, relay: Handle) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let mut answer = "ok\n".to_owned();
            match line.as_str() {
                "hold" => store.hold(),
                "release" => store.release(),
                "fail" => store.fail(),
                "stop" => relay.shutdown(),
                other => answer = format!("unknown: {other}\n"),
            }
            if out::write(&answer).is_err() {
                break;
            }
        }
        std::process::exit(1);
    });
}

fn with_store<T>(
    config: &ChildConfig,
    act: impl FnOnce(&SqliteStore) -> Result<T, ControlError>,
) -> Result<T, ControlError> {
    let store = SqliteStore::open(&config.data).map_err(ControlError::failed)?;
    let done = act(&store)?;
    store.close().map_err(ControlError::failed)?;
    Ok(done)
}

/// Sets the last revision of a room, as if so many writes had been made.
///
/// # Errors
/// Those of the store.
pub fn seed_rev(config: &ChildConfig, game: &str, room: &str, rev: u32) -> Result<(), ControlError> {
    with_store(config, |store| {
        let (sender, receiver) = channel();
        let batch = Batch { room: RoomName::new(game, room), rev, writes: vec![] };
        store.commit_batch(batch, Box::new(move |done| drop(sender.send(done))));
        receiver.recv().map_err(ControlError::failed)?.map_err(ControlError::failed)
    })
}

fn database(config: &ChildConfig) -> Result<rusqlite::Connection, ControlError> {
    let files = std::fs::read_dir(&config.data).map_err(ControlError::failed)?;
    let mut paths = files.filter_map(|file| Some(file.ok()?.path()));
    let path = paths.find(|path| path.extension().is_some_and(|extension| extension == "sqlite3"));
    let path = path.ok_or_else(|| ControlError::failed("no database in the store's directory"))?;
    rusqlite::Connection::open(path).map_err(ControlError::failed)
}

/// Counts the rooms of the store.
///
/// # Errors
/// Those of the database.
pub fn count_rooms(config: &ChildConfig) -> Result<u64, ControlError> {
    let count = database(config)?.query_row("SELECT count(*) FROM rooms", [], |row| row.get::<_, i64>(0));
    Ok(count.map_err(ControlError::failed)?.unsigned_abs())
}

/// Damages a room: its revision falls below those of its values.
///
/// # Errors
/// Those of the database, and if there is no such room.
pub fn damage(config: &ChildConfig, game: &str, room: &str) -> Result<(), ControlError> {
    let changed = database(config)?.execute(
        "UPDATE entries SET rev = 4000000000 WHERE room = (SELECT id FROM rooms WHERE game = ?1 AND room = ?2)",
        (game, room),
    );
    match changed.map_err(ControlError::failed)? {
        0 => Err(ControlError::failed("the store has no value in that room")),
        _ => Ok(()),
    }
}

fn serve(config: &ChildConfig) -> Result<(), String> {
    let (store, seen) = open_store(config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let relay = Relay::start(listen, limits(config)?, seen).await;
        let relay = relay.map_err(|error| error.to_string())?;
        let listening = format!("{{\"listening\":\"{}\"}}\n", relay.local_addr());
        out::write(&listening).map_err(|error| error.to_string())?;
        listen_to_runner(store, relay.handle());
        relay.wait().await.map_err(|error| error.to_string())
    })
}

fn limits(config: &ChildConfig) -> Result<Limits, String> {
    let mut limits = Limits::default();
    for (name, millis) in &config.times {
        let time = match name.as_str() {
            "handshake_timeout" => &mut limits.timing.handshake_timeout,
            "ping_interval" => &mut limits.timing.ping_interval,
            "idle_timeout" => &mut limits.timing.idle_timeout,
            "close_timeout" => &mut limits.timing.close_timeout,
            "queue_grace" => &mut limits.queue.grace,
            _ => return Err(format!("the relay has no time {name}")),
        };
        *time = Duration::from_millis(*millis);
    }
    #[cfg(feature = "mutants")]
    crate::mutants::stores::loosen(config.fault.as_deref(), &mut limits);
    Ok(limits)
}
