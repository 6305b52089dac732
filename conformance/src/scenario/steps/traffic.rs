//! Steps that send, and that say what must come.

use std::io;
use std::time::Duration;

use super::super::actor::{Actor, Next};
use super::super::engine::{Engine, Place, Stop, brief_close, lock};
use super::super::model::{self, Await, Choice, Cut, Expect, ExpectClose, Fence, Leave, Ping, Raw, Via};
use super::super::template::Frame;
use crate::codec::{Answer, CodecUnderTest, ReferenceCodec, To};
use crate::frame_json::JsonFrame;
use crate::hex::Hex;
use crate::verdict::Verdict;
use crate::ws::frame::op;

/// The key of fences. Scenarios use it for nothing else.
pub(in super::super) const FENCE_KEY: &str = "~fence";

impl Engine<'_> {
    pub(super) fn send(&self, step: &model::Send, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        match (&step.frame, &step.hex, &step.text) {
            (Some(frame), None, None) => {
                let frame = self.ours(place, frame.value(&place.vars))?;
                self.send_frame(place, &mut actor, &frame, &step.fragments)
            }
            (None, Some(hex), None) => {
                let bytes = self.ours(place, hex.value(&place.vars))?;
                let sent = actor.connection.send(op::BINARY, &bytes, &step.fragments);
                self.sent(place, &actor, sent)
            }
            (None, None, Some(text)) => {
                let text = self.ours(place, place.vars.fill(text))?;
                let sent = actor.connection.send(op::TEXT, text.as_bytes(), &step.fragments);
                self.sent(place, &actor, sent)
            }
            _ => self.ours(place, Err("send takes one of frame, hex and text".into())),
        }
    }

    fn send_frame(
        &self,
        place: &Place,
        actor: &mut Actor,
        frame: &JsonFrame,
        fragments: &[usize],
    ) -> Result<(), Stop> {
        let Answer::Done(bytes) = ReferenceCodec.encode(To::Relay, frame) else {
            return self.ours(place, Err(format!("cannot encode {}", frame.brief())));
        };
        actor.watch.sent(frame);
        let sent = actor.connection.send(op::BINARY, &bytes, fragments);
        self.sent(place, actor, sent)
    }

    /// A send that fails is no finding of its own: a relay may close while a client sends. What the scenario expects
    /// next tells. Only a send that blocks for long is one.
    fn sent(&self, place: &Place, actor: &Actor, sent: io::Result<()>) -> Result<(), Stop> {
        match sent {
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                let text = format!("{}: the relay does not read", actor.name);
                Err(self.stop(place, Verdict::Timeout, text))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    pub(super) fn raw(&self, step: &Raw, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        let bytes = self.ours(place, step.hex.value(&place.vars))?;
        let sent = actor.connection.send_raw(&bytes);
        self.sent(place, &actor, sent)
    }

    pub(super) fn ping(&self, step: &Ping, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        let bytes = self.ours(place, step.hex.value(&place.vars))?;
        let sent = actor.connection.send_frame(true, op::PING, &bytes);
        self.sent(place, &actor, sent)?;
        match actor.next_pong(self.deadline()) {
            Next::Pong(got) if got == bytes => {
                self.checked();
                Ok(())
            }
            other => {
                let expected = format!("a pong with {}", Hex(bytes));
                Err(self.unexpected(place, &actor.name, &expected, other))
            }
        }
    }

    pub(super) fn expect_ping(&self, step: &model::Actor, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let actor = lock(&actor);
        let before = actor.connection.pings();
        let deadline = self.deadline() + self.time(place, "ping_interval")?;
        while actor.connection.pings() == before {
            if std::time::Instant::now() > deadline {
                return Err(self.stop(place, Verdict::Timeout, format!("{}: no ping came", actor.name)));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.checked();
        Ok(())
    }

    pub(super) fn expect_frames(&self, step: &Expect, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        let mut wanted: Vec<&Frame> = step.frames.iter().collect();
        while !wanted.is_empty() {
            let show = |wanted: &[&Frame], place: &Place| {
                let shown = wanted.iter().take(if step.any_order { 4 } else { 1 });
                shown.map(|frame| frame.show(&place.vars)).collect::<Vec<_>>().join(" or ")
            };
            let (frame, wire) = self.frame(place, &mut actor, self.deadline(), || show(&wanted, place))?;
            let among = if step.any_order { wanted.len() } else { 1 };
            let mut found = None;
            for (index, pattern) in wanted.iter().take(among).enumerate() {
                let admits = pattern.admits(&frame, &mut place.vars);
                if self.ours(place, admits)? {
                    found = Some(index);
                    break;
                }
            }
            let Some(index) = found else {
                let expected = show(&wanted, place);
                return Err(self.unexpected(place, &actor.name, &expected, Next::Frame(frame, wire)));
            };
            wanted.remove(index);
            self.checked();
        }
        Ok(())
    }

    pub(super) fn await_frame(&self, step: &Await, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        let deadline = self.deadline();
        loop {
            let show = || format!("at some time {}", step.frame.show(&place.vars));
            let (frame, _) = self.frame(place, &mut actor, deadline, show)?;
            let admits = step.frame.admits(&frame, &mut place.vars);
            if self.ours(place, admits)? {
                self.checked();
                return Ok(());
            }
        }
    }

    pub(super) fn choice(&self, step: &Choice, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        let mut arms: Vec<_> = step.arms.iter().map(|arm| (arm, place.vars.clone())).collect();
        let expected = || step.arms.iter().map(|arm| arm.name.as_str()).collect::<Vec<_>>().join(" or ");
        for at in 0.. {
            if let Some((arm, vars)) = arms.iter().find(|(arm, _)| arm.frames.len() == at) {
                place.vars = vars.clone();
                lock(&self.arms).insert(step.clause.clone(), arm.name.clone());
                self.checked();
                return Ok(());
            }
            let (frame, wire) = self.frame(place, &mut actor, self.deadline(), expected)?;
            let mut left = Vec::new();
            for (arm, mut vars) in arms {
                let admits = match arm.frames.get(at) {
                    Some(pattern) => self.ours(place, pattern.admits(&frame, &mut vars))?,
                    None => false,
                };
                if admits {
                    left.push((arm, vars));
                }
            }
            if left.is_empty() {
                return Err(self.unexpected(place, &actor.name, &expected(), Next::Frame(frame, wire)));
            }
            arms = left;
        }
        Ok(())
    }

    pub(super) fn expect_close(&self, step: &ExpectClose, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        let deadline = self.deadline();
        loop {
            match actor.next(deadline) {
                Next::Close(code, reason) => {
                    actor.ended = true;
                    let want = (step.code, step.reason.as_str(), step.details.as_slice());
                    return self.close_is(place, &step.actor, want, code, &reason);
                }
                Next::End(_) if step.or_end => {
                    actor.ended = true;
                    self.checked();
                    return Ok(());
                }
                Next::Frame(..) | Next::Pong(_) if step.after_frames => {}
                other => {
                    let expected = format!("close {} {:?}", step.code, step.reason);
                    return Err(self.unexpected(place, &actor.name, &expected, other));
                }
            }
        }
    }

    /// Is it the right close, in the right form?
    pub(super) fn close_is(
        &self,
        place: &Place,
        who: &str,
        (want, prefix, details): (u16, &str, &[String]),
        code: Option<u16>,
        reason: &[u8],
    ) -> Result<(), Stop> {
        let stop = |verdict, rule: &str, text: &str| {
            let mut stop = self.stop(place, verdict, format!("{who}: {text}"));
            stop.finding.expected = Some(format!("close {want} {prefix:?}"));
            stop.finding.got = Some(brief_close(code, reason));
            stop.finding.rule = (!rule.is_empty()).then(|| rule.to_owned());
            stop
        };
        if code != Some(want) {
            return Err(stop(Verdict::WrongReason, "", "another close code"));
        }
        let Ok(text) = std::str::from_utf8(reason) else {
            return Err(stop(Verdict::Fail, "CLOSE-1", "the reason is not UTF-8"));
        };
        match text.strip_prefix(prefix) {
            Some(rest) if rest.is_empty() || rest.starts_with(": ") => {}
            _ => return Err(stop(Verdict::WrongReason, "CLOSE-1", "another reason")),
        }
        if let Some(missing) = details.iter().find(|part| !text.contains(part.as_str())) {
            return Err(stop(Verdict::Fail, "CLOSE-2", &format!("the reason does not name {missing:?}")));
        }
        self.checked();
        Ok(())
    }

    pub(super) fn close(&self, step: &Leave, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        let sent = actor.connection.send_close(step.code, "");
        self.sent(place, &actor, sent)?;
        if step.only_send {
            return Ok(());
        }
        let deadline = self.deadline();
        loop {
            match actor.next(deadline) {
                Next::Close(code, _) if code == Some(step.code) => break,
                Next::Frame(..) | Next::Pong(_) => {}
                other => {
                    let expected = format!("close {}, which answers its own", step.code);
                    return Err(self.unexpected(place, &actor.name, &expected, other));
                }
            }
        }
        self.checked();
        self.remove_actor(&actor.name);
        Ok(())
    }

    pub(super) fn expect_end(&self, step: &model::Actor, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let mut actor = lock(&actor);
        // A time is a lower bound; what it is for happens within a second (LIM-TIME-4), and here within two.
        let within = self.time(place, "close_timeout")? + Duration::from_secs(2);
        match actor.next(std::time::Instant::now() + within) {
            Next::End(_) => {
                actor.ended = true;
                self.checked();
                Ok(())
            }
            other => Err(self.unexpected(place, &actor.name, "the end of the connection", other)),
        }
    }

    pub(super) fn cut(&self, step: &Cut, place: &mut Place) -> Result<(), Stop> {
        let actor = self.actor(place, &step.actor)?;
        let actor = lock(&actor);
        actor.connection.cut(step.reset);
        self.remove_actor(&actor.name);
        Ok(())
    }

    pub(super) fn fence(&self, step: &Fence, place: &mut Place) -> Result<(), Stop> {
        let mark = self.serial();
        let by = self.actor(place, &step.by)?;
        let value = Hex(mark.to_le_bytes().to_vec());
        match step.via {
            Via::State => {
                let set = JsonFrame::StateSet { key: FENCE_KEY.into(), value: value.clone() };
                self.send_frame(place, &mut lock(&by), &set, &[])?;
            }
            Via::Relay => {
                let mut by = lock(&by);
                for member in &step.members {
                    let peer = self.ours(place, place.vars.get(&format!("{member}.id")))?;
                    let relay = JsonFrame::Relay {
                        lead: roomwire_codec::registry::sys::LEAD,
                        peer: self.ours(place, i32::try_from(peer).map_err(|error| error.to_string()))?,
                        payload: value.clone(),
                    };
                    self.send_frame(place, &mut by, &relay, &[])?;
                }
            }
        }
        let source = lock(&by).watch.id;
        for member in &step.members {
            let actor = self.actor(place, member)?;
            let mut actor = lock(&actor);
            let deadline = self.deadline();
            loop {
                let expected = || "the fence, and nothing before it".to_owned();
                let (frame, wire) = self.frame(place, &mut actor, deadline, expected)?;
                let is_fence = match (&frame, step.via) {
                    (JsonFrame::StateUpdate { rev, key, value: have }, Via::State) => {
                        let found = key == FENCE_KEY && *have == value;
                        if let (true, Some(want)) = (found, &step.rev) {
                            let want = self.ours(place, want.value(&place.vars))?;
                            if i64::from(*rev) != want {
                                let expected = format!("the fence at revision {want}");
                                return Err(self.unexpected(
                                    place,
                                    &actor.name,
                                    &expected,
                                    Next::Frame(frame, wire),
                                ));
                            }
                        }
                        found
                    }
                    (JsonFrame::Relay { peer, payload, .. }, Via::Relay) => {
                        *peer == source && *payload == value
                    }
                    _ => false,
                };
                if is_fence {
                    break;
                }
                if !step.loose && !actor.loose {
                    let expected = "the fence, and nothing before it";
                    return Err(self.unexpected(place, &actor.name, expected, Next::Frame(frame, wire)));
                }
            }
            self.checked();
        }
        Ok(())
    }
}
