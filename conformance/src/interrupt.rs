//! Ctrl-C: the run ends early, and what it has found out is reported.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};

use crate::out::complain;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell sees of a program that Ctrl-C ended.
const STATUS: i32 = 130;

/// Whether the run is to end. A case that was running at that moment proves nothing: what it tests may have been interrupted, too.
pub fn is_set() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// From now on SIGINT and SIGTERM end the run after the running cases, and a second one ends the program at once.
///
/// # Errors
/// The signals cannot be watched.
pub fn watch() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let (mut interrupt, mut terminate) = {
        let _entered = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        runtime.block_on(async {
            for end_now in [false, true] {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if end_now {
                    std::process::exit(STATUS);
                }
                INTERRUPTED.store(true, Ordering::SeqCst);
                complain(
                    "interrupted: the run ends after the cases that are running; once more ends it at once",
                );
            }
        });
    })?;
    Ok(())
}
