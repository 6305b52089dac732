//! Two clients in a room.

use std::collections::BTreeMap;
use std::time::Duration;

use roomwire_client::{Address, Client, Event, Events, Mode, Options, Target, connect};

use crate::running::Running;

pub(crate) async fn join(relay: &Running, room: &str, mode: Mode) -> (Client, Events) {
    let address = Address::new(&relay.url(), "game", room).unwrap().with_mode(mode);
    let (client, mut events) = connect(address).unwrap();
    until(&mut events, |event| (*event == Event::Ready).then_some(())).await;
    (client, events)
}

pub(crate) async fn until<T>(events: &mut Events, mut wanted: impl FnMut(&Event) -> Option<T>) -> T {
    loop {
        let event = events.recv().await.expect("the client is gone");
        if let Some(found) = wanted(&event) {
            return found;
        }
    }
}

pub(crate) async fn change(events: &mut Events, wanted: &str) -> (u32, Vec<u8>) {
    until(events, |event| match event {
        Event::StateChanged { key, value, rev } if **key == *wanted => Some((*rev, value.to_vec())),
        _ => None,
    })
    .await
}

/// CLIENT-ECHO-1, Z46: a value comes back to its writer, and to everyone else, with the same revision.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn values_come_to_everyone() {
    let relay = Running::start();
    let (ann, mut ann_events) = join(&relay, "r", Mode::State).await;
    let (bob, mut bob_events) = join(&relay, "r", Mode::State).await;
    ann.set("turn", "bob").unwrap();
    let change_of_ann = change(&mut ann_events, "turn").await;
    assert_eq!(change_of_ann, (1, b"bob".to_vec()));
    assert_eq!(change(&mut bob_events, "turn").await, change_of_ann);
    bob.set("turn", "").unwrap();
    assert_eq!(change(&mut ann_events, "turn").await, (2, vec![]));
    assert!(ann.has("turn") && ann.get("turn").unwrap().value.is_empty());
}

/// CLIENT-READY-2, CLIENT-APPLY-1, H46: whoever joins a running game holds it when it is ready.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_joiner_holds_the_room_at_ready() {
    let relay = Running::start();
    let (ann, mut ann_events) = join(&relay, "r", Mode::State).await;
    for n in 0..200 {
        ann.set(&format!("k{n}"), format!("{n}")).unwrap();
    }
    ann.save(vec![7; 500_000]).unwrap();
    until(&mut ann_events, |event| matches!(event, Event::WorldSaved { .. }).then_some(())).await;
    let (bob, mut bob_events) = {
        let mut options =
            Options::new(Address::new(&relay.url(), "game", "r").unwrap().with_mode(Mode::State));
        options.config.quiet = Duration::from_secs(1);
        connect(options).unwrap()
    };
    let mut world = None;
    until(&mut bob_events, |event| {
        if let Event::WorldLoaded { blob } = event {
            world = Some(blob.len());
        }
        (*event == Event::Ready).then_some(())
    })
    .await;
    assert_eq!(world, Some(500_000));
    assert_eq!(bob.entries(), ann.entries());
    assert_eq!(bob.entries().len(), 200);
}

/// CLIENT-APPLY-1, CLIENT-WORLD-1: two that write at the same time end with the same values, and each save is acked to its author.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn writers_converge() {
    let relay = Running::start();
    let (ann, mut ann_events) = join(&relay, "r", Mode::State).await;
    let (bob, mut bob_events) = join(&relay, "r", Mode::State).await;
    let mut saves = Vec::new();
    for n in 0..100 {
        ann.set(&format!("k{}", n % 7), format!("ann {n}")).unwrap();
        bob.set(&format!("k{}", n % 5), format!("bob {n}")).unwrap();
        if n % 10 == 0 {
            saves.push(ann.save(format!("world {n}")).unwrap());
        }
    }
    // A write of each after all others: who has seen both has seen all.
    ann.set("end of ann", "").unwrap();
    bob.set("end of bob", "").unwrap();
    let mut acked = Vec::new();
    for events in [&mut ann_events, &mut bob_events] {
        let mut ends = 0;
        until(events, |event| {
            match event {
                Event::StateChanged { key, .. } if key.starts_with("end of") => ends += 1,
                Event::WorldSaved { save } => acked.push(*save),
                _ => {}
            }
            (ends == 2).then_some(())
        })
        .await;
    }
    assert_eq!(acked, saves);
    let held = |client: &Client| client.entries().into_iter().collect::<BTreeMap<_, _>>();
    assert_eq!(held(&ann), held(&bob));
    assert_eq!(ann.entries().len(), 9);
}

/// CLIENT-PEER-1: peers see each other come and go and send each other packets.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn peers_meet() {
    let relay = Running::start();
    let (ann, mut ann_events) = join(&relay, "r", Mode::Both).await;
    let (bob, mut bob_events) = join(&relay, "r", Mode::Peers).await;
    let (_watcher, _) = join(&relay, "r", Mode::State).await;
    let (ann_id, bob_id) = (ann.peer().unwrap(), bob.peer().unwrap());
    assert_eq!(bob.peers(), [ann_id]);
    let added = |event: &Event| match event {
        Event::PeerAdded { peer } => Some(*peer),
        _ => None,
    };
    assert_eq!(until(&mut ann_events, added).await, bob_id);
    for (target, payload) in
        [(Target::Peer(bob_id), "one"), (Target::All, "all"), (Target::AllBut(ann_id), "but")]
    {
        ann.send_packet(target, payload).unwrap();
        let packet = |event: &Event| match event {
            Event::Packet { from, payload } => Some((*from, payload.to_vec())),
            _ => None,
        };
        assert_eq!(until(&mut bob_events, packet).await, (ann_id, payload.as_bytes().to_vec()));
    }
    bob.close().await;
    let removed = |event: &Event| match event {
        Event::PeerRemoved { peer } => Some(*peer),
        _ => None,
    };
    assert_eq!(until(&mut ann_events, removed).await, bob_id);
    assert_eq!(ann.peers(), []);
}

/// CLIENT-CACHE-1, H59: two rooms with the same keys do not mix.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn rooms_do_not_mix() {
    let relay = Running::start();
    let (ann, mut events) = join(&relay, "table-7", Mode::State).await;
    for n in 0..10 {
        ann.set("turn", format!("{n}")).unwrap();
    }
    until(&mut events, |event| matches!(event, Event::StateChanged { rev: 10, .. }).then_some(())).await;
    let (other, mut other_events) = join(&relay, "table-8", Mode::State).await;
    other.set("turn", "eight").unwrap();
    change(&mut other_events, "turn").await;
    ann.join(Address::new(&relay.url(), "game", "table-8").unwrap()).unwrap();
    assert!(!ann.has("turn"));
    assert_eq!(change(&mut events, "turn").await, (1, b"eight".to_vec()));
}
