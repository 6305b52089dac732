//! The address of a relay, `ws://host[:port][/path]`.

use std::fmt;

const WS_PORT: u16 = 80;
const WSS_PORT: u16 = 443;

/// The address of a relay in one spelling: scheme and host in lower case, no port where it is the scheme's own, no slash at the
/// end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RelayUrl {
    tls: bool,
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    host: String,
    port: u16,
    /// Empty, or `/` and what follows without a slash at the end.
    path: String,
}

impl RelayUrl {
    /// Takes an address apart. The error completes the sentence "the relay's address …".
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err("is empty");
        }
        let (scheme, rest) = text.split_once("://").ok_or("must begin with ws:// or wss://")?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "ws" => false,
            "wss" => true,
            _ => return Err("must begin with ws:// or wss://"),
        };
        if rest.contains(['?', '#']) {
            return Err("must have no query and no fragment");
        }
        if rest.contains(|c: char| {
            !c.is_ascii_graphic() || matches!(c, '\\' | '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}')
        }) {
            return Err("has a character in it that must not stand in a URL");
        }
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        if authority.contains('@') {
            return Err("must have no user name in it");
        }
        let (host, port) = split_port(authority)?;
        check_host(host)?;
        let port = match port {
            None => {
                if tls {
                    WSS_PORT
                } else {
                    WS_PORT
                }
            }
            Some(digits) => parse_port(digits)?,
        };
        Ok(Self { tls, host: host.to_ascii_lowercase(), port, path: path.trim_end_matches('/').into() })
    }

    /// Whether the connection is encrypted: `wss`.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.tls
    }

    /// The host as a resolver takes it, an IPv6 address without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        self.host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&self.host)
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl fmt::Display for RelayUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, default) = if self.tls { ("wss", WSS_PORT) } else { ("ws", WS_PORT) };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port != default {
            write!(f, ":{}", self.port)?;
        }
        f.write_str(&self.path)
    }
}

fn split_port(authority: &str) -> Result<(&str, Option<&str>), &'static str> {
    // An IPv6 address has colons of its own.
    let behind_host = match authority.rfind(']') {
        Some(bracket) if authority.starts_with('[') => bracket,
        _ => 0,
    };
    match authority.rfind(':').filter(|&colon| colon > behind_host) {
        Some(colon) => {
            let (host, port) = authority.split_at(colon);
            Ok((host, port.strip_prefix(':')))
        }
        None if authority.starts_with(':') => Err("has no host"),
        None => Ok((authority, None)),
    }
}

fn check_host(host: &str) -> Result<(), &'static str> {
    if host.is_empty() {
        return Err("has no host");
    }
    if let Some(inner) = host.strip_prefix('[') {
        let address = inner.strip_suffix(']').and_then(|inner| inner.parse::<std::net::Ipv6Addr>().ok());
        return address.map(|_| ()).ok_or("has a broken IPv6 address");
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if host.bytes().all(plain) {
        Ok(())
    } else {
        Err("has a character in its host that must not stand there")
    }
}

fn parse_port(digits: &str) -> Result<u16, &'static str> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse() {
        Ok(port) if plain && port > 0 => Ok(port),
        _ => Err("has a port that is not 1 to 65535"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling() {
        for (text, expected, host, port) in [
            ("ws://h", "ws://h", "h", 80),
            ("WS://H:80/", "ws://h", "h", 80),
            ("wss://h:443", "wss://h", "h", 443),
            ("wss://h:80", "wss://h:80", "h", 80),
            ("ws://127.0.0.1:8080", "ws://127.0.0.1:8080", "127.0.0.1", 8080),
            ("ws://[::1]:8080/", "ws://[::1]:8080", "::1", 8080),
            ("ws://[::1]", "ws://[::1]", "::1", 80),
            ("ws://h/a/b//", "ws://h/a/b", "h", 80),
        ] {
            let url = RelayUrl::parse(text).unwrap();
            assert_eq!((url.to_string().as_str(), url.host(), url.port()), (expected, host, port), "{text}");
        }
    }

    #[test]
    fn what_is_no_address() {
        for text in [
            "",
            "h",
            "h:8080",
            "http://h",
            "ws:/h",
            "ws://",
            "ws:///r",
            "ws://:80",
            "ws://h:",
            "ws://h:0",
            "ws://h:65536",
            "ws://h:+1",
            "ws://h:x",
            "ws://u@h",
            "ws://h?x",
            "ws://h/#",
            "ws://h h",
            "ws://h\n",
            "ws://[::1",
            "ws://[x]",
            "ws://é",
            "ws://a:b:c",
            "ws://h\\x",
            "ws://::1",
        ] {
            assert!(RelayUrl::parse(text).is_err(), "{text}");
        }
    }
}
