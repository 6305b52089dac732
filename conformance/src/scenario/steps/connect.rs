//! Steps that open connections, or try to.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use super::super::actor::Actor;
use super::super::engine::{Engine, Place, Stop, brief_close, lock};
use super::super::model::{Connect, Http, Mode, Refused, Targets, Tcp};
use super::super::watch::Watch;
use crate::codec::{Answer, CodecUnderTest, ReferenceCodec, To};
use crate::frame_json::JsonFrame;
use crate::hex::Hex;
use crate::verdict::Verdict;
use crate::ws::connection::{OpenError, dial};
use crate::ws::frame::op;
use crate::ws::{Connection, Event, Options, handshake};

impl Engine<'_> {
    pub(super) fn connect(&self, step: &Connect, place: &mut Place) -> Result<(), Stop> {
        let name = self.ours(place, place.vars.fill(&step.actor))?;
        let room = self.ours(place, self.name(&step.room, &place.vars))?;
        let game = self.ours(place, self.name(&step.game, &place.vars))?;
        let mode = match step.mode {
            Mode::Both => "",
            Mode::State => "&m=state",
            Mode::Peers => "&m=peers",
        };
        let options = Options {
            target: format!("/r/{room}?u=conformance&g={game}&v=1{mode}{}", step.query),
            headers: step.headers.clone(),
            recv_buffer: step.recv_buffer,
            mute: step.mute,
            deaf: step.deaf,
        };
        let mut connection = self.open(place, &options)?;
        let eager: Result<Vec<JsonFrame>, _> =
            step.eager.iter().map(|frame| frame.value(&place.vars)).collect();
        let eager = self.ours(place, eager)?;
        for frame in &eager {
            if let Answer::Done(bytes) = ReferenceCodec.encode(To::Relay, frame) {
                let _ = connection.send(op::BINARY, &bytes, &[]);
            }
        }
        let id = self.peer_id(place, &name, &connection)?;
        place.vars.set(&format!("{name}.id"), i64::from(id));
        let mut watch = Watch::new(step.mode, id).dense(step.dense);
        eager.iter().for_each(|frame| watch.sent(frame));
        self.add_actor(place, Actor::new(&name, connection, watch, step.loose))
    }

    /// Opens a connection; the answer to the upgrade is checked.
    pub(in super::super) fn open(&self, place: &Place, options: &Options) -> Result<Connection, Stop> {
        let addr = *lock(&self.addr);
        let opened = Connection::open(addr, &self.host(), options, self.random());
        self.checked();
        opened.map_err(|error| {
            let mut stop = self.stop(place, Verdict::Fail, format!("{}: {error}", options.target));
            match error {
                OpenError::Upgrade { rule, .. } => stop.finding.rule = Some(rule.to_owned()),
                OpenError::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                    stop.verdict = Verdict::Untestable;
                }
                OpenError::Io(_) => {}
            }
            stop
        })
    }

    /// The first message, which must be a peer id.
    pub(in super::super) fn peer_id(
        &self,
        place: &Place,
        name: &str,
        connection: &Connection,
    ) -> Result<i32, Stop> {
        let fail = |verdict, rule: &str, got: String, wire: Option<Vec<u8>>| {
            let mut stop = self.stop(place, verdict, format!("{name}: the first message is the peer id"));
            stop.finding.expected = Some("PEER_ID".into());
            stop.finding.got = Some(got);
            stop.finding.rule = Some(rule.to_owned());
            stop.finding.wire = wire.map(Hex);
            stop
        };
        match connection.next(self.deadline()) {
            Some(Event::Message(wire)) => match ReferenceCodec.decode(To::Client, true, &wire) {
                Answer::Done(JsonFrame::PeerId { peer }) => {
                    self.checked();
                    Ok(peer)
                }
                Answer::Rejected(fault) => {
                    let rule = fault.rule.clone().unwrap_or_else(|| "PEER-ID-1".into());
                    Err(fail(Verdict::Fail, &rule, fault.brief(), Some(wire)))
                }
                _ => Err(fail(Verdict::Fail, "PEER-ID-1", "the codec gave no answer".into(), Some(wire))),
            },
            Some(Event::Close { code, reason }) => {
                Err(fail(Verdict::Fail, "PEER-ID-1", brief_close(code, &reason), None))
            }
            Some(other) => {
                let (got, wire) = brief(other);
                Err(fail(Verdict::Fail, "PEER-ID-1", got, wire))
            }
            None => Err(fail(Verdict::Timeout, "PEER-ID-1", "nothing".into(), None)),
        }
    }

    fn target(&self, place: &Place, target: &str) -> Result<String, Stop> {
        let room = self.ours(place, self.name("main", &place.vars))?;
        let game = self.ours(place, self.name("game", &place.vars))?;
        let text = target.replace("{room}", &room).replace("{game}", &game);
        self.ours(place, place.vars.fill(&text))
    }

    pub(super) fn refused(&self, step: &Refused, place: &mut Place) -> Result<(), Stop> {
        for target in &step.targets {
            let options = Options { target: self.target(place, target)?, ..Options::default() };
            let mut may_enter: u32 = match &step.after_at_most {
                Some(most) => self.ours(place, most.value_as(&place.vars))?,
                None => 0,
            };
            let (mut connection, mut first);
            loop {
                connection = self.open(place, &options)?;
                first = connection.next(self.deadline());
                if may_enter == 0 || !matches!(first, Some(Event::Message(_))) {
                    break;
                }
                may_enter -= 1;
                let _ = connection.send_close(1000, "");
            }
            let expected = format!("close {} {:?}", step.code, step.reason);
            let stop = |verdict, got: String, wire: Option<Vec<u8>>| {
                let mut stop = self.stop(place, verdict, format!("{target} is to be refused"));
                stop.finding.wire = wire.map(Hex);
                stop.finding.expected = Some(expected.clone());
                stop.finding.got = Some(got);
                stop
            };
            match first {
                Some(Event::Close { code, reason }) => {
                    self.close_is(place, target, (step.code, &step.reason, &[]), code, &reason)?;
                }
                Some(other) => {
                    let is_message = matches!(other, Event::Message(_));
                    let (got, wire) = brief(other);
                    let mut stop = stop(Verdict::Fail, got, wire);
                    stop.finding.rule = is_message.then(|| "JOIN-ADMIT-1".to_owned());
                    return Err(stop);
                }
                None => return Err(stop(Verdict::Timeout, "nothing".into(), None)),
            }
        }
        Ok(())
    }

    pub(super) fn admitted(&self, step: &Targets, place: &mut Place) -> Result<(), Stop> {
        for target in &step.targets {
            let options = Options { target: self.target(place, target)?, ..Options::default() };
            let mut connection = self.open(place, &options)?;
            self.peer_id(place, target, &connection)?;
            let _ = connection.send_close(1000, "");
        }
        Ok(())
    }

    pub(super) fn http(&self, step: &Http, place: &mut Place) -> Result<(), Stop> {
        let addr = *lock(&self.addr);
        let target = self.target(place, &step.target)?;
        let mut headers = vec![("Host".to_owned(), self.host())];
        headers.extend(step.headers.iter().cloned());
        headers.extend(step.pad.map(|pad| ("X-Pad".to_owned(), "a".repeat(pad))));
        let answer = dial(addr, None).and_then(|mut stream| {
            stream.set_read_timeout(Some(self.settings.patience))?;
            handshake::send_request(&mut stream, &step.method, &target, &headers)?;
            handshake::read_answer(&mut stream)
        });
        let what = format!("{} {}", step.method, step.target);
        match answer {
            Ok(answer) if (step.status_from..=step.status_to).contains(&answer.status) => {
                self.checked();
                Ok(())
            }
            Ok(answer) => {
                let mut stop = self.stop(place, Verdict::Fail, what);
                stop.finding.expected = Some(format!("status {} to {}", step.status_from, step.status_to));
                stop.finding.got = Some(format!("status {}", answer.status));
                Err(stop)
            }
            Err(_) if step.or_end => {
                self.checked();
                Ok(())
            }
            Err(error) => Err(self.stop(place, Verdict::Fail, format!("{what}: {error}"))),
        }
    }

    pub(super) fn tcp(&self, step: &Tcp, place: &mut Place) -> Result<(), Stop> {
        let addr = *lock(&self.addr);
        let within =
            self.time(place, &step.within.limit)?.mul_f64(step.within.times) + Duration::from_secs(1);
        let text = step.text.replace("{host}", &self.host());
        let end = dial(addr, None).and_then(|mut stream| {
            stream.write_all(text.as_bytes())?;
            let deadline = Instant::now() + within;
            loop {
                let left = deadline.saturating_duration_since(Instant::now());
                stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
                match stream.read(&mut [0; 512]) {
                    Ok(0) => return Ok(true),
                    Ok(_) => {}
                    Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return Ok(true),
                    Err(_) if left.is_zero() => return Ok(false),
                    Err(_) => {}
                }
            }
        });
        match end {
            Ok(true) => {
                self.checked();
                Ok(())
            }
            Ok(false) => Err(self.stop(
                place,
                Verdict::Timeout,
                format!("the connection is still open after {within:?}"),
            )),
            Err(error) => Err(self.stop(place, Verdict::Fail, error.to_string())),
        }
    }
}

/// What came on a connection before anything else, for people, and its bytes.
fn brief(event: Event) -> (String, Option<Vec<u8>>) {
    match event {
        Event::Message(wire) => {
            // A member of the default mode gets its peer id first.
            let frame = match ReferenceCodec.decode(To::Client, true, &wire) {
                Answer::Done(frame) => Ok(frame),
                _ => match ReferenceCodec.decode(To::Client, false, &wire) {
                    Answer::Done(frame) => Ok(frame),
                    Answer::Rejected(fault) => Err(fault.brief()),
                    _ => Err("the codec gave no answer".into()),
                },
            };
            let text = match frame {
                Ok(frame) => format!("a message: {}", frame.brief()),
                Err(fault) => format!("a message that does not decode: {fault}"),
            };
            (text, Some(wire))
        }
        Event::Pong(bytes) => (format!("a pong with {}", Hex(bytes)), None),
        Event::Close { code, reason } => (brief_close(code, &reason), None),
        Event::End(end) => (format!("the end of the connection ({end})"), None),
        Event::Violation { text, .. } => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_is_told_as_a_frame() {
        for (wire, told) in [
            (&[0, 2, 0, 0][..], "a message: PEER_ID 512"),
            (&[0xf2, 0xca], "a message: WORLD_LOAD { blob: ca }"),
            (&[0xf1], "a message that does not decode: direction at 0, opcode (OP-SPACE-3)"),
        ] {
            assert_eq!(brief(Event::Message(wire.to_vec())), (told.to_owned(), Some(wire.to_vec())));
        }
    }
}
