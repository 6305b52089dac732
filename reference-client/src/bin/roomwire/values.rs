//! Values and keys for people: text where it is fit to be shown, hex where not.

use std::borrow::Cow;
use std::fmt;

use roomwire_client::json::Hex;

use crate::args::ShowArgs;

/// Bytes of a value that are shown where many values are.
const MOST: usize = 64;

/// The bytes as text, if they are UTF-8 without anything that would do something to a terminal.
pub(crate) fn printable(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.chars().any(is_odd))
}

fn is_odd(c: char) -> bool {
    // What changes the direction of the text around it, or is not to be seen, does not belong on a line either.
    c.is_control()
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// A value alone, all of it.
pub(crate) fn alone(value: &[u8], show: ShowArgs) -> Cow<'_, str> {
    match (show, printable(value)) {
        (ShowArgs { hex: true, .. }, _) => Hex::from(value).to_string().into(),
        (ShowArgs { text: true, .. }, _) => forced(value).into(),
        (_, Some(text)) => text.into(),
        (_, None) => Hex::from(value).to_string().into(),
    }
}

/// A value among other things: text in quotes, hex with `0x`, long ones cut.
pub(crate) fn inline(value: &[u8], show: ShowArgs) -> String {
    let as_text = match show {
        ShowArgs { hex: true, .. } => None,
        ShowArgs { text: true, .. } => Some(forced(value)),
        _ => printable(value).map(str::to_owned),
    };
    match as_text {
        Some(text) if text.len() > MOST => {
            let cut = text.char_indices().map(|(at, _)| at).take_while(|&at| at <= MOST).last().unwrap_or(0);
            format!("\"{}\"… ({} bytes)", text.get(..cut).unwrap_or_default(), value.len())
        }
        Some(text) => format!("\"{text}\""),
        None => match value.get(..MOST) {
            Some(head) if value.len() > MOST => format!("0x{}… ({} bytes)", Hex::from(head), value.len()),
            _ => format!("0x{}", Hex::from(value)),
        },
    }
}

/// Bytes as text, whatever they are; what is not fit to be shown is escaped.
fn forced(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    text.chars().fold(String::new(), |mut shown, c| {
        if is_odd(c) {
            shown.extend(c.escape_default())
        } else {
            shown.push(c)
        }
        shown
    })
}

/// A key: as it is where it can be told from what stands around it, else in quotes.
pub(crate) struct Key<'a>(pub(crate) &'a str);

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.chars().any(|c| is_odd(c) || c.is_whitespace() || c == '"') {
            let shown = forced(self.0.as_bytes()).replace('"', "\\\"");
            write!(f, "\"{shown}\"")
        } else {
            f.write_str(self.0)
        }
    }
}

/// "1 byte", "2 bytes".
pub(crate) struct Count(pub(crate) usize, pub(crate) &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, what) = self;
        write!(f, "{count} {what}{}", if *count == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTO: ShowArgs = ShowArgs { hex: false, text: false };
    const HEX: ShowArgs = ShowArgs { hex: true, text: false };
    const TEXT: ShowArgs = ShowArgs { hex: false, text: true };

    #[test]
    fn text_where_it_can_be_shown() {
        assert_eq!(inline(b"X", AUTO), "\"X\"");
        assert_eq!(inline("é".as_bytes(), AUTO), "\"é\"");
        assert_eq!(inline(b"", AUTO), "\"\"");
        for odd in [b"\x1b[2J".as_slice(), b"a\nb", b"\xFF", "\u{202E}".as_bytes()] {
            assert!(inline(odd, AUTO).starts_with("0x"));
        }
        assert_eq!(inline(b"X", HEX), "0x58");
        assert_eq!(inline(b"\xFF\n", TEXT), "\"\u{FFFD}\\n\"");
        assert_eq!(alone(b"X", AUTO), "X");
        assert_eq!(alone(b"\xFF", AUTO), "ff");
        assert_eq!(alone(b"\x1b", TEXT), "\\u{1b}");
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(inline(&[0xFF; 65], AUTO), format!("0x{}… (65 bytes)", "ff".repeat(64)));
        let cut = inline("é".repeat(50).as_bytes(), AUTO);
        assert_eq!(cut, format!("\"{}\"… (100 bytes)", "é".repeat(32)));
    }

    #[test]
    fn keys_are_quoted_where_they_must_be() {
        assert_eq!(Key("player:2:hand").to_string(), "player:2:hand");
        assert_eq!(Key("a b").to_string(), "\"a b\"");
        assert_eq!(Key("a\n\"").to_string(), "\"a\\n\\\"\"");
    }
}
