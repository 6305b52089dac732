//! Bytes as lowercase hex, as vectors and reports write them.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that read and write as a lowercase hex string.
#[derive(Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Hex(pub Vec<u8>);

impl Hex {
    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in &self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl From<&[u8]> for Hex {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        decode(&text).map(Self).ok_or_else(|| D::Error::custom(format!("not lowercase hex: {text:?}")))
    }
}

/// Reads lowercase hex of an even length.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    fn digit(c: u8) -> Option<u8> {
        match c {
            b'0'..=b'9' => Some(c - b'0'),
            b'a'..=b'f' => Some(c - b'a' + 10),
            _ => None,
        }
    }
    let mut pairs = text.as_bytes().chunks_exact(2);
    let bytes = pairs.by_ref().map(|pair| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    });
    let bytes = bytes.collect::<Option<Vec<u8>>>()?;
    pairs.remainder().is_empty().then_some(bytes)
}

/// The first `max` bytes as hex, and how many follow.
pub fn shorten(bytes: &[u8], max: usize) -> String {
    match bytes.get(..max) {
        Some(head) if bytes.len() > max => {
            format!("{}… ({} bytes in all)", Hex::from(head), bytes.len())
        }
        _ => Hex::from(bytes).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lowercase_pairs() {
        assert_eq!(decode("00ff"), Some(vec![0, 255]));
        assert_eq!(decode(""), Some(vec![]));
        assert_eq!(decode("0"), None);
        assert_eq!(decode("FF"), None);
        assert_eq!(decode("0x"), None);
    }

    #[test]
    fn shortened_text_says_so() {
        assert_eq!(shorten(&[1, 2, 3], 3), "010203");
        assert_eq!(shorten(&[1, 2, 3, 4], 3), "010203… (4 bytes in all)");
    }
}
