//! What only a second process can show: the lock, a disk that refuses a write, and kill -9.
//!
//! The second process is this test program again, with the test `child` and a directory in its environment.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::*;
use crate::store::tests::load;
use crate::store::{OpenError, SqliteOptions, StoreError};

const DIR: &str = "ROOMWIRE_TEST_STORE";

/// Does nothing when it is run as a test. As a child it writes, one revision after the other, and prints each that
/// was reported durable, until it is killed or a commit fails.
#[test]
fn child() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let options = SqliteOptions { patience: Duration::ZERO, ..SqliteOptions::default() };
    let store = SqliteStore::open_with(dir, options).unwrap();
    let mut rev = load(&store, &room("r")).unwrap().rev;
    // Past the capture of the test harness, at once, and each on a line of its own.
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "\nopen").unwrap();
    loop {
        rev += 1;
        let key = format!("k{}", rev % 50);
        match commit(&store, batch(&room("r"), [set(rev, &key, rev.to_le_bytes())])) {
            Ok(()) => writeln!(stdout, "{rev}").unwrap(),
            Err(StoreError::Failed(_)) => {
                writeln!(stdout, "failed").unwrap();
                drop(store);
                std::process::exit(0);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Runs `child`; through the shell, so that `setup` can limit it.
fn spawn(dir: &Path, setup: &str) -> (Child, impl Iterator<Item = String>) {
    let name = format!("{}::child", module_path!().split_once("::").unwrap().1);
    let mut child = Command::new("sh")
        .args(["-c", &format!("{setup} exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().unwrap())
        .args([&name, "--exact", "--nocapture", "--test-threads=1"])
        .env(DIR, dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.by_ref().any(|line| line == "open"), "the child did not open the store");
    (child, lines)
}

/// Every acknowledged revision is there, and each key has the value that its revision gave it.
fn check(dir: &Path, acknowledged: u32) {
    let store = SqliteStore::open(dir).unwrap();
    let loaded = load(&store, &room("r")).unwrap();
    // One commit may have become durable without a chance to be reported.
    assert!((acknowledged..=acknowledged + 1).contains(&loaded.rev), "{} of {acknowledged}", loaded.rev);
    for entry in &loaded.entries {
        assert_eq!(entry.value[..], entry.rev.to_le_bytes());
        assert_eq!(entry.key[..], *format!("k{}", entry.rev % 50).as_bytes());
        assert!(entry.rev + 50 > loaded.rev, "a newer value of {:?} is lost", entry.key);
    }
}

#[cfg(unix)]
#[test]
fn the_lock_holds_between_processes_and_ends_with_them() {
    let dir = tempfile::tempdir().unwrap();
    let (mut child, _lines) = spawn(dir.path(), "");
    assert!(matches!(SqliteStore::open(dir.path()), Err(OpenError::InUse { .. })));
    child.kill().unwrap();
    child.wait().unwrap();
    SqliteStore::open(dir.path()).unwrap();
}

#[cfg(unix)]
#[test]
fn what_was_reported_durable_survives_kill_9() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for round in 0..6 {
        let (mut child, mut lines) = spawn(dir.path(), "");
        // The kill comes while the child writes on; later rounds begin with the log of the one before.
        for line in lines.by_ref().take(100 + round * 37) {
            acknowledged = line.parse().unwrap();
        }
        child.kill().unwrap();
        for line in lines {
            acknowledged = line.parse().unwrap_or(acknowledged);
        }
        child.wait().unwrap();
        check(dir.path(), acknowledged);
        acknowledged = acknowledged.max(load_rev(dir.path()));
    }
}

#[cfg(unix)]
fn load_rev(dir: &Path) -> u32 {
    load(&SqliteStore::open(dir).unwrap(), &room("r")).unwrap().rev
}

/// The log may not grow beyond some size, so a commit fails in the middle of its write.
#[cfg(unix)]
#[test]
fn a_commit_that_the_disk_refuses_is_not_reported() {
    let dir = tempfile::tempdir().unwrap();
    let (mut child, lines) = spawn(dir.path(), "trap '' XFSZ; ulimit -f 400;");
    let mut acknowledged = 0;
    let mut failed = false;
    for line in lines {
        match line.parse() {
            Ok(rev) => acknowledged = rev,
            Err(_) => failed = line == "failed",
        }
    }
    assert!(child.wait().unwrap().success());
    assert!(failed && acknowledged > 0);
    check(dir.path(), acknowledged);
}
