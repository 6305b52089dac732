//! Which rooms are in memory: a room is there while somebody is in it or while it still has something to finish.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::store::RoomName;

/// The rooms in memory, each with the caller's handle `H` to it.
///
/// A name takes memory from the first [`enter`](Self::enter) until everyone has [left](Self::exit) and the room has
/// [settled](Self::settle); a name that nobody holds takes none (LIM-MEM-1).
#[derive(Debug)]
pub struct Directory<H> {
    rooms: HashMap<RoomName, Slot<H>>,
}

#[derive(Debug)]
struct Slot<H> {
    handle: H,
    /// Connections that entered and have not left, those included that wait for the room to be loaded.
    inside: usize,
}

/// What [`Directory::enter`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum Entered<H> {
    /// The room is in memory, or on its way there.
    Present(H),
    /// The room was not in memory. The caller is to load it.
    New(H),
}

impl<H> Default for Directory<H> {
    fn default() -> Self {
        Self { rooms: HashMap::new() }
    }
}

impl<H: Clone> Directory<H> {
    /// Enters a room. Each call is answered by one [`exit`](Self::exit).
    pub fn enter(&mut self, name: &RoomName, new: impl FnOnce() -> H) -> Entered<H> {
        if let Some(slot) = self.rooms.get_mut(name) {
            slot.inside += 1;
            return Entered::Present(slot.handle.clone());
        }
        let handle = new();
        self.rooms.insert(name.clone(), Slot { handle: handle.clone(), inside: 1 });
        Entered::New(handle)
    }

    /// Leaves a room. `idle` tells whether the room has nothing to finish: no write on its way to the store, no load.
    /// Returns the handle if that was the last reason to keep the room, which is then forgotten.
    pub fn exit(&mut self, name: &RoomName, idle: impl FnOnce(&H) -> bool) -> Option<H> {
        if let Some(slot) = self.rooms.get_mut(name) {
            slot.inside = slot.inside.saturating_sub(1);
        }
        self.settle(name, idle)
    }

    /// Forgets a room that nobody is in and that has nothing to finish, and returns its handle. To be called when a
    /// room that was not idle at the last exit becomes so.
    pub fn settle(&mut self, name: &RoomName, idle: impl FnOnce(&H) -> bool) -> Option<H> {
        let Entry::Occupied(slot) = self.rooms.entry(name.clone()) else { return None };
        if slot.get().inside > 0 || !idle(&slot.get().handle) {
            return None;
        }
        let handle = slot.remove().handle;
        if self.rooms.capacity() > 64 && self.rooms.len() < self.rooms.capacity() / 8 {
            self.rooms.shrink_to_fit();
        }
        Some(handle)
    }

    /// How many rooms are in memory.
    pub fn len(&self) -> usize {
        self.rooms.len()
    }

    /// Whether no room is in memory.
    pub fn is_empty(&self) -> bool {
        self.rooms.is_empty()
    }

    /// How many rooms fit in the memory that is held; for tests of what a flood of names leaves behind.
    pub fn capacity(&self) -> usize {
        self.rooms.capacity()
    }

    /// The rooms in memory, in no order.
    pub fn handles(&self) -> impl Iterator<Item = &H> {
        self.rooms.values().map(|slot| &slot.handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: u64) -> RoomName {
        RoomName::new("g", number.to_string())
    }

    #[test]
    fn a_room_stays_while_somebody_is_in_it() {
        let mut directory = Directory::default();
        assert_eq!(directory.enter(&name(1), || 'a'), Entered::New('a'));
        assert_eq!(directory.enter(&name(1), || 'b'), Entered::Present('a'));
        assert_eq!(directory.exit(&name(1), |_| true), None);
        assert_eq!(directory.exit(&name(1), |_| true), Some('a'));
        assert_eq!(directory.enter(&name(1), || 'c'), Entered::New('c'));
    }

    #[test]
    fn a_room_stays_while_it_has_something_to_finish() {
        let mut directory = Directory::default();
        directory.enter(&name(1), || 'a');
        assert_eq!(directory.exit(&name(1), |_| false), None);
        assert_eq!(directory.settle(&name(1), |_| false), None);
        assert_eq!(directory.enter(&name(1), || 'b'), Entered::Present('a'));
        assert_eq!(directory.settle(&name(1), |_| true), None, "somebody came back");
        assert_eq!(directory.exit(&name(1), |_| true), Some('a'));
        assert!(directory.is_empty());
    }

    #[test]
    fn unknown_names_are_no_trouble() {
        let mut directory = Directory::<char>::default();
        assert_eq!(directory.exit(&name(1), |_| true), None);
        assert_eq!(directory.settle(&name(1), |_| true), None);
    }

    #[test]
    fn a_million_hostile_names_leave_nothing_behind() {
        let mut directory = Directory::default();
        let mut most = 0;
        for number in 0..1_000_000 {
            directory.enter(&name(number), || number);
            if number >= 1_000 {
                assert_eq!(directory.exit(&name(number - 1_000), |_| true), Some(number - 1_000));
            }
            most = most.max(directory.len());
        }
        assert_eq!(most, 1_000);
        for number in 999_000..1_000_000 {
            directory.exit(&name(number), |_| true);
        }
        assert!(directory.is_empty() && directory.capacity() <= 64, "{}", directory.capacity());
    }
}
