//! Joining, and what is read.

use futures_util::{SinkExt as _, StreamExt as _};
use roomwire_client::{Address, ConnectError, Event, Mode, Options, connect};
use roomwire_codec::registry::limit;
use tokio_tungstenite::tungstenite::Message;

use crate::fake::{Fake, PEER_ID, quick, until, until_closed, until_ready};

const UPDATE: &[u8] = b"\xF5\x07\0\0\0\x04\0turn\x02";
const SNAPSHOT: &[u8] = b"\xF6\x02\0\0\0\
    \x07\0\0\0\x04\0turn\x01\0\0\0\x02\
    \x08\0\0\0\x01\0e\0\0\0\0";

/// CLIENT-URL-1, Z41: the request that the relay sees.
#[tokio::test]
async fn the_request() {
    let fake = Fake::new().await;
    let address = Address::new(&format!("ws://{}/", fake.at), "chess", "table:7").unwrap();
    let address = address.with_user("a b&g=x").unwrap().with_mode(Mode::State);
    let _client = connect(Options::from(address)).unwrap();
    assert_eq!(fake.accept().await.uri, "/r/table%3A7?g=chess&u=a%20b%26g%3Dx&v=1&m=state");
}

/// CLIENT-READY-2, CLIENT-GET-1: ready follows the join data, and then it can be read.
#[tokio::test]
async fn join_data_then_ready() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.patient_client();
    let mut member = fake.admit().await;
    member.send(SNAPSHOT).await;
    until(&mut events, |event| matches!(event, Event::Joined { .. })).await;
    until(&mut events, |event| matches!(event, Event::StateChanged { rev: 7, .. })).await;
    until_ready(&mut events).await;
    assert_eq!(client.get("turn").unwrap().value, [2].as_slice());
    assert!(client.has("e") && client.get("e").unwrap().value.is_empty());
    assert!(!client.has("unset") && client.get("unset").is_none());
    assert_eq!(client.entries().len(), 2);
    assert_eq!(client.peer().map(|peer| peer.get()), Some(512));
    assert!(client.ready().await);
}

/// CLIENT-BUFFER-1, Z35: the largest message that a relay may send comes through; one byte more closes with 1009.
#[tokio::test]
async fn the_largest_message() {
    let fake = Fake::new().await;
    let (_client, mut events) = fake.client();
    let mut member = fake.admit().await;
    let mut world = vec![7; limit::MAX_OUTBOUND_MESSAGE];
    world[0] = 0xF2;
    member.send(&world).await;
    let Event::WorldLoaded { blob } =
        until(&mut events, |event| matches!(event, Event::WorldLoaded { .. })).await
    else {
        unreachable!()
    };
    assert_eq!(blob, world[1..]);
    world.push(7);
    // The client stops reading at the head, so this may not go out as a whole.
    let sending = member.socket.send(Message::Binary(world.into()));
    let (sent, closed) = tokio::join!(sending, until_closed(&mut events));
    assert_eq!(closed.code, 1009);
    assert!(closed.reason.starts_with("message too big: "), "{}", closed.reason);
    // CLIENT-RETRY-2: it was this side that closed, but it would come again.
    assert_eq!(closed.retry_in, None);
    if sent.is_ok() {
        assert_eq!(member.closed().await.0, 1009);
    }
}

/// H74: a message in pieces, with a ping between them, is one message.
#[tokio::test]
async fn a_message_in_pieces() {
    use tokio_tungstenite::tungstenite::protocol::frame::Frame;
    use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
    let fake = Fake::new().await;
    let (_client, mut events) = fake.client();
    let mut member = fake.admit().await;
    let piece =
        |bytes: &[u8], code, last| Message::Frame(Frame::message(bytes.to_vec(), OpCode::Data(code), last));
    member.socket.send(piece(&UPDATE[..4], Data::Binary, false)).await.unwrap();
    member.socket.send(Message::Ping("x".into())).await.unwrap();
    member.socket.send(piece(&UPDATE[4..], Data::Continue, true)).await.unwrap();
    until(&mut events, |event| matches!(event, Event::StateChanged { rev: 7, .. })).await;
}

/// CLIENT-ALIVE-1, H92: a game that takes no events stays in the room: what comes is read, and pings are answered.
#[tokio::test]
async fn a_paused_game_stays() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let mut member = fake.admit().await;
    assert!(client.ready().await);
    for rev in 1..=1000_u32 {
        let mut update = vec![0xF5];
        update.extend(rev.to_le_bytes());
        update.extend(b"\x01\0k");
        update.extend([0; 5000]);
        member.send(&update).await;
    }
    member.socket.send(Message::Ping("are you there".into())).await.unwrap();
    assert_eq!(member.socket.next().await.unwrap().unwrap(), Message::Pong("are you there".into()));
    // Nothing was lost meanwhile.
    until(&mut events, |event| matches!(event, Event::StateChanged { rev: 1000, .. })).await;
}

/// CLIENT-CACHE-1, H59: joining another room leaves the first and starts empty.
#[tokio::test]
async fn another_room() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.patient_client();
    let mut first = fake.admit().await;
    first.send(UPDATE).await;
    until_ready(&mut events).await;
    client.join(Address::new(&format!("ws://{}", fake.at), "game", "other").unwrap()).unwrap();
    assert!(!client.has("turn"));
    assert_eq!(first.closed().await.0, 1000);
    let mut second = fake.accept().await;
    assert_eq!(second.uri, "/r/other?g=game&v=1");
    second.send(PEER_ID).await;
    // A live frame: it means ready, however long the quiet would have to be.
    second.send(b"\xF5\x01\0\0\0\x04\0turn\x09").await;
    until_ready(&mut events).await;
    until(&mut events, |event| matches!(event, Event::StateChanged { rev: 1, .. })).await;
}

/// CLIENT-ALIVE-1: a relay that says nothing is pinged.
#[tokio::test]
async fn a_silent_relay_is_pinged() {
    let fake = Fake::new().await;
    let mut options = quick(fake.address());
    options.config.ping_interval = std::time::Duration::from_millis(50);
    let (_client, _events) = connect(options).unwrap();
    let mut member = fake.admit().await;
    assert!(matches!(member.socket.next().await, Some(Ok(Message::Ping(_)))));
}

#[test]
fn a_runtime_is_needed() {
    let address = Address::new("ws://127.0.0.1:1", "g", "r").unwrap();
    assert_eq!(connect(address).err(), Some(ConnectError::NoRuntime));
}
