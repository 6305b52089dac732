//! Steps that begin connections: the client's part, and the answer to its upgrade.

use std::time::Instant;

use serde_json::json;

use super::engine::{Engine, Reach, Stop};
use super::link::Link;
use super::model::{Accept, Connect, Upgrade};
use super::request::Request;
use crate::process::Process;
use crate::verdict::Verdict;
use crate::ws::handshake::accept_for;

impl Engine<'_> {
    pub(super) fn connect(&mut self, connect: &Connect) -> Result<(), Stop> {
        let relay = usize::from(connect.other_relay);
        let Some(addr) = self.relays.get(relay).map(|relay| relay.addr) else {
            return Err(self.stop(Verdict::Inconclusive, "the scenario: there is no such relay"));
        };
        self.told.joining();
        if self.again {
            // Attempts of its own, which it gives up when it is told to join.
            for relay in &self.relays {
                while relay.next(std::time::Duration::ZERO).is_some() {}
            }
        }
        match &mut self.reach {
            Reach::Driven(_) => {
                let mut command = json!({
                    "cmd": "connect",
                    "relay": format!("ws://{addr}{}", connect.path),
                    "game": connect.game,
                    "room": connect.room,
                    "mode": connect.mode,
                });
                if let (Some(user), Some(command)) = (&connect.user, command.as_object_mut()) {
                    command.insert("user".into(), user.as_str().into());
                }
                let answer = if connect.refused { json!({"refused": "*"}) } else { json!({"ok": true}) };
                self.ask(&command, &answer).map(drop)
            }
            Reach::Url(command, process) => {
                let relay = format!("ws://{addr}{}", super::prefix(&self.scenario.id));
                let url = format!("{relay}/r/{}?g={}&v=1", connect.room, connect.game);
                let command = with_address(command, [&url, &relay, &connect.game, &connect.room]);
                match Process::start(&command, 0) {
                    Ok(started) => *process = Some(started),
                    Err(error) => return Err(self.stop(Verdict::Untestable, error.to_string())),
                }
                Ok(())
            }
            Reach::ByHand => Ok(()),
        }
    }

    pub(super) fn accept(&mut self, accept: &Accept) -> Result<(), Stop> {
        let deadline = self.deadline();
        let (mut stream, request) = loop {
            let relay = self.relays.get(usize::from(accept.other_relay)).copied();
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(mut stream) = relay.and_then(|relay| relay.next(left)) else {
                return Err(self.no_client());
            };
            let _ = stream.set_read_timeout(Some(self.patience));
            match Request::read(&mut stream) {
                // Of an attempt that the client has given up since, before it was told to join again.
                Ok(_) if has_ended(&stream) => {}
                Ok(request) if self.is_for_this(&request) => break (stream, request),
                // Of another case, or somebody who only looks whether a port is open.
                Ok(_) => {
                    let _ = std::io::Write::write_all(&mut stream, status(404).as_bytes());
                }
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {}
                Err(error) => {
                    return Err(self.differs(Verdict::Fail, "an upgrade request", error.to_string()));
                }
            }
        };
        if let Some((rule, text)) = request.fault() {
            let mut stop = self.differs(Verdict::Fail, "a valid upgrade request", text);
            stop.finding.rule = Some(rule.into());
            return Err(stop);
        }
        self.check_target(accept, &request)?;
        let head = match &accept.upgrade {
            Upgrade::Right => upgrade(request.key(), ""),
            Upgrade::WrongKey => upgrade("AAAAAAAAAAAAAAAAAAAAAA==", ""),
            Upgrade::Header(line) => upgrade(request.key(), &format!("{line}\r\n")),
            Upgrade::Without(name) => without(&upgrade(request.key(), ""), name),
            Upgrade::Status(code) => status(*code),
            Upgrade::Never => String::new(),
            Upgrade::Garbage => "220 mail.example ESMTP\r\n".into(),
        };
        let mut bytes = head.into_bytes();
        bytes.extend(self.items(&accept.send)?);
        let _ = std::io::Write::write_all(&mut stream, &bytes);
        let upgraded = !matches!(accept.upgrade, Upgrade::Status(_) | Upgrade::Never | Upgrade::Garbage);
        if matches!(accept.upgrade, Upgrade::Status(_) | Upgrade::Garbage) {
            let _ = stream.shutdown(std::net::Shutdown::Write);
        }
        match Link::new(stream, upgraded) {
            Ok(link) => self.links.push(link),
            Err(error) => return Err(self.stop(Verdict::Inconclusive, error.to_string())),
        }
        self.checked();
        Ok(())
    }

    /// A client that never comes was claimed and cannot be tested; one that stays away later fails.
    fn no_client(&mut self) -> Stop {
        let text = self.with_end(format!("no connection within {:?}", self.patience));
        let verdict = if self.links.is_empty() && !matches!(self.reach, Reach::Driven(_)) {
            Verdict::Untestable
        } else {
            Verdict::Timeout
        };
        self.differs(verdict, "a connection", text)
    }

    fn is_for_this(&self, request: &Request) -> bool {
        match self.reach {
            Reach::Driven(_) => true,
            Reach::Url(..) | Reach::ByHand => {
                request.target.starts_with(&format!("{}/", super::prefix(&self.scenario.id)))
            }
        }
    }

    fn check_target(&mut self, accept: &Accept, request: &Request) -> Result<(), Stop> {
        let (path, mut query) = request.parts();
        if let Some(wanted) = &accept.path
            && wanted != path
        {
            return Err(self.differs(Verdict::Fail, &format!("the path {wanted}"), path.to_owned()));
        }
        if let Some(wanted) = &accept.query {
            let mut wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
            wanted.sort_unstable();
            query.sort_unstable();
            if wanted != query {
                let expected = format!("the parameters {}", wanted.join("&"));
                return Err(self.differs(Verdict::Fail, &expected, query.join("&")));
            }
        }
        Ok(())
    }

    pub(super) fn no_connection(&mut self) -> Result<(), Stop> {
        let waiting = self.relays.iter().any(|relay| relay.next(std::time::Duration::ZERO).is_some());
        if waiting {
            return Err(self.differs(Verdict::Fail, "no connection", "a connection".into()));
        }
        self.checked();
        Ok(())
    }
}

/// The command with an address in it. A URL has signs that a shell reads, so it is put in by variables of the shell.
fn with_address(command: &str, values: [&str; 4]) -> String {
    let mut line = command.to_owned();
    let mut variables = String::new();
    for (name, value) in ["url", "relay", "game", "room"].into_iter().zip(values) {
        variables.push_str(&format!("roomwire_{name}='{value}' "));
        line = line.replace(&format!("'{{{name}}}'"), &format!("{{{name}}}"));
        line = line.replace(&format!("{{{name}}}"), &format!("${{roomwire_{name}}}"));
    }
    format!("{variables}\n{line}")
}

fn upgrade(key: &str, more: &str) -> String {
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {}\r\n{more}\r\n",
        accept_for(key)
    )
}

/// The head of an answer without one header.
fn without(head: &str, name: &str) -> String {
    head.split_inclusive("\r\n").filter(|line| !line.starts_with(&format!("{name}:"))).collect()
}

/// Whether the other side has closed a stream of which nothing more was to come.
fn has_ended(stream: &std::net::TcpStream) -> bool {
    let looked = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let _ = stream.set_nonblocking(false);
    looked.is_ok_and(|count| count == 0)
}

fn status(code: u16) -> String {
    format!("HTTP/1.1 {code} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
