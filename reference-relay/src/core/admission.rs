//! Who may enter which room: the URL of a join (spec 05-joining, "The URL").

use std::borrow::Cow;
use std::fmt;

use roomwire_codec::registry::close::{self, Close};
use roomwire_codec::registry::{VERSIONS, limit};

use super::closing::Closing;
use super::member::Mode;
use crate::store::RoomName;

/// What a good URL asks for.
#[derive(Clone, PartialEq, Eq)]
pub struct Admission {
    /// The room.
    pub room: RoomName,
    /// The halves of the protocol.
    pub mode: Mode,
    /// The label `u`; empty if it is missing. It proves nothing and is never logged (SEC-LOG-1).
    pub user: Box<str>,
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission")
            .field("room", &self.room)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// Takes path and query of a join apart and checks them.
///
/// # Errors
/// The close that answers a bad URL: 4406 before anything else (URL-2), then 4404 (URL-6).
pub fn admit(path: &str, query: Option<&str>) -> Result<Admission, Closing> {
    let query = Query::parse(query.unwrap_or_default())?;
    let room =
        path.strip_prefix("/r/").filter(|segment| !segment.contains('/')).ok_or_else(|| bad("path"))?;
    let room = decode(room).map_err(|Encoding| bad("percent-encoding in the room"))?;
    let room = name(&room, "room id")?;
    let game = name(&query.game, "game id")?;
    if query.user.len() > limit::USER_MAX {
        return Err(bad("user label too long"));
    }
    let user = std::str::from_utf8(&query.user).map_err(|_| bad("user label is not UTF-8"))?;
    let mode = match query.mode.as_deref() {
        None => Mode::Both,
        Some(b"state") => Mode::State,
        Some(b"peers") => Mode::Peers,
        Some(_) => return Err(bad("mode")),
    };
    Ok(Admission { room: RoomName::new(game, room), mode, user: user.into() })
}

fn bad(detail: &'static str) -> Closing {
    refusal(close::BAD_ROOM, detail)
}

fn refusal(close: Close, detail: &'static str) -> Closing {
    Closing::new(close, detail)
}

/// The parameters that mean something.
#[derive(Default)]
struct Query<'a> {
    game: Cow<'a, [u8]>,
    user: Cow<'a, [u8]>,
    mode: Option<Cow<'a, [u8]>>,
}

impl<'a> Query<'a> {
    /// URL-1, and those parts of URL-2 and URL-6 that concern the query as a whole.
    fn parse(query: &'a str) -> Result<Self, Closing> {
        let mut parsed = Self::default();
        let mut names: Vec<Cow<'a, [u8]>> = Vec::new();
        let mut versions: Vec<Result<Cow<'a, [u8]>, Encoding>> = Vec::new();
        let mut fault = None;
        for piece in query.split('&').filter(|piece| !piece.is_empty()) {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            let value = decode(value);
            let name = match decode(name) {
                Ok(name) if name.as_ref() == b"v" => {
                    versions.push(value);
                    continue;
                }
                Ok(name) => name,
                Err(Encoding) => {
                    fault.get_or_insert("percent-encoding in the query");
                    continue;
                }
            };
            match (name.as_ref(), value) {
                (_, Err(Encoding)) => drop(fault.get_or_insert("percent-encoding in the query")),
                (b"g", Ok(value)) => parsed.game = value,
                (b"u", Ok(value)) => parsed.user = value,
                (b"m", Ok(value)) => parsed.mode = Some(value),
                (_, Ok(_)) => {}
            }
            names.push(name);
        }
        let served: Vec<String> = VERSIONS.iter().map(u16::to_string).collect();
        match versions.as_slice() {
            [Ok(version)] if served.iter().any(|served| served.as_bytes() == version.as_ref()) => {}
            _ => return Err(Closing::new(close::VERSION, served.join(", "))),
        }
        if let Some(fault) = fault {
            return Err(bad(fault));
        }
        names.sort_unstable();
        if names.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err(bad("repeated parameter"));
        }
        Ok(parsed)
    }
}

/// A percent sign that is not followed by two hexadecimal digits.
struct Encoding;

/// Percent-decodes once. `+` stays `+` (URL-1).
fn decode(text: &str) -> Result<Cow<'_, [u8]>, Encoding> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => match (bytes.next().and_then(digit), bytes.next().and_then(digit)) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err(Encoding),
            },
            byte => byte,
        });
    }
    Ok(Cow::Owned(decoded))
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// A room id or game id (URL-3).
fn name<'a>(bytes: &'a [u8], what: &'static str) -> Result<&'a str, Closing> {
    let fits = (1..=limit::NAME_MAX).contains(&bytes.len())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.~:-".contains(byte))
        && bytes != b"."
        && bytes != b"..";
    fits.then(|| std::str::from_utf8(bytes).ok()).flatten().ok_or_else(|| bad(what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit_url(url: &str) -> Result<Admission, Closing> {
        match url.split_once('?') {
            Some((path, query)) => admit(path, Some(query)),
            None => admit(url, None),
        }
    }

    #[test]
    fn good_urls() {
        let long = "x".repeat(limit::NAME_MAX);
        let user = "%C3%A9".repeat(limit::USER_MAX / 2);
        for (url, game, room, mode, user) in [
            ("/r/table-7?u=u1&g=g1&v=1", "g1", "table-7", Mode::Both, "u1"),
            ("/r/a?v=1&g=g", "g", "a", Mode::Both, ""),
            ("/r/a?v=1&g=g&u=", "g", "a", Mode::Both, ""),
            ("/r/a?v=1&g=g&m=state", "g", "a", Mode::State, ""),
            ("/r/a?m=peers&v=1&g=g", "g", "a", Mode::Peers, ""),
            ("/r/A.b~c:d_e-9?v=1&g=G", "G", "A.b~c:d_e-9", Mode::Both, ""),
            ("/r/%61%2Eb?v=%31&g=%67", "g", "a.b", Mode::Both, ""),
            ("/r/...?v=1&g=...", "...", "...", Mode::Both, ""),
            ("/r/a?&&v=1&&g=g&", "g", "a", Mode::Both, ""),
            ("/r/a?v=1&g=g&new=1&other", "g", "a", Mode::Both, ""),
            ("/r/a?v=1&g=g&V=2&G=", "g", "a", Mode::Both, ""),
            ("/r/a?%76=1&g=g&u=a+b%20c%3D%26=", "g", "a", Mode::Both, "a+b c=&="),
            (
                &format!("/r/{long}?v=1&g={long}&u={user}"),
                &long,
                &long,
                Mode::Both,
                &"é".repeat(limit::USER_MAX / 2),
            ),
        ] {
            let admission = admit_url(url).unwrap_or_else(|closing| panic!("{url}: {}", closing.reason()));
            assert_eq!(admission.room, RoomName::new(game, room), "{url}");
            assert_eq!((admission.mode, &*admission.user), (mode, user), "{url}");
        }
    }

    #[test]
    fn the_version_is_tested_before_anything_else() {
        for url in [
            "/r/a?g=g",
            "/r/a",
            "/r/a?g=g&v",
            "/r/a?g=g&v=",
            "/r/a?g=g&v=0",
            "/r/a?g=g&v=2",
            "/r/a?g=g&v=01",
            "/r/a?g=g&v=1%",
            "/r/a?g=g&v=1&v=1",
            "/r/a?g=g&v=1&%76=1",
            "/r/a?g=g&V=1",
            "/nowhere?v=3",
            "/r/a%zz?g=%zz&g=&m=x",
        ] {
            let closing = admit_url(url).expect_err(url);
            assert_eq!(closing.close, close::VERSION, "{url}");
            assert_eq!(closing.reason(), "version: 1");
        }
    }

    #[test]
    fn bad_rooms() {
        let long = "x".repeat(limit::NAME_MAX + 1);
        for url in [
            "/r/?v=1&g=g",
            "/r?v=1&g=g",
            "/?v=1&g=g",
            "//r/a?v=1&g=g",
            "/r/a/?v=1&g=g",
            "/r/a/b?v=1&g=g",
            "/r/a%2Fb?v=1&g=g",
            "/R/a?v=1&g=g",
            "/r/.?v=1&g=g",
            "/r/%2E%2e?v=1&g=g",
            "/r/a%20b?v=1&g=g",
            "/r/%2561?v=1&g=g",
            "/r/a%?v=1&g=g",
            "/r/a%6?v=1&g=g",
            "/r/%C3%A9?v=1&g=g",
            "/r/a?v=1",
            "/r/a?v=1&g=",
            "/r/a?v=1&g=..",
            "/r/a?v=1&g=a+b",
            "/r/a?v=1&g=g&g=g",
            "/r/a?v=1&g=g&x=1&x=2",
            "/r/a?v=1&g=g&x&%78",
            "/r/a?v=1&g=g&u=%FF",
            "/r/a?v=1&g=g&u=%+1",
            "/r/a?v=1&g=g&x=%G0",
            "/r/a?v=1&g=g&%=1",
            "/r/a?v=1&g=g&m=",
            "/r/a?v=1&g=g&m=both",
            "/r/a?v=1&g=g&m=State",
            "/r/a?u=x&g=y?u=1&g=2&v=1",
            &format!("/r/{long}?v=1&g=g"),
            &format!("/r/a?v=1&g={long}"),
            &format!("/r/a?v=1&g=g&u={}", "x".repeat(limit::USER_MAX + 1)),
        ] {
            assert_eq!(admit_url(url).expect_err(url).close, close::BAD_ROOM, "{url}");
        }
    }
}
