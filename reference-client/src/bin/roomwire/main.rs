//! `roomwire`: rooms and frames from the command line.

mod args;
mod decode;
mod encode;
mod explain;
mod failure;
mod get;
mod input;
mod one_shot;
mod output;
mod peers;
mod progress;
mod set;
mod values;
mod watch;
mod world;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory as _, Parser as _};

use args::{Cli, Command};
use failure::Failure;
use output::Output;
use roomwire_client::json::Hex;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Nowhere to tell that the stream is gone.
            let _ = error.print();
            if names_no_room(&error) {
                note(format_args!(
                    "\nA shell can remember them: export ROOMWIRE_GAME=GAME ROOMWIRE_ROOM=ROOM"
                ));
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(failure::USAGE));
        }
    };
    let mut output = Output::new(cli.json);
    match run(cli.command, &mut output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output.failure(&failure),
    }
}

/// Whether an error is that of a command that was not told which room. How to say it once for all commands is not in clap's words.
fn names_no_room(error: &clap::Error) -> bool {
    let missing = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    error.kind() == ErrorKind::MissingRequiredArgument
        && (missing.contains("--game") || missing.contains("--room"))
}

fn run(command: Command, output: &mut Output) -> Result<(), Failure> {
    match command {
        Command::Watch(args) => block_on(watch::run(args, output)),
        Command::Get(args) => block_on(get::run(args, output)),
        Command::Set(args) => block_on(set::run(args, output)),
        Command::Save(args) => block_on(world::save(args, output)),
        Command::Load(args) => block_on(world::load(args, output)),
        Command::Peers(args) => block_on(peers::run(args, output)),
        Command::Decode(args) => decode::run(args, output),
        Command::Encode(args) => encode::run(args, output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "roomwire", &mut script);
            output.raw(&script)
        }
    }
}

fn block_on(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(work)
}

/// Says something to whoever sits at the terminal. If nobody does, it is not said.
fn note(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Bytes as `--json` writes them.
fn hex_of(bytes: &[u8]) -> String {
    Hex::from(bytes).to_string()
}
