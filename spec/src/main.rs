//! `roomwire-spec`: renders what follows from the registry and the chapters, and checks them.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use roomwire_spec::{LoadError, Problem, Spec, default_root};

/// Renders and checks the Roomwire specification.
///
/// Every number of the protocol stands in spec/registry.toml and every rule in a chapter, spec/NN-*.md. From them come
/// the tables and diagrams between the chapters' markers and codec/src/registry.rs. All of it is checked in.
#[derive(Parser)]
#[command(name = "roomwire-spec", version, after_help = EXIT_CODES)]
struct Arguments {
    /// The project's directory, which holds spec/ and codec/ [default: the one that this program was built in]
    #[arg(long, value_name = "DIR", global = true)]
    root: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write what is rendered, and say which files changed
    ///
    /// Nothing is written while the registry contradicts itself. Problems of the chapters are told after writing.
    Bless,
    /// Say whether what is checked in is what would be rendered, and whether registry and chapters are sound
    Check,
    /// List the clauses: id, level, place and text
    Clauses {
        /// As a JSON array of objects: id, level, chapter, section, section_title, line, text
        #[arg(long)]
        json: bool,
    },
}

const EXIT_CODES: &str = "\
Exit codes:
  0  all is well
  1  something is stale, or registry or chapters have a problem
  2  wrong usage, or a file cannot be read or written";

/// The command that mends what is stale.
const MEND: &str = "cargo run -p roomwire-spec -- bless";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let root = arguments.root.unwrap_or_else(default_root);
    let done = Spec::load(&root).and_then(|spec| match arguments.command {
        Command::Bless => bless(&spec, &root),
        Command::Check => Ok(check(&spec)),
        Command::Clauses { json } => match clauses(&spec, json) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(LoadError::Output(error)),
            // A reader that has read enough (`| head`) is no failure.
            _ => Ok(true),
        },
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("roomwire-spec: {error}");
            ExitCode::from(if matches!(error, LoadError::Registry(_)) { 1 } else { 2 })
        }
    }
}

fn bless(spec: &Spec, root: &Path) -> Result<bool, LoadError> {
    if !report(&spec.registry_problems()) {
        eprintln!("Nothing was written.");
        return Ok(false);
    }
    let written = spec.bless()?;
    for file in &written {
        println!("wrote {}", file.path);
    }
    if written.is_empty() {
        println!("nothing changed");
    }
    // Read again, so that the lines are those of the chapters as they are now.
    Ok(report(&Spec::load(root)?.problems()))
}

fn check(spec: &Spec) -> bool {
    let sound = report(&spec.problems());
    let stale: Vec<_> = spec.rendered().into_iter().filter(|file| file.stale).collect();
    for file in &stale {
        println!("stale: {}", file.path);
    }
    if !stale.is_empty() {
        println!("To mend it, run: {MEND}");
    }
    sound && stale.is_empty()
}

fn clauses(spec: &Spec, json: bool) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    if json {
        let list: Vec<_> = spec.clauses().collect();
        serde_json::to_writer_pretty(&mut out, &list)?;
        writeln!(out)?;
    } else {
        for clause in spec.clauses() {
            writeln!(out, "{} {} {}\n    {}", clause.id, clause.level, clause.link(), clause.text)?;
        }
    }
    out.flush()
}

/// Prints the problems; true if there are none.
fn report(problems: &[Problem]) -> bool {
    for problem in problems {
        eprintln!("{problem}");
    }
    problems.is_empty()
}
