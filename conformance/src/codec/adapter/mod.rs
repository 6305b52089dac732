//! A codec in a process of its own, in any language: `--codec COMMAND`.
//!
//! The adapter is started once and asked over its standard input, one JSON object a line; it answers each on its standard
//! output. It is told what to do and never which case it is, nor what is expected. What it writes to standard error is
//! shown when it ends, and decides nothing. An adapter that ends, hangs or answers something else than it was asked is
//! killed and started again, so that no case has to suffer for another. `conformance/ADAPTERS.md` is for those who write
//! one.

mod process;
pub mod protocol;
pub mod serve;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use self::process::{Broken, Process};
use self::protocol::{Command, Hello, Part, Reply};
use super::{Answer, CodecUnderTest, Fault, Reports, To};
use crate::frame_json::JsonFrame;
use crate::hex::Hex;
use crate::scenario::model::Capability;
use crate::vectors::Op;

pub use serve::serve;

/// After so many starts in a row that fail, no more are tried: each may take all of the patience.
const MAX_FAILED_STARTS: u32 = 3;

/// A codec behind a command.
pub struct AdapterCodec {
    command: String,
    patience: Duration,
    hello: Hello,
    state: Mutex<State>,
}

struct State {
    process: Option<Process>,
    seq: Seq,
    failed_starts: u32,
}

/// Numbers the requests. The first number is drawn, so that a number tells nothing of a case.
struct Seq(u64);

impl Seq {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

impl AdapterCodec {
    /// Starts the command with `sh`, lets it introduce itself, and asks once for something that no adapter knows.
    ///
    /// # Errors
    /// A text that tells why nothing can be tested through this adapter.
    pub fn start(command: &str, patience: Duration) -> Result<Self, String> {
        let mut seq = Seq(fastrand::u64(..1_000_000_000));
        let (mut process, hello) = introduced(command, patience, &mut seq)?;
        honest(&mut process, patience, &mut seq)?;
        let state = State { process: Some(process), seq, failed_starts: 0 };
        Ok(Self { command: command.to_owned(), patience, hello, state: Mutex::new(state) })
    }

    fn ask<T>(&self, command: &Command, read: impl FnOnce(Reply) -> Result<Answer<T>, String>) -> Answer<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut process = match state.process.take() {
            Some(process) => process,
            None => match self.again(&mut state) {
                Ok(process) => process,
                Err(text) => return Answer::Lost(text),
            },
        };
        let answered = process.ask(command, state.seq.next(), self.patience).and_then(|reply| {
            read(reply).map_err(|text| Broken::Garbage(format!("the adapter does not answer this: {text}")))
        });
        match answered {
            Ok(answer) => {
                state.process = Some(process);
                answer
            }
            Err(Broken::Ended(text)) => Answer::Crash(text),
            Err(Broken::Silent) => Answer::Timeout,
            Err(Broken::Garbage(text)) => Answer::Garbage(text),
        }
    }

    fn again(&self, state: &mut State) -> Result<Process, String> {
        if state.failed_starts >= MAX_FAILED_STARTS {
            return Err(format!("the adapter did not come back after {MAX_FAILED_STARTS} starts"));
        }
        let started = introduced(&self.command, self.patience, &mut state.seq);
        let started = started.and_then(|(process, hello)| {
            let same = hello == self.hello;
            same.then_some(process)
                .ok_or("started again, the adapter says something else of itself".to_owned())
        });
        state.failed_starts = if started.is_ok() { 0 } else { state.failed_starts + 1 };
        started
    }
}

impl Drop for AdapterCodec {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(process) = state.process.take() {
            process.finish();
        }
    }
}

impl CodecUnderTest for AdapterCodec {
    fn name(&self) -> String {
        format!("{} {} ({})", self.hello.name, self.hello.version, self.hello.language)
    }

    fn reports(&self) -> Reports {
        let has = |part: Part| self.hello.errors.contains(&part);
        Reports { offset: has(Part::Offset), field: has(Part::Field), rule: has(Part::Rule) }
    }

    fn claims(&self, capability: Capability) -> bool {
        self.hello.capabilities.contains(&capability)
    }

    fn does(&self, op: Op) -> bool {
        self.hello.ops.contains(&op)
    }

    fn decode(&self, to: To, first: bool, wire: &[u8]) -> Answer<JsonFrame> {
        self.ask(&Command::Decode { to, first, wire: Hex::from(wire) }, |reply| match reply {
            Reply {
                frame: Some(frame), error: None, wire: None, refused: None, unsupported: None, ..
            } => Ok(Answer::Done(frame)),
            Reply {
                frame: None, error: Some(fault), wire: None, refused: None, unsupported: None, ..
            } => Ok(Answer::Rejected(fault)),
            Reply {
                frame: None, error: None, wire: None, refused: None, unsupported: Some(true), ..
            } => Ok(Answer::Unsupported),
            _ => Err("decode is answered with one of frame, error and unsupported".into()),
        })
    }

    fn encode(&self, to: To, frame: &JsonFrame) -> Answer<Vec<u8>> {
        let first = matches!(frame, JsonFrame::PeerId { .. });
        self.ask(&Command::Encode { to, first, frame: frame.clone() }, |reply| match reply {
            Reply {
                frame: None, error: None, wire: Some(wire), refused: None, unsupported: None, ..
            } => Ok(Answer::Done(wire.0)),
            Reply { frame: None, error: None, wire: None, refused: Some(why), unsupported: None, .. } => {
                Ok(Answer::Rejected(Fault { class: why, offset: None, field: None, rule: None }))
            }
            Reply {
                frame: None, error: None, wire: None, refused: None, unsupported: Some(true), ..
            } => Ok(Answer::Unsupported),
            _ => Err("encode is answered with one of wire, refused and unsupported".into()),
        })
    }
}

/// An adapter that has said what it is.
fn introduced(command: &str, patience: Duration, seq: &mut Seq) -> Result<(Process, Hello), String> {
    let told = |text: String| format!("the adapter `{command}`: {text}");
    let mut process = Process::start(command).map_err(|error| told(error.to_string()))?;
    let hello = match process.hello(seq.next(), patience) {
        Ok(hello) => hello,
        Err(Broken::Ended(text) | Broken::Garbage(text)) => return Err(told(format!("hello: {text}"))),
        Err(Broken::Silent) => {
            return Err(told(format!("hello: no answer within {} s (--patience)", patience.as_secs_f64())));
        }
    };
    match hello.fault() {
        Some(fault) => Err(told(format!("hello: {fault}"))),
        None => Ok((process, hello)),
    }
}

/// An adapter says that it does not know what it does not know. One that answers anything answers nothing.
fn honest(process: &mut Process, patience: Duration, seq: &mut Seq) -> Result<(), String> {
    let name: String = (0..8).map(|_| fastrand::lowercase()).collect();
    let answer = process.ask(&Command::Unknown(format!("x{name}")), seq.next(), patience);
    let got = match answer {
        Ok(reply) if reply.is_unsupported() => return Ok(()),
        Ok(_) => "with something else".to_owned(),
        Err(Broken::Silent) => format!("not at all within {} s (--patience)", patience.as_secs_f64()),
        Err(Broken::Ended(text) | Broken::Garbage(text)) => format!("wrongly: {text}"),
    };
    Err(format!(
        "the adapter answers a command that does not exist {got}. It has to answer {{\"seq\":…,\"unsupported\":true}}, \
         or else nothing that it answers can be believed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Suite;
    use crate::select::Filter;
    use crate::verdict::Verdict;

    /// An adapter in `sh` that introduces itself, knows that it knows nothing else, and does as `then` says when it is to
    /// decode.
    fn sh(then: &str, patience: u64) -> Result<AdapterCodec, String> {
        let hello = r#"\"protocol\":1,\"name\":\"n\",\"version\":\"1\",\"language\":\"sh\",\"ops\":[\"decode\"],\"capabilities\":[\"room\"],\"errors\":[]"#;
        let script = format!(
            r#"while read -r line; do
              s=${{line#*:}}; s=${{s%%,*}}
              case $line in
                *'"hello"'*) echo "{{\"seq\":$s,{hello}}}";;
                *'"decode"'*) {then};;
                *) echo "{{\"seq\":$s,\"unsupported\":true}}";;
              esac
            done"#
        );
        AdapterCodec::start(&script, Duration::from_millis(patience))
    }

    fn decode(codec: &AdapterCodec) -> Answer<JsonFrame> {
        codec.decode(To::Client, false, &[0xf3])
    }

    #[test]
    fn what_it_says_of_itself_counts() {
        let codec = sh(r#"echo "{\"seq\":$s,\"frame\":{\"frame\":\"WORLD_SAVE_ACK\"}}""#, 20_000).unwrap();
        assert_eq!(codec.name(), "n 1 (sh)");
        assert!(codec.does(Op::Decode) && !codec.does(Op::Encode));
        assert!(codec.claims(Capability::Room) && !codec.claims(Capability::Peers));
        assert_eq!(codec.reports(), Reports::default());
        assert_eq!(decode(&codec), Answer::Done(JsonFrame::WorldSaveAck {}));
        // Its twin and its clauses are those of the suite; what it does not claim is skipped.
        let suite = Suite::embedded().unwrap();
        let selected = suite.select(&Filter { patterns: vec!["add-peer/*".into()], ..Filter::default() });
        let results = selected.run_vectors(&codec, &|_| {});
        assert!(results.len() > 3 && results.iter().all(|result| result.verdict == Verdict::Skip));
    }

    #[test]
    fn an_end_is_a_crash_and_the_next_one_is_fresh() {
        let codec = sh("echo dying >&2; exit 7", 20_000).unwrap();
        for _ in 0..4 {
            let Answer::Crash(text) = decode(&codec) else { panic!() };
            assert!(text.contains("exit status: 7") && text.contains("dying"), "{text}");
        }
    }

    #[test]
    fn one_that_does_not_come_back_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let starts = dir.path().join("starts");
        let codec = sh(&format!("echo >> {}; exit 1", starts.display()), 20_000).unwrap();
        let Answer::Crash(_) = decode(&codec) else { panic!() };
        // From now on it does not start.
        let codec = AdapterCodec {
            command: format!("echo >> {}; exit 1", starts.display()),
            patience: codec.patience,
            hello: codec.hello.clone(),
            state: Mutex::new(State { process: None, seq: Seq(7), failed_starts: 0 }),
        };
        for told in ["exit status: 1", "exit status: 1", "exit status: 1", "did not come back after 3 starts"]
        {
            let Answer::Lost(text) = decode(&codec) else { panic!() };
            assert!(text.contains(told), "{text}");
        }
        assert_eq!(std::fs::read(&starts).unwrap(), b"\n\n\n\n");
    }

    #[test]
    fn a_hang_is_a_timeout() {
        let codec = sh("sleep 1000", 3000).unwrap();
        assert_eq!(decode(&codec), Answer::Timeout);
        assert_eq!(decode(&codec), Answer::Timeout);
    }

    #[test]
    fn at_the_end_it_has_time_to_end_by_itself() {
        let dir = tempfile::tempdir().unwrap();
        let flag = dir.path().join("ended");
        let then = format!(
            "trap 'echo > {}' EXIT; echo \"{{\\\"seq\\\":$s,\\\"unsupported\\\":true}}\"",
            flag.display()
        );
        let codec = sh(&then, 20_000).unwrap();
        assert_eq!(decode(&codec), Answer::Unsupported);
        assert!(!flag.exists());
        drop(codec);
        assert!(flag.exists());
    }

    #[test]
    fn garbage_is_told_as_it_came() {
        for (then, told) in [
            ("echo hallo", "not a JSON object: \"hallo\" ("),
            (r#"echo "[$s]""#, "not a JSON object"),
            (r#"echo "{\"seq\":1,\"unsupported\":true}""#, "an answer to another request"),
            (r#"echo "{\"unsupported\":true}""#, "an answer to another request"),
            (r#"echo "{\"seq\":$s}""#, "one of frame, error and unsupported"),
            (r#"echo "{\"seq\":$s,\"wire\":\"00\"}""#, "one of frame, error and unsupported"),
            (r#"echo "{\"seq\":$s,\"wire\":\"FF\"}""#, "not lowercase hex"),
            (r#"echo "{\"seq\":$s,\"frame\":{\"frame\":\"NO\"}}""#, "unknown variant"),
            (r#"echo "{\"seq\":$s,\"verdict\":\"PASS\"}""#, "unknown field"),
            (r"printf '\377\n'", "not UTF-8"),
            ("cat /dev/zero", "a line of more than"),
        ] {
            let codec = sh(then, 20_000).unwrap();
            let Answer::Garbage(text) = decode(&codec) else { panic!("{then}: {:?}", decode(&codec)) };
            assert!(text.contains(told), "{then}: {text}");
        }
    }

    #[test]
    fn an_adapter_that_does_not_introduce_itself_is_told() {
        for (command, patience, told) in [
            ("sleep 1000", 300, "no answer within 0.3 s"),
            ("exit 3", 20_000, "exit status: 3"),
            ("no-such-program-at-all", 20_000, "exit status: 127"),
            ("echo hallo; cat", 20_000, "not a JSON object"),
            ("cat", 20_000, "not an answer"),
        ] {
            let text = AdapterCodec::start(command, Duration::from_millis(patience)).err().unwrap();
            assert!(text.contains(told), "{command}: {text}");
        }
    }
}
