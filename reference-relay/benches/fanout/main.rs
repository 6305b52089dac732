//! What a delivery costs the relay, beside a plain WebSocket server that stores nothing: see ../README.md.
//!
//! ```text
//! cargo bench -p roomwire-relay --bench fanout -- [--quick] [--help]
//! ```
//!
//! Each server is a process of its own, this program again, and its CPU time comes from /proc: Linux only.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a bench fails by a panic")]

mod load;
mod plain;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::Parser;

#[derive(Parser)]
#[command(about = "Server CPU per million deliveries, beside a plain WebSocket server")]
struct Args {
    /// Rooms of the two main loads.
    #[arg(long, default_value_t = 8)]
    rooms: usize,
    /// Members in each room.
    #[arg(long, default_value_t = 32)]
    members: usize,
    /// Bytes of a value, at least 8.
    #[arg(long, default_value_t = 64)]
    size: usize,
    /// Seconds of each measurement.
    #[arg(long, default_value_t = 2.0)]
    secs: f64,
    /// Rounds, of which the median counts.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Half a second, one round, and no growth tables.
    #[arg(long)]
    quick: bool,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
    /// Given by `cargo test --benches`: nothing is measured.
    #[arg(long, hide = true)]
    test: bool,
}

/// Says in a child which server to be.
const ROLE: &str = "ROOMWIRE_BENCH_SERVER";

#[derive(Clone, Copy)]
enum Server {
    Plain,
    Memory,
    Sqlite,
}

const SERVERS: [(Server, &str); 3] =
    [(Server::Plain, "plain"), (Server::Memory, "memory"), (Server::Sqlite, "sqlite")];

fn main() {
    match std::env::var(ROLE).as_deref() {
        Ok("plain") => plain::serve(),
        Ok(_) => {
            roomwire_relay::run::main(std::env::args_os());
        }
        Err(_) => measure(&Args::parse()),
    }
}

fn measure(args: &Args) {
    if args.test || !cfg!(target_os = "linux") {
        println!("nothing is measured: CPU times come from /proc, and with `cargo bench` only");
        return;
    }
    let (secs, rounds) = if args.quick { (0.5, 1) } else { (args.secs, args.rounds) };
    let time = Duration::from_secs_f64(secs);
    let base =
        load::Load { rooms: args.rooms, members: args.members, size: args.size.max(8), writers: 1, time };
    let burst = load::Load { writers: args.members.min(8), ..base };
    println!("server CPU seconds per million deliveries (times the plain server)");
    println!("{:44} {:>16} {:>16} {:>16}", "", "plain", "memory", "sqlite");
    row("one writer a room, one write in flight", base, rounds);
    row("8 writers a room, one write in flight each", burst, rounds);
    if args.quick {
        return;
    }
    for members in [8, 32] {
        row(&format!("{members} members a room"), load::Load { members, ..base }, rounds);
    }
    for rooms in [1, 8, 64] {
        row(&format!("{rooms} rooms of 8"), load::Load { rooms, members: 8, ..base }, rounds);
    }
    for size in [16, 64, 1024, 16 * 1024] {
        row(&format!("values of {size} bytes"), load::Load { size, ..base }, rounds);
    }
}

fn row(name: &str, load: load::Load, rounds: usize) {
    let mut costs = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        for ((server, _), costs) in SERVERS.into_iter().zip(&mut costs) {
            costs.push(cost(server, load));
        }
    }
    let medians = costs.map(|mut costs| {
        costs.sort_by(f64::total_cmp);
        costs[costs.len() / 2]
    });
    let cells = medians.map(|median| format!("{median:.2} ({:.2})", median / medians[0]));
    println!("{name:44} {:>16} {:>16} {:>16}", cells[0], cells[1], cells[2]);
}

fn cost(server: Server, load: load::Load) -> f64 {
    let data = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ROOMWIRE_")).for_each(
        |(name, _)| {
            command.env_remove(name);
        },
    );
    match server {
        Server::Plain => command.env(ROLE, "plain"),
        Server::Memory => command.env(ROLE, "relay").args(["--store", "memory"]),
        Server::Sqlite => command.env(ROLE, "relay").arg("--data").arg(data.path()),
    };
    if !matches!(server, Server::Plain) {
        command.args(["--listen", "127.0.0.1:0"]).args(UNLIMITED);
    }
    let mut child = Stop(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    // {"listening":"127.0.0.1:PORT"}
    let address = line.split('"').nth(3).unwrap_or_else(|| panic!("the server did not start: {line}"));
    let pid = child.0.id();
    let (deliveries, cpu) = load::run(address, load, || cpu(pid));
    cpu * 1e6 / deliveries as f64
}

/// The load is above what a game's members may send and join; here, that is not the question.
const UNLIMITED: [&str; 12] = [
    "--connections",
    "0",
    "--connections-per-address",
    "0",
    "--join-rate-address",
    "0",
    "--join-rate-room",
    "0",
    "--send-rate",
    "0",
    "--send-rate-room",
    "0",
];

/// Seconds of CPU that a process has had.
fn cpu(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("/proc, which only Linux has");
    let behind_name = stat.rsplit(')').next().unwrap();
    let ticks: u64 =
        behind_name.split_whitespace().skip(11).take(2).map(|text| text.parse::<u64>().unwrap()).sum();
    // USER_HZ, which is 100 wherever Linux runs today.
    ticks as f64 / 100.0
}

struct Stop(Child);

impl Drop for Stop {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
