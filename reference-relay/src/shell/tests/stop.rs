//! The end of a relay that is told to end (DUR-9).

use std::net::TcpStream;

use roomwire_codec::registry::close;

use super::*;
use crate::store::testing::HeldStore;

#[test]
fn everyone_is_told_and_the_port_is_free() {
    let relay = TestRelay::in_memory();
    let address = relay.address;
    let mut members: Vec<_> = ["a", "a", "b"].map(|room| relay.join(room)).into_iter().collect();
    let _half = TcpStream::connect(address).expect("a connection that asks nothing");
    relay.handle.shutdown();
    for member in &mut members {
        let (_, code, reason) = member.read_to_close();
        assert_eq!((code, reason), (close::RESTART.code, "restart: the relay goes down".to_owned()));
    }
    relay.ended().expect("an end in order");
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn what_was_accepted_is_committed_and_told_first() {
    let store = HeldStore::new(MemoryStore::new());
    let relay = TestRelay::start(store.clone());
    let (mut writer, mut other) = (relay.join_as("r", "&m=state"), relay.join_as("r", "&m=state"));
    store.hold();
    writer.send(b"\xF4\x01\x00k1");
    assert!(store.wait_for(1, PATIENCE));
    writer.send(b"\xF1w");
    writer.send(b"\xF4\x01\x00k2");
    // What was accepted is what the relay has read: the pong comes after it.
    writer.send_bytes(&super::client::frame(super::client::PING, b""));
    assert_eq!(writer.read_frame().map(|(first, _)| first), Some(super::client::PONG));
    relay.handle.shutdown();
    store.release_all();
    let (messages, code, _) = writer.read_to_close();
    assert_eq!(messages.iter().map(|message| message[0]).collect::<Vec<_>>(), [0xF5, 0xF3, 0xF5]);
    assert_eq!(code, close::RESTART.code);
    let (messages, code, _) = other.read_to_close();
    assert_eq!((messages.len(), code), (3, close::RESTART.code));
    relay.ended().expect("an end in order");
}

#[test]
fn a_relay_without_anyone_ends_too() {
    TestRelay::in_memory().stop().expect("an end in order");
}
