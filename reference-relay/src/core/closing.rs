//! Why a connection is closed: a code of the registry and a detail for people.

use std::borrow::Cow;

use roomwire_codec::DecodeError;
use roomwire_codec::registry::close::{self, Close};
use roomwire_codec::registry::limit;

/// A decision to close a connection (spec 07-limits-and-closes, "Closes").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The row of the registry: code and stable reason prefix.
    pub close: Close,
    /// What follows the prefix; may be empty.
    pub detail: Cow<'static, str>,
}

impl Closing {
    /// A close with a detail.
    pub fn new(close: Close, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { close, detail: detail.into() }
    }

    /// The close of a member whose message does not decode. The reason names class, offset, field and rule (CLOSE-2).
    pub fn malformed(error: &DecodeError) -> Self {
        Self::new(close::MALFORMED, error.to_string())
    }

    /// The close code.
    pub const fn code(&self) -> u16 {
        self.close.code
    }

    /// The reason text: the prefix, and the detail after a colon and a space, cut at a character to the most bytes that
    /// a close frame can carry (CLOSE-1).
    pub fn reason(&self) -> String {
        let mut reason = self.close.reason.to_owned();
        if !self.detail.is_empty() {
            reason.push_str(": ");
            reason.push_str(&self.detail);
        }
        while reason.len() > limit::CLOSE_REASON_MAX {
            reason.pop();
        }
        reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_prefix_colon_detail() {
        assert_eq!(Closing::new(close::IDLE, "").reason(), close::IDLE.reason);
        assert_eq!(Closing::new(close::TOO_LARGE, "3 > 2").reason(), "too large: 3 > 2");
    }

    #[test]
    fn the_reason_is_cut_at_a_character() {
        for pad in 0..4 {
            let reason =
                Closing::new(close::BAD_ROOM, format!("{}{}", "x".repeat(pad), "€".repeat(100))).reason();
            assert!(reason.len() <= limit::CLOSE_REASON_MAX && reason.len() > limit::CLOSE_REASON_MAX - 3);
            assert!(reason.ends_with('€'));
        }
    }
}
