//! Any bytes at all, as a message.

use roomwire_codec::{DecodeError, Direction, Frame, decode as decode_later, decode_first, decode_strict};

use crate::oracle;

/// What a message is decoded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A message from a member.
    ToRelay,
    /// A message to a member, but for the first.
    ToClient,
    /// The first message to a member.
    First,
}

impl Way {
    /// The way that the first `byte` of the fuzzer's data picks.
    pub fn of(byte: u8) -> Self {
        match byte % 3 {
            0 => Self::ToRelay,
            1 => Self::ToClient,
            _ => Self::First,
        }
    }

    fn decode(self, message: &[u8]) -> Result<Frame<'_>, DecodeError> {
        match self {
            Self::ToRelay => decode_later(Direction::ToRelay, message),
            Self::ToClient => decode_later(Direction::ToClient, message),
            Self::First => decode_first(message).map(Frame::from),
        }
    }

    fn decode_strict(self, message: &[u8]) -> Result<Frame<'_>, DecodeError> {
        match self {
            Self::ToRelay => decode_strict(Direction::ToRelay, message),
            Self::ToClient => decode_strict(Direction::ToClient, message),
            Self::First => self.decode(message),
        }
    }
}

/// Decodes the bytes after the first, which picks the way. What is accepted encodes to the same bytes (PRIM-CANON-1), and what is
/// refused is refused as a plain reading of the specification refuses it.
///
/// # Panics
///
/// If the codec does otherwise.
pub fn decode(data: &[u8]) {
    let Some((&way, message)) = data.split_first() else { return };
    let way = Way::of(way);
    let decoded = way.decode(message);
    match &decoded {
        Ok(frame) => assert_canonical(frame, message),
        Err(error) => {
            assert!(error.offset <= message.len(), "{error}: beyond the end");
            assert!(!error.to_string().is_empty(), "an error without a text");
        }
    }
    decode_with(data, |_, _| verdict(decoded));
    assert_strict(decoded, way.decode_strict(message), message);
}

/// The same with any decoder, of which no more is asked than its verdict.
///
/// # Panics
///
/// If it is not that of a plain reading of the specification.
pub fn decode_with(data: &[u8], decoder: impl Fn(Way, &[u8]) -> oracle::Verdict) {
    let Some((&way, message)) = data.split_first() else { return };
    let way = Way::of(way);
    assert_eq!(decoder(way, message), oracle::judge(way, message), "{way:?}: {message:02x?}");
}

/// The fields of a message, up to the one at fault: where each begins, how long it is, and its name.
pub fn fields(way: Way, message: &[u8]) -> Vec<oracle::Field> {
    oracle::fields(way, message)
}

/// The codec's verdict.
pub fn sound(way: Way, message: &[u8]) -> oracle::Verdict {
    verdict(way.decode(message))
}

fn assert_canonical(frame: &Frame<'_>, message: &[u8]) {
    assert_eq!(frame.encode_to_vec().as_deref(), Ok(message), "{frame:?}");
    if let Frame::StateSnapshot(snapshot) = frame {
        assert_eq!(snapshot.iter().count(), snapshot.len(), "{frame:?}");
        let sum = snapshot.iter().map(|entry| entry.encoded_len()).sum::<usize>();
        assert_eq!(roomwire_codec::StateSnapshot::EMPTY.encoded_len() + sum, message.len(), "{frame:?}");
    }
}

/// The strict decoder differs in nothing but duplicate keys.
fn assert_strict(
    decoded: Result<Frame<'_>, DecodeError>,
    strict: Result<Frame<'_>, DecodeError>,
    message: &[u8],
) {
    if let (Ok(Frame::StateSnapshot(_)), Err(error)) = (decoded, strict) {
        assert_eq!(oracle::first_duplicate_key(message), Some(error.offset), "{error}");
    } else {
        assert_eq!(decoded, strict);
        if decoded.is_ok() && strict.is_ok_and(|frame| matches!(frame, Frame::StateSnapshot(_))) {
            assert_eq!(oracle::first_duplicate_key(message), None);
        }
    }
}

fn verdict(decoded: Result<Frame<'_>, DecodeError>) -> oracle::Verdict {
    decoded.map(|frame| frame.name()).map_err(|error| (error.class.name(), error.offset, error.field))
}
