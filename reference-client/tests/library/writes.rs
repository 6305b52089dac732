//! Writing.

use roomwire_client::{Event, Target, WriteError, connect};
use roomwire_codec::registry::limit;

use crate::fake::{Fake, quick, until, until_closed, until_ready};

/// CLIENT-WRITE-1, H94: a write answers at once; before ready it is an error, and nothing of it is sent later.
#[tokio::test]
async fn writes_answer_at_once() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    assert_eq!(client.set("a", "early"), Err(WriteError::NotConnected));
    let mut member = fake.admit().await;
    until(&mut events, |event| matches!(event, Event::Joined { .. })).await;
    assert!(matches!(client.set("a", "early"), Err(WriteError::NotReady) | Ok(())));
    until_ready(&mut events).await;
    assert!(matches!(client.set("", "x"), Err(WriteError::Key(_))));
    assert!(matches!(client.save(vec![0; limit::ROOM_BYTES + 1]), Err(WriteError::TooLarge { .. })));
    client.set("b", "1").unwrap();
    let save = client.save("world").unwrap();
    client.send_packet(Target::All, [1]).unwrap();
    let mut message = member.recv().await;
    if message == b"\xF4\x01\0aearly" {
        message = member.recv().await;
    }
    assert_eq!(message, b"\xF4\x01\0b1");
    assert_eq!(member.recv().await, b"\xF1world");
    assert_eq!(member.recv().await, b"\x07\x03\0\0\0\0\x01");
    member.send(b"\xF3").await;
    until(&mut events, |event| matches!(event, Event::WorldSaved { .. })).await;
    assert_eq!(save.get(), 1);
}

/// H94: a relay that does not read makes writes fail, not pile up; and the client can still be dropped.
#[tokio::test]
async fn a_relay_that_does_not_read() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let _member = fake.admit().await;
    until_ready(&mut events).await;
    let world = vec![0; limit::ROOM_BYTES];
    let refused = loop {
        if let Err(error) = client.save(&world) {
            break error;
        }
        tokio::task::yield_now().await;
    };
    assert!(matches!(refused, WriteError::Backlog { unsent } if unsent > limit::MAX_INBOUND_MESSAGE));
    drop(client);
    assert_eq!(until_closed(&mut events).await.code, 1000);
    assert_eq!(events.recv().await, None);
}

/// What was written before the client leaves is sent before the close frame.
#[tokio::test]
async fn leaving_sends_what_waits() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let mut member = fake.admit().await;
    until_ready(&mut events).await;
    client.save(vec![7; limit::ROOM_BYTES]).unwrap();
    client.set("last", "word").unwrap();
    let relay = async {
        assert_eq!(member.recv().await.len(), limit::ROOM_BYTES + 1);
        assert_eq!(member.recv().await, b"\xF4\x04\0lastword");
        assert_eq!(member.closed().await, (1000, String::new()));
        assert!(futures_util::StreamExt::next(&mut member.socket).await.is_none());
    };
    tokio::join!(client.close(), relay);
    let closed = until_closed(&mut events).await;
    assert_eq!(closed.unanswered_saves.len(), 1);
    assert!(client.traffic().sent > 1 << 20);
}

/// CLIENT-WRITE-2: over a reconnect nothing is sent again.
#[tokio::test]
async fn nothing_is_sent_again() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let mut member = fake.admit().await;
    until_ready(&mut events).await;
    client.set("a", "1").unwrap();
    member.recv().await;
    member.close(1012, "restart").await;
    let closed = until_closed(&mut events).await;
    assert!(closed.retry_in.is_some());
    let mut member = fake.admit().await;
    until_ready(&mut events).await;
    client.set("b", "2").unwrap();
    assert_eq!(member.recv().await, b"\xF4\x01\0b2");
}

/// Handles can be used from any thread.
#[tokio::test]
async fn many_writers() {
    let fake = Fake::new().await;
    let (client, _events) = connect(quick(fake.address())).unwrap();
    let mut member = fake.admit().await;
    assert!(client.ready().await);
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let client = client.clone();
            std::thread::spawn(move || {
                for n in 0..100 {
                    client.set(&format!("{writer}.{n}"), "").unwrap();
                }
            })
        })
        .collect();
    let mut keys = std::collections::BTreeSet::new();
    while keys.len() < 800 {
        keys.insert(member.recv().await);
    }
    writers.into_iter().for_each(|writer| writer.join().unwrap());
}
