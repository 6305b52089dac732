//! Which room of which relay, and the URL of it (spec 05-joining, "The URL").

use std::fmt::{self, Write as _};

use roomwire_codec::registry::{VERSIONS, limit};

use super::relay_url::RelayUrl;

/// Which halves of the protocol a member takes part in (spec 04-peers, the URL parameter `m`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Values, worlds and peers: what a client gets that knows nothing of modes.
    #[default]
    Both,
    /// Values and worlds only. The others do not see this member as a peer.
    State,
    /// Peers only. Nothing can be written.
    Peers,
}

impl Mode {
    /// The value of `m`; `None` where the parameter is left out.
    #[must_use]
    pub const fn parameter(self) -> Option<&'static str> {
        match self {
            Self::Both => None,
            Self::State => Some("state"),
            Self::Peers => Some("peers"),
        }
    }

    /// Whether such a member gets and writes values and worlds.
    #[must_use]
    pub const fn has_state(self) -> bool {
        matches!(self, Self::Both | Self::State)
    }

    /// Whether such a member is a peer of the others.
    #[must_use]
    pub const fn has_peers(self) -> bool {
        matches!(self, Self::Both | Self::Peers)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.parameter().unwrap_or("both"))
    }
}

/// The version of the wire that a connection speaks, the URL parameter `v`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Version {
    /// The wire of the `ZivaState` client.
    #[default]
    V1,
}

impl Version {
    /// The value of `v`.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::V1 => {
                const V1: u16 = match VERSIONS {
                    [first, ..] => *first,
                    [] => 0,
                };
                V1
            }
        }
    }
}

/// A room of a relay, and as whom to join it. Whatever can be wrong with it was checked when it was made, so connecting fails
/// only for reasons that lie outside.
///
/// ```
/// use roomwire_client::{Address, Mode};
///
/// let address = Address::new("wss://relay.example/", "chess", "table-7")?.with_user("Zoë")?.with_mode(Mode::State);
/// assert_eq!(address.url(), "wss://relay.example/r/table-7?g=chess&u=Zo%C3%AB&v=1&m=state");
///
/// let error = Address::new("ws://127.0.0.1:8080", "chess", "table 7").unwrap_err();
/// assert_eq!(error.to_string(), "the room \"table 7\" has ' ' in it; allowed are A-Z a-z 0-9 _ . ~ : -");
/// # Ok::<(), roomwire_client::AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    relay: RelayUrl,
    game: String,
    room: String,
    user: String,
    mode: Mode,
    version: Version,
}

impl Address {
    /// The room `room` of the game `game` on the relay at `relay`, `ws://host[:port]` or `wss://host[:port]`, with a path where
    /// the relay is not at the root of its host.
    ///
    /// # Errors
    ///
    /// An [`AddressError`] that says which part is at fault (CLIENT-URL-2).
    pub fn new(relay: &str, game: &str, room: &str) -> Result<Self, AddressError> {
        let relay =
            RelayUrl::parse(relay).map_err(|problem| AddressError::Relay { given: relay.into(), problem })?;
        check_name(Part::Game, game)?;
        check_name(Part::Room, room)?;
        Ok(Self {
            relay,
            game: game.into(),
            room: room.into(),
            user: String::new(),
            mode: Mode::default(),
            version: Version::default(),
        })
    }

    /// The same with a user label, which may be empty. It is for the operator's accounts and proves nothing.
    ///
    /// # Errors
    ///
    /// A label of more than [`limit::USER_MAX`] bytes (URL-4).
    pub fn with_user(mut self, user: &str) -> Result<Self, AddressError> {
        if user.len() > limit::USER_MAX {
            return Err(AddressError::User { len: user.len() });
        }
        self.user = user.into();
        Ok(self)
    }

    /// The same in another mode.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// The URL to open the WebSocket at. Room, game and user are percent-encoded, and the relay's trailing slashes are not
    /// doubled (CLIENT-URL-1).
    #[must_use]
    pub fn url(&self) -> String {
        let Self { relay, game, room, user, mode, version } = self;
        let mut url = format!("{relay}/r/{}?g={}", Escaped(room), Escaped(game));
        // Writing to a string cannot fail.
        if !user.is_empty() {
            let _ = write!(url, "&u={}", Escaped(user));
        }
        let _ = write!(url, "&v={}", version.number());
        if let Some(mode) = mode.parameter() {
            let _ = write!(url, "&m={mode}");
        }
        url
    }

    /// What names the room: two addresses with the same place lead to the same values.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { relay: self.relay.clone(), game: self.game.clone(), room: self.room.clone() }
    }

    /// The relay's address.
    #[must_use]
    pub fn relay(&self) -> &RelayUrl {
        &self.relay
    }

    /// The game id.
    #[must_use]
    pub fn game(&self) -> &str {
        &self.game
    }

    /// The room id.
    #[must_use]
    pub fn room(&self) -> &str {
        &self.room
    }

    /// The user label, which may be empty.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }
}

/// A room as the world sees it: relay, game and room. What a client holds is bound to one (CLIENT-CACHE-1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    relay: RelayUrl,
    game: String,
    room: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "room {} of {} at {}", self.room, self.game, self.relay)
    }
}

/// The part of an address that a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The game id, `g`.
    Game,
    /// The room id.
    Room,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Game => "game",
            Self::Room => "room",
        })
    }
}

/// Why something is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The relay's address.
    #[error("the relay's address {given:?} {problem}")]
    Relay {
        /// What was given.
        given: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A game or room id that is empty or too long (URL-3).
    #[error("the {part} has {len} bytes, but must have 1 to {}", limit::NAME_MAX)]
    NameLength {
        /// Which.
        part: Part,
        /// Its length in bytes.
        len: usize,
    },
    /// A game or room id with a character that is not allowed (URL-3).
    #[error("the {part} {given:?} has {found:?} in it; allowed are A-Z a-z 0-9 _ . ~ : -")]
    NameCharacter {
        /// Which.
        part: Part,
        /// What was given.
        given: String,
        /// The first character that is not allowed.
        found: char,
    },
    /// A game or room id that is `.` or `..`, which URL libraries remove (URL-3).
    #[error("the {part} must be neither \".\" nor \"..\"")]
    NameDots {
        /// Which.
        part: Part,
    },
    /// A user label that is too long (URL-4).
    #[error("the user label has {len} bytes, but must have at most {}", limit::USER_MAX)]
    User {
        /// Its length in bytes.
        len: usize,
    },
}

fn check_name(part: Part, name: &str) -> Result<(), AddressError> {
    if name.is_empty() || name.len() > limit::NAME_MAX {
        return Err(AddressError::NameLength { part, len: name.len() });
    }
    if let Some(found) = name.chars().find(|&c| !is_of_names(c)) {
        return Err(AddressError::NameCharacter { part, given: name.into(), found });
    }
    if matches!(name, "." | "..") { Err(AddressError::NameDots { part }) } else { Ok(()) }
}

/// The characters of names (URL-3).
fn is_of_names(c: char) -> bool {
    is_unreserved(c) || c == ':'
}

/// The characters that stand for themselves wherever they are in a URL (RFC 3986, 2.3).
fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~')
}

/// Text with every byte percent-encoded but those of [`is_unreserved`] (CLIENT-URL-1).
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            if is_unreserved(char::from(byte)) {
                f.write_char(char::from(byte))?
            } else {
                write!(f, "%{byte:02X}")?
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(relay: &str, game: &str, room: &str, user: &str) -> String {
        Address::new(relay, game, room).unwrap().with_user(user).unwrap().url()
    }

    /// CLIENT-URL-1: what could add parameters, end the query or mean something else is escaped.
    #[test]
    fn the_user_label_is_escaped() {
        for (user, escaped) in [
            ("ann", "ann"),
            ("a b", "a%20b"),
            ("a+b", "a%2Bb"),
            ("x&g=other", "x%26g%3Dother"),
            ("a#b", "a%23b"),
            ("100%", "100%25"),
            ("a/../b?", "a%2F..%2Fb%3F"),
            ("a:b@c", "a%3Ab%40c"),
            ("A-Z.a_z~09", "A-Z.a_z~09"),
            ("é", "%C3%A9"),
            ("\u{1F600}", "%F0%9F%98%80"),
            ("\0\n", "%00%0A"),
        ] {
            assert_eq!(url("ws://h:1", "g", "r", user), format!("ws://h:1/r/r?g=g&u={escaped}&v=1"));
        }
    }

    /// CLIENT-URL-1: no doubled slash, whatever the relay's address ends in.
    #[test]
    fn slashes_are_not_doubled() {
        for (relay, expected) in [
            ("ws://h:1", "ws://h:1/r/r?g=g&v=1"),
            ("ws://h:1/", "ws://h:1/r/r?g=g&v=1"),
            ("ws://h:1//", "ws://h:1/r/r?g=g&v=1"),
            ("wss://h/relay", "wss://h/relay/r/r?g=g&v=1"),
            ("wss://h/relay/", "wss://h/relay/r/r?g=g&v=1"),
        ] {
            assert_eq!(url(relay, "g", "r", ""), expected, "{relay}");
        }
    }

    /// CLIENT-URL-2: the error says which part is at fault.
    #[test]
    fn names_are_checked() {
        let long = "x".repeat(limit::NAME_MAX + 1);
        for bad in ["", "a b", "a/b", "a?u=x&g=y", "a#b", "..", ".", "é", "a%20b", "a+b", long.as_str()] {
            let room = Address::new("ws://h", "g", bad).unwrap_err();
            assert!(room.to_string().starts_with("the room "), "{room}");
            let game = Address::new("ws://h", bad, "r").unwrap_err();
            assert!(game.to_string().starts_with("the game "), "{game}");
        }
        let longest = "x".repeat(limit::NAME_MAX);
        for good in ["a", "A-Z_a~z.0:9", "...", ".a", longest.as_str()] {
            assert!(Address::new("ws://h", good, good).is_ok(), "{good}");
        }
    }

    /// CLIENT-URL-1: all but the unreserved characters is escaped, a colon in a name, too.
    #[test]
    fn names_are_escaped() {
        assert_eq!(url("ws://h", "A-Z_a", "z.0~9", ""), "ws://h/r/z.0~9?g=A-Z_a&v=1");
        assert_eq!(url("ws://h", "chess:2", "table:7", ""), "ws://h/r/table%3A7?g=chess%3A2&v=1");
    }

    /// CLIENT-URL-1: the rest of the URL cannot be appended to a query.
    #[test]
    fn a_query_is_refused() {
        for relay in ["ws://h?", "ws://h/?key=1", "ws://h/relay?v=1"] {
            let error = Address::new(relay, "g", "r").unwrap_err();
            let expected = format!("the relay's address {relay:?} must have no query and no fragment");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn the_user_label_has_a_limit_in_bytes() {
        let address = Address::new("ws://h", "g", "r").unwrap();
        assert!(address.clone().with_user(&"é".repeat(limit::USER_MAX / 2)).is_ok());
        assert_eq!(
            address.with_user(&"é".repeat(limit::USER_MAX / 2 + 1)),
            Err(AddressError::User { len: limit::USER_MAX + 2 })
        );
    }

    /// CLIENT-CACHE-1: the place is relay, game and room, however the relay's address is written; user and mode do not count.
    #[test]
    fn the_place_is_relay_game_and_room() {
        let place = |relay, game, room| Address::new(relay, game, room).unwrap().place();
        let here = place("ws://Relay.Example", "g", "r");
        assert_eq!(here, place("WS://relay.example:80/", "g", "r"));
        let same = Address::new("ws://relay.example", "g", "r")
            .unwrap()
            .with_mode(Mode::State)
            .with_user("x")
            .unwrap();
        assert_eq!(here, same.place());
        for other in [
            place("wss://relay.example", "g", "r"),
            place("ws://relay.example:81", "g", "r"),
            place("ws://relay.example/p", "g", "r"),
            place("ws://relay.example", "G", "r"),
            place("ws://relay.example", "g", "R"),
        ] {
            assert_ne!(here, other);
        }
    }
}
