//! Godot's half of a room: peer ids and who gets a RELAY (spec 04-peers).

use std::collections::HashMap;

use rand_core::Rng;
use roomwire_codec::PeerId;

use super::member::MemberId;

/// Which peer ids are taken, and by whom. Members of every mode have one (PEER-ID-1).
#[derive(Debug, Default)]
pub(crate) struct Peers {
    members: HashMap<PeerId, MemberId>,
}

impl Peers {
    /// Picks an id that no member of the room has (PEER-ID-3), of those that a client cannot take for an opcode
    /// (PEER-ID-2): four in ten of all numbers qualify, so this ends after a few draws.
    pub(crate) fn assign(&mut self, member: MemberId, rng: &mut impl Rng) -> PeerId {
        loop {
            let drawn = rng.next_u32() & i32::MAX as u32;
            if let Some(peer) = PeerId::new(drawn as i32)
                && !self.members.contains_key(&peer)
            {
                self.members.insert(peer, member);
                return peer;
            }
        }
    }

    pub(crate) fn free(&mut self, peer: PeerId) {
        self.members.remove(&peer);
    }

    /// The member with the id `peer`, which may be any number.
    pub(crate) fn member(&self, peer: i32) -> Option<MemberId> {
        PeerId::new(peer).and_then(|peer| self.members.get(&peer)).copied()
    }
}

/// The target of a RELAY (PEER-RELAY-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The peer with that id.
    One(i32),
    /// Every peer.
    All,
    /// Every peer but the one with that id; none is left out where the id is beyond every peer id.
    AllBut(i32),
}

impl From<i32> for Target {
    fn from(target: i32) -> Self {
        match target {
            0 => Target::All,
            1.. => Target::One(target),
            // 2147483648 is no i32, and no peer has -1.
            _ => Target::AllBut(target.checked_neg().unwrap_or(-1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use roomwire_codec::registry::OPCODES;

    use super::*;

    #[test]
    fn a_hundred_thousand_ids_are_all_different_and_none_looks_like_an_opcode() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut peers = Peers::default();
        let mut seen = HashSet::new();
        for number in 0..100_000 {
            let peer = peers.assign(MemberId(number), &mut rng).get();
            assert!(peer >= 2 && seen.insert(peer));
            let first = peer.to_le_bytes()[0];
            assert!(OPCODES.iter().all(|row| row.code != first), "{first:02X}");
            assert!(first & 0x08 == 0 && first & 0x07 != 0x07, "{first:02X}");
            assert_eq!(peers.member(peer), Some(MemberId(number)));
        }
    }

    #[test]
    fn targets() {
        assert_eq!(Target::from(0), Target::All);
        assert_eq!(Target::from(5), Target::One(5));
        assert_eq!(Target::from(-5), Target::AllBut(5));
        assert_eq!(Target::from(i32::MAX), Target::One(i32::MAX));
        assert_eq!(Peers::default().member(-1), None);
        assert_eq!(Target::from(i32::MIN), Target::AllBut(-1));
    }
}
