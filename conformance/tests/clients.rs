//! Clients under test from outside: lines, URLs, and clients that crash, hang or talk nonsense.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_roomwire-conformance");

fn run(dir: &Path, args: &[&str]) -> Output {
    Command::new(PROGRAM).current_dir(dir).args(args).output().expect("the program runs")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// A client in `sh` that introduces itself, knows that it knows nothing, and then does as `then` says.
fn sh(then: &str) -> String {
    format!(
        r#"seq() {{ read -r line && s=${{line##*\"seq\":}} && s=${{s%%[,\}}]*}}; }}
        seq; echo "{{\"seq\":$s,\"protocol\":1,\"name\":\"n\",\"version\":\"1\",\"language\":\"sh\",\"capabilities\":[\"room\"]}}"
        seq; echo "{{\"seq\":$s,\"unsupported\":true}}"
        {then}"#
    )
}

#[test]
fn what_a_client_can_come_to() {
    let dir = tempfile::tempdir().unwrap();
    for (then, verdict, told) in [
        ("exit 7", "CRASH", "exit status: 7"),
        ("while seq; do :; done", "TIMEOUT", "nothing within"),
        ("echo hallo; cat >/dev/null", "FAIL", "not a JSON object"),
        (r#"while seq; do echo "{\"seq\":1,\"ok\":true}"; done"#, "FAIL", r#""seq":1"#),
        (r#"while seq; do echo "{\"seq\":$s,\"unsupported\":true}"; done"#, "UNTESTABLE", "unsupported"),
        (r#"while seq; do echo "{\"seq\":$s,\"ok\":true}"; done"#, "TIMEOUT", "a connection"),
        ("cat /dev/zero", "FAIL", "a line of more than"),
    ] {
        let output = run(dir.path(), &["--client", &sh(then), "C0001", "--patience", "3"]);
        assert_eq!(output.status.code(), Some(1), "{then}: {output:?}");
        assert!(out(&output).contains(&format!("{verdict} C0001")), "{then}: {output:?}");
        assert!(out(&output).contains(told), "{then}: {output:?}");
    }
    // What it does not claim is skipped; a run that skips all is not clean.
    let output = run(dir.path(), &["--client", &sh("exit 7"), "websocket/a-pause"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(out(&output).contains("1 SKIP"), "{output:?}");
}

#[test]
fn a_client_that_does_not_introduce_itself_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let honest = r#"read -r line; s=${line##*\"seq\":}; s=${s%%[,\}]*}; echo "{\"seq\":$s,\"protocol\":1,\"name\":\"n\",\"version\":\"1\",\"language\":\"sh\",\"capabilities\":[]}""#;
    let knows_all = format!(
        r#"{honest}; read -r line; s=${{line##*\"seq\":}}; s=${{s%%[,\}}]*}}; echo "{{\"seq\":$s,\"ok\":true}}"; cat"#
    );
    for (client, told) in [
        ("exit 3", "exit status: 3"),
        ("sleep 1000", "no answer within 3 s"),
        ("cat", "hello: no name"),
        (knows_all.as_str(), "a command that does not exist"),
    ] {
        let output = run(dir.path(), &["--client", client, "C0001", "--patience", "3"]);
        assert_eq!(output.status.code(), Some(3), "{client}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(told), "{client}: {output:?}");
    }
}

/// The suite asks for nothing that cannot be read from the specification: a client in another language passes.
#[test]
fn a_client_that_knows_only_the_specification() {
    let dir = tempfile::tempdir().unwrap();
    let client = support::root().join("conformance/second/client.py");
    let client = format!("python3 '{}'", client.display());
    let output = run(dir.path(), &["--client", &client, "--patience", "30"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(out(&output).contains("5 SKIP") && !out(&output).contains("WARN"), "{output:?}");
}

#[test]
fn a_client_that_follows_its_url() {
    let dir = tempfile::tempdir().unwrap();
    let client = format!("{PROGRAM} client-adapter {{relay}} {{game}} {{room}}");
    let output = run(dir.path(), &["--client-url", &client, "--jobs", "4"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(out(&output).contains(" SKIP") && !out(&output).contains("WARN"), "{output:?}");
    // One that never connects fails what it is tested for.
    let output = run(dir.path(), &["--client-url", "echo {url}", "websocket/pings", "--patience", "3"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(out(&output).contains("UNTESTABLE"), "{output:?}");
    // One that ends is told to have, with its last words.
    let client = "echo {url} >/dev/null; echo no such module >&2; exit 3";
    let output = run(dir.path(), &["--client-url", client, "websocket/pings", "--patience", "1"]);
    assert!(out(&output).contains("exit status: 3; standard error ends: no such module"), "{output:?}");
    // The whole URL arrives as one word.
    let seen = dir.path().join("seen");
    for quote in ["", "'", "\""] {
        let client = format!("echo {quote}{{url}}{quote} last > {}", seen.display());
        run(dir.path(), &["--client-url", &client, "websocket/pings", "--patience", "1"]);
        let line = std::fs::read_to_string(&seen).unwrap();
        assert!(line.starts_with("ws://127.0.0.1:") && line.ends_with("/r/room?g=game&v=1 last\n"), "{line}");
    }
    let output = run(dir.path(), &["--client-url", "echo", "websocket/pings"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn a_client_that_somebody_starts() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.current_dir(dir.path()).args(["--client-listen", "127.0.0.1:0", "ending/a-close-is-answered"]);
    let mut runner = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(runner.stderr.take().unwrap()).lines().map_while(Result::ok);
    let url = lines.into_iter().find_map(|line| Some(line.split_once("ws://")?.1.to_owned())).expect("a URL");
    let (authority, rest) = url.split_once("/c/").expect("a path");
    // Whoever else looks at the port is shown the door.
    let mut stranger = TcpStream::connect(authority).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let relay = format!("ws://{authority}/c/{}", rest.split('/').next().unwrap());
    let mut client = Command::new(PROGRAM);
    client.args(["client-adapter", &relay, "game", "room"]).stdin(Stdio::piped());
    let mut client = client.stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(runner.wait().unwrap().code(), Some(0));
    drop(client.stdin.take());
    client.wait().unwrap();
}

/// The session in the README has the shape of the schema, too.
#[test]
fn the_session_in_the_readme_has_the_shape_of_the_schema() {
    let schema = serde_json::from_str(&support::read("schema/client-lines.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let readme = support::read("README.md");
    let lines =
        readme.lines().filter_map(|line| line.strip_prefix("-> ").or_else(|| line.strip_prefix("<- ")));
    let mut seen = 0;
    for line in lines {
        let value = serde_json::from_str(line).expect(line);
        let faults: Vec<String> = validator.iter_errors(&value).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{line}: {faults:?}");
        seen += 1;
    }
    assert!(seen > 10);
}

/// Every line of a session has the shape of its schema.
#[test]
fn lines_have_the_shape_of_their_schema() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let relay = format!("ws://{}", listener.local_addr().unwrap());
    drop(listener);
    let schema = serde_json::from_str(&support::read("schema/client-lines.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let check = |line: &str| {
        let value = serde_json::from_str(line).expect(line);
        let faults: Vec<String> = validator.iter_errors(&value).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{line}: {faults:?}");
    };
    let commands = [
        r#"{"seq":1,"cmd":"hello","protocol":1}"#.to_owned(),
        r#"{"seq":2,"cmd":"xsomething"}"#.to_owned(),
        r#"{"seq":3,"cmd":"get","key":"a"}"#.to_owned(),
        format!(r#"{{"seq":4,"cmd":"connect","relay":"{relay}","game":"g","room":"r","mode":"state"}}"#),
        r#"{"seq":5,"cmd":"set","key":"a","value":"00"}"#.to_owned(),
        r#"{"seq":6,"cmd":"peers"}"#.to_owned(),
    ];
    let mut child = Command::new(PROGRAM);
    let mut child = child.arg("client-adapter").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut seen = Vec::new();
    for command in commands {
        check(&command);
        writeln!(stdin, "{command}").unwrap();
        loop {
            let line = lines.next().expect("an answer");
            check(&line);
            let answered = line.contains("\"seq\"");
            seen.push(line);
            if answered {
                break;
            }
        }
    }
    // Nothing listens there.
    let closed = lines
        .find(|line| line.contains("\"closed\""))
        .or_else(|| seen.iter().find(|l| l.contains("\"closed\"")).cloned());
    check(&closed.expect("an end"));
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// A client that goes on whatever comes fails all that a client has to end a connection for.
#[test]
fn a_client_that_never_ends_a_connection() {
    let dir = tempfile::tempdir().unwrap();
    let client = dir.path().join("client.py");
    let program = r#"
import socket, sys
host, _, rest = sys.argv[1].removeprefix("ws://").partition("/")
name, port = host.split(":")
link = socket.create_connection((name, int(port)))
lines = [f"GET /{rest} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", ""]
link.sendall("\r\n".join(lines).encode())
while link.recv(4096): pass
"#;
    std::fs::write(&client, program).unwrap();
    let client = format!("python3 '{}' {{url}}", client.display());
    let output = run(dir.path(), &["--client-url", &client, "*-ends-it", "--patience", "3", "--jobs", "8"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = out(&output);
    let cases = told.lines().find(|line| line.contains(" cases in ")).expect("a summary");
    let count = |word: &str| {
        cases.split_once(word).and_then(|(before, _)| before.rsplit(' ').find(|w| !w.is_empty()))
    };
    assert!(cases.contains("TIMEOUT") && !cases.contains("PASS"), "{cases}");
    assert_eq!(count(" cases in "), count(" TIMEOUT"), "{cases}");
}
