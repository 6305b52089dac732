//! Bytes as lowercase hex.

use std::fmt;
use std::ops::Deref;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that are written as lowercase hex; upper case is read, too.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Hex(pub Vec<u8>);

impl Hex {
    /// Reads pairs of hexadecimal digits; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let bytes = pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?));
        if rest.is_empty() { bytes.collect::<Option<Vec<u8>>>().map(Self) } else { None }
    }
}

fn digit(c: u8) -> Option<u8> {
    char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

impl Deref for Hex {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for Hex {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom("bytes must be pairs of hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_digits() {
        assert_eq!(Hex::parse("00fF"), Some(Hex(vec![0, 255])));
        assert_eq!(Hex::parse(""), Some(Hex(vec![])));
        for bad in ["0", "0x", "é", " 00", "+1"] {
            assert_eq!(Hex::parse(bad), None, "{bad}");
        }
        assert_eq!(Hex(vec![0, 255]).to_string(), "00ff");
    }
}
