//! The binary: its command line, its configuration, its first line, its end.
#![cfg(feature = "shell")]
#![allow(clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roomwire-relay"));
    command.env_clear().stdin(Stdio::null());
    command
}

fn output(command: &mut Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the program runs");
    (status.code(), text(stdout), text(stderr))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// A program that serves.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut line).expect("a line");
        let address = line.strip_prefix(r#"{"listening":""#).and_then(|line| line.strip_suffix("\"}\n"));
        let address = address.unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Self { child, address }
    }

    fn health(&self) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Sends a signal and waits: the exit code and what was logged.
    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let kill = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(kill.expect("kill runs").success());
        let mut log = String::new();
        self.child.stderr.as_mut().expect("its log").read_to_string(&mut log).expect("UTF-8");
        (self.child.wait().expect("its end").code(), log)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(dir: &Path, text: &str) -> String {
    let path = dir.join("relay.toml");
    std::fs::write(&path, text).expect("a file");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn serves_until_it_is_told_to_end() {
    let dir = tempfile::tempdir().expect("a directory");
    for signal in ["-TERM", "-INT"] {
        let relay = Running::start(program().args(["--listen", "127.0.0.1:0", "--data"]).arg(dir.path()));
        assert!(
            relay.address.starts_with("127.0.0.1:") && !relay.address.ends_with(":0"),
            "{}",
            relay.address
        );
        assert!(relay.health().contains(r#""status":"ok""#));
        let (code, log) = relay.end(signal);
        assert_eq!(code, Some(0), "{log}");
    }
}

#[test]
fn a_second_relay_on_the_same_directory_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = program();
    command.args(["--listen", "127.0.0.1:0", "--data"]).arg(dir.path());
    let first = Running::start(&mut command);
    let (code, stdout, stderr) = output(&mut command);
    assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
    assert!(stderr.contains("roomwire-relay: the store cannot be opened: "), "{stderr}");
    assert!(first.health().contains("200 OK"), "the first one goes on");
    assert_eq!(first.end("-TERM").0, Some(0));
}

#[test]
fn memory_says_that_nothing_lasts() {
    let relay = Running::start(program().args(["--listen", "127.0.0.1:0", "--store", "memory"]));
    let (code, log) = relay.end("-TERM");
    assert!(code == Some(0) && log.contains("nothing lasts longer than this process"), "{log}");
}

#[test]
fn an_address_that_is_taken_is_a_failure() {
    let relay = Running::start(program().args(["--listen", "127.0.0.1:0", "--store", "memory"]));
    let (code, _, stderr) = output(program().args(["--listen", &relay.address, "--store", "memory"]));
    assert!(code == Some(1) && stderr.contains(&format!("cannot listen on {}", relay.address)), "{stderr}");
}

#[test]
fn flags_come_before_the_environment_and_that_before_the_file() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = write(dir.path(), "listen = \"127.0.0.3:0\"\nstore = \"memory\"\nidle_timeout = 50000\n");
    let mut command = program();
    command.args(["--config", &file]);
    assert!(Running::start(&mut command).address.starts_with("127.0.0.3:"));
    command.env("ROOMWIRE_LISTEN", "127.0.0.2:0");
    assert!(Running::start(&mut command).address.starts_with("127.0.0.2:"));
    command.args(["--listen", "127.0.0.1:0"]);
    assert!(Running::start(&mut command).address.starts_with("127.0.0.1:"));
    let mut command = program();
    command.env("ROOMWIRE_CONFIG", &file);
    assert!(Running::start(&mut command).address.starts_with("127.0.0.3:"));
}

#[test]
fn what_is_wrong_with_the_configuration_is_said() {
    let dir = tempfile::tempdir().expect("a directory");
    let missing = dir.path().join("missing.toml");
    for (args, what) in [
        (vec!["--config", missing.to_str().expect("UTF-8")], "missing.toml cannot be read"),
        (vec![], "--data is missing"),
        (vec!["--listen", "nowhere"], "--listen"),
        (vec!["--store", "memory", "--log", "nonsense"], "\"nonsense\" is no log level"),
        (
            vec!["--store", "memory", "--idle-timeout", "500", "--ping-interval", "500"],
            "idle_timeout is 500 ms, but must be above ping_interval, 500 ms",
        ),
        (vec!["--store", "stone"], "--store"),
        (vec!["--store", "memory", "--members", "0"], "members is 0, but must be at least 1"),
        (vec!["--store", "memory", "--idle-timeout", "0"], "idle_timeout is 0, but must be at least 1"),
        (
            vec!["--store", "memory", "--queue-limit", "1000"],
            "queue_limit is 1000, but must be at least 1049",
        ),
        (
            vec!["--store", "memory", "--queue-hard-limit", "1000"],
            "queue_hard_limit is 1000, but must be at least 4194304",
        ),
        (
            vec!["--store", "memory", "--send-burst-room", "1000"],
            "send_burst_room is 1000, but must be at least 4194368",
        ),
        (
            vec!["--store", "memory", "--members", "200", "--join-burst-address", "399"],
            "join_burst_address is 399, but must be at least 400",
        ),
        (
            vec!["--store", "memory", "--send-rate", "1000000001"],
            "send_rate is 1000000001, but must be at most 1000000000",
        ),
        (vec!["--store", "memory", "--log", "roomwire_relay=shout"], "the log filter is not valid"),
        (vec!["--frobnicate"], "--frobnicate"),
        (vec!["positional"], "positional"),
    ] {
        let (code, stdout, stderr) = output(program().args(&args));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{args:?}: {stderr}");
        assert!(stderr.contains(what), "{args:?}: {stderr}");
    }
    for (file, what) in [
        ("lissten = \"127.0.0.1:0\"", "unknown field `lissten`"),
        ("store = \"stone\"", "unknown variant `stone`"),
        ("idle_timeout = \"long\"", "invalid type"),
        ("listen = ", "relay.toml is not valid"),
    ] {
        let path = write(dir.path(), file);
        let (code, _, stderr) = output(program().args(["--config", &path]));
        assert!(code == Some(2) && stderr.contains(what), "{file}: {stderr}");
    }
}

#[test]
fn help_is_complete() {
    let (code, help, _) = output(program().arg("--help"));
    assert_eq!(code, Some(0));
    for (flag, default) in [
        ("--config <FILE>", ""),
        ("--listen <ADDRESS:PORT>", "[default: 127.0.0.1:8080]"),
        ("--data <DIR>", ""),
        ("--store <KIND>", "[default: sqlite]"),
        ("--members <COUNT>", "[default: 32]"),
        ("--handshake-timeout <MS>", "[default: 10000 ms]"),
        ("--ping-interval <MS>", "[default: 15000 ms]"),
        ("--idle-timeout <MS>", "[default: 45000 ms]"),
        ("--close-timeout <MS>", "[default: 2000 ms]"),
        ("--queue-limit <BYTES>", "[default: 4194304 bytes]"),
        ("--queue-hard-limit <BYTES>", "[default: 16777216 bytes]"),
        ("--queue-grace <MS>", "[default: 5000 ms]"),
        ("--connections <COUNT>", "[default: 16384]"),
        ("--connections-per-address <COUNT>", "[default: 256]"),
        ("--forwarded [<BOOL>]", ""),
        ("--join-rate-address <COUNT>", "[default: 16]"),
        ("--join-burst-address <COUNT>", "[default: 256]"),
        ("--join-rate-room <COUNT>", "[default: 16]"),
        ("--join-burst-room <COUNT>", "[default: 256]"),
        ("--send-rate <BYTES>", "[default: 1048576 bytes]"),
        ("--send-burst <BYTES>", "[default: 16777216 bytes]"),
        ("--send-rate-room <BYTES>", "[default: 4194304 bytes]"),
        ("--send-burst-room <BYTES>", "[default: 67108864 bytes]"),
        ("--log <FILTER>", "[default: info]"),
    ] {
        let variable = format!(
            "ROOMWIRE_{}",
            flag[2..].split(' ').next().expect("a name").replace('-', "_").to_uppercase()
        );
        assert!(help.contains(flag) && help.contains(default) && help.contains(&variable), "{flag}:\n{help}");
    }
    let (code, version, _) = output(program().arg("--version"));
    assert_eq!((code, version), (Some(0), format!("roomwire-relay {}\n", env!("CARGO_PKG_VERSION"))));
}
