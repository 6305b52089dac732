//! The key of a shared value.

use core::fmt;

use crate::error::Bytes;
use crate::registry::{limit, rule};

/// A key that has passed the spec's checks: 1 to [`limit::KEY_MAX`] bytes of well-formed UTF-8 without NUL and not
/// beginning with U+FEFF (spec 03-rooms, "Keys").
///
/// Keys are the same only when their bytes are the same: nothing is normalised, folded or trimmed. The order is that of
/// the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key<'a>(&'a [u8]);

impl<'a> Key<'a> {
    /// Checks `bytes` and takes them as a key.
    ///
    /// # Errors
    ///
    /// A [`KeyError`] that says which of the rules the bytes break; a wrong length comes before all else.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Result<Self, KeyError> {
        if length_fits(bytes.len()) {
            Self::from_fitting(bytes)
        } else {
            Err(KeyError::Length { len: bytes.len() })
        }
    }

    /// Takes bytes whose length has been checked, so that a frame can refuse the length before it reads the key.
    #[inline(always)]
    pub(crate) fn from_fitting(bytes: &'a [u8]) -> Result<Self, KeyError> {
        if !is_plain(bytes) {
            check_unusual(bytes)?;
        }
        Ok(Self(bytes))
    }

    /// Takes bytes that were a key before.
    #[inline(always)]
    pub(crate) const fn checked_before(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The key's bytes.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        // The bytes were checked when the key was made, so the default never comes to be; this crate has no unsafe code
        // that could leave the check out.
        core::str::from_utf8(self.0).unwrap_or_default()
    }

    /// The key's length in bytes, 1 to [`limit::KEY_MAX`].
    #[inline]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a key is never empty")]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// The length as it stands on the wire.
    #[inline]
    pub(crate) const fn wire_len(&self) -> [u8; 2] {
        const _: () = assert!(limit::KEY_MAX <= u16::MAX as usize, "a key's length is a u16 on the wire");
        (self.0.len() as u16).to_le_bytes()
    }
}

impl<'a> TryFrom<&'a str> for Key<'a> {
    type Error = KeyError;

    fn try_from(text: &'a str) -> Result<Self, KeyError> {
        Self::new(text.as_bytes())
    }
}

impl<'a> TryFrom<&'a [u8]> for Key<'a> {
    type Error = KeyError;

    fn try_from(bytes: &'a [u8]) -> Result<Self, KeyError> {
        Self::new(bytes)
    }
}

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why bytes are no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyError {
    /// Not 1 to [`limit::KEY_MAX`] bytes long.
    Length {
        /// The length in bytes.
        len: usize,
    },
    /// Not well-formed UTF-8.
    Utf8 {
        /// Offset in the key of the first byte that does not belong.
        at: usize,
    },
    /// A NUL, at which a reader of C strings would cut the key.
    Nul {
        /// Offset in the key of the NUL.
        at: usize,
    },
    /// U+FEFF at the start, which some readers skip as a byte order mark.
    Bom,
}

impl KeyError {
    /// Id of the rule that the bytes break.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Length { .. } => rule::ROOM_KEY_1,
            Self::Utf8 { .. } | Self::Nul { .. } | Self::Bom => rule::ROOM_KEY_2,
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length { len } => {
                let (min, max) = (limit::KEY_MIN, limit::KEY_MAX);
                write!(f, "the key is {} long, but must be {min} to {max}", Bytes(len))
            }
            Self::Utf8 { at } => write!(f, "the key is not well-formed UTF-8 at its byte {at}"),
            Self::Nul { at } => write!(f, "the key has a NUL at its byte {at}"),
            Self::Bom => f.write_str("the key begins with U+FEFF, a byte order mark"),
        }
    }
}

impl core::error::Error for KeyError {}

/// Whether a key may be so many bytes long (ROOM-KEY-1).
#[inline(always)]
pub(crate) const fn length_fits(len: usize) -> bool {
    limit::KEY_MIN <= len && len <= limit::KEY_MAX
}

/// All bytes in 0x01..=0x7F: such bytes need no further check, and nearly all keys are such.
///
/// Eight bytes are looked at together; the last word overlaps the one before it, so that none is looked at alone.
#[inline(always)]
fn is_plain(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some((word, behind)) = rest.split_first_chunk() {
        if !is_plain_word(*word) {
            return false;
        }
        rest = behind;
    }
    if rest.is_empty() {
        true
    } else if let Some(last) = bytes.last_chunk() {
        is_plain_word(*last)
    } else if let (Some(&[a, b, c, d]), Some(&[e, f, g, h])) = (bytes.first_chunk(), bytes.last_chunk()) {
        is_plain_word([a, b, c, d, e, f, g, h])
    } else {
        bytes.iter().all(|byte| matches!(byte, 0x01..=0x7F))
    }
}

/// A byte outside 0x01..=0x7F has its high bit set in `b | (b - 1)`, modulo 256. In a whole word, the subtraction borrows from
/// the next byte only where a byte is 0, and then that byte has failed already.
#[inline(always)]
fn is_plain_word(word: [u8; 8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    let word = u64::from_le_bytes(word);
    (word | word.wrapping_sub(ONES)) & HIGHS == 0
}

/// The full check (ROOM-KEY-2).
#[cold]
fn check_unusual(bytes: &[u8]) -> Result<(), KeyError> {
    let text = core::str::from_utf8(bytes).map_err(|error| KeyError::Utf8 { at: error.valid_up_to() })?;
    if text.starts_with('\u{FEFF}') {
        return Err(KeyError::Bom);
    }
    match bytes.iter().position(|&byte| byte == 0) {
        Some(at) => Err(KeyError::Nul { at }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec;
    use std::vec::Vec;

    use super::{Key, KeyError};
    use crate::registry::limit::KEY_MAX;

    #[test]
    fn lengths() {
        for len in [0, KEY_MAX + 1, 0x1_0001] {
            let bytes = vec![0; len];
            assert_eq!(Key::new(&bytes), Err(KeyError::Length { len }));
        }
        for len in 1..=KEY_MAX {
            let bytes = vec![b'k'; len];
            assert_eq!(Key::new(&bytes).map(|key| key.len()), Ok(len));
        }
    }

    /// Every byte at every place of short and long keys, against the plain words of the rule.
    #[test]
    fn every_byte_at_every_place() {
        for len in 1..=40 {
            for at in 0..len {
                for byte in 0..=u8::MAX {
                    let mut bytes = vec![b'k'; len];
                    bytes[at] = byte;
                    let expected = match byte {
                        0 => Err(KeyError::Nul { at }),
                        1..=0x7F => Ok(()),
                        0x80.. => Err(KeyError::Utf8 { at }),
                    };
                    assert_eq!(Key::new(&bytes).map(|_| ()), expected, "{bytes:02x?}");
                }
            }
        }
    }

    #[test]
    fn text_beyond_ascii() {
        for text in
            ["é", "e\u{301}", "🎲", "\u{10FFFF}", "\u{1}", "\u{7F}", "a\u{FEFF}", "\u{FFFE}", "k\u{85}"]
        {
            assert_eq!(Key::try_from(text).map(|key| key.as_str()), Ok(text));
        }
        for bytes in [&b"\xC1\x81"[..], b"\xED\xA0\x80", b"\xF4\x90\x80\x80", b"\xC3", b"\xE2\x82"] {
            assert_eq!(Key::new(bytes), Err(KeyError::Utf8 { at: 0 }), "{bytes:02x?}");
        }
        assert_eq!(Key::new("é\0".as_bytes()), Err(KeyError::Nul { at: 2 }));
        assert_eq!(Key::new("\u{FEFF}".as_bytes()), Err(KeyError::Bom));
        assert_eq!(Key::new("\u{FEFF}a\0".as_bytes()), Err(KeyError::Bom));
    }

    #[test]
    fn keys_are_compared_by_bytes() {
        let mut keys: Vec<Key<'_>> =
            ["é", "e\u{301}", "b", "B"].map(|text| Key::try_from(text).unwrap()).to_vec();
        keys.sort();
        assert_eq!(keys.iter().map(Key::as_str).collect::<String>(), "Bbe\u{301}é");
        assert_ne!(Key::try_from("é"), Key::try_from("e\u{301}"));
    }
}
