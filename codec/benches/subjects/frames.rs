//! The frames as derives see them, borrowing from the message. Keys are any bytes, not checked to be text.

use bincode::{BorrowDecode, Encode};
use serde::{Deserialize, Serialize};

use super::data;

#[derive(BorrowDecode, Deserialize, Encode, Serialize)]
pub(super) struct Update<'a> {
    rev: u32,
    #[serde(with = "serde_bytes")]
    key: &'a [u8],
    #[serde(with = "serde_bytes")]
    value: &'a [u8],
}

#[derive(BorrowDecode, Deserialize, Encode, Serialize)]
pub(super) struct Set<'a> {
    #[serde(with = "serde_bytes")]
    key: &'a [u8],
    #[serde(with = "serde_bytes")]
    value: &'a [u8],
}

#[derive(BorrowDecode, Deserialize, Encode, Serialize)]
pub(super) struct Snapshot<'a> {
    #[serde(borrow)]
    entries: Vec<Update<'a>>,
}

#[derive(BorrowDecode, Deserialize, Encode, Serialize)]
pub(super) struct World<'a> {
    #[serde(with = "serde_bytes")]
    blob: &'a [u8],
}

#[derive(BorrowDecode, Deserialize, Encode, Serialize)]
pub(super) struct Packet<'a> {
    peer: i32,
    #[serde(with = "serde_bytes")]
    payload: &'a [u8],
}

impl From<data::Update<'static>> for Update<'static> {
    fn from(data::Update { rev, key, value }: data::Update<'static>) -> Self {
        Self { rev, key, value }
    }
}

pub(super) fn updates() -> Vec<Update<'static>> {
    data::updates().into_iter().map(Update::from).collect()
}

pub(super) fn sets() -> Vec<Set<'static>> {
    data::updates().into_iter().map(|data::Update { key, value, .. }| Set { key, value }).collect()
}

pub(super) fn snapshots() -> Vec<Snapshot<'static>> {
    vec![Snapshot { entries: data::entries().into_iter().map(Update::from).collect() }]
}

pub(super) fn worlds() -> Vec<World<'static>> {
    data::worlds().into_iter().map(|blob| World { blob }).collect()
}

pub(super) fn packets() -> Vec<Packet<'static>> {
    data::packets().into_iter().map(|data::Packet { peer, payload }| Packet { peer, payload }).collect()
}
