//! One actor: its connection, what it has seen, and what of it waits to be asked for.

use std::collections::VecDeque;
use std::time::Instant;

use super::watch::Watch;
use crate::codec::{Answer, CodecUnderTest, ReferenceCodec, To};
use crate::frame_json::JsonFrame;
use crate::ws::{Connection, End, Event};

/// An actor of a scenario.
pub struct Actor {
    /// Its name there.
    pub name: String,
    /// Its connection.
    pub connection: Connection,
    /// What it knows.
    pub watch: Watch,
    /// Frames that it is not asked about are no failure.
    pub loose: bool,
    /// Its end was expected and came.
    pub ended: bool,
    /// Frames that came while something else was waited for.
    queue: VecDeque<(JsonFrame, Vec<u8>)>,
}

/// What an actor gets next.
#[derive(Debug)]
pub enum Next {
    /// A frame, and its bytes.
    Frame(JsonFrame, Vec<u8>),
    /// A pong.
    Pong(Vec<u8>),
    /// A close frame.
    Close(Option<u16>, Vec<u8>),
    /// The end of the connection.
    End(End),
    /// Something that breaks a clause, whatever the scenario says.
    Broken {
        /// The clause.
        rule: String,
        /// How.
        text: String,
        /// The bytes, if it is about a message.
        wire: Option<Vec<u8>>,
    },
    /// Nothing, in time.
    Nothing,
}

impl Actor {
    /// An actor that has read its peer id.
    pub fn new(name: &str, connection: Connection, watch: Watch, loose: bool) -> Self {
        Self { name: name.to_owned(), connection, watch, loose, ended: false, queue: VecDeque::new() }
    }

    /// What comes next, until the deadline.
    pub fn next(&mut self, deadline: Instant) -> Next {
        if let Some((frame, wire)) = self.queue.pop_front() {
            return Next::Frame(frame, wire);
        }
        match self.connection.next(deadline) {
            Some(event) => self.take(event),
            None => Next::Nothing,
        }
    }

    /// What is there already.
    pub fn ready(&mut self) -> Option<Next> {
        if let Some((frame, wire)) = self.queue.pop_front() {
            return Some(Next::Frame(frame, wire));
        }
        let event = self.connection.ready()?;
        Some(self.take(event))
    }

    /// The next pong or end; frames that come before it wait.
    pub fn next_pong(&mut self, deadline: Instant) -> Next {
        let mut passed = VecDeque::new();
        let found = loop {
            match self.connection.next(deadline).map(|event| self.take(event)) {
                Some(Next::Frame(frame, wire)) => passed.push_back((frame, wire)),
                Some(other) => break other,
                None => break Next::Nothing,
            }
        };
        self.queue.append(&mut passed);
        found
    }

    fn take(&mut self, event: Event) -> Next {
        match event {
            Event::Message(wire) => match ReferenceCodec.decode(To::Client, false, &wire) {
                Answer::Done(frame) => match self.watch.take(&frame) {
                    Ok(()) => Next::Frame(frame, wire),
                    Err((rule, text)) => Next::Broken { rule: rule.into(), text, wire: Some(wire) },
                },
                Answer::Rejected(fault) => Next::Broken {
                    rule: fault.rule.clone().unwrap_or_default(),
                    text: format!("a message that does not decode: {}", fault.brief()),
                    wire: Some(wire),
                },
                Answer::Crash(text) => {
                    Next::Broken { rule: String::new(), text: format!("the codec: {text}"), wire: Some(wire) }
                }
                Answer::Timeout | Answer::Unsupported | Answer::Garbage(_) | Answer::Lost(_) => {
                    Next::Broken {
                        rule: String::new(),
                        text: "the codec gave no answer".into(),
                        wire: Some(wire),
                    }
                }
            },
            Event::Pong(bytes) => Next::Pong(bytes),
            Event::Close { code, reason } => Next::Close(code, reason),
            Event::End(end) => Next::End(end),
            Event::Violation { rule, text } => Next::Broken { rule: rule.into(), text, wire: None },
        }
    }
}
