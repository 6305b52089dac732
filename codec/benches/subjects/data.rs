//! The values that every codec gets, the same ones: where they lie matters to a long copy.

use std::sync::OnceLock;

/// A committed write; a STATE_SET leaves out `rev`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Update<'a> {
    pub(crate) rev: u32,
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
}

/// A Godot packet from a peer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Packet<'a> {
    pub(crate) peer: i32,
    pub(crate) payload: &'a [u8],
}

pub(crate) const FRAMES: usize = 256;
pub(crate) const ENTRIES: usize = 1_000;
pub(crate) const WORLDS: usize = 8;
const VALUE: usize = 64;
/// A longer one would show nothing but the speed of a copy.
const WORLD: usize = 4 * 1024;
/// Bytes that any case's longest frame fits into, in every encoding.
pub(crate) const LONGEST: usize = 128 * 1024;

/// Keys of 8 bytes and values of 64.
fn updates_of(count: usize) -> Vec<Update<'static>> {
    (0..count)
        .map(|i| Update {
            rev: 1_000_000 + i as u32,
            key: format!("key{i:05}").leak().as_bytes(),
            value: vec![i as u8; VALUE].leak(),
        })
        .collect()
}

pub(crate) fn updates() -> Vec<Update<'static>> {
    updates_of(FRAMES)
}

pub(crate) fn entries() -> Vec<Update<'static>> {
    updates_of(ENTRIES)
}

pub(crate) fn worlds() -> Vec<&'static [u8]> {
    static WORLD_BLOBS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let blobs = WORLD_BLOBS.get_or_init(|| (0..WORLDS).map(|i| vec![i as u8; WORLD]).collect());
    blobs.iter().map(Vec::as_slice).collect()
}

/// Packets of 64 bytes from peers that a member can be.
pub(crate) fn packets() -> Vec<Packet<'static>> {
    (0..FRAMES)
        .map(|i| Packet { peer: 0x100 * (1 + i as i32), payload: vec![i as u8; VALUE].leak() })
        .collect()
}
