//! What the relay's end and its refusals do to a client.

use std::time::Duration;

use roomwire_client::{Address, Backoff, By, Client, Closed, Event, Events, Mode, Options, Stage, connect};

use crate::rooms::{change, join, until};
use crate::running::Running;

fn quick(relay: &Running) -> (Client, Events) {
    let mut options = Options::new(Address::new(&relay.url(), "game", "r").unwrap());
    options.config.reconnect =
        Some(Backoff { first: Duration::from_millis(50), limit: Duration::from_millis(200) });
    connect(options).unwrap()
}

fn closed(event: &Event) -> Option<Closed> {
    match event {
        Event::Closed(closed) => Some(closed.clone()),
        _ => None,
    }
}

/// CLIENT-RETRY-1, CLIENT-CACHE-2: a client lives through a restart of the relay with what it holds, and what others wrote
/// meanwhile comes as changes.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_restart_of_the_relay() {
    let data = tempfile::tempdir().unwrap();
    let relay = Running::durable("127.0.0.1:0".parse().unwrap(), data.path());
    let at = relay.at;
    let (client, mut events) = quick(&relay);
    assert!(client.ready().await);
    client.set("kept", "1").unwrap();
    client.set("changed", "1").unwrap();
    change(&mut events, "changed").await;
    drop(relay);
    let end = until(&mut events, closed).await;
    assert_eq!((end.code, end.by, end.stage), (1012, By::Relay, Stage::Ready));
    assert!(end.retry_in.is_some());
    assert!(client.has("kept"));
    let relay = Running::durable(at, data.path());
    let (other, mut other_events) = join(&relay, "r", Mode::State).await;
    other.set("changed", "2").unwrap();
    change(&mut other_events, "changed").await;
    let mut changes = Vec::new();
    let mut ready = false;
    until(&mut events, |event| {
        match event {
            Event::StateChanged { key, rev, .. } => changes.push((key.to_string(), *rev)),
            Event::Ready => ready = true,
            _ => {}
        }
        (ready && !changes.is_empty()).then_some(())
    })
    .await;
    assert_eq!(changes, [("changed".into(), 3)]);
    assert_eq!(client.get("kept").unwrap().rev, 1);
}

/// CLIENT-CLOSE-1, CLIENT-RETRY-1, H81: a full room refuses with 4432, and takes the client once there is a place.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_full_room() {
    let relay = Running::with_members(1);
    let (first, _) = join(&relay, "r", Mode::State).await;
    let (_second, mut events) = quick(&relay);
    let end = until(&mut events, closed).await;
    assert_eq!((end.code, end.by, end.stage), (4432, By::Relay, Stage::Open));
    assert!(end.reason.starts_with("room full"), "{}", end.reason);
    first.close().await;
    until(&mut events, |event| (*event == Event::Ready).then_some(())).await;
}

/// CLIENT-WRITE-1, CLIENT-RETRY-2: what passes the room's cap together with what the room holds is refused with 4413, and the client
/// stays away.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_full_store() {
    let relay = Running::start();
    let (client, mut events) = quick(&relay);
    assert!(client.ready().await);
    client.save(vec![0; 1_000_000]).unwrap();
    until(&mut events, |event| matches!(event, Event::WorldSaved { .. }).then_some(())).await;
    client.set("k", vec![0; 100_000]).unwrap();
    let end = until(&mut events, closed).await;
    assert_eq!((end.code, end.retry_in), (4413, None));
    assert_eq!(end.unanswered_saves, []);
}
