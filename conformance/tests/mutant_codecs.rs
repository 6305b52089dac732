//! The golden frames find every broken codec, by the frame that is named for it.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use roomwire_conformance::codec::{CodecUnderTest, ReferenceCodec};
use roomwire_conformance::mutants::codecs::all;
use roomwire_conformance::run::Suite;
use roomwire_conformance::vectors::{Vector, run::run};
use roomwire_conformance::verdict::Verdict;

fn verdict(suite: &Suite, id: &str, codec: &dyn CodecUnderTest) -> Verdict {
    let find = |id: &str| -> &Vector { suite.vectors.iter().find(|v| v.id == id).expect("a golden frame") };
    let vector = find(id);
    run(vector, vector.twin.as_deref().map(find), codec).verdict
}

#[test]
fn each_is_killed_by_its_golden_frame() {
    let suite = Suite::embedded().expect("the suite");
    let mutants = all();
    assert!(mutants.len() >= 8);
    let mut alive = Vec::new();
    for mutant in &mutants {
        let seen = verdict(&suite, mutant.killed_by, mutant);
        if seen != mutant.verdict {
            alive.push(format!("{}: {} comes to {}", mutant.name, mutant.killed_by, seen.name()));
        }
        let reference = verdict(&suite, mutant.killed_by, &ReferenceCodec);
        assert_eq!(reference, Verdict::Pass, "{} with the reference codec", mutant.killed_by);
    }
    assert!(alive.is_empty(), "not found:\n{}", alive.join("\n"));
}
