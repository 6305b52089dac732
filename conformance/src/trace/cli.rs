//! `roomwire-conformance clauses`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{Trace, directory, fingerprint, untested};
use crate::cli::{harness, unwritten};
use crate::embedded::Clause;
use crate::out::{self, complain};
use crate::run::Suite;
use crate::verdict::Exit;

/// Lists the clauses of the specification, and for each the cases that cite it, or why there is none.
///
/// Exits with 1 if a clause has neither, if something names a clause that does not exist, or if a clause was reworded since
/// its cases were read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Say that the cases of new and reworded clauses were read again: writes clauses.toml
    #[arg(long)]
    accept: bool,

    /// The directory that holds clauses.toml [default: that of this package]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn main(args: &Args) -> Exit {
    let path = args.dir.clone().unwrap_or_else(directory).join("clauses.toml");
    match list(args, &path) {
        Ok(exit) => exit,
        Err(text) => harness(&text),
    }
}

fn list(args: &Args, path: &Path) -> Result<Exit, String> {
    let suite = Suite::embedded()?;
    let untested = untested()?;
    let mut fingerprints = read(path)?;
    let mut text = String::new();
    if args.accept {
        let trace = Trace {
            clauses: &suite.clauses,
            citations: suite.citations(),
            untested: &untested,
            fingerprints: &fingerprints,
        };
        for (id, cases) in trace.reworded() {
            let _ = writeln!(text, "{id} was reworded: {}", cases.join(" "));
        }
        let now = suite.clauses.iter().map(|(id, clause)| (id.clone(), fingerprint(clause))).collect();
        if now == fingerprints {
            text.push_str("nothing changed\n");
        } else {
            write(path, &suite.clauses)?;
            let _ = writeln!(text, "wrote {}", path.display());
        }
        fingerprints = now;
    }
    let trace = Trace {
        clauses: &suite.clauses,
        citations: suite.citations(),
        untested: &untested,
        fingerprints: &fingerprints,
    };
    if !args.accept {
        text.push_str(&table(&trace));
    }
    out::write(&text).map_err(|error| unwritten(&error))?;
    let faults = trace.faults();
    faults.iter().for_each(|fault| complain(fault));
    Ok(if faults.is_empty() { Exit::Clean } else { Exit::Failure })
}

fn table(trace: &Trace<'_>) -> String {
    let mut text = String::new();
    for (id, clause) in trace.clauses {
        let excuse = trace.untested.iter().find(|line| line.id == *id);
        let shown = match (trace.citations.get(id.as_str()), excuse) {
            (Some(cases), _) => cases.join(" "),
            (None, Some(line)) => format!("no case: {}", line.reason),
            (None, None) => "no case".to_owned(),
        };
        let _ = writeln!(text, "{id} {} {}: {shown}", clause.level, clause.chapter);
    }
    text
}

/// The fingerprints in a `clauses.toml`; none if there is no such file yet.
///
/// # Errors
/// A text that names the file and what is wrong with it.
pub fn read(path: &Path) -> Result<BTreeMap<String, String>, String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    match std::fs::read_to_string(path) {
        Ok(text) => toml::from_str(&text).map_err(|error| at(&error)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(at(&error)),
    }
}

fn write(path: &Path, clauses: &BTreeMap<String, Clause>) -> Result<(), String> {
    let mut text = "\
# What each clause said when its cases were last read against it. Where a clause was reworded, read its cases again (the test
# names them), mend what has to be mended, and run
#
#     cargo run -p roomwire-conformance -- clauses --accept

"
    .to_owned();
    for (id, clause) in clauses {
        let _ = writeln!(text, "{id} = \"{}\"", fingerprint(clause));
    }
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
