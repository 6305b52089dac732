//! The opening handshake, and plain HTTP requests where a scenario makes one.

use std::io::{self, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};

/// An HTTP answer's head.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names in lowercase, values without blanks around them, in the order of the wire.
    pub headers: Vec<(String, String)>,
}

impl Answer {
    /// All values of one header, by its lowercase name.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(have, _)| have == name).map(|(_, value)| value.as_str())
    }
}

/// Longest answer head that is read.
const HEAD_MAX: usize = 16 * 1024;

/// Sends the head of a request: `target` and `headers` go out as they are.
///
/// # Errors
/// Those of the stream.
pub fn send_request(
    stream: &mut impl Write,
    method: &str,
    target: &str,
    headers: &[(String, String)],
) -> io::Result<()> {
    let mut head = format!("{method} {target} HTTP/1.1\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())
}

/// The headers that a client such as Godot's sends to upgrade.
pub fn upgrade_headers(host: &str, key: &str) -> Vec<(String, String)> {
    [
        ("Host", host),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Key", key),
        ("Sec-WebSocket-Version", "13"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec()
}

/// Reads an answer's head, byte by byte so that nothing after it is taken from the stream.
///
/// # Errors
/// Those of the stream, and `InvalidData` if it is no HTTP/1.1 answer.
pub fn read_answer(stream: &mut impl Read) -> io::Result<Answer> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.extend(byte);
        if head.len() > HEAD_MAX {
            return Err(invalid("the answer's head does not end"));
        }
    }
    let text = String::from_utf8(head).map_err(|_| invalid("the answer's head is not text"))?;
    let mut lines = text.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    let status = status.and_then(|rest| rest.get(..3)).and_then(|digits| digits.parse().ok());
    let status = status.ok_or_else(|| invalid("no HTTP/1.1 status line"))?;
    let headers = lines.take_while(|line| !line.is_empty()).map(|line| {
        let (name, value) = line.split_once(':').ok_or_else(|| invalid("a header without a colon"))?;
        Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    });
    Ok(Answer { status, headers: headers.collect::<io::Result<_>>()? })
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// A random `Sec-WebSocket-Key`.
pub fn random_key(random: &mut fastrand::Rng) -> String {
    let mut nonce = [0; 16];
    random.fill(&mut nonce);
    STANDARD.encode(nonce)
}

/// The `Sec-WebSocket-Accept` that answers a key.
pub fn accept_for(key: &str) -> String {
    let mut hash = Sha1::new();
    hash.update(key.as_bytes());
    hash.update(b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    STANDARD.encode(hash.finalize())
}

/// What is wrong with the answer to an upgrade, by WS-3 and WS-4: `None` if nothing is.
pub fn fault_of_upgrade(answer: &Answer, key: &str) -> Option<(&'static str, String)> {
    let one = |name: &'static str| {
        let values: Vec<&str> = answer.values(name).collect();
        match values.as_slice() {
            [value] => Ok((*value).to_owned()),
            other => Err(format!("{} headers {name}", other.len())),
        }
    };
    if answer.status != 101 {
        return Some(("WS-4", format!("status {} in place of 101", answer.status)));
    }
    for (name, want, exact) in [
        ("upgrade", "websocket".to_owned(), false),
        ("connection", "Upgrade".to_owned(), false),
        ("sec-websocket-accept", accept_for(key), true),
    ] {
        match one(name) {
            Err(fault) => return Some(("WS-4", fault)),
            Ok(value) if (exact && value != want) || (!exact && !value.eq_ignore_ascii_case(&want)) => {
                return Some(("WS-4", format!("{name}: {value} in place of {want}")));
            }
            Ok(_) => {}
        }
    }
    for name in ["sec-websocket-extensions", "sec-websocket-protocol"] {
        if let Some(value) = answer.values(name).next() {
            return Some(("WS-3", format!("{name}: {value}, where there is to be none")));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accept_of_rfc_6455() {
        assert_eq!(accept_for("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    fn answer(extra: &str) -> Answer {
        let text = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\
             Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n{extra}\r\n"
        );
        read_answer(&mut text.as_bytes()).unwrap()
    }

    #[test]
    fn a_right_upgrade_has_no_fault_and_an_extension_is_one() {
        let key = "dGhlIHNhbXBsZSBub25jZQ==";
        assert_eq!(fault_of_upgrade(&answer(""), key), None);
        let deflate = answer("Sec-WebSocket-Extensions: permessage-deflate\r\n");
        assert_eq!(fault_of_upgrade(&deflate, key).unwrap().0, "WS-3");
        let twice = answer("Connection: keep-alive\r\n");
        assert_eq!(fault_of_upgrade(&twice, key).unwrap().0, "WS-4");
        assert_eq!(fault_of_upgrade(&answer(""), "another").unwrap().0, "WS-4");
    }
}
