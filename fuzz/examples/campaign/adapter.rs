//! Any codec against the reference codec.

use roomwire_conformance::codec::{AdapterCodec, Answer, CodecUnderTest, Fault, ReferenceCodec};
use roomwire_conformance::frame_json::JsonFrame;
use serde_json::Value;

use crate::candidate::{case, way_of};
use crate::{Runs, changed, golden};

/// After so many the rest is likely to be the same.
const ENOUGH: usize = 20;

/// Ends of the adapter after which no more are asked for: each costs a start, or all of the patience.
const MOST_CRASHES: usize = 10;

pub(crate) fn run(command: &str, runs: &Runs) -> Result<usize, String> {
    let codec = AdapterCodec::start(command, runs.patience())
        .map_err(|error| format!("the adapter does not start: {error}"))?;
    eprintln!("{}", codec.name());
    let (seeds, mut rng) = (golden::seeds(), fastrand::Rng::with_seed(runs.seed));
    let (mut finds, mut crashes) = (Vec::new(), 0);
    for run in 0..runs.runs {
        runs.progress(run);
        let data = changed(&mut rng, &seeds);
        let (to, first) = way_of(data[0]);
        let expected = ReferenceCodec.decode(to, first, &data[1..]);
        let got = codec.decode(to, first, &data[1..]);
        if !agree(&expected, &got, &codec) {
            let mut find = case(data[0], &data[1..]);
            find["note"] = Value::from(format!("the adapter's answer: {got:?}"));
            finds.push(find);
        }
        // It is started again for the next message.
        crashes += usize::from(matches!(got, Answer::Crash(_) | Answer::Timeout | Answer::Garbage(_)));
        if finds.len() >= ENOUGH || crashes >= MOST_CRASHES || matches!(got, Answer::Lost(_)) {
            eprintln!("ended after {} messages", run + 1);
            break;
        }
    }
    if !finds.is_empty() {
        println!("{:#}", Value::from(finds.clone()));
    }
    eprintln!("{} disagreements, of which {crashes} crashes, hangs or no answers", finds.len());
    Ok(finds.len())
}

fn agree(expected: &Answer<JsonFrame>, got: &Answer<JsonFrame>, codec: &AdapterCodec) -> bool {
    match (expected, got) {
        (_, Answer::Unsupported) => true,
        (Answer::Done(expected), Answer::Done(got)) => expected == got,
        // ROOM-SNAP-2 lets the layer above find a key that is there twice.
        (Answer::Rejected(Fault { rule: Some(rule), .. }), Answer::Done(_)) => rule == "ROOM-SNAP-2",
        (Answer::Rejected(expected), Answer::Rejected(got)) => {
            let reports = codec.reports();
            expected.class == got.class
                && (!reports.offset || expected.offset == got.offset)
                && (!reports.field || expected.field == got.field)
        }
        _ => false,
    }
}
