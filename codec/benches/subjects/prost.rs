//! Protocol Buffers: <https://docs.rs/prost>. Keys and values are `Bytes`, shared with the message and not copied; so a key is
//! any bytes, not checked to be text.

use std::hint::black_box;

use prost::Message;
use prost::bytes::Bytes;

use super::data;
use super::{Case, Run, decoding, encoding};

#[derive(Clone, PartialEq, Message)]
struct Update {
    #[prost(uint32, tag = "1")]
    rev: u32,
    #[prost(bytes = "bytes", tag = "2")]
    key: Bytes,
    #[prost(bytes = "bytes", tag = "3")]
    value: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct Set {
    #[prost(bytes = "bytes", tag = "1")]
    key: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    value: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct Snapshot {
    #[prost(message, repeated, tag = "1")]
    entries: Vec<Update>,
}

#[derive(Clone, PartialEq, Message)]
struct World {
    #[prost(bytes = "bytes", tag = "1")]
    blob: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct Packet {
    #[prost(sint32, tag = "1")]
    peer: i32,
    #[prost(bytes = "bytes", tag = "2")]
    payload: Bytes,
}

pub(super) fn run(case: Case) -> Option<Run> {
    Some(match case {
        Case::DecodeUpdate => decodes(updates()),
        Case::DecodeSet => decodes(sets()),
        Case::CheckSnapshot => return None,
        Case::DecodeSnapshot => decodes(snapshots()),
        Case::DecodeWorld => decodes(worlds()),
        Case::DecodeRelay => decodes(packets()),
        Case::EncodeUpdate => encodes(updates()),
        Case::EncodeSet => encodes(sets()),
        Case::EncodeSnapshot => encodes(snapshots()),
        Case::EncodeWorld => encodes(worlds()),
        Case::EncodeRelay => encodes(packets()),
    })
}

fn decodes<M: Message + Default>(messages: Vec<M>) -> Run {
    let wires = messages.iter().map(|message| Bytes::from(message.encode_to_vec())).collect();
    decoding(wires, |wire: &Bytes| {
        black_box(M::decode(wire.clone()).unwrap());
    })
}

fn encodes<M: Message + 'static>(messages: Vec<M>) -> Run {
    encoding(messages, |message, out| {
        let len = message.encoded_len();
        message.encode(&mut out.get_mut(..len)?).ok().map(|()| len)
    })
}

fn update(update: data::Update<'static>) -> Update {
    Update { rev: update.rev, key: Bytes::from_static(update.key), value: Bytes::from_static(update.value) }
}

fn updates() -> Vec<Update> {
    data::updates().into_iter().map(update).collect()
}

fn sets() -> Vec<Set> {
    updates().into_iter().map(|Update { key, value, .. }| Set { key, value }).collect()
}

fn snapshots() -> Vec<Snapshot> {
    vec![Snapshot { entries: data::entries().into_iter().map(update).collect() }]
}

fn worlds() -> Vec<World> {
    data::worlds().into_iter().map(|blob| World { blob: Bytes::from_static(blob) }).collect()
}

fn packets() -> Vec<Packet> {
    let packet = |packet: data::Packet<'static>| Packet {
        peer: packet.peer,
        payload: Bytes::from_static(packet.payload),
    };
    data::packets().into_iter().map(packet).collect()
}
