//! Time of each case, beside the floor and the peers: see README.md.
//!
//! ```text
//! cargo bench -p roomwire-codec --bench time -- [--rounds N] [WORD]...
//! ```
//!
//! With words, only the cases whose name holds one of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a bench fails by a panic")]

#[path = "subjects/names.rs"]
mod names;
mod subjects;

use std::time::{Duration, Instant};

use subjects::{Case, Run, Subject};

/// How long one slice runs. Long beside the clock's own cost, short beside the scheduler's turns.
const SLICE: Duration = Duration::from_micros(250);

fn main() {
    let mut rounds = 201;
    let mut words = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            // What cargo passes on its own.
            "--bench" => {}
            "--rounds" => rounds = args.next().and_then(|text| text.parse().ok()).expect("--rounds N"),
            "--help" | "-h" => {
                return println!("cargo bench -p roomwire-codec --bench time -- [--rounds N] [WORD]...");
            }
            _ => words.push(arg),
        }
    }
    println!("ns a frame (an entry, where there are 1,000); medians of {rounds} interleaved rounds");
    let mut missed = Vec::new();
    for case in Case::ALL {
        if words.is_empty() || words.iter().any(|word| case.name().contains(word)) {
            missed.extend(measure(case, rounds));
        }
    }
    println!();
    match missed.len() {
        0 => println!("every goal is met"),
        _ => missed.iter().for_each(|text| println!("missed: {text}")),
    }
}

struct Row {
    subject: Subject,
    run: Run,
    passes: u32,
    /// Nanoseconds a frame, one number a round.
    times: Vec<f64>,
}

/// Prints a table; gives the goals that are missed.
fn measure(case: Case, rounds: usize) -> Vec<String> {
    let mut out = subjects::buffer();
    let mut row = |subject: Subject| {
        let mut run = subject.run(case)?;
        let passes = passes(&mut run, &mut out);
        Some(Row { subject, run, passes, times: Vec::with_capacity(rounds) })
    };
    let mut rows: Vec<Row> = Subject::ALL.into_iter().filter_map(&mut row).collect();
    for round in 0..rounds {
        // Not always in the same order, so that nobody always comes after the same one.
        let (start, count) = (round % rows.len(), rows.len());
        for at in 0..count {
            let Row { run, passes, times, .. } = &mut rows[(start + at) % count];
            let begun = Instant::now();
            (0..*passes).for_each(|_| run(&mut out));
            times.push(begun.elapsed().as_nanos() as f64 / f64::from(*passes) / case.frames() as f64);
        }
    }
    print(case, &rows)
}

/// How many passes fill a slice, each of three times: one interruption alone would make a single pass look long enough, and all
/// rounds would then measure how it starts.
fn passes(run: &mut Run, out: &mut [u8]) -> u32 {
    let mut passes = 1;
    let mut fill = |passes| {
        let begun = Instant::now();
        (0..passes).for_each(|_| run(out));
        begun.elapsed() >= SLICE
    };
    while !(0..3).all(|_| fill(passes)) {
        passes *= 2;
    }
    passes
}

fn print(case: Case, rows: &[Row]) -> Vec<String> {
    let of = |wanted| rows.iter().find(|row| row.subject == wanted).map(|row| &row.times);
    let (floor, ours) = (of(Subject::Floor).unwrap(), of(Subject::Roomwire).unwrap());
    println!("\n{} (goal: {:.1} x the floor)", case.name(), case.goal());
    println!("  {:36} {:>9} {:>19} {:>9} {:>9}", "", "median", "p10 to p90", "x floor", "x ours");
    let mut missed = Vec::new();
    for Row { subject, times, .. } in rows {
        let [p10, median, p90] = quantiles(times);
        let (to_floor, to_ours) = (ratio(times, floor), ratio(times, ours));
        let spread = format!("{p10:.2} to {p90:.2}");
        println!("  {:36} {median:9.2} {spread:>19} {to_floor:9.2} {to_ours:9.2}", subject.name());
        if *subject == Subject::Roomwire && to_floor > case.goal() {
            missed.push(format!("{}: {to_floor:.2} times the floor", case.name()));
        }
        if subject.is_peer() && to_ours <= 1.0 {
            missed.push(format!("{}: {} is faster, 1 to {to_ours:.2}", case.name(), subject.name()));
        }
    }
    missed
}

/// The median of the rounds' ratios: what disturbs the machine for a while disturbs both sides of a round.
fn ratio(times: &[f64], floor: &[f64]) -> f64 {
    let ratios: Vec<f64> = times.iter().zip(floor).map(|(time, floor)| time / floor).collect();
    quantiles(&ratios)[1]
}

/// p10, median, p90.
fn quantiles(numbers: &[f64]) -> [f64; 3] {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    [1, 5, 9].map(|tenths| sorted[(sorted.len() - 1) * tenths / 10])
}
