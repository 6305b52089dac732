//! decode(encode(x)) = x, and encode(decode(b)) = b for every b that is accepted (PRIM-CANON-1).

use proptest::collection::vec;
use proptest::prelude::*;
use roomwire_codec::registry::{limit, sys};
use roomwire_codec::{
    Direction, Frame, Godot, PeerId, decode, decode_collecting, decode_first, decode_strict, encode,
};

use crate::cases::Mode;
use crate::model::Model;
use crate::prefixes::check_prefixes;

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..80)
}

fn key() -> impl Strategy<Value = String> {
    let long = (vec("[a-z]", 1..=limit::KEY_MAX)).prop_map(|parts| parts.concat());
    let any = vec(any::<char>(), 1..24).prop_map(|chars| chars.into_iter().collect::<String>());
    let key = prop_oneof![4 => "[ -~]{1,20}", 4 => any, 1 => long];
    key.prop_filter("keys have no NUL and begin with no BOM", |key| {
        !key.contains('\0') && !key.starts_with('\u{FEFF}')
    })
}

fn rev() -> impl Strategy<Value = u32> {
    prop_oneof![1..100u32, 1..=u32::MAX, Just(u32::MAX)]
}

fn peer() -> impl Strategy<Value = i32> {
    any::<i32>().prop_filter_map("no member can have it", |id| PeerId::new(id & i32::MAX).map(PeerId::get))
}

fn lead() -> impl Strategy<Value = u8> {
    any::<u8>().prop_map(|bits| bits | sys::LEAD_LOW_BITS)
}

fn entries() -> impl Strategy<Value = Vec<(u32, String, Vec<u8>)>> {
    vec((1..1000u32, key(), bytes()), 0..12).prop_map(|entries| {
        let mut rev = 0;
        let ascending = |(step, key, value)| {
            rev += step;
            (rev, key, value)
        };
        entries.into_iter().map(ascending).collect()
    })
}

/// A frame of any kind, and how it travels.
fn frame() -> impl Strategy<Value = (Mode, Model)> {
    let to_relay = prop_oneof![
        bytes().prop_map(|blob| Model::WorldSave { blob }),
        (key(), bytes()).prop_map(|(key, value)| Model::StateSet { key, value }),
        (lead(), any::<i32>(), vec(any::<u8>(), 1..80)).prop_map(|(lead, peer, payload)| Model::Relay {
            lead,
            peer,
            payload
        }),
        godot(Direction::ToRelay),
    ];
    let to_client = prop_oneof![
        bytes().prop_map(|blob| Model::WorldLoad { blob }),
        Just(Model::WorldSaveAck),
        (rev(), key(), bytes()).prop_map(|(rev, key, value)| Model::StateUpdate { rev, key, value }),
        entries().prop_map(|entries| Model::StateSnapshot { entries }),
        (lead(), peer()).prop_map(|(lead, peer)| Model::AddPeer { lead, peer }),
        (lead(), peer()).prop_map(|(lead, peer)| Model::DelPeer { lead, peer }),
        (lead(), peer(), vec(any::<u8>(), 1..80)).prop_map(|(lead, peer, payload)| Model::Relay {
            lead,
            peer,
            payload
        }),
        godot(Direction::ToClient),
    ];
    prop_oneof![
        4 => to_relay.prop_map(|model| (Mode::Later(Direction::ToRelay), model)),
        8 => to_client.prop_map(|model| (Mode::Later(Direction::ToClient), model)),
        1 => peer().prop_map(|peer| (Mode::First, Model::PeerId { peer })),
    ]
}

fn godot(direction: Direction) -> impl Strategy<Value = Model> {
    vec(any::<u8>(), 1..40)
        .prop_filter("not Godot's", move |bytes| Godot::new(direction, bytes).is_some())
        .prop_map(|bytes| Model::Godot { bytes })
}

/// A change of a message.
#[derive(Clone, Debug)]
enum Edit {
    Set(prop::sample::Index, u8),
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Cut(prop::sample::Index),
    Append(Vec<u8>),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        (at(), 0..8u8).prop_map(|(at, bit)| Edit::Flip(at, bit)),
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Insert(at, byte)),
        at().prop_map(Edit::Remove),
        at().prop_map(Edit::Cut),
        vec(any::<u8>(), 1..16).prop_map(Edit::Append),
    ]
}

fn apply(message: &mut Vec<u8>, edit: Edit) {
    let len = message.len();
    match edit {
        Edit::Append(bytes) => message.extend(bytes),
        Edit::Insert(at, byte) => message.insert(at.index(len + 1), byte),
        _ if len == 0 => {}
        Edit::Set(at, byte) => message[at.index(len)] = byte,
        Edit::Flip(at, bit) => message[at.index(len)] ^= 1 << bit,
        Edit::Remove(at) => {
            message.remove(at.index(len));
        }
        Edit::Cut(at) => message.truncate(at.index(len)),
    }
}

/// Whatever decodes one way may be encoded for that way, and for the other only if it decodes there too (PRIM-ENCODE-1).
fn check_directions(frame: Frame<'_>, message: &[u8]) -> Result<(), TestCaseError> {
    for direction in Direction::ALL {
        let mut out = std::vec![0; message.len()];
        let encoded = encode(direction, &frame, &mut out);
        prop_assert_eq!(
            encoded.is_ok(),
            decode(direction, message) == Ok(frame),
            "{}: {:?}",
            direction,
            encoded
        );
    }
    Ok(())
}

/// Whatever is accepted encodes to the same bytes; whatever is refused is refused within its bytes.
fn check_any(message: &[u8]) -> Result<(), TestCaseError> {
    let first = Mode::First.decode(message);
    let later = Direction::ALL.map(|direction| decode(direction, message));
    for decoded in later.into_iter().chain([first]) {
        match decoded {
            Ok(frame) => {
                prop_assert_eq!(frame.encode_to_vec(), Ok(message.to_vec()));
                check_directions(frame, message)?;
            }
            Err(error) => {
                prop_assert!(error.offset <= message.len(), "{}", error);
                prop_assert!(error.to_string().starts_with(error.frame));
            }
        }
    }
    for direction in Direction::ALL {
        match (decode(direction, message), decode_strict(direction, message)) {
            (Ok(frame), Ok(strict)) => prop_assert_eq!(frame, strict),
            (Ok(_), Err(error)) => prop_assert_eq!(error.rule, "ROOM-SNAP-2"),
            (plain, strict) => prop_assert_eq!(plain, strict),
        }
        let (mut entries, mut expected) = (Vec::new(), Vec::new());
        let collected = decode_collecting(direction, message, &mut entries);
        prop_assert_eq!(collected, decode(direction, message));
        if let Ok(Frame::StateSnapshot(snapshot)) = collected {
            expected.extend(snapshot);
        }
        prop_assert_eq!(entries, expected);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_encoded_decodes_to_the_same((mode, model) in frame()) {
        let wire = model.encode(mode.direction());
        let frame = mode.decode(&wire).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(Model::of(frame), model);
        check_any(&wire)?;
    }

    #[test]
    fn a_changed_message_is_refused_or_canonical((mode, model) in frame(), edits in vec(edit(), 1..4)) {
        let mut wire = model.encode(mode.direction());
        edits.into_iter().for_each(|edit| apply(&mut wire, edit));
        check_any(&wire)?;
    }

    #[test]
    fn any_bytes_are_refused_or_canonical(message in vec(any::<u8>(), 0..64)) {
        check_any(&message)?;
    }

    #[test]
    fn any_bytes_after_an_opcode_are_refused_or_canonical(first in 0xF1..=0xF7u8, body in vec(prop_oneof![Just(0), Just(1), any::<u8>()], 0..64)) {
        check_any(&[&[first][..], &body].concat())?;
    }

    #[test]
    fn prefixes_are_errors_or_shorter((mode, model) in frame()) {
        check_prefixes(mode, &model.encode(mode.direction()));
    }

    #[test]
    fn a_peer_id_is_any_that_a_member_can_have(bytes in any::<[u8; 4]>()) {
        let expected = PeerId::new(i32::from_le_bytes(bytes));
        prop_assert_eq!(decode_first(&bytes).ok().map(|message| message.peer), expected);
    }
}
