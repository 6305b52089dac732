//! What comes in: files, standard input, hex.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use roomwire_client::json::Hex;

use crate::failure::Failure;

/// The argument, or standard input where it is `-`.
pub(crate) fn text_or_stdin(argument: &str, max: usize) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.into());
    }
    let bytes = read_up_to(io::stdin().lock(), max, "standard input")?;
    String::from_utf8(bytes).map_err(|_| Failure::Usage("standard input is not text".into()))
}

/// All of standard input.
pub(crate) fn stdin(max: usize) -> Result<Vec<u8>, Failure> {
    read_up_to(io::stdin().lock(), max, "standard input")
}

/// All of a file, or of standard input where the name is `-`.
pub(crate) fn file(path: &Path, max: usize) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        return stdin(max);
    }
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => read_up_to(file, max, &name),
        Err(error) => Err(Failure::File { name, error }),
    }
}

/// Reads to the end, but not for ever: input that is larger than anything it could be good for is refused.
fn read_up_to(from: impl Read, max: usize, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    from.take(limit).read_to_end(&mut bytes).map_err(|error| Failure::File { name: name.into(), error })?;
    if bytes.len() > max {
        let error = io::Error::other(format!("more than {max} bytes"));
        return Err(Failure::File { name: name.into(), error });
    }
    Ok(bytes)
}

/// Bytes from hex, with white space anywhere and perhaps `0x` in front.
pub(crate) fn hex(text: &str) -> Result<Vec<u8>, Failure> {
    let digits: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let digits = digits.strip_prefix("0x").unwrap_or(&digits);
    if let Some(bad) = digits.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(Failure::Usage(format!("{bad:?} is no hexadecimal digit")));
    }
    let odd = || Failure::Usage(format!("hex comes in pairs, but these are {} digits", digits.len()));
    Hex::parse(digits).map(|Hex(bytes)| bytes).ok_or_else(odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_may_have_spaces() {
        assert_eq!(hex(" f4 0100\n61 ").unwrap(), [0xF4, 1, 0, 0x61]);
        assert_eq!(hex("0xF4").unwrap(), [0xF4]);
        assert!(hex("").unwrap().is_empty());
        assert!(hex("f").is_err() && hex("0xg0").is_err() && hex("é").is_err());
    }

    #[test]
    fn input_has_a_limit() {
        assert_eq!(read_up_to([1, 2, 3].as_slice(), 3, "x").unwrap(), [1, 2, 3]);
        assert!(read_up_to([1, 2, 3].as_slice(), 2, "x").is_err());
    }
}
