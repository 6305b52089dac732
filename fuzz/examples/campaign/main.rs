//! What a fuzzing campaign needs beside the targets: see `--help` and README.md.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a tool for developers, which ends where it cannot go on"
)]
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "as above")]

mod adapter;
mod candidate;
#[path = "../../tests/suite/golden.rs"]
mod golden;
mod seeds;
mod socket;
#[cfg(test)]
mod tests;
mod witness;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

/// What a fuzzing campaign against Roomwire, or an implementation of your own, needs beside the targets.
///
/// Exit codes: 0 nothing was found, 1 something was, 2 the command line is wrong or what it names cannot be used.
#[derive(Parser)]
#[command(name = "campaign")]
enum Command {
    /// Write the corpora of the targets, and a dictionary, from the golden frames.
    Seeds {
        /// The directory: DIR/decode, DIR/room, DIR/backlog and DIR/roomwire.dict.
        #[arg(default_value = "fuzz/corpus")]
        dir: PathBuf,
    },
    /// Tell a find as a candidate for the golden frames (or, of the target room, its operations).
    Candidate {
        /// The target that found it.
        #[arg(value_parser = ["decode", "round_trip", "room"])]
        target: String,
        /// Files from fuzz/artifacts.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Compare a codec behind an adapter (conformance/ADAPTERS.md) with the reference codec over changed golden frames.
    Adapter {
        /// The adapter's command.
        command: String,
        #[command(flatten)]
        runs: Runs,
    },
    /// Send hostile messages to a relay, in rooms in which somebody else must not be disturbed.
    Socket {
        /// The relay, as ws://127.0.0.1:8080 or 127.0.0.1:8080.
        relay: String,
        #[command(flatten)]
        runs: Runs,
    },
}

#[derive(clap::Args)]
struct Runs {
    /// How many messages.
    #[arg(long, default_value_t = 10_000)]
    runs: u32,
    /// The same seed gives the same messages.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How long to wait for an answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    patience: u64,
}

impl Runs {
    fn patience(&self) -> Duration {
        Duration::from_secs(self.patience)
    }

    /// Tells how far it is, ten times.
    fn progress(&self, run: u32) {
        if run > 0 && run.is_multiple_of((self.runs / 10).max(1)) {
            eprintln!("{run} of {}", self.runs);
        }
    }
}

fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os()))
}

/// What the exit code is to be. A panic is no find, and ends with 2 like all else that keeps a campaign from its end.
fn run(args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let command = match Command::try_parse_from(args) {
        Ok(command) => command,
        Err(error) => {
            // Nowhere to tell that standard error is gone.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    match catch_unwind(AssertUnwindSafe(|| carry_out(command))) {
        Ok(Ok(0)) => 0,
        Ok(Ok(_)) => 1,
        Ok(Err(error)) => {
            eprintln!("campaign: {error}");
            2
        }
        Err(_) => 2,
    }
}

/// How much was found.
fn carry_out(command: Command) -> Result<usize, String> {
    match command {
        Command::Seeds { dir } => seeds::write(&dir),
        Command::Candidate { target, files } => candidate::tell(&target, &files),
        Command::Adapter { command, runs } => adapter::run(&command, &runs),
        Command::Socket { relay, runs } => socket::run(&relay, &runs),
    }
}

/// A golden frame, changed a little: the byte that picks the way, then the message.
fn changed(rng: &mut fastrand::Rng, seeds: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut data = rng.choice(seeds).unwrap().1.clone();
    for _ in 0..rng.usize(0..4) {
        let at = rng.usize(1..=data.len());
        match rng.u8(0..6) {
            0 => data.truncate(at),
            1 => data.insert(at, rng.u8(..)),
            2 => data.extend_from_slice(&rng.choice(seeds).unwrap().1[1..]),
            3 if at < data.len() => drop(data.remove(at)),
            4 if at < data.len() => data[at] ^= 1 << rng.u8(0..8),
            _ if at < data.len() => data[at] = rng.u8(..),
            _ => {}
        }
    }
    data
}
