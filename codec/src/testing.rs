//! What the unit tests of the frames have in common.

use std::vec;
use std::vec::Vec;

use crate::{Direction, EncodeError, Entry, ErrorClass, Frame, Key, StateSnapshot, decode};

/// The frame that `message` holds.
pub(crate) fn frame(direction: Direction, message: &[u8]) -> Frame<'_> {
    decode(direction, message).unwrap()
}

/// Class, offset, field and rule of the error that `message` gives.
pub(crate) fn error(direction: Direction, message: &[u8]) -> (ErrorClass, usize, &'static str, &'static str) {
    let error = decode(direction, message).unwrap_err();
    (error.class, error.offset, error.field, error.rule)
}

/// `frame`, encoded. Its length is what it says, a longer buffer is left alone behind it, and any shorter one is refused.
pub(crate) fn encoded<'a>(frame: impl Into<Frame<'a>>) -> Vec<u8> {
    let frame = frame.into();
    let needed = frame.encoded_len();
    let mut out = vec![0xAA; needed + 1];
    assert_eq!(frame.encode(&mut out), Ok(needed));
    assert_eq!(out.pop(), Some(0xAA));
    for available in 0..needed {
        let mut short = vec![0; available];
        assert_eq!(frame.encode(&mut short), Err(EncodeError::BufferTooShort { needed, available }));
    }
    out
}

/// An entry of a snapshot.
pub(crate) fn entry<'a>(rev: u32, key: &'a str, value: &'a [u8]) -> Entry<'a> {
    Entry { rev, key: Key::try_from(key).unwrap(), value }
}

/// A snapshot of `entries`, encoded.
pub(crate) fn encode_entries<'a>(
    entries: impl IntoIterator<Item = Entry<'a>> + Clone,
) -> Result<Vec<u8>, EncodeError> {
    let mut out = vec![0; StateSnapshot::encoded_len_of(entries.clone())];
    StateSnapshot::encode_entries(entries, &mut out)?;
    Ok(out)
}
