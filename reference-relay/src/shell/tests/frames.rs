//! Joins, broadcasts and framing, byte for byte.

use roomwire_codec::registry::limit;

use super::client::{self, BINARY, Client, PING, PONG};
use super::*;

#[test]
fn joins_and_writes_byte_for_byte() {
    let relay = TestRelay::in_memory();
    let mut a = relay.open("/r/table-7?u=u1&g=chess&v=1");
    let a_id = a.read_peer_id();
    a.send(b"\xF4\x04\x00turn\x02");
    assert_eq!(a.read(), b"\xF5\x01\x00\x00\x00\x04\x00turn\x02");
    a.send(b"\xF1\xCA\xFE");
    assert_eq!(a.read(), b"\xF3");
    let mut b = relay.open("/r/table-7?u=u2&g=chess&v=1");
    let b_id = b.read_peer_id();
    assert_eq!(b.read(), [&b"\x07\x01"[..], &a_id.to_le_bytes()].concat());
    assert_eq!(b.read(), b"\xF6\x01\x00\x00\x00\x01\x00\x00\x00\x04\x00turn\x01\x00\x00\x00\x02");
    assert_eq!(b.read(), b"\xF2\xCA\xFE");
    assert_eq!(a.read(), [&b"\x07\x01"[..], &b_id.to_le_bytes()].concat());
    b.send(b"\xF4\x00\x01".iter().copied().chain([b'k'; 256]).collect::<Vec<_>>().as_slice());
    let update = [&b"\xF5\x03\x00\x00\x00\x00\x01"[..], &[b'k'; 256]].concat();
    assert_eq!((a.read(), b.read()), (update.clone(), update));
    b.send(&[&b"\x07\x03"[..], &a_id.to_le_bytes(), b"hi"].concat());
    assert_eq!(a.read(), [&b"\x07\x03"[..], &b_id.to_le_bytes(), b"hi"].concat());
    b.close();
    assert_eq!(a.read(), [&b"\x07\x02"[..], &b_id.to_le_bytes()].concat());
}

#[test]
fn another_game_is_another_room() {
    let relay = TestRelay::in_memory();
    let mut a = relay.join("r");
    let mut b = relay.open("/r/r?g=other&v=1");
    b.read_peer_id();
    a.send(b"\xF4\x01\x00k1");
    b.send(b"\xF4\x01\x00k2");
    assert_eq!(
        (a.read(), b.read()),
        (b"\xF5\x01\x00\x00\x00\x01\x00k1".to_vec(), b"\xF5\x01\x00\x00\x00\x01\x00k2".to_vec())
    );
}

#[test]
fn every_length_comes_in_one_frame() {
    let relay = TestRelay::in_memory();
    let (mut writer, mut saver) = (relay.join_as("r", "&m=state"), relay.join_as("r", "&m=state"));
    for len in [0, 117, 118, 119, 65_526, 65_527, 65_528, limit::ROOM_BYTES - 11] {
        writer.send(&[&b"\xF4\x01\x00k"[..], &vec![7; len]].concat());
        for reader in [&mut writer, &mut saver] {
            let update = reader.read();
            assert_eq!((update.len(), &update[5..8]), (len + 8, &b"\x01\x00k"[..]));
        }
    }
    let mut late = relay.join_as("r", "&m=state");
    assert_eq!(late.read().len(), 5 + limit::ROOM_BYTES - 11 + 11);
}

#[test]
fn clients_may_fragment_and_ping_in_between() {
    let relay = TestRelay::in_memory();
    let mut client = relay.join_as("r", "&m=state");
    client.send_bytes(&client::frame(0x02, b"\xF4\x01"));
    client.send_bytes(&client::frame(PING, b"are you there"));
    assert_eq!(client.read_frame(), Some((PONG, b"are you there".to_vec())));
    client.send_bytes(&client::frame(0x00, b"\x00k"));
    client.send_bytes(&client::frame(0x00, b""));
    client.send_bytes(&client::frame(0x80, b"v"));
    assert_eq!(client.read(), b"\xF5\x01\x00\x00\x00\x01\x00kv");
}

#[test]
fn a_message_may_come_byte_by_byte_or_with_the_upgrade() {
    let relay = TestRelay::in_memory();
    let message = client::frame(BINARY, b"\xF4\x01\x00kv");
    let mut client = relay.join_as("r", "&m=state");
    message.iter().for_each(|byte| client.send_bytes(&[*byte]));
    assert_eq!(client.read(), b"\xF5\x01\x00\x00\x00\x01\x00kv");
    let request = client::upgrade("/r/r?g=g&v=1&m=state", "").into_bytes();
    let mut eager = Client::open_with(relay.address, &[request, message].concat());
    eager.read_peer_id();
    assert_eq!(eager.read()[..5], *b"\xF6\x01\x00\x00\x00");
    assert_eq!(eager.read(), b"\xF5\x02\x00\x00\x00\x01\x00kv");
}

#[test]
fn many_writers_give_everyone_the_same_order() {
    const WRITERS: usize = 8;
    const WRITES: u32 = 100;
    let relay = TestRelay::in_memory();
    let mut members: Vec<_> = (0..WRITERS).map(|_| relay.join_as("r", "&m=state")).collect();
    for write in 0..WRITES {
        for (writer, member) in members.iter_mut().enumerate() {
            member.send(&[&b"\xF4\x01\x00"[..], &[b'a' + writer as u8], &write.to_le_bytes()].concat());
        }
    }
    let logs: Vec<Vec<_>> = members
        .iter_mut()
        .map(|member| (0..WRITERS * WRITES as usize).map(|_| member.read()).collect())
        .collect();
    assert!(logs.iter().all(|log| *log == logs[0]));
    let revs: Vec<_> =
        logs[0].iter().map(|update| u32::from_le_bytes(update[1..5].try_into().expect("a rev"))).collect();
    assert_eq!(revs, (1..=WRITERS as u32 * WRITES).collect::<Vec<_>>());
}

#[test]
fn joins_under_a_writer_lose_nothing() {
    let relay = TestRelay::in_memory();
    let mut writer = relay.join_as("r", "&m=state");
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for number in 1..=2000u32 {
                writer.send(&[&b"\xF4\x01\x00k"[..], &number.to_le_bytes()].concat());
                assert_eq!(writer.read()[1..5], number.to_le_bytes());
            }
        });
        while !writing.is_finished() {
            let mut joiner = relay.join_as("r", "&m=state");
            let first = joiner.read();
            // A snapshot of the one key, or its first write; then every write after it.
            let mut rev = match first[0] {
                0xF6 => u32::from_le_bytes(first[5..9].try_into().expect("a rev")),
                _ => u32::from_le_bytes(first[1..5].try_into().expect("a rev")),
            };
            while rev < 2000 && !writing.is_finished() {
                let update = joiner.read();
                rev += 1;
                assert_eq!((update[0], &update[1..5]), (0xF5, &rev.to_le_bytes()[..]));
                if rev % 50 == 0 {
                    break;
                }
            }
        }
    });
}
