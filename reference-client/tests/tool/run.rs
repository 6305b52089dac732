//! Running the tool.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The tool with nothing of the environment that could change what it does.
pub(crate) fn roomwire(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roomwire"));
    for name in ["ROOMWIRE_RELAY", "ROOMWIRE_GAME", "ROOMWIRE_ROOM", "ROOMWIRE_USER"] {
        command.env_remove(name);
    }
    command.args(args);
    command
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub(crate) fn run(args: &[&str]) -> Ran {
    roomwire(args).stdin(Stdio::null()).output().unwrap().into()
}

pub(crate) fn run_with_input(args: &[&str], input: &[u8]) -> Ran {
    let mut command = roomwire(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may end without reading all.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap().into()
}
