//! The codec has what the registry has.

use roomwire_codec::registry::{ERROR_CLASSES, OPCODES, Travel};
use roomwire_codec::{Direction, ErrorClass, decode};

use crate::prefixes::samples;

/// Add a sample to `prefixes.rs` if a row has none.
#[test]
fn every_opcode_decodes_to_the_frame_of_its_name_and_only_its_own_way() {
    for row in OPCODES {
        let wires = samples().into_iter().map(|(mode, model)| model.encode(mode.direction()));
        let wire = wires.into_iter().find(|wire| wire[0] == row.code);
        let wire = wire.unwrap_or_else(|| panic!("no sample of {}", row.name));
        for direction in Direction::ALL {
            let travels = match row.direction {
                Travel::Both => true,
                Travel::ToRelay => direction == Direction::ToRelay,
                Travel::ToClient => direction == Direction::ToClient,
            };
            match decode(direction, &wire) {
                Ok(frame) => assert_eq!((frame.name(), travels), (row.name, true)),
                Err(error) => assert_eq!((error.class, travels), (ErrorClass::Direction, false), "{error}"),
            }
        }
    }
}

#[test]
fn error_classes_have_the_registrys_names() {
    assert_eq!(ErrorClass::ALL.map(ErrorClass::name), ERROR_CLASSES);
    assert_eq!(Direction::ALL.map(Direction::name), ["to-relay", "to-client"]);
}
