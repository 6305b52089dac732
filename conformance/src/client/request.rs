//! The upgrade request of a client: read, and checked.

use std::io::{self, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Longest head of a request that is read, in bytes.
const HEAD_MAX: usize = 16 * 1024;

/// An upgrade request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// `GET`.
    pub(crate) method: String,
    /// Path and query.
    pub(crate) target: String,
    /// Names in lowercase, values without blanks around them.
    pub(crate) headers: Vec<(String, String)>,
}

impl Request {
    /// Reads a head, byte by byte so that nothing after it is taken from the stream.
    ///
    /// # Errors
    /// Those of the stream, and `InvalidData` if it is no HTTP/1.1 request.
    pub(crate) fn read(stream: &mut impl Read) -> io::Result<Self> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte)?;
            head.extend(byte);
            if head.len() > HEAD_MAX {
                return Err(invalid("the request's head does not end"));
            }
        }
        let text = String::from_utf8(head).map_err(|_| invalid("the request's head is not text"))?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some("HTTP/1.1"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(invalid("no HTTP/1.1 request line"));
        };
        let (method, target) = (method.to_owned(), target.to_owned());
        let headers = lines.take_while(|line| !line.is_empty()).map(|line| {
            let (name, value) = line.split_once(':').ok_or_else(|| invalid("a header without a colon"))?;
            Ok((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        });
        let headers = headers.collect::<io::Result<_>>()?;
        Ok(Self { method, target, headers })
    }

    /// All values of one header, by its lowercase name.
    fn values(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(have, _)| have == name).map(|(_, value)| value.as_str()).collect()
    }

    /// The key that the answer has to answer.
    pub(crate) fn key(&self) -> &str {
        self.values("sec-websocket-key").first().copied().unwrap_or_default()
    }

    /// Path, and the parameters of the query as they stand there.
    pub(crate) fn parts(&self) -> (&str, Vec<&str>) {
        match self.target.split_once('?') {
            Some((path, query)) => (path, query.split('&').collect()),
            None => (&self.target, vec![]),
        }
    }

    /// The clause that it breaks, and how: `None` if it is a valid upgrade (WS-7) that offers no subprotocol.
    pub(crate) fn fault(&self) -> Option<(&'static str, String)> {
        let upgrade = |text: String| Some(("CLIENT-WS-1", text));
        if self.method != "GET" {
            return upgrade(format!("a {} request", self.method));
        }
        if !self.target.starts_with('/') || !self.target.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Some(("CLIENT-URL-1", format!("the target {:?}", self.target)));
        }
        let lists = |name: &str, token: &str| {
            let values = self.values(name);
            values
                .iter()
                .flat_map(|value| value.split(','))
                .any(|have| have.trim().eq_ignore_ascii_case(token))
        };
        if !lists("upgrade", "websocket") || !lists("connection", "upgrade") {
            return upgrade("no Upgrade: websocket with Connection: Upgrade".into());
        }
        if self.values("sec-websocket-version") != ["13"] {
            return upgrade(format!("the WebSocket version {:?}", self.values("sec-websocket-version")));
        }
        if self.values("host").len() != 1 {
            return upgrade("not one Host".into());
        }
        match self.values("sec-websocket-key").as_slice() {
            [key] if STANDARD.decode(key).is_ok_and(|nonce| nonce.len() == 16) => {}
            other => return upgrade(format!("the WebSocket key {other:?}")),
        }
        let offered = self.values("sec-websocket-protocol");
        (!offered.is_empty()).then(|| ("CLIENT-WS-1", format!("it offers the subprotocol {offered:?}")))
    }
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "GET /r/room?g=x&v=1 HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

    #[test]
    fn a_right_request() {
        let request = Request::read(&mut GOOD.as_bytes()).unwrap();
        assert_eq!(request.fault(), None);
        assert_eq!(request.parts(), ("/r/room", vec!["g=x", "v=1"]));
        assert_eq!(request.key(), "dGhlIHNhbXBsZSBub25jZQ==");
    }

    #[test]
    fn wrong_requests() {
        for (part, other, clause) in [
            ("GET", "POST", "CLIENT-WS-1"),
            ("/r/room", "/r/r\u{e9}", "CLIENT-URL-1"),
            ("Upgrade: websocket", "Upgrade: h2c", "CLIENT-WS-1"),
            (": 13", ": 8", "CLIENT-WS-1"),
            ("dGhlIHNhbXBsZSBub25jZQ==", "eA==", "CLIENT-WS-1"),
            ("Host: h", "Host: h\r\nSec-WebSocket-Protocol: roomwire", "CLIENT-WS-1"),
        ] {
            let request = Request::read(&mut GOOD.replace(part, other).as_bytes()).unwrap();
            assert_eq!(request.fault().map(|fault| fault.0), Some(clause), "{other}");
        }
        for bad in ["", "GET /\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nx\r\n\r\n"] {
            assert!(Request::read(&mut bad.as_bytes()).is_err(), "{bad:?}");
        }
    }
}
