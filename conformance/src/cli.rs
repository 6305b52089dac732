//! The command line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Parser;
use clap::builder::RangedU64ValueParser;

use crate::client::{self, ClientUnderTest};
use crate::codec::{AdapterCodec, CodecUnderTest, ReferenceCodec, adapter};
use crate::crash;
use crate::expected::Expected;
use crate::interrupt;
use crate::out::{self, complain};
use crate::relay::{Descriptor, ReferenceRelay, RelayUnderTest, RemoteRelay, SpawnedRelay};
use crate::report::{self, Report, coverage, terminal};
use crate::result::Kind;
use crate::run::{Options, Selected, Suite};
use crate::scenario::engine::Settings;
use crate::select::Filter;
use crate::trace;
use crate::verdict::Exit;

const TIME_SCALE: f64 = 1.0;

const REPORT_DIR: &str = "reports";

/// Seconds.
const PATIENCE: f64 = 15.0;

/// The Roomwire conformance suite.
///
/// Without arguments it runs every golden frame against the reference codec and every scenario against the reference
/// relay, which it starts itself on a store in a temporary directory, or against the reference client.
#[derive(Debug, Parser)]
#[command(name = "roomwire-conformance", version, after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,

    /// Only these cases: patterns for ids (F0042, 'S001*') or names ('join/*'), or a group (join)
    patterns: Vec<String>,

    /// Only this part of the suite. Where it is missing, the part of what is named by --codec, --relay, --client or the
    /// descriptor
    #[arg(long, value_enum)]
    kind: Option<Kind>,

    /// Only cases that cite this clause (ROOM-KEY-2); may be repeated
    #[arg(long = "req", value_name = "CLAUSE")]
    reqs: Vec<String>,

    /// List the selected cases and run none
    #[arg(long)]
    list: bool,

    /// Test the codec behind this adapter, in any language: conformance/ADAPTERS.md
    #[arg(long, value_name = "COMMAND")]
    codec: Option<String>,

    /// Test the relay that listens there
    #[arg(long, value_name = "ws://HOST:PORT", conflicts_with = "spawn")]
    relay: Option<String>,

    /// Test the relay that this command starts; it prints {"listening":"host:port"} first, ends on SIGTERM, and may keep
    /// data in the directory that replaces {data}. It has --patience to print that line, and the line at most 4096 bytes.
    /// If it does not the first time, nothing is tested
    #[arg(long, value_name = "COMMAND")]
    spawn: Option<String>,

    /// Test the client behind this command, which obeys lines: conformance/README.md
    #[arg(long, value_name = "COMMAND", group = "client-under-test")]
    client: Option<String>,

    /// Test a client that only follows its URL: a command with {url}, or {relay}, {game} and {room}
    #[arg(long, value_name = "COMMAND", group = "client-under-test")]
    client_url: Option<String>,

    /// Test a client that somebody points to one URL after the other, each within --patience seconds; they begin with this address
    #[arg(long, value_name = "HOST:PORT", group = "client-under-test")]
    client_listen: Option<std::net::SocketAddr>,

    /// A TOML file about the relay under test: capabilities, hooks, times, limits
    #[arg(long, value_name = "FILE")]
    descriptor: Option<PathBuf>,

    /// Golden frames from this directory in place of the built-in ones
    #[arg(long, value_name = "DIR")]
    vectors: Option<PathBuf>,

    /// Scenarios from this directory in place of the built-in ones
    #[arg(long, value_name = "DIR")]
    scenarios: Option<PathBuf>,

    /// A TOML file that lists expected failures
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,

    /// Where report.html, report.json and junit.xml go
    #[arg(long, value_name = "DIR", default_value = REPORT_DIR)]
    report_dir: PathBuf,

    /// Multiplies the relay's times that scenarios wait for: below 1 for a relay that runs with shorter ones
    #[arg(long, value_name = "FACTOR", default_value_t = TIME_SCALE, value_parser = positive)]
    time_scale: f64,

    /// How long is waited for what must come in a scenario, for an answer of an adapter, and for the first line of a
    /// relay, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE, value_parser = positive)]
    patience: f64,

    /// How many scenarios run at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    jobs: usize,

    /// Names rooms and makes keys; random if it is missing
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Crash(crash::cli::Args),
    ClientAdapter(client::adapter::Args),
    Clauses(trace::cli::Args),

    /// Serves the reference codec as an adapter for --codec, until its standard input ends
    Adapter,
}

const AFTER_HELP: &str = "\
Exit status: 0 nothing failed; 1 a case failed, or an expected failure passes; 2 the command line is wrong, no case
matches, or all were skipped; 3 what is to be tested does not start, the run was interrupted, or the suite itself
failed.

conformance/README.md tells how to test an implementation of your own.";

/// More than anybody waits, and little enough for every sum of times.
const MOST: f64 = 1_000_000.0;

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= MOST => Ok(number),
        _ => Err(format!("a number above 0 and up to {MOST}")),
    }
}

/// Why a run ends early.
enum Early {
    Usage(String),
    Harness(String),
    /// What is to be tested does not start.
    NoStart(String),
    Done(Exit),
}

/// Runs the program.
pub fn main() -> Exit {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let printed = out::unless_unread(error.print());
            return match (error.use_stderr(), printed) {
                (true, _) => Exit::Usage,
                (false, Ok(())) => Exit::Clean,
                (false, Err(error)) => harness(&unwritten(&error)),
            };
        }
    };
    match &args.command {
        Some(Command::Crash(args)) => return crash::cli::main(args),
        Some(Command::ClientAdapter(args)) => return client::adapter::main(args),
        Some(Command::Clauses(args)) => return trace::cli::main(args),
        Some(Command::Adapter) => {
            let served = adapter::serve(std::io::stdin().lock(), std::io::stdout().lock());
            return out::unless_unread(served).map_or_else(|e| harness(&e.to_string()), |()| Exit::Clean);
        }
        None => {}
    }
    match run(&args) {
        Ok(exit) | Err(Early::Done(exit)) => exit,
        Err(Early::Usage(text)) => {
            complain(&format!("error: {text}"));
            Exit::Usage
        }
        Err(Early::Harness(text)) => harness(&text),
        Err(Early::NoStart(text)) => {
            complain(&format!("error: nothing was tested: {text}"));
            Exit::Harness
        }
    }
}

/// Says that the suite itself failed.
pub(crate) fn harness(text: &str) -> Exit {
    complain(&format!("the suite itself failed: {text}"));
    Exit::Harness
}

/// What is said when standard output does not take the results.
pub(crate) fn unwritten(error: &std::io::Error) -> String {
    format!("standard output: {error}")
}

fn run(args: &Args) -> Result<Exit, Early> {
    let suite = Suite::load(args.vectors.as_deref(), args.scenarios.as_deref()).map_err(Early::Harness)?;
    let expected = args.expected.as_deref().map(Expected::read).transpose().map_err(Early::Usage)?;
    if let Some(unknown) = expected.as_ref().and_then(|list| list.unknown(&suite)) {
        return Err(Early::Usage(format!("--expected lists {unknown}, and there is no such case")));
    }
    let descriptor = args.descriptor.as_deref().map(Descriptor::read).transpose().map_err(Early::Usage)?;
    let selected = suite.select(&filter(args, descriptor.as_ref(), &suite)?);
    if let Some(pattern) = args.patterns.iter().find(|pattern| !selected.has(pattern)) {
        return Err(Early::Usage(format!("no case matches {pattern:?}; --list shows what there is")));
    }
    if selected.is_empty() {
        return Err(Early::Usage("no case matches; --list shows what there is".into()));
    }
    if args.list {
        out::write(&list(&selected)).map_err(|error| Early::Harness(unwritten(&error)))?;
        return Err(Early::Done(Exit::Clean));
    }
    probe(&args.report_dir)?;
    interrupt::watch().map_err(|error| Early::Harness(format!("signals: {error}")))?;
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..1_000_000_000));
    let started = SystemTime::now();
    let clock = Instant::now();
    let mut report = Report {
        format: 1,
        suite: format!("roomwire-conformance {}", env!("CARGO_PKG_VERSION")),
        codec: None,
        relay: None,
        client: None,
        started: started.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        millis: 0,
        seed,
        summary: BTreeMap::new(),
        exit: 0,
        choices: BTreeMap::new(),
        cases: vec![],
        coverage: vec![],
        clauses: BTreeMap::new(),
    };
    if !selected.vectors.is_empty() {
        let codec = codec(args, descriptor.as_ref())?;
        report.codec = Some(codec.name());
        let progress = terminal::Progress::new(selected.vectors.len(), "golden frames");
        report.cases.extend(selected.run_vectors(codec.as_ref(), &|result| progress.done(result)));
        progress.finish();
    }
    if !selected.scenarios.is_empty() && !interrupt::is_set() {
        let relay = relay(args, descriptor)?;
        report.relay = Some(relay.name());
        let no_start = |error| Early::NoStart(format!("{}: {error}", relay.name()));
        relay.prepare(&selected.scenarios).map_err(no_start)?;
        let patience = Duration::from_secs_f64(args.patience * args.time_scale.max(1.0));
        let options = Options { settings: Settings { seed, patience }, jobs: args.jobs };
        let progress = terminal::Progress::new(selected.scenarios.len(), "scenarios");
        let results = selected.run_scenarios(relay.as_ref(), options, &|result| progress.done(result));
        progress.finish();
        relay.finish();
        report.cases.extend(results);
    }
    if !selected.clients.is_empty() && !interrupt::is_set() {
        let client = client(args)?;
        report.client = Some(client.name().to_owned());
        let progress = terminal::Progress::new(selected.clients.len(), "client scenarios");
        report.cases.extend(selected.run_clients(&client, args.jobs, &|result| progress.done(result)));
        progress.finish();
    }
    let (program, again) = (program(), again(args));
    for case in &mut report.cases {
        case.reproduce = format!("{program} {}{again}", case.reproduce);
    }
    expected.iter().for_each(|expected| expected.apply(&mut report.cases));
    report.millis = u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
    finish(report, &suite, selected.len(), &args.report_dir)
}

/// This program as it was called, so that what it prints can be pasted: after `cargo run` it is not on the PATH.
fn program() -> String {
    let called = std::env::args_os().next().unwrap_or_else(|| env!("CARGO_PKG_NAME").into());
    quoted(&called.to_string_lossy())
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Finds out that reports cannot be written while there are no results to lose yet. Leaves nothing behind.
fn probe(dir: &Path) -> Result<(), Early> {
    let is_new = !dir.exists();
    std::fs::create_dir_all(dir)
        .and_then(|()| if is_new { std::fs::remove_dir(dir) } else { Ok(()) })
        .map_err(|error| Early::Usage(format!("--report-dir {}: {error}", dir.display())))
}

/// The options that a run of one case needs to be the same again: what is tested, which data, and how long is waited.
fn again(args: &Args) -> String {
    let listen = args.client_listen.map(|addr| addr.to_string());
    let texts = [
        ("--codec", &args.codec),
        ("--relay", &args.relay),
        ("--spawn", &args.spawn),
        ("--client", &args.client),
        ("--client-url", &args.client_url),
        ("--client-listen", &listen),
    ];
    let report_dir = (args.report_dir != Path::new(REPORT_DIR)).then(|| args.report_dir.clone());
    let paths = [
        ("--descriptor", &args.descriptor),
        ("--vectors", &args.vectors),
        ("--scenarios", &args.scenarios),
        ("--expected", &args.expected),
        ("--report-dir", &report_dir),
    ];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text.clone()?)));
    let paths = paths.into_iter().filter_map(|(name, path)| {
        Some((name, path.as_ref().map(|path| path.to_string_lossy().into_owned())?))
    });
    let mut options = String::new();
    for (name, value) in texts.chain(paths) {
        let _ = write!(options, " {name} {}", quoted(&value));
    }
    for (name, value, default) in
        [("--time-scale", args.time_scale, TIME_SCALE), ("--patience", args.patience, PATIENCE)]
    {
        if value != default {
            let _ = write!(options, " {name} {value}");
        }
    }
    options
}

fn filter(args: &Args, descriptor: Option<&Descriptor>, suite: &Suite) -> Result<Filter, Early> {
    if let Some(unknown) = args.reqs.iter().find(|req| !suite.clauses.contains_key(*req)) {
        return Err(Early::Usage(format!("there is no clause {unknown}")));
    }
    let has = |get: fn(&Descriptor) -> bool| descriptor.is_some_and(get);
    let codec = args.codec.is_some() || has(|d| d.codec.is_some());
    let relay = args.relay.is_some() || args.spawn.is_some();
    let relay = relay || has(|d| d.relay.is_some() || d.spawn.is_some());
    let client = args.client.is_some() || args.client_url.is_some() || args.client_listen.is_some();
    // Whoever names what is to be tested does not want the rest of the reference implementation tested, too.
    let named = [(Kind::Codec, codec), (Kind::Relay, relay), (Kind::Client, client)];
    let named = named.into_iter().filter_map(|(kind, is_named)| is_named.then_some(kind));
    let kinds = args.kind.map_or_else(|| named.collect(), |kind| [kind].into());
    Ok(Filter { patterns: args.patterns.clone(), kinds, reqs: args.reqs.iter().cloned().collect() })
}

fn list(selected: &Selected<'_>) -> String {
    let mut text = String::new();
    for vector in &selected.vectors {
        let _ = writeln!(text, "{} codec {} [{}]", vector.id, vector.name, vector.reqs.join(" "));
    }
    for scenario in &selected.scenarios {
        let _ = writeln!(text, "{} relay {} [{}]", scenario.id, scenario.name, scenario.reqs.join(" "));
    }
    for scenario in &selected.clients {
        let _ = writeln!(text, "{} client {} [{}]", scenario.id, scenario.name, scenario.reqs.join(" "));
    }
    text
}

/// The client under test: the reference client, unless another is named.
fn client(args: &Args) -> Result<ClientUnderTest, Early> {
    let patience = Duration::from_secs_f64(args.patience);
    match (&args.client, &args.client_url, args.client_listen) {
        (_, Some(command), _) => ClientUnderTest::by_url(command, patience).map_err(Early::Usage),
        (_, _, Some(addr)) => ClientUnderTest::by_hand(addr, patience).map_err(Early::NoStart),
        (Some(command), None, None) => ClientUnderTest::driven(command, patience).map_err(Early::NoStart),
        (None, None, None) => {
            let program = std::env::current_exe().map_err(|error| Early::Harness(error.to_string()))?;
            ClientUnderTest::reference(&program, None, patience).map_err(Early::Harness)
        }
    }
}

fn codec(args: &Args, descriptor: Option<&Descriptor>) -> Result<Box<dyn CodecUnderTest>, Early> {
    let stated = descriptor.and_then(|descriptor| descriptor.codec.as_ref());
    match args.codec.as_ref().or(stated) {
        Some(command) => {
            let codec = AdapterCodec::start(command, Duration::from_secs_f64(args.patience));
            Ok(Box::new(codec.map_err(Early::NoStart)?))
        }
        None => Ok(Box::new(ReferenceCodec)),
    }
}

fn relay(args: &Args, descriptor: Option<Descriptor>) -> Result<Box<dyn RelayUnderTest>, Early> {
    let given = descriptor.is_some();
    let descriptor = descriptor.unwrap_or_default();
    let address = args.relay.clone().or_else(|| descriptor.relay.clone().filter(|_| args.spawn.is_none()));
    if let Some(address) = address {
        let relay = RemoteRelay::new(&address, descriptor, args.time_scale).map_err(Early::Usage)?;
        return Ok(Box::new(relay));
    }
    if let Some(command) = args.spawn.clone().or_else(|| descriptor.spawn.clone()) {
        let patience = Duration::from_secs_f64(args.patience);
        return Ok(Box::new(
            SpawnedRelay::new(&command, descriptor, args.time_scale).with_patience(patience),
        ));
    }
    if given {
        return Err(Early::Usage(
            "the descriptor names no relay and no command that spawns one, and neither option is given"
                .into(),
        ));
    }
    let program = std::env::current_exe().map_err(|error| Early::Harness(error.to_string()))?;
    Ok(Box::new(ReferenceRelay::new(program, args.time_scale)))
}

fn finish(mut report: Report, suite: &Suite, selected: usize, dir: &Path) -> Result<Exit, Early> {
    // What was interrupted shows nothing about the cases that did not run.
    let cut_short = interrupt::is_set() && report.cases.len() < selected;
    let exit = if cut_short { Exit::Harness } else { report::exit_of(&report.cases) };
    report.exit = exit as u8;
    report.summary = report::summarize(&report.cases);
    let untested = trace::untested().map_err(Early::Harness)?;
    report.clauses = coverage::clauses(&report.cases, suite, &untested);
    report.coverage = coverage::chapters(&report.clauses, suite);
    for case in &report.cases {
        report.choices.extend(case.arms.clone());
    }
    let harness = |error: std::io::Error| Early::Harness(format!("{}: {error}", dir.display()));
    std::fs::create_dir_all(dir).map_err(harness)?;
    let [html, json, junit] = ["report.html", "report.json", "junit.xml"].map(|name| dir.join(name));
    report::html::write(&report, &html).map_err(harness)?;
    report::json::write(&report, &json).map_err(harness)?;
    report::junit::write(&report, &suite.clauses, &junit).map_err(harness)?;
    let mut text = format!("{}\n{}\n", terminal::table(&report.cases), terminal::coverage(&report.coverage));
    text.push_str(&terminal::skipped(&report.cases));
    text.push_str(&terminal::failures(&report.cases, &suite.clauses, &html));
    for (clause, arm) in &report.choices {
        let _ = writeln!(text, "{clause} leaves a choice; the arm that was taken: {arm}");
    }
    let _ = writeln!(text, "{}", terminal::closing(&report.cases, report.millis));
    if cut_short {
        let _ = writeln!(text, "interrupted: {} of {selected} cases ran", report.cases.len());
    }
    let _ = writeln!(text, "reports: {} {} {}", html.display(), json.display(), junit.display());
    out::write(&text).map_err(|error| Early::Harness(unwritten(&error)))?;
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }
}
