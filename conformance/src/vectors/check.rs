//! What must hold of a set of golden frames before any is run.

use std::collections::{BTreeMap, BTreeSet};

use super::{Expect, Op, Reject, Span, Vector, VectorKind};

/// Everything that is wrong with the set, one line each. Empty: nothing.
pub fn faults(vectors: &[Vector], clauses: &BTreeSet<String>) -> Vec<String> {
    let by_id: BTreeMap<&str, &Vector> = vectors.iter().map(|vector| (vector.id.as_str(), vector)).collect();
    let mut faults = Vec::new();
    let mut ids = BTreeSet::new();
    let mut names = BTreeSet::new();
    let mut wires: BTreeMap<_, &str> = BTreeMap::new();
    for vector in vectors {
        let mut fault = |text: String| faults.push(format!("{} {}: {text}", vector.id, vector.name));
        if !is_id(&vector.id, 'F') {
            fault("the id is not F and four digits".into());
        }
        if !ids.insert(&vector.id) {
            fault("the id stands twice".into());
        }
        if !names.insert(&vector.name) {
            fault("the name stands twice".into());
        }
        if !vector.name.contains('/') {
            fault("the name has no group".into());
        }
        if let Some(other) =
            wires.insert((vector.origin, vector.to, vector.first, vector.wire.bytes()), &vector.id)
        {
            fault(format!("the same bytes, direction and origin as {other}"));
        }
        if vector.reqs.is_empty() {
            fault("no clause".into());
        }
        for req in &vector.reqs {
            if !clauses.contains(req) {
                fault(format!("{req} is no clause"));
            }
        }
        if vector.needs.is_empty() {
            fault("no capability".into());
        }
        match &vector.expect {
            Expect::Accept(_) => {
                if let Err(text) = tile(&vector.spans, vector.wire.bytes().len() as u64 * 8) {
                    fault(text);
                }
            }
            Expect::Reject(reject) => {
                if let Err(text) = rejection(reject, vector) {
                    fault(text);
                }
            }
            Expect::Choice(choice) => {
                if !clauses.contains(&choice.clause) {
                    fault(format!("{} is no clause", choice.clause));
                }
                for arm in &choice.arms {
                    match (&arm.accept, &arm.reject) {
                        (Some(_), None) => {}
                        (None, Some(reject)) => {
                            if let Err(text) = rejection(reject, vector) {
                                fault(text);
                            }
                        }
                        _ => fault(format!("the arm {} has not one of accept and reject", arm.name)),
                    }
                }
            }
        }
        let right = match (vector.kind, &vector.expect) {
            (VectorKind::Valid, Expect::Accept(_)) => vector.twin.is_none() && vector.fault.is_none(),
            (VectorKind::Invalid, Expect::Reject(_)) => {
                vector.ops == [Op::Decode] && vector.fault.is_some() && vector.twin.is_some()
            }
            (VectorKind::Choice, Expect::Choice(choice)) => {
                choice.arms.len() > 1 && vector.ops == [Op::Decode]
            }
            // Messages of version 1 are whole: PRIM-FRAME-1.
            (VectorKind::Valid | VectorKind::Invalid | VectorKind::Choice | VectorKind::Incomplete, _) => {
                false
            }
        };
        if !right {
            fault("kind, expect, ops, twin and fault do not go together".into());
        }
        if let Some(twin) = &vector.twin {
            match by_id.get(twin.as_str()) {
                None => fault(format!("the twin {twin} does not exist")),
                Some(twin) if twin.kind != VectorKind::Valid => {
                    fault(format!("the twin {} is not valid", twin.id));
                }
                Some(_) => {}
            }
        }
    }
    faults
}

fn rejection(reject: &Reject, vector: &Vector) -> Result<(), String> {
    let classes = roomwire_codec::registry::ERROR_CLASSES;
    if let Some(class) =
        [&reject.class].into_iter().chain(&reject.also_ok).find(|c| !classes.contains(&c.as_str()))
    {
        return Err(format!("{class} is no error class"));
    }
    if reject.offset.is_some_and(|offset| offset > vector.wire.bytes().len()) {
        return Err("the offset is past the end".into());
    }
    Ok(())
}

/// Is it the letter and four digits?
pub fn is_id(id: &str, letter: char) -> bool {
    id.strip_prefix(letter)
        .is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Do the spans follow each other without a gap, from the first bit to the last?
fn tile(spans: &[Span], bits: u64) -> Result<(), String> {
    let mut at = 0;
    for Span(offset, len, field, _) in spans {
        if *offset != at {
            return Err(format!("the span {field} begins at bit {offset}, not at {at}"));
        }
        at += len;
    }
    if at == bits { Ok(()) } else { Err(format!("the spans end at bit {at} of {bits}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_tile() {
        let span = |at, len| Span(at, len, "x".into(), String::new());
        assert!(tile(&[span(0, 8), span(8, 16)], 24).is_ok());
        assert!(tile(&[span(0, 8), span(9, 15)], 24).is_err());
        assert!(tile(&[span(0, 8)], 16).is_err());
        assert!(tile(&[], 0).is_ok());
    }

    #[test]
    fn ids() {
        assert!(is_id("F0001", 'F'));
        for bad in ["F001", "F00001", "S0001", "F00a1", ""] {
            assert!(!is_id(bad, 'F'), "{bad}");
        }
    }
}
