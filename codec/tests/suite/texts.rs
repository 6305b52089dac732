//! Every text that the codec can give.

use std::fmt::Write as _;

use roomwire_codec::Direction::{ToClient, ToRelay};
use roomwire_codec::{EncodeError, Key, KeyError, PeerId, decode, decode_first, decode_strict};

#[test]
fn decode_errors() {
    let to_relay: [&[u8]; 15] = [
        b"",
        b"\xF2",
        b"\x08",
        b"\xEE\xFF",
        b"\xF4",
        b"\xF4\x01",
        b"\xF4\0\0",
        b"\xF4\x01\x04",
        b"\xF4\x01\0",
        b"\xF4\x03\0ab",
        b"\xF4\x02\0a\xFF",
        b"\xF4\x02\0a\0",
        b"\xF4\x03\0\xEF\xBB\xBF",
        b"\x07\x03\x02\0",
        b"\x07\x03\x02\0\0\0",
    ];
    let to_client: [&[u8]; 18] = [
        b"\xF1",
        b"\xF3\0",
        b"\xF3\0\0",
        b"\xF5",
        b"\xF5\x01\0\0",
        b"\xF5\0\0\0\0\x01\0a",
        b"\xF6\0\0\0",
        b"\xF6\x01\0\0\0",
        b"\xF6\xFF\xFF\xFF\xFF\0",
        b"\xF6\x02\0\0\0\x05\0\0\0\x01\0a\0\0\0\0\x05\0\0\0\x01\0b\0\0\0\0",
        b"\xF6\x02\0\0\0\x05\0\0\0\x01\0a\0\0\0\0\x06\0\0\0\x01\0a\0\0\0\0",
        b"\xF6\x01\0\0\0\x05\0\0\0\x01\0a\xFF\xFF\xFF\xFF",
        b"\x07",
        b"\x07\x01\x02",
        b"\x07\x01\x01\0\0\0",
        b"\x07\x02\x02\0\0\0\0",
        b"\x07\x03\xFE\xFF\xFF\xFF\0",
        b"\x07\x03\xF3\0\0\0\0",
    ];
    let first: [&[u8]; 4] = [b"", b"\x02\0\0", b"\x02\0\0\0\0\0", b"\x01\0\0\0"];
    let mut text = String::new();
    for message in to_relay {
        writeln!(text, "{}", decode(ToRelay, message).unwrap_err()).unwrap();
    }
    for message in to_client {
        writeln!(text, "{}", decode_strict(ToClient, message).unwrap_err()).unwrap();
    }
    for message in first {
        writeln!(text, "{}", decode_first(message).unwrap_err()).unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn encode_errors() {
    let mut text = String::new();
    for error in [
        EncodeError::BufferTooShort { needed: 7, available: 0 },
        EncodeError::BufferTooShort { needed: 1, available: 0 },
        EncodeError::RevZero,
        EncodeError::RevOrder { before: 9, rev: 8 },
        EncodeError::TooManyEntries,
        EncodeError::ValueTooLong { len: 1 << 30 },
        EncodeError::Lead { lead: 0x08 },
        EncodeError::NoPayload,
        EncodeError::Source { peer: 1 },
        EncodeError::Direction { frame: "STATE_SET", direction: ToClient },
    ] {
        writeln!(text, "{error}").unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn keys_and_peer_ids() {
    let mut text = String::new();
    for error in [
        KeyError::Length { len: 0 },
        KeyError::Length { len: 1025 },
        KeyError::Utf8 { at: 3 },
        KeyError::Nul { at: 0 },
        KeyError::Bom,
    ] {
        writeln!(text, "{error} [{}]", error.rule()).unwrap();
    }
    writeln!(text, "{}", PeerId::try_from(1).unwrap_err()).unwrap();
    let key = Key::try_from("a \"b\"\n").unwrap();
    writeln!(text, "{key:?} {:?} {}", PeerId::new(2), PeerId::new(2).unwrap()).unwrap();
    insta::assert_snapshot!(text);
}
