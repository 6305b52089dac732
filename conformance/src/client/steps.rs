//! What each step does.

use std::time::Instant;

use roomwire_client::core::{ABNORMAL, NO_STATUS};
use roomwire_codec::registry::sys;
use serde_json::{Value, json};

use super::engine::{Engine, Reach, Stop, name_of};
use super::frames;
use super::link::Came;
use super::model::{Ask, ClientStep, Close, Events, Expect, ExpectClose, Fence, Item, On, Repeat, WsFrame};
use super::pattern::{Miss, brief, expand, matches};
use crate::frame_json::JsonFrame;
use crate::hex;
use crate::verdict::Verdict;
use crate::ws::frame::{self as ws, op};

impl Engine<'_> {
    pub(super) fn step(&mut self, step: &ClientStep) -> Result<(), Stop> {
        match step {
            ClientStep::Connect(connect) => self.connect(connect),
            ClientStep::Ask(Ask { command, answer }) => self.ask(command, answer).map(drop),
            ClientStep::Accept(accept) => self.accept(accept),
            ClientStep::Send(send) => {
                let bytes = self.items(&send.items)?;
                self.link(send.link)?.send(&bytes);
                Ok(())
            }
            ClientStep::Ping(ping) => self.ping(None, ping.payload.bytes(), false),
            ClientStep::Nothing(On { link }) => self.nothing(*link),
            ClientStep::Expect(expect) => self.expect(expect),
            ClientStep::ExpectWrites(On { link }) => self.expect_writes(*link),
            ClientStep::Events(events) => self.expect_events(events),
            ClientStep::Fence(fence) => self.fence(*fence),
            ClientStep::Close(close) => self.close(close),
            ClientStep::ExpectClose(expect) => self.expect_close(expect),
            ClientStep::ExpectEnd(On { link }) => {
                self.expect_close(&ExpectClose { link: *link, or_end: true, ..ExpectClose::default() })
            }
            ClientStep::Drop(drop) => {
                self.link(None)?.cut(drop.reset);
                Ok(())
            }
            ClientStep::Stall(stall) => {
                self.link(None)?.stall(stall.on);
                Ok(())
            }
            ClientStep::NoConnection(On { .. }) => self.no_connection(),
            ClientStep::Repeat(repeat) => self.repeat(repeat),
        }
    }

    /// Gives a command and waits for its answer; events that come before are kept.
    pub(super) fn ask(&mut self, command: &Value, wanted: &Value) -> Result<Value, Stop> {
        let mut command = self.ours(expand(command, &self.kept))?;
        let wanted = self.ours(expand(wanted, &self.kept))?;
        self.seq = self.seq.wrapping_add(1);
        if let Some(command) = command.as_object_mut() {
            command.insert("seq".into(), self.seq.into());
        }
        if let Reach::Driven(process) = &self.reach {
            process.send(command.to_string());
        }
        let expected = format!("{} to {}", brief(&wanted), brief(&command));
        let deadline = self.deadline();
        loop {
            let line = self.line(&expected, deadline)?;
            if line.get("seq").is_none() && !name_of(&line).is_empty() {
                self.note(&line)?;
                self.events.push_back(line);
                continue;
            }
            if line.get("seq") != Some(&self.seq.into()) {
                return Err(self.differs(Verdict::Fail, &expected, brief(&line)));
            }
            if line.get("unsupported") == Some(&true.into()) {
                return Err(self.differs(Verdict::Untestable, &expected, brief(&line)));
            }
            if matches(&wanted, &line, &mut self.kept).is_err() {
                return Err(self.differs(Verdict::Fail, &expected, brief(&line)));
            }
            if line.get("ok") == Some(&true.into()) {
                let write = write_of(&command);
                if write.is_some() && !self.told.is_ready() {
                    let told = format!("{}, and no event told that it is ready", brief(&line));
                    return Err(self.breaks("CLIENT-WRITE-1", "a write that is refused", told));
                }
                self.writes.extend(write);
            }
            self.checked();
            return Ok(line);
        }
    }

    /// The bytes of what is to be sent.
    pub(super) fn items(&mut self, items: &[Item]) -> Result<Vec<u8>, Stop> {
        let mut out = Vec::new();
        for item in items {
            match item {
                Item::Frame(frame) => {
                    let frame = self.frame(frame)?;
                    let revs: Vec<u32> = match &frame {
                        JsonFrame::StateUpdate { rev, .. } => vec![*rev],
                        JsonFrame::StateSnapshot { entries } => {
                            entries.iter().map(|entry| entry.rev).collect()
                        }
                        _ => vec![],
                    };
                    self.rev = revs.into_iter().fold(self.rev, u32::max);
                    out.extend(ws::encode(true, op::BINARY, &frames::encode(&frame), None));
                }
                Item::Message(message) => {
                    let bytes = self.bytes(message)?;
                    out.extend(ws::encode(true, op::BINARY, &bytes, None));
                }
                Item::Ws(frame) => out.extend(self.ws_frame(frame)?),
                Item::Bytes(bytes) => out.extend(bytes.bytes()),
            }
        }
        Ok(out)
    }

    fn ws_frame(&self, frame: &WsFrame) -> Result<Vec<u8>, Stop> {
        let payload = self.bytes(&frame.payload)?;
        let mut bytes = ws::encode(frame.fin, frame.op, &payload, frame.masked.then_some([1, 2, 3, 4]));
        if let Some(first) = bytes.first_mut() {
            *first |= (frame.rsv & 7) << 4;
        }
        bytes.truncate(frame.cut.unwrap_or(usize::MAX));
        Ok(bytes)
    }

    fn frame(&self, frame: &Value) -> Result<JsonFrame, Stop> {
        let frame = self.ours(expand(frame, &self.kept))?;
        self.ours(serde_json::from_value(frame).map_err(|error| error.to_string()))
    }

    fn bytes(&self, value: &Value) -> Result<Vec<u8>, Stop> {
        let value = self.ours(expand(value, &self.kept))?;
        let decoded = value.as_str().map_or(Some(vec![]), hex::decode);
        self.ours(decoded.ok_or_else(|| "bytes that are not hex".to_owned()))
    }

    /// Sends a ping and waits for its pong; no message may come before it if `alone`, else they wait.
    fn ping(&mut self, link: Option<usize>, payload: &[u8], alone: bool) -> Result<(), Stop> {
        let expected = format!("a pong with {}", hex::Hex::from(payload));
        self.link(link)?.send(&ws::encode(true, op::PING, payload, None));
        let deadline = self.deadline();
        loop {
            let came = match alone {
                true => self.link(link)?.next(deadline),
                false => self.link(link)?.pong(deadline),
            };
            match came {
                Some(Came::Pong(bytes)) if bytes == payload => break,
                Some(Came::Pong(_)) => {}
                Some(other) => return Err(self.unexpected(&expected, other)),
                None => return Err(self.late(&expected)),
            }
        }
        self.checked();
        Ok(())
    }

    fn nothing(&mut self, link: Option<usize>) -> Result<(), Stop> {
        let payload = fastrand::u32(..).to_le_bytes();
        self.ping(link, &payload, true)
    }

    fn expect(&mut self, expect: &Expect) -> Result<(), Stop> {
        for frame in &expect.frames {
            let frame = self.frame(frame)?;
            match self.came(expect.link, &frame.brief())? {
                Came::Message(bytes) if bytes == frames::encode(&frame) => {
                    self.writes.retain(|write| *write != bytes);
                    self.checked();
                }
                other => return Err(self.unexpected(&frame.brief(), other)),
            }
        }
        Ok(())
    }

    fn expect_writes(&mut self, link: Option<usize>) -> Result<(), Stop> {
        for write in std::mem::take(&mut self.writes) {
            let expected = format!("the message {}", hex::shorten(&write, 48));
            match self.came(link, &expected)? {
                Came::Message(bytes) if bytes == write => self.checked(),
                other => return Err(self.unexpected(&expected, other)),
            }
        }
        Ok(())
    }

    fn expect_events(&mut self, events: &Events) -> Result<(), Stop> {
        for pattern in &events.list {
            let pattern = self.ours(expand(pattern, &self.kept))?;
            let wanted = name_of(&pattern).to_owned();
            if wanted == "ready" && self.ready && !self.scenario.strict_ready {
                self.checked();
                continue;
            }
            let deadline = self.deadline();
            let event = self.event_or_late(&wanted, &pattern, deadline)?;
            match matches(&pattern, &event, &mut self.kept) {
                Ok(()) => self.checked(),
                Err(Miss::Differs) => {
                    return Err(self.differs(Verdict::Fail, &brief(&pattern), brief(&event)));
                }
                Err(Miss::Detail(_)) => {
                    return Err(self.differs(Verdict::WrongReason, &brief(&pattern), brief(&event)));
                }
            }
        }
        Ok(())
    }

    fn event_or_late(&mut self, wanted: &str, pattern: &Value, deadline: Instant) -> Result<Value, Stop> {
        self.event(wanted, deadline).map_err(|mut stop| {
            stop.finding.expected = Some(brief(pattern));
            stop
        })
    }

    fn fence(&mut self, fence: Fence) -> Result<(), Stop> {
        self.fences = self.fences.saturating_add(1);
        self.rev = self.rev.saturating_add(1);
        let key = format!("fence {}", self.fences);
        let frame = json!({"frame": "STATE_UPDATE", "rev": self.rev, "key": key, "value": "fe"});
        let bytes = self.items(&[Item::Frame(frame)])?;
        self.link(None)?.send(&bytes);
        let pattern = json!({"event": "state", "rev": self.rev, "key": key, "value": "fe"});
        let deadline = self.deadline();
        let event = self.event_or_late("state", &pattern, deadline)?;
        let closed = fence.or_closed && name_of(&event) == "closed";
        if !closed && matches(&pattern, &event, &mut self.kept).is_err() {
            let expected = format!("no event before that of the fence {}", brief(&pattern));
            return Err(self.differs(Verdict::Fail, &expected, brief(&event)));
        }
        self.checked();
        Ok(())
    }

    fn close(&mut self, close: &Close) -> Result<(), Stop> {
        let payload = close.code.map(|code| ws::close_payload(code, &close.reason)).unwrap_or_default();
        self.link(None)?.close(&payload);
        Ok(())
    }

    fn expect_close(&mut self, expect: &ExpectClose) -> Result<(), Stop> {
        let expected = match expect.codes.as_slice() {
            [] if expect.or_end => "a close frame, or the end of the connection".to_owned(),
            [] => "a close frame".to_owned(),
            codes => format!("a close frame with {codes:?}"),
        };
        match self.came(expect.link, &expected)? {
            Came::Close(code, reason) => {
                let wanted = expect.codes.is_empty() || code.is_some_and(|code| expect.codes.contains(&code));
                if !wanted {
                    let mut stop = self.unexpected(&expected, Came::Close(code, reason));
                    stop.verdict = Verdict::WrongReason;
                    return Err(stop);
                }
                let code = code.unwrap_or(NO_STATUS);
                self.keep_close(expect, code, &String::from_utf8_lossy(&reason));
            }
            Came::End if expect.or_end => self.keep_close(expect, ABNORMAL, ""),
            other => return Err(self.unexpected(&expected, other)),
        }
        self.checked();
        Ok(())
    }

    fn keep_close(&mut self, expect: &ExpectClose, code: u16, reason: &str) {
        if let Some(name) = &expect.keep {
            self.kept.insert(format!("{name}.code"), code.into());
            self.kept.insert(format!("{name}.reason"), reason.into());
        }
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<(), Stop> {
        for round in 1..=repeat.times {
            self.kept.insert("i".into(), round.into());
            self.run(&repeat.steps)?;
        }
        self.kept.remove("i");
        Ok(())
    }
}

/// The message that a command asks for, if it is a write.
fn write_of(command: &Value) -> Option<Vec<u8>> {
    let bytes = |name: &str| command.get(name)?.as_str().and_then(hex::decode).map(hex::Hex);
    let frame = match command.get("cmd")?.as_str()? {
        "set" => {
            JsonFrame::StateSet { key: command.get("key")?.as_str()?.to_owned(), value: bytes("value")? }
        }
        "save" => JsonFrame::WorldSave { blob: bytes("blob")? },
        "send" => {
            let peer = i32::try_from(command.get("to")?.as_i64()?).ok()?;
            JsonFrame::Relay { lead: sys::LEAD, peer, payload: bytes("payload")? }
        }
        _ => return None,
    };
    Some(frames::encode(&frame))
}
