//! Small things that several renderers write.

use pulldown_cmark::{Event, Parser, TagEnd};

/// A number with its digits in groups of three.
pub(crate) fn grouped(value: impl ToString, separator: &str) -> String {
    let digits = value.to_string();
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |rest| ("-", rest));
    let mut out = String::from(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push_str(separator);
        }
        out.push(digit);
    }
    out
}

/// Markdown of a chapter as the text of a doc comment: links become their text, since their targets are not there,
/// and nothing that is left is taken for a link or a tag.
pub(crate) fn rustdoc(markdown: &str) -> String {
    let mut out = String::new();
    for event in Parser::new(markdown) {
        match event {
            Event::Code(code) => out.push_str(&format!("`{code}`")),
            Event::Text(text) => text.chars().for_each(|c| {
                if matches!(c, '[' | ']' | '<' | '>' | '*' | '`' | '\\') {
                    out.push('\\');
                }
                out.push(c);
            }),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            Event::End(TagEnd::Item | TagEnd::Paragraph) => out.push(' '),
            _ => {}
        }
    }
    out.trim_end().to_owned()
}
