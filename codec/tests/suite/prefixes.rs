//! Every prefix of a message is refused at once or is a shorter message: a decoder never waits for more (PRIM-FRAME-1).

use roomwire_codec::Direction::{ToClient, ToRelay};
use roomwire_codec::{Frame, registry::sys};

use crate::cases::Mode;
use crate::model::Model;

/// Frames whose layout ends in a rest field. A prefix of one that holds all fields before it is the same frame with a shorter
/// rest; a prefix of any other frame is an error.
const ENDS_IN_REST: [&str; 6] = ["WORLD_SAVE", "WORLD_LOAD", "STATE_SET", "STATE_UPDATE", "RELAY", "GODOT"];

impl Model {
    /// The last field, if the layout ends in a rest field.
    pub(crate) fn rest(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::WorldSave { blob } | Self::WorldLoad { blob } => Some(blob),
            Self::StateSet { value, .. } | Self::StateUpdate { value, .. } => Some(value),
            Self::Relay { payload, .. } => Some(payload),
            Self::Godot { bytes } => Some(bytes),
            Self::WorldSaveAck | Self::StateSnapshot { .. } => None,
            Self::PeerId { .. } | Self::AddPeer { .. } | Self::DelPeer { .. } => None,
        }
    }
}

/// Checks all prefixes of `message`; of a very long one, those where fields may begin and end, and some between.
pub(crate) fn check_prefixes(mode: Mode, message: &[u8]) {
    let whole = mode.decode(message).map(Model::of);
    for len in 0..message.len() {
        if len > 1_200 && len + 64 < message.len() && len % 97 != 0 {
            continue;
        }
        let prefix = &message[..len];
        let frame = match mode.decode(prefix) {
            Ok(frame) => frame,
            Err(error) => {
                assert!(error.offset <= len, "{error}: beyond the end of {prefix:02x?}");
                continue;
            }
        };
        if is_bare_lead(mode, prefix) {
            continue;
        }
        let mut shorter = match &whole {
            Ok(whole) => whole.clone(),
            // The fault is behind the prefix.
            Err(error) if error.offset >= len => continue,
            Err(error) => panic!("{error}: but {prefix:02x?} of {message:02x?} is accepted"),
        };
        assert!(ENDS_IN_REST.contains(&frame.name()), "{}: {prefix:02x?} of {message:02x?}", frame.name());
        let rest = shorter.rest().unwrap();
        rest.truncate(rest.len() - (message.len() - len));
        assert_eq!(Model::of(frame), shorter, "{prefix:02x?} of {message:02x?}");
    }
}

/// One byte that begins a SYS packet: towards the relay, that alone is a packet of Godot's, whatever command would follow.
fn is_bare_lead(mode: Mode, prefix: &[u8]) -> bool {
    match prefix {
        [lead] => lead & sys::LEAD_MASK == sys::LEAD_LOW_BITS && mode == Mode::Later(ToRelay),
        _ => false,
    }
}

/// One frame of each kind, with more than one byte in each rest.
pub(crate) fn samples() -> Vec<(Mode, Model)> {
    let text = str::to_owned;
    let bytes = |bytes: &[u8]| bytes.to_vec();
    vec![
        (Mode::Later(ToRelay), Model::WorldSave { blob: bytes(b"\xF4world") }),
        (Mode::Later(ToClient), Model::WorldLoad { blob: bytes(b"\xF6world") }),
        (Mode::Later(ToClient), Model::WorldSaveAck),
        (Mode::Later(ToRelay), Model::StateSet { key: text("ключ"), value: bytes(b"value") }),
        (Mode::Later(ToClient), Model::StateUpdate { rev: 7, key: text("player/7"), value: bytes(b"value") }),
        (Mode::Later(ToClient), Model::StateSnapshot { entries: vec![] }),
        (
            Mode::Later(ToClient),
            Model::StateSnapshot {
                entries: vec![
                    (1, text("a"), bytes(b"")),
                    (9, text("key é"), bytes(b"12")),
                    (u32::MAX, text("🎲"), bytes(b"x")),
                ],
            },
        ),
        (Mode::First, Model::PeerId { peer: 0x1234_5600 }),
        (Mode::Later(ToClient), Model::AddPeer { lead: 0x07, peer: 2 }),
        (Mode::Later(ToClient), Model::DelPeer { lead: 0x0F, peer: 2 }),
        (Mode::Later(ToRelay), Model::Relay { lead: 0x07, peer: -5, payload: bytes(b"\xF4payload") }),
        (Mode::Later(ToClient), Model::Relay { lead: 0xFF, peer: 0x102, payload: bytes(b"\x07\x03") }),
        (Mode::Later(ToRelay), Model::Godot { bytes: bytes(b"\x07\x01\x02\0\0\0") }),
        (Mode::Later(ToClient), Model::Godot { bytes: bytes(b"\x27\x04packet") }),
        (Mode::Later(ToClient), Model::Godot { bytes: bytes(b"\x20packet") }),
    ]
}

#[test]
fn prefixes_of_a_frame_of_each_kind() {
    for (mode, model) in samples() {
        let wire = model.encode(mode.direction());
        assert_eq!(mode.decode(&wire).map(Model::of), Ok(model));
        check_prefixes(mode, &wire);
    }
}

/// The list above says what the layouts say.
#[test]
fn a_frame_ends_in_rest_bytes_or_refuses_one_more() {
    for (mode, mut model) in samples() {
        let mut wire = model.encode(mode.direction());
        wire.push(0);
        let name = mode.decode(&wire[..wire.len() - 1]).unwrap().name();
        match mode.decode(&wire) {
            Ok(frame) => {
                assert!(ENDS_IN_REST.contains(&name), "{name}");
                model.rest().unwrap().push(0);
                assert_eq!(Model::of(frame), model);
            }
            Err(error) => {
                assert!(!ENDS_IN_REST.contains(&name), "{name}");
                assert_eq!((error.class.name(), error.offset), ("trailing", wire.len() - 1));
            }
        }
    }
}

/// No frame is forgotten here: the compiler asks for a line, and the test for a sample.
#[test]
fn there_is_a_sample_of_every_frame() {
    let index = |frame: Frame<'_>| match frame {
        Frame::WorldSave(_) => 0,
        Frame::WorldLoad(_) => 1,
        Frame::WorldSaveAck(_) => 2,
        Frame::StateSet(_) => 3,
        Frame::StateUpdate(_) => 4,
        Frame::StateSnapshot(_) => 5,
        Frame::PeerId(_) => 6,
        Frame::AddPeer(_) => 7,
        Frame::DelPeer(_) => 8,
        Frame::Relay(_) => 9,
        Frame::Godot(_) => 10,
    };
    let mut seen = [false; 11];
    for (mode, model) in samples() {
        seen[index(mode.decode(&model.encode(mode.direction())).unwrap())] = true;
    }
    assert_eq!(seen, [true; 11]);
}
