//! `roomwire-conformance crash`.

use std::fmt::Write as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::{Options, Report, run, scenario};
use crate::cli::{harness, unwritten};
use crate::out;
use crate::relay::{Descriptor, ReferenceRelay, RelayUnderTest, SpawnedRelay};
use crate::verdict::Exit;

/// Kills a relay with SIGKILL under load, again and again, and looks for lost writes and revisions used twice.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How often it is killed
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Acknowledged writes in each round before the kill
    #[arg(long, value_name = "N", default_value_t = 100)]
    acks: u32,

    /// Rooms under load
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    rooms: u32,

    /// Writers in each room
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=32))]
    writers: u32,

    /// Writes that each writer keeps in flight
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
    window: u32,

    /// Chooses sizes and moments
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The command that starts the relay, as for the suite (30 seconds to print its line, every time); without it, the
    /// reference relay
    #[arg(long, value_name = "COMMAND")]
    spawn: Option<String>,
}

/// Runs the subcommand.
pub fn main(args: &Args) -> Exit {
    let options = Options {
        rounds: args.rounds,
        acks: args.acks,
        rooms: args.rooms,
        writers: args.writers,
        window: args.window,
        seed: args.seed,
        timeout: Duration::from_secs(60),
    };
    match play(args, &options) {
        Ok(report) => conclude(&report),
        Err(text) => harness(&text),
    }
}

fn play(args: &Args, options: &Options) -> Result<Report, String> {
    let relay = relay(args)?;
    let bar = ProgressBar::new(u64::from(options.rounds)).with_style(style());
    let report = {
        let mut running = relay.open(&scenario()).map_err(|error| error.to_string())?;
        run(options, running.as_mut(), &mut |report| {
            bar.set_position(u64::from(report.rounds));
            bar.set_message(format!("{} acknowledged", report.acks));
        })
    };
    bar.finish_and_clear();
    relay.finish();
    report
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("kill -9 {bar:30} {pos}/{len} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn relay(args: &Args) -> Result<Box<dyn RelayUnderTest>, String> {
    if let Some(command) = &args.spawn {
        return Ok(Box::new(SpawnedRelay::new(command, Descriptor::default(), 1.0)));
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(Box::new(ReferenceRelay::new(program, 1.0)))
}

fn conclude(report: &Report) -> Exit {
    let mut text = format!(
        "{} rounds, {} of them with writes in flight at the kill; {} writes acknowledged, at least {} a round; {} writes that \
         nobody was told of were kept\n",
        report.rounds, report.in_flight, report.acks, report.least_acks, report.untold_kept
    );
    for fault in &report.faults {
        let _ = writeln!(text, "FAIL {}: {}", fault.rule, fault.text);
    }
    if let Some(why) = &report.cut_short {
        let _ = writeln!(text, "no further round: {why}");
    }
    // A kill while nothing is on its way proves nothing, unless it broke something all the same.
    let proves = !report.faults.is_empty() || report.in_flight * 5 >= report.rounds * 4;
    if proves {
        let count = report.faults.len();
        let lost = if count == 0 { "nothing".into() } else { count.to_string() };
        let _ = writeln!(text, "{lost} lost or reused");
    }
    match out::write(&text) {
        Err(error) => harness(&unwritten(&error)),
        Ok(()) if !proves => harness("too few rounds had writes in flight"),
        Ok(()) if report.faults.is_empty() => Exit::Clean,
        Ok(()) => Exit::Failure,
    }
}
