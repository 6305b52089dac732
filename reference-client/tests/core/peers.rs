//! Peers and their packets.

use roomwire_client::core::ProtocolError;
use roomwire_client::{By, Event, PeerId};
use roomwire_codec::registry::rule;

use crate::bench::{Bench, PEER, address, peer};

fn peers(bench: &Bench) -> Vec<PeerId> {
    bench.session.peers().collect()
}

/// CLIENT-PEER-1, CLIENT-STRANGE-1, H42, Z55: the first message is the peer id, and is looked at in no other way; one that is none is
/// an error, and a relay that gives out an id that looks like a frame is at fault.
#[test]
fn the_first_message_is_the_peer_id() {
    for first in [
        b"\xF2\x34\x12\x00".as_slice(),
        b"\xF3\x34\x12\x00",
        b"\x01\0\0\0",
        b"\0\x02\0",
        b"\0\x02\0\0\0",
        b"\xF3",
        b"",
    ] {
        let mut bench = Bench::new();
        bench.session.join(address("r"), bench.now);
        bench.open();
        bench.message(first);
        let events = bench.events();
        let [Event::Opened, Event::Error(ProtocolError::Decode(_)), Event::Closed(closed)] =
            events.as_slice()
        else {
            panic!("{first:?}: {events:?}");
        };
        assert_eq!((closed.code, closed.by, closed.retry_in), (4400, By::Client, None));
        assert_eq!(bench.session.peer(), None);
    }
}

/// CLIENT-PEER-1: no later message is the peer id, not even one that could be.
#[test]
fn no_later_message_is_the_peer_id() {
    let mut bench = Bench::ready();
    bench.message(&1024_i32.to_le_bytes());
    assert_eq!(bench.events(), [Event::Godot { message: 1024_i32.to_le_bytes().to_vec().into() }]);
    assert_eq!(bench.session.peer(), Some(peer(PEER)));
}

/// CLIENT-PEER-1: peers come and go, each reported once.
#[test]
fn peers_come_and_go() {
    let mut bench = Bench::ready();
    bench.add_peer(0x100);
    bench.add_peer(0x300);
    bench.del_peer(0x100);
    let (a, b) = (peer(0x100), peer(0x300));
    assert_eq!(
        bench.events(),
        [Event::PeerAdded { peer: a }, Event::PeerAdded { peer: b }, Event::PeerRemoved { peer: a }]
    );
    assert_eq!(peers(&bench), [b]);
}

/// CLIENT-STRANGE-1: a peer that is known, or is this client, does not come, and one that is not known neither leaves nor speaks.
#[test]
fn strange_peers_are_ignored() {
    let mut bench = Bench::ready();
    bench.add_peer(0x100);
    bench.events();
    bench.add_peer(0x100);
    bench.add_peer(PEER);
    bench.del_peer(PEER);
    bench.del_peer(0x300);
    // Nobody who is present said this.
    bench.message(b"\x07\x03\x00\x03\x00\x00hello");
    assert_eq!(bench.events(), []);
    assert_eq!(peers(&bench), [peer(0x100)]);
    assert_eq!(bench.session.peer(), Some(peer(PEER)));
    bench.del_peer(0x100);
    bench.del_peer(0x100);
    assert_eq!(bench.events(), [Event::PeerRemoved { peer: peer(0x100) }]);
}

/// CLIENT-STRANGE-1, CLIENT-READY-2: what is ignored does not end the wait for the join data either.
#[test]
fn strange_frames_do_not_mean_ready() {
    let mut bench = Bench::new();
    bench.session.join(address("r"), bench.now);
    bench.enter();
    bench.add_peer(0x100);
    bench.snapshot(&[]);
    bench.events();
    bench.add_peer(0x100);
    bench.add_peer(PEER);
    bench.del_peer(0x300);
    bench.ack();
    assert_eq!(bench.events(), []);
    // A peer that comes behind the snapshot is live.
    bench.add_peer(0x300);
    assert_eq!(bench.events(), [Event::Ready, Event::PeerAdded { peer: peer(0x300) }]);
}

/// CLIENT-PEER-1: when the connection ends, all its peers are gone, and the next one starts without any.
#[test]
fn peers_end_with_the_connection() {
    let mut bench = Bench::ready();
    bench.add_peer(0x300);
    bench.add_peer(0x100);
    bench.events();
    bench.session.leave(bench.now);
    let events = bench.events();
    let [Event::PeerRemoved { peer: a }, Event::PeerRemoved { peer: b }, Event::Closed(_)] =
        events.as_slice()
    else {
        panic!("{events:?}");
    };
    assert_eq!((*a, *b), (peer(0x100), peer(0x300)));
    assert_eq!(peers(&bench), []);
    assert_eq!(bench.session.peer(), None);
    bench.session.reconnect(bench.now);
    bench.open_and_wait();
    assert_eq!(peers(&bench), []);
    bench.add_peer(0x100);
    assert_eq!(bench.events(), [Event::PeerAdded { peer: peer(0x100) }]);
}

#[test]
fn packets_name_their_sender() {
    let mut bench = Bench::ready();
    bench.add_peer(0x100);
    bench.message(b"\x07\x03\0\x01\0\0\xF4x");
    let packet = Event::Packet { from: peer(0x100), payload: b"\xF4x".as_slice().into() };
    assert_eq!(bench.events().pop(), Some(packet));
}

/// OP-SPACE-5: other Godot traffic is left to Godot.
#[test]
fn godot_traffic_is_handed_on() {
    let mut bench = Bench::ready();
    bench.message(b"\x20\x01");
    assert_eq!(bench.events(), [Event::Godot { message: b"\x20\x01".as_slice().into() }]);
}

/// PEER-ID-2: a forged source is refused.
#[test]
fn a_packet_from_nobody_is_refused() {
    let mut bench = Bench::ready();
    bench.message(b"\x07\x03\x01\0\0\0x");
    let events = bench.events();
    let [Event::Error(ProtocolError::Decode(error)), Event::Closed(_)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(error.rule, rule::PEER_RELAY_2);
}
