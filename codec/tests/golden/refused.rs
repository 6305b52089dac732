//! What the golden frames say is refused, or may be.

use roomwire_codec::DecodeError;
use serde_json::Value;

use crate::cases::{Mode, cases, wire};
use crate::expect::cases_of;
use crate::loose;
use crate::model::Model;

#[test]
fn every_invalid_frame_is_refused_for_its_reason() {
    for case in cases_of("invalid") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        let error = mode.decode(&wire).map(Model::of).expect_err(id.as_str().unwrap());
        assert_reject(&error, &case["expect"]["reject"], id);
        assert_eq!(mode.decode_strict(&wire), Err(error), "{id}");
        mode.assert_collects(&wire);
    }
}

fn assert_reject(error: &DecodeError, reject: &Value, id: &Value) {
    assert_eq!(error.class.name(), reject["class"], "{id}: {error}");
    assert_eq!(error.offset as u64, reject["offset"], "{id}: {error}");
    assert_eq!(error.field, reject["field"], "{id}: {error}");
    if let Some(rule) = reject.get("rule") {
        assert_eq!(error.rule, rule, "{id}: {error}");
    }
}

/// What a decoder refuses for what a field holds, an encoder does not make of the same fields.
#[test]
fn no_invalid_frame_is_made() {
    let mut count = 0;
    for case in cases_of("invalid") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        if let Some(refused) = loose::encode(mode.direction(), &wire) {
            assert!(refused.is_err(), "{id}: {refused:02x?}");
            count += 1;
        }
    }
    assert!(count > 0, "no frame that could be made");
}

/// The other half of the test above: it would make each frame that is valid.
#[test]
fn every_valid_frame_is_made() {
    for case in cases_of("valid") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        if let Some(made) = loose::encode(mode.direction(), &wire) {
            assert_eq!(made.as_ref(), Ok(&wire), "{id}");
        }
    }
}

/// The spec leaves open who looks for duplicate keys: `decode` does not, `decode_strict` does.
#[test]
fn both_arms_of_every_choice() {
    for case in cases_of("choice") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        assert_eq!(case["expect"]["choice"]["clause"], "ROOM-SNAP-2", "{id}");
        for arm in case["expect"]["choice"]["arms"].as_array().unwrap() {
            if let Some(accept) = arm.get("accept") {
                assert_eq!(mode.decode(&wire).map(Model::of), Ok(Model::from_json(accept)), "{id}");
            } else {
                assert_reject(&mode.decode_strict(&wire).unwrap_err(), &arm["reject"], id);
            }
        }
    }
}

#[test]
fn no_case_is_of_another_kind() {
    for case in cases() {
        let kind = case["kind"].as_str().unwrap();
        assert!(["valid", "invalid", "choice"].contains(&kind), "{}: {kind}", case["id"]);
    }
}
