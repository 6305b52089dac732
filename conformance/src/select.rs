//! Which cases run.

use std::collections::BTreeSet;

use crate::result::Kind;

/// A filter: a case runs if it meets all that is set. An empty filter lets every case through.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Patterns for ids and names, in which `*` stands for anything, or groups. One of them is to match.
    pub patterns: Vec<String>,
    /// Which parts of the suite; empty for all.
    pub kinds: BTreeSet<Kind>,
    /// Ids of clauses, of which the case has to cite one.
    pub reqs: BTreeSet<String>,
}

impl Filter {
    /// Does it let a case through?
    pub fn admits(&self, id: &str, name: &str, kind: Kind, reqs: &[String]) -> bool {
        let named = self.patterns.is_empty() || self.patterns.iter().any(|pattern| names(pattern, id, name));
        let cited = self.reqs.is_empty() || reqs.iter().any(|req| self.reqs.contains(req));
        named && cited && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }
}

/// Does a pattern mean the case with this id and name?
pub fn names(pattern: &str, id: &str, name: &str) -> bool {
    let group = name.split('/').next().unwrap_or_default();
    glob(&pattern.to_uppercase(), id) || glob(pattern, name) || pattern == group
}

/// Does the whole text match? `*` stands for anything, also for nothing.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_an_id_a_name_or_a_group() {
        for pattern in ["s0001", "S00*", "join/empty-room", "join/*", "join"] {
            assert!(names(pattern, "S0001", "join/empty-room"), "{pattern}");
        }
        for pattern in ["S0002", "joi", "empty-room", ""] {
            assert!(!names(pattern, "S0001", "join/empty-room"), "{pattern}");
        }
    }

    #[test]
    fn globs() {
        for (pattern, text, want) in [
            ("join/*", "join/empty-room", true),
            ("*/empty-room", "join/empty-room", true),
            ("*empty*", "join/empty-room", true),
            ("join/empty-room", "join/empty-room", true),
            ("join", "join/empty-room", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*c", "a1b2c", true),
            ("a*c*b", "a1b2c", false),
        ] {
            assert_eq!(glob(pattern, text), want, "{pattern} {text}");
        }
    }

    #[test]
    fn all_that_is_set_has_to_match() {
        let filter = Filter {
            patterns: vec!["s0001".into(), "caps/*".into()],
            kinds: BTreeSet::from([Kind::Relay]),
            reqs: BTreeSet::from(["ROOM-CAP-1".to_owned()]),
        };
        let reqs = ["ROOM-CAP-1".to_owned()];
        assert!(filter.admits("S0001", "a/b", Kind::Relay, &reqs));
        assert!(filter.admits("S0002", "caps/b", Kind::Relay, &reqs));
        let tens = Filter { patterns: vec!["s001*".into()], ..Filter::default() };
        assert!(tens.admits("S0012", "a/b", Kind::Relay, &reqs));
        assert!(!tens.admits("S0021", "a/b", Kind::Relay, &reqs));
        assert!(!filter.admits("S0001", "a/b", Kind::Codec, &reqs));
        assert!(!filter.admits("S0001", "a/b", Kind::Relay, &[]));
        assert!(!filter.admits("S0003", "a/b", Kind::Relay, &reqs));
        assert!(Filter::default().admits("S0003", "a/b", Kind::Relay, &[]));
    }
}
