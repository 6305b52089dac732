//! Which way a message travels.

use core::fmt;

/// Which way a message travels. A decoder has to be told: several first bytes mean different things either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From a member to the relay.
    ToRelay,
    /// From the relay to a member.
    ToClient,
}

impl Direction {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::ToRelay, Self::ToClient];

    /// `to-relay` or `to-client`, as in the registry and in vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToRelay => "to-relay",
            Self::ToClient => "to-client",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
