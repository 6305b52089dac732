//! Runs one golden frame against a codec.

use super::{Choice, Expect, Op, Reject, Vector};
use crate::codec::{Answer, CodecUnderTest, Fault, Reports};
use crate::frame_json::JsonFrame;
use crate::hex::{Hex, shorten};
use crate::result::Finding;
use crate::scenario::model::Capability;
use crate::verdict::Verdict;

/// What came of one frame.
#[derive(Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// How many things were checked.
    pub checks: u32,
    /// What was wrong.
    pub findings: Vec<Finding>,
    /// The clause that leaves a choice, and the arm that was taken.
    pub arm: Option<(String, String)>,
}

/// Runs a vector. For one that is not valid, `twin` is its valid twin: if the codec does not decode that, a rejection
/// proves nothing.
pub fn run(vector: &Vector, twin: Option<&Vector>, codec: &dyn CodecUnderTest) -> Outcome {
    if let Some(capability) = unclaimed(vector, codec) {
        return skip(format!("the codec does not claim {}", capability.name()));
    }
    let ops: Vec<Op> = vector.ops.iter().copied().filter(|op| codec.does(*op)).collect();
    if let (true, Some(op)) = (ops.is_empty(), vector.ops.first()) {
        return skip(format!("the codec does not claim to {}", op.name()));
    }
    let mut outcome = run_alone(vector, &ops, codec);
    if !outcome.verdict.is_pass() {
        return outcome;
    }
    if let Some(twin) = twin {
        if let Some(capability) = unclaimed(twin, codec) {
            return skip(format!(
                "the codec does not claim {}, which the valid twin needs",
                capability.name()
            ));
        }
        let of_twin = run_alone(twin, &[Op::Decode], codec);
        if !of_twin.verdict.is_pass() {
            let text = format!("as it should be, but its valid twin {} fails", twin.id);
            outcome.verdict = Verdict::Inconclusive;
            outcome.findings.push(Finding::text("twin", text));
            outcome.findings.extend(of_twin.findings);
            return outcome;
        }
    }
    if outcome.checks == 0 {
        outcome.verdict = Verdict::Inconclusive;
        outcome.findings.push(Finding::text("end", "nothing was checked"));
    }
    outcome
}

fn unclaimed(vector: &Vector, codec: &dyn CodecUnderTest) -> Option<Capability> {
    vector.needs.iter().copied().find(|capability| !codec.claims(*capability))
}

fn skip(text: String) -> Outcome {
    Outcome { verdict: Verdict::Skip, checks: 0, findings: vec![Finding::text("start", text)], arm: None }
}

fn run_alone(vector: &Vector, ops: &[Op], codec: &dyn CodecUnderTest) -> Outcome {
    let mut outcome = Outcome { verdict: Verdict::Pass, checks: 0, findings: vec![], arm: None };
    for op in ops {
        let (verdict, finding) = match (op, &vector.expect) {
            (Op::Decode, Expect::Choice(choice)) => choose(vector, choice, codec, &mut outcome.arm),
            (Op::Decode, Expect::Accept(frame)) => decode(vector, Some(frame), None, codec),
            (Op::Decode, Expect::Reject(reject)) => decode(vector, None, Some(reject), codec),
            (Op::Encode, _) => encode(vector, codec),
        };
        outcome.checks += 1;
        // A codec that ends tells nothing else; of other failures the first counts.
        let is_worse = outcome.verdict.is_pass() || (verdict.is_failure() && !outcome.verdict.is_failure());
        if verdict == Verdict::Crash || (verdict != Verdict::Pass && is_worse) {
            outcome.verdict = verdict;
        }
        outcome.findings.extend(finding);
    }
    outcome
}

/// One of the arms has to be taken.
fn choose(
    vector: &Vector,
    choice: &Choice,
    codec: &dyn CodecUnderTest,
    taken: &mut Option<(String, String)>,
) -> (Verdict, Option<Finding>) {
    let answer = codec.decode(vector.to, vector.first, vector.wire.bytes());
    let mut last = (Verdict::Inconclusive, None);
    for arm in &choice.arms {
        last = judge_decoded(arm.accept.as_ref(), arm.reject.as_ref(), &answer, codec);
        if last.0.is_pass() {
            *taken = Some((choice.clause.clone(), arm.name.clone()));
            return last;
        }
    }
    if let (Some(finding), Answer::Done(_) | Answer::Rejected(_)) = (&mut last.1, &answer) {
        let names: Vec<&str> = choice.arms.iter().map(|arm| arm.name.as_str()).collect();
        finding.text = format!("none of the arms {}", names.join(", "));
        finding.rule = Some(choice.clause.clone());
    }
    last
}

fn finding(at: &str, expected: String, got: String) -> Option<Finding> {
    Some(Finding {
        at: at.to_owned(),
        text: "not what was expected".to_owned(),
        expected: Some(expected),
        got: Some(got),
        ..Finding::default()
    })
}

fn decode(
    vector: &Vector,
    accept: Option<&JsonFrame>,
    reject: Option<&Reject>,
    codec: &dyn CodecUnderTest,
) -> (Verdict, Option<Finding>) {
    let answer = codec.decode(vector.to, vector.first, vector.wire.bytes());
    judge_decoded(accept, reject, &answer, codec)
}

fn judge_decoded(
    accept: Option<&JsonFrame>,
    reject: Option<&Reject>,
    answer: &Answer<JsonFrame>,
    codec: &dyn CodecUnderTest,
) -> (Verdict, Option<Finding>) {
    // Where one clause alone is broken by the frame, a codec that does not say so breaks it.
    let broken = |found: Option<Finding>| {
        let rule = reject.and_then(|reject| reject.rule.clone());
        found.map(|found| Finding { rule, ..found })
    };
    match (accept, reject, answer) {
        (Some(frame), _, Answer::Done(got)) if frame == got => (Verdict::Pass, None),
        (Some(frame), _, Answer::Done(got)) => (Verdict::Fail, finding("decode", frame.brief(), got.brief())),
        (Some(frame), _, Answer::Rejected(fault)) => {
            (Verdict::Fail, finding("decode", frame.brief(), format!("rejected: {}", fault.brief())))
        }
        (None, Some(reject), Answer::Done(got)) => {
            let expected = format!("rejected: {}", wanted(reject, codec.reports()).brief());
            (Verdict::Fail, broken(finding("decode", expected, got.brief())))
        }
        (None, Some(reject), Answer::Rejected(fault)) => {
            let verdict = judge(reject, fault, codec.reports());
            let found = match verdict {
                Verdict::Pass | Verdict::PassAlt => None,
                _ => broken(finding("decode", wanted(reject, codec.reports()).brief(), fault.brief())),
            };
            (verdict, found)
        }
        (_, _, other) => failed("decode", other),
    }
}

/// What of the expected error is compared: nothing that the codec does not claim to report.
fn wanted(reject: &Reject, reports: Reports) -> Fault {
    let fault = reject.as_fault();
    Fault {
        class: fault.class,
        offset: fault.offset.filter(|_| reports.offset),
        field: fault.field.filter(|_| reports.field),
        rule: fault.rule.filter(|_| reports.rule),
    }
}

/// Is it rejected for the right reason? The class counts, and of the rest what the codec claims to report and the golden
/// frame settles.
fn judge(reject: &Reject, fault: &Fault, reports: Reports) -> Verdict {
    fn agree<T: PartialEq>(reported: bool, want: Option<&T>, got: Option<&T>) -> bool {
        !reported || want.is_none_or(|want| got == Some(want))
    }
    if reject.also_ok.contains(&fault.class) {
        return Verdict::PassAlt;
    }
    let right = fault.class == reject.class
        && agree(reports.offset, reject.offset.as_ref(), fault.offset.as_ref())
        && agree(reports.field, reject.field.as_ref(), fault.field.as_ref())
        && agree(reports.rule, reject.rule.as_ref(), fault.rule.as_ref());
    if right { Verdict::Pass } else { Verdict::WrongReason }
}

fn encode(vector: &Vector, codec: &dyn CodecUnderTest) -> (Verdict, Option<Finding>) {
    let Expect::Accept(frame) = &vector.expect else {
        let text = "a frame that is rejected cannot be encoded";
        return (Verdict::Inconclusive, Some(Finding::text("encode", text)));
    };
    match codec.encode(vector.to, frame) {
        Answer::Done(wire) if wire == vector.wire.bytes() => (Verdict::Pass, None),
        Answer::Done(wire) => {
            let mut found = finding("encode", shorten(vector.wire.bytes(), 64), shorten(&wire, 64));
            if let Some(found) = &mut found {
                found.text = difference(vector, &wire);
                found.wire = Some(Hex(wire));
            }
            (Verdict::Fail, found)
        }
        Answer::Rejected(fault) => {
            let expected = shorten(vector.wire.bytes(), 64);
            (Verdict::Fail, finding("encode", expected, format!("refused: {}", fault.class)))
        }
        other => failed("encode", &other),
    }
}

/// Where two encodings part, with the name of the field there.
fn difference(vector: &Vector, got: &[u8]) -> String {
    let want = vector.wire.bytes();
    let at = want.iter().zip(got).take_while(|(a, b)| a == b).count();
    let bit = at as u64 * 8;
    let field = vector.spans.iter().find(|span| (span.0..span.0 + span.1).contains(&bit));
    let field = field.map_or("the end", |span| span.2.as_str());
    format!("other bytes from byte {at} on ({field})")
}

fn failed<T>(at: &str, answer: &Answer<T>) -> (Verdict, Option<Finding>) {
    match answer {
        Answer::Crash(text) => (Verdict::Crash, Some(Finding::text(at, text.clone()))),
        Answer::Timeout => (Verdict::Timeout, Some(Finding::text(at, "no answer in time (--patience)"))),
        Answer::Unsupported => {
            let text = format!("it claims to {at}, and says that it cannot do this");
            (Verdict::Untestable, Some(Finding::text(at, text)))
        }
        Answer::Garbage(text) => (Verdict::Fail, Some(Finding::text(at, text.clone()))),
        Answer::Lost(text) => (Verdict::Untestable, Some(Finding::text(at, text.clone()))),
        Answer::Done(_) | Answer::Rejected(_) => {
            (Verdict::Inconclusive, Some(Finding::text(at, "not judged")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{ReferenceCodec, To};

    fn vector(json: &str) -> Vector {
        serde_json::from_str(json).unwrap()
    }

    const VALID: &str = r#"{"id":"F0001","name":"a/valid","rev":1,"since":"1","origin":"hand","reqs":["X"],
        "needs":["room"],"v":1,"to":"client","ops":["decode","encode"],"kind":"valid","wire":"f3",
        "spans":[[0,8,"opcode","0xF3"]],"expect":{"accept":{"frame":"WORLD_SAVE_ACK"}}}"#;
    const INVALID: &str = r#"{"id":"F0002","name":"a/invalid","rev":1,"since":"1","origin":"hand","reqs":["X"],
        "needs":["room"],"v":1,"to":"client","ops":["decode"],"kind":"invalid","wire":"f300","twin":"F0001",
        "fault":"a byte more","expect":{"reject":{"class":"trailing","offset":1,"field":"end"}}}"#;

    /// Rejects everything with one fault.
    struct Refuser(Fault, Reports);

    impl CodecUnderTest for Refuser {
        fn name(&self) -> String {
            "refuser".into()
        }
        fn reports(&self) -> Reports {
            self.1
        }
        fn decode(&self, _: To, _: bool, _: &[u8]) -> Answer<JsonFrame> {
            Answer::Rejected(self.0.clone())
        }
        fn encode(&self, _: To, _: &JsonFrame) -> Answer<Vec<u8>> {
            Answer::Rejected(self.0.clone())
        }
    }

    fn refuser(class: &str, offset: Option<usize>, positions: bool) -> Refuser {
        let field = offset.map(|_| "end".to_owned());
        let reports = Reports { offset: positions, field: positions, rule: false };
        Refuser(Fault { class: class.into(), offset, field, rule: None }, reports)
    }

    /// Encodes wrongly, and ends when it is to decode, or the other way round.
    struct Ender(Op);

    impl Ender {
        fn does<T>(&self, op: Op) -> Answer<T> {
            if self.0 == op { Answer::Crash("exit status: 1".into()) } else { Answer::Garbage("?".into()) }
        }
    }

    impl CodecUnderTest for Ender {
        fn name(&self) -> String {
            "ender".into()
        }
        fn reports(&self) -> Reports {
            Reports::default()
        }
        fn decode(&self, _: To, _: bool, _: &[u8]) -> Answer<JsonFrame> {
            self.does(Op::Decode)
        }
        fn encode(&self, _: To, _: &JsonFrame) -> Answer<Vec<u8>> {
            self.does(Op::Encode)
        }
    }

    #[test]
    fn a_codec_that_ends_is_a_crash_whatever_else_it_does() {
        for op in [Op::Decode, Op::Encode] {
            assert_eq!(run(&vector(VALID), None, &Ender(op)).verdict, Verdict::Crash);
        }
    }

    #[test]
    fn the_reference_codec_passes_both() {
        let (valid, invalid) = (vector(VALID), vector(INVALID));
        assert_eq!(run(&valid, None, &ReferenceCodec).verdict, Verdict::Pass);
        assert_eq!(run(&invalid, Some(&valid), &ReferenceCodec).verdict, Verdict::Pass);
    }

    #[test]
    fn a_codec_that_rejects_everything_proves_nothing() {
        let (valid, invalid) = (vector(VALID), vector(INVALID));
        let codec = refuser("trailing", Some(1), true);
        assert_eq!(run(&invalid, Some(&valid), &codec).verdict, Verdict::Inconclusive);
        assert_eq!(run(&valid, None, &codec).verdict, Verdict::Fail);
    }

    #[test]
    fn the_reason_counts() {
        let invalid = vector(INVALID);
        let alone = |codec: &Refuser| run(&invalid, None, codec).verdict;
        assert_eq!(alone(&refuser("trailing", Some(1), true)), Verdict::Pass);
        assert_eq!(alone(&refuser("trailing", Some(0), true)), Verdict::WrongReason);
        assert_eq!(alone(&refuser("trailing", None, false)), Verdict::Pass);
        assert_eq!(alone(&refuser("value", None, false)), Verdict::WrongReason);
        let mut also = invalid.clone();
        if let Expect::Reject(reject) = &mut also.expect {
            reject.also_ok = vec!["value".into()];
        }
        assert_eq!(run(&also, None, &refuser("value", None, false)).verdict, Verdict::PassAlt);
    }

    #[test]
    fn a_vector_without_operations_is_no_pass() {
        let mut empty = vector(VALID);
        empty.ops.clear();
        assert_eq!(run(&empty, None, &ReferenceCodec).verdict, Verdict::Inconclusive);
    }
}
