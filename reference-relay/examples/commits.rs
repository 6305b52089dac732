//! What a durable write costs: rooms that each write again as soon as their last write is durable.
//!
//! ```text
//! cargo run --release -p roomwire-relay --example commits -- [DIR] [SECONDS]
//! ```
//!
//! DIR decides which disk is measured; without it, the directory for temporary files. CPU is that of the whole
//! process, from /proc, so it is shown on Linux only. Run it on a quiet machine: an fsync that waits for others
//! changes which writes share it.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use roomwire_relay::store::{Batch, Entry, RoomName, SqliteOptions, SqliteStore, Store, StoreError, Write};

const VALUE: usize = 64;
const KEYS: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().map_or_else(std::env::temp_dir, PathBuf::from).join("roomwire-commits");
    let time = Duration::from_secs_f64(args.next().map_or(Ok(3.0), |arg| arg.parse())?);
    println!("values of {VALUE} bytes in {}", dir.display());
    println!("rooms  patience us  writes/s  commit p50 us  p99 us  CPU us/write");
    for patience in [Duration::ZERO, SqliteOptions::default().patience] {
        for rooms in [1, 8, 64] {
            measure(&dir, rooms, patience, time)?;
            fs::remove_dir_all(&dir)?;
        }
    }
    Ok(())
}

fn measure(dir: &Path, rooms: usize, patience: Duration, time: Duration) -> Result<(), Box<dyn Error>> {
    let mut options = SqliteOptions::default();
    options.patience = patience;
    let shared = Arc::new(Shared {
        store: SqliteStore::open_with(dir, options)?,
        stop: AtomicBool::new(false),
        commits: Mutex::default(),
    });
    let (ended, all_ended) = mpsc::channel();
    let before = cpu();
    let begun = Instant::now();
    for room in 0..rooms {
        write(Arc::clone(&shared), RoomName::new("bench", format!("room-{room}")), 1, ended.clone());
    }
    std::thread::sleep(time);
    shared.stop.store(true, Ordering::Relaxed);
    all_ended.iter().take(rooms).collect::<Result<(), _>>()?;
    let elapsed = begun.elapsed().as_secs_f64();
    let cpu = cpu().zip(before).map(|(after, before)| after - before);
    shared.store.close()?;

    let mut commits = shared.commits.lock().unwrap_or_else(PoisonError::into_inner);
    commits.sort_unstable();
    let count = commits.len();
    let at = |part: f64| commits.get((count as f64 * part) as usize).map_or(0, Duration::as_micros);
    let rate = count as f64 / elapsed;
    let cpu = cpu.map_or("-".into(), |cpu| format!("{:.1}", cpu.as_secs_f64() * 1e6 / count as f64));
    let (patience, p50, p99) = (patience.as_micros(), at(0.5), at(0.99));
    println!("{rooms:5}  {patience:11}  {rate:8.0}  {p50:13}  {p99:6}  {cpu:>12}");
    Ok(())
}

struct Shared {
    store: SqliteStore,
    stop: AtomicBool,
    commits: Mutex<Vec<Duration>>,
}

/// Writes, and writes again when that is durable; reports the end.
fn write(shared: Arc<Shared>, room: RoomName, rev: u32, ended: Sender<Result<(), StoreError>>) {
    let entry = Entry { rev, key: format!("key-{}", rev % KEYS).into(), value: Bytes::from(vec![7; VALUE]) };
    let batch = Batch { room: room.clone(), rev, writes: vec![Write::Set(entry)] };
    let again = Arc::clone(&shared);
    let begun = Instant::now();
    shared.store.commit_batch(
        batch,
        Box::new(move |result| {
            again.commits.lock().unwrap_or_else(PoisonError::into_inner).push(begun.elapsed());
            if result.is_ok() && !again.stop.load(Ordering::Relaxed) {
                write(again, room, rev + 1, ended);
            } else {
                drop(ended.send(result));
            }
        }),
    );
}

/// CPU time of all threads of this process so far.
fn cpu() -> Option<Duration> {
    let tasks = fs::read_dir("/proc/self/task").ok()?;
    let times = tasks.map(|task| {
        let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    });
    times.sum()
}
