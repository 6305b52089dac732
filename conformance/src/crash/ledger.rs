//! What was sent and what was told in one room, over all rounds, and the rules that both must keep.

use std::collections::{BTreeMap, HashMap};

/// A broken rule.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The clause.
    pub rule: &'static str,
    /// What was seen.
    pub text: String,
}

/// A room's history as its members know it.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The room id.
    pub(super) room: String,
    /// Every write that anyone was told of: revision to key and value.
    told: BTreeMap<u32, (String, Vec<u8>)>,
    /// The newest told revision of each key.
    newest: HashMap<String, u32>,
    /// The newest save that was acknowledged, by its number.
    acked_save: u64,
    /// The newest save that was sent.
    sent_save: u64,
    /// The last revision seen anywhere.
    top: u32,
    faults: Vec<Fault>,
}

impl Ledger {
    pub(super) fn new(room: String) -> Self {
        Self {
            room,
            told: BTreeMap::new(),
            newest: HashMap::new(),
            acked_save: 0,
            sent_save: 0,
            top: 0,
            faults: Vec::new(),
        }
    }

    /// A member got this write, live or in join data.
    pub(super) fn told(&mut self, rev: u32, key: &str, value: &[u8]) {
        match self.told.get(&rev) {
            Some((known, bytes)) if known == key && bytes == value => {}
            Some((known, _)) => {
                let text = format!("{}: revision {rev} was told for {known} and again for {key}", self.room);
                self.fault("ROOM-REV-3", text);
            }
            None => {
                self.told.insert(rev, (key.to_owned(), value.to_vec()));
                let newest = self.newest.entry(key.to_owned()).or_default();
                *newest = rev.max(*newest);
            }
        }
        self.top = self.top.max(rev);
    }

    /// The author got an ack for its save of this number.
    pub(super) fn save_acked(&mut self, number: u64) {
        self.acked_save = self.acked_save.max(number);
    }

    /// A save of this number was sent.
    pub(super) fn save_sent(&mut self, number: u64) {
        self.sent_save = self.sent_save.max(number);
    }

    /// The number of the next save.
    pub(super) fn next_save(&self) -> u64 {
        self.sent_save + 1
    }

    /// Compares the room after a restart with what was told. Returns how many writes nobody had been told of.
    pub(super) fn inspect(
        &mut self,
        entries: &[(u32, String, Vec<u8>)],
        world: Option<u64>,
        mut was_sent: impl FnMut(&str, &[u8]) -> bool,
    ) -> u64 {
        let mut untold = 0;
        let mut seen: HashMap<&str, u32> = HashMap::new();
        for (rev, key, value) in entries {
            seen.insert(key, *rev);
            if !self.told.contains_key(rev) {
                untold += 1;
                if !was_sent(key, value) {
                    let text = format!("{}: revision {rev} of {key} holds what nobody wrote", self.room);
                    self.fault("DUR-2", text);
                }
            }
        }
        let lost: Vec<String> = self
            .newest
            .iter()
            .filter(|(key, rev)| seen.get(key.as_str()).is_none_or(|held| held < rev))
            .map(|(key, rev)| {
                format!(
                    "{}: {key} was told at revision {rev}, the room holds {:?}",
                    self.room,
                    seen.get(key.as_str())
                )
            })
            .collect();
        for text in lost {
            self.fault("DUR-2", text);
        }
        if world.unwrap_or(0) < self.acked_save {
            let text = format!("{}: save {} was acked, the room holds {world:?}", self.room, self.acked_save);
            self.fault("DUR-2", text);
        }
        if world.is_some_and(|number| number > self.sent_save) {
            let text = format!("{}: the room holds save {world:?}, which nobody sent", self.room);
            self.fault("DUR-2", text);
        }
        for (rev, key, value) in entries {
            self.told(*rev, key, value);
        }
        self.acked_save = self.acked_save.max(world.unwrap_or(0));
        untold
    }

    /// The last revision that anyone saw before a restart; a new write must be above it.
    pub(super) fn top(&self) -> u32 {
        self.top
    }

    pub(super) fn fault(&mut self, rule: &'static str, text: String) {
        self.faults.push(Fault { rule, text });
    }

    pub(super) fn into_faults(self) -> Vec<Fault> {
        self.faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(rev: u32, key: &str, value: &[u8]) -> (u32, String, Vec<u8>) {
        (rev, key.to_owned(), value.to_vec())
    }

    fn rules(ledger: Ledger) -> Vec<&'static str> {
        ledger.into_faults().into_iter().map(|fault| fault.rule).collect()
    }

    #[test]
    fn what_was_told_and_is_there_is_no_fault() {
        let mut ledger = Ledger::new("r".into());
        ledger.told(1, "a", b"x");
        ledger.told(2, "a", b"y");
        ledger.save_sent(1);
        assert_eq!(ledger.inspect(&[entry(2, "a", b"y"), entry(3, "b", b"z")], Some(1), |_, _| true), 1);
        assert_eq!(rules(ledger), Vec::<&str>::new());
    }

    #[test]
    fn a_lost_write_is_a_fault() {
        let mut ledger = Ledger::new("r".into());
        ledger.told(1, "a", b"x");
        ledger.told(2, "a", b"y");
        ledger.inspect(&[entry(1, "a", b"x")], None, |_, _| true);
        assert_eq!(rules(ledger), ["DUR-2"]);
    }

    #[test]
    fn a_revision_used_twice_is_a_fault() {
        let mut ledger = Ledger::new("r".into());
        ledger.told(1, "a", b"x");
        ledger.told(1, "b", b"x");
        assert_eq!(rules(ledger), ["ROOM-REV-3"]);
    }

    #[test]
    fn a_lost_or_invented_save_is_a_fault() {
        let mut ledger = Ledger::new("r".into());
        ledger.save_sent(2);
        ledger.save_acked(2);
        ledger.inspect(&[], Some(1), |_, _| true);
        ledger.inspect(&[], Some(3), |_, _| true);
        assert_eq!(rules(ledger), ["DUR-2", "DUR-2"]);
    }

    #[test]
    fn a_value_that_nobody_wrote_is_a_fault() {
        let mut ledger = Ledger::new("r".into());
        ledger.inspect(&[entry(1, "a", b"x")], None, |_, _| false);
        assert_eq!(rules(ledger), ["DUR-2"]);
    }
}
