//! What the golden frames say is valid.

use roomwire_codec::{Direction, EncodeError, Frame, PeerIdMessage, decode, decode_first, encode};

use crate::cases::{Mode, wire};
use crate::expect::cases_of;
use crate::model::Model;

#[test]
fn every_valid_frame_decodes_to_what_it_says_and_encodes_to_its_bytes() {
    for case in cases_of("valid") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        let frame = mode.decode_strict(&wire).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(mode.decode(&wire), Ok(frame), "{id}");
        mode.assert_collects(&wire);
        assert_eq!(frame.name(), case["expect"]["accept"]["frame"], "{id}");
        let expected = Model::from_json(&case["expect"]["accept"]);
        assert_eq!(Model::of(frame), expected, "{id}");
        assert_eq!(expected.encode(mode.direction()), wire, "{id}");
        assert_encodes_to(frame, &wire);
    }
}

fn assert_encodes_to(frame: Frame<'_>, wire: &[u8]) {
    assert_eq!(frame.encode_to_vec().as_deref(), Ok(wire));
    let needed = frame.encoded_len();
    assert_eq!(needed, wire.len());
    let mut long = vec![0xAA; needed + 1];
    assert_eq!(frame.encode(&mut long), Ok(needed));
    assert_eq!(long.split_last(), Some((&0xAA, wire)));
    for available in [0, needed / 2, needed - 1] {
        let short = frame.encode(&mut vec![0; available]);
        assert_eq!(short, Err(EncodeError::BufferTooShort { needed, available }));
    }
    if let Frame::StateSnapshot(snapshot) = frame {
        let len = snapshot.iter().count();
        assert_eq!((snapshot.len(), snapshot.is_empty()), (len, len == 0));
        assert_eq!(snapshot.into_iter().size_hint(), (len, Some(len)));
    }
}

/// In either direction, a frame is encoded exactly if its bytes decode to it there.
#[test]
fn a_frame_is_encoded_for_the_direction_in_which_it_travels() {
    for case in cases_of("valid") {
        let (id, mode, wire) = (&case["id"], Mode::of(&case), wire(&case));
        let frame = mode.decode(&wire).unwrap();
        for direction in Direction::ALL {
            let mut out = vec![0; wire.len()];
            let encoded = encode(direction, &frame, &mut out);
            if decode(direction, &wire) == Ok(frame) {
                assert_eq!((encoded, &out), (Ok(wire.len()), &wire), "{id} {direction}");
            } else if let Frame::Relay(relay) = frame {
                assert_eq!(encoded, Err(EncodeError::Source { peer: relay.peer }), "{id} {direction}");
            } else {
                let frame = frame.name();
                assert_eq!(encoded, Err(EncodeError::Direction { frame, direction }), "{id}");
            }
        }
    }
}

/// A peer id decodes the same alone and as what the first message holds.
#[test]
fn first_messages_are_peer_ids() {
    for case in cases_of("valid").iter().filter(|case| case["first"] == true) {
        let wire = wire(case);
        let PeerIdMessage { peer } = decode_first(&wire).unwrap();
        assert_eq!(peer.get().to_le_bytes(), *wire);
    }
}
