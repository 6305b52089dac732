//! `watch`, while others play.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStderr, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::run::{Ran, roomwire, run};
use crate::running::Running;

struct Watching {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
}

impl Watching {
    fn start(relay: &Running, args: &[&str]) -> Self {
        let mut command = roomwire(&["watch"]);
        command.args(args).args(["--game", "g", "--room", "r"]).env("ROOMWIRE_RELAY", relay.url());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stdout, stderr }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.stdout.read_line(&mut line).unwrap() > 0, "it has ended");
        line
    }

    fn event(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    fn event_named(&mut self, name: &str) -> Value {
        loop {
            let event = self.event();
            if event["event"] == name {
                return event;
            }
        }
    }

    fn note(&mut self, wanted: &str) {
        let mut line = String::new();
        while !line.contains(wanted) {
            line.clear();
            assert!(self.stderr.read_line(&mut line).unwrap() > 0, "it has ended");
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn set(relay: &Running, key: &str, value: &str) -> Ran {
    let ran = run(&["set", key, value, "--relay", &relay.url(), "--game", "g", "--room", "r"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran
}

/// CLIENT-APPLY-3, Z22: what is there, then every move as it is made.
#[test]
fn moves_appear() {
    let relay = Running::start();
    set(&relay, "5", "X");
    let mut watching = Watching::start(&relay, &[]);
    assert_eq!(watching.line(), "5 = \"X\"  (rev 1)\n");
    watching.note("this is all there is so far: 1 key.");
    set(&relay, "1", "O");
    assert_eq!(watching.line(), "1 = \"O\"  (rev 2)\n");
}

#[test]
fn moves_appear_as_json() {
    let relay = Running::start();
    let mut watching = Watching::start(&relay, &["--json"]);
    assert_eq!(watching.event(), json!({"event": "connecting", "attempt": 1}));
    watching.event_named("ready");
    set(&relay, "1", "O");
    let expected = json!({"event": "state", "rev": 1, "key": "1", "value": "4f", "text": "O"});
    assert_eq!(watching.event(), expected);
}

/// CLIENT-PEER-1.
#[test]
fn peers_appear() {
    let relay = Running::start();
    let mut watching = Watching::start(&relay, &["--json", "--mode", "peers"]);
    watching.event_named("ready");
    let ran = run(&["peers", "--json", "--relay", &relay.url(), "--game", "g", "--room", "r"]);
    let peer = ran.json()["peer"].clone();
    assert_eq!(watching.event(), json!({"event": "peer-added", "peer": peer}));
    assert_eq!(watching.event(), json!({"event": "peer-removed", "peer": peer}));
}

/// CLIENT-CLOSE-1: an end for good is shown with code and reason.
#[test]
fn an_end_is_shown() {
    let relay = Running::start();
    let mut watching = Watching::start(&relay, &["--no-reconnect"]);
    watching.note("this is all there is");
    drop(relay);
    let mut rest = String::new();
    watching.stderr.read_to_string(&mut rest).unwrap();
    assert!(rest.starts_with("roomwire: closed by the relay: 1012 restart"), "{rest}");
    assert_eq!(watching.child.wait().unwrap().code(), Some(1));
}

/// A reader that has had enough, as `watch | head -1`, is no fault and no panic.
#[test]
fn a_closed_pipe() {
    let relay = Running::start();
    let mut watching = Watching::start(&relay, &[]);
    watching.note("this is all there is");
    // What stands in for standard output is taken away.
    let null = roomwire(&["--version"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut null = null;
    watching.stdout = BufReader::new(null.stdout.take().unwrap());
    null.wait().unwrap();
    set(&relay, "1", "O");
    let mut rest = String::new();
    watching.stderr.read_to_string(&mut rest).unwrap();
    assert_eq!((watching.child.wait().unwrap().code(), rest.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it() {
    let relay = Running::start();
    let mut watching = Watching::start(&relay, &[]);
    watching.note("this is all there is");
    let pid = watching.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(watching.child.wait().unwrap().code(), Some(0));
}
