//! Writes the golden frames into a directory, as a corpus for the target `decode`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a tool for developers, which ends where it cannot go on"
)]

#[path = "../tests/suite/golden.rs"]
mod golden;

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let directory = PathBuf::from(env::args_os().nth(1).expect("usage: seeds DIRECTORY"));
    fs::create_dir_all(&directory).unwrap();
    let seeds = golden::seeds();
    for (id, data) in &seeds {
        fs::write(directory.join(id), data).unwrap();
    }
    println!("{} golden frames in {}", seeds.len(), directory.display());
}
