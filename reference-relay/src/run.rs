//! The program: configuration, logs, store, signals, exit code.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};
use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

use crate::config::{Args, Config, ConfigError, StoreKind};
use crate::shell::{Relay, RelayError};
use crate::store::{MemoryStore, OpenError, SqliteStore, Store};

/// Why the program ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The command line or the configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store cannot be opened.
    #[error("the store cannot be opened: {0}")]
    Open(#[from] OpenError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The operating system refused something that the relay cannot do without.
    #[error("cannot start: {0}")]
    Start(#[from] io::Error),
    /// The relay ended by itself.
    #[error(transparent)]
    Relay(#[from] RelayError),
    /// A second signal came while the relay was ending in order. What was told is durable all the same.
    #[error("told twice to end: ended at once")]
    Interrupted,
}

impl RunError {
    /// The exit code that stands for the error: 2 for a wrong configuration, else 1.
    pub fn exit_code(&self) -> u8 {
        if matches!(self, RunError::Config(_)) { 2 } else { 1 }
    }
}

/// The whole program, `args` with the program's name in front: what the binary does, for binaries that contain it.
/// Prints what there is to say and returns the exit code.
pub fn main(args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => {
            let code = u8::try_from(error.exit_code()).unwrap_or(2);
            // Nowhere to tell that standard error is gone.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match Config::resolve(args).map_err(RunError::from).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Says why the program ends. A pipe that is full and that nobody reads does not keep it from ending.
fn complain(error: &RunError) {
    const PATIENCE: Duration = Duration::from_secs(1);
    let line = format!("roomwire-relay: {error}\n");
    let (done, written) = mpsc::channel();
    std::thread::spawn(move || {
        // Nowhere to tell that standard error is gone.
        let _ = io::stderr().write_all(line.as_bytes());
        let _ = done.send(());
    });
    let _ = written.recv_timeout(PATIENCE);
}

/// Runs a relay in a runtime of its own until SIGINT, SIGTERM or the end of its store. Prints `{"listening":…}` on
/// standard output once it serves, and logs to standard error.
///
/// # Errors
/// [`RunError`] if it could not start, or did not end because it was told to.
pub fn run(config: Config) -> Result<(), RunError> {
    let _log = log_to_stderr(&config.log)?;
    let store = open(&config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(config.threads)
        .enable_all()
        .thread_name("roomwire-relay")
        .build()?;
    runtime.block_on(async { runtime.spawn(serve(config, store)).await.map_err(io::Error::other)? })
}

async fn serve(config: Config, store: Arc<dyn Store>) -> Result<(), RunError> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let relay = Relay::start(config.listen, config.limits, store)
        .await
        .map_err(|error| RunError::Listen { address: config.listen, error })?;
    announce(&relay)?;
    let handle = relay.handle();
    let ended = relay.wait();
    tokio::pin!(ended);
    tokio::select! {
        ended = &mut ended => return Ok(ended?),
        _ = interrupt.recv() => tracing::info!("SIGINT"),
        _ = terminate.recv() => tracing::info!("SIGTERM"),
    }
    handle.shutdown();
    tokio::select! {
        ended = &mut ended => Ok(ended?),
        _ = interrupt.recv() => Err(RunError::Interrupted),
        _ = terminate.recv() => Err(RunError::Interrupted),
    }
}

fn announce(relay: &Relay) -> io::Result<()> {
    tracing::info!(address = %relay.local_addr(), "listening");
    let mut stdout = io::stdout().lock();
    writeln!(stdout, r#"{{"listening":"{}"}}"#, relay.local_addr())?;
    stdout.flush()
}

/// Logs through a thread of its own, so that a pipe that nobody reads holds up no one: what does not fit is dropped. What
/// is returned writes the rest when it is dropped.
fn log_to_stderr(filter: &str) -> Result<WorkerGuard, RunError> {
    let filter = log_filter(filter).map_err(ConfigError::Value)?;
    let (writer, guard) = tracing_appender::non_blocking(io::stderr());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    // Where a line cannot be written, nothing else can be done about it; the default would panic.
    let log = log.log_internal_errors(false);
    // A program that contains the relay may have set up its own.
    let _ = log.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).try_init();
    Ok(guard)
}

/// A single word that is no level would be taken for the name of a module, and silence everything else.
fn log_filter(text: &str) -> Result<EnvFilter, String> {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_word && text.parse::<tracing::level_filters::LevelFilter>().is_err() {
        return Err(format!("{text:?} is no log level: error, warn, info, debug, trace or off"));
    }
    EnvFilter::try_new(text).map_err(|error| format!("the log filter is not valid: {error}"))
}

fn open(config: &Config) -> Result<Arc<dyn Store>, RunError> {
    match (config.store, &config.data) {
        (StoreKind::Sqlite, Some(dir)) => {
            let store = SqliteStore::open(dir)?;
            tracing::info!(dir = %dir.display(), "store opened");
            tracing::debug!(settings = ?store.settings(), "as the store reads it back");
            Ok(Arc::new(store))
        }
        (StoreKind::Sqlite, None) => Err(ConfigError::Value("--data is missing".to_owned()).into()),
        (StoreKind::Memory, data) => {
            // DUR-10.
            tracing::warn!("--store memory: nothing lasts longer than this process");
            if let Some(dir) = data {
                tracing::warn!(dir = %dir.display(), "--data is not used");
            }
            Ok(Arc::new(MemoryStore::new()))
        }
    }
}
