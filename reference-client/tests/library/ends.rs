//! Ends and reconnects.

use futures_util::SinkExt as _;
use roomwire_client::core::ProtocolError;
use roomwire_client::{By, ConnectError, Event, Stage, connect};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::fake::{Fake, quick, until, until_closed, until_ready};

/// CLIENT-CLOSE-1, H81, Z53: the upgrade is accepted and then closed: code and reason arrive, though nothing else did.
#[tokio::test]
async fn a_refusal() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    fake.accept().await.close(4404, "bad room: no such game").await;
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.reason.as_str()), (4404, "bad room: no such game"));
    assert_eq!((closed.by, closed.stage, closed.retry_in), (By::Relay, Stage::Open, None));
    assert!(!client.ready().await);
}

/// H82: what the relay sent right before its close frame is not lost.
#[tokio::test]
async fn the_last_words() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let mut member = fake.admit().await;
    for rev in 1..=100_u8 {
        member.send(&[0xF5, rev, 0, 0, 0, 1, 0, b'k', rev]).await;
    }
    member.close(4409, "too slow").await;
    assert_eq!(until_closed(&mut events).await.code, 4409);
    assert_eq!(client.get("k").unwrap().rev, 100);
}

/// CLIENT-CLOSE-1, Z43: nobody listens there.
#[tokio::test]
async fn a_refused_connection() {
    let fake = Fake::new().await;
    let options = quick(fake.address());
    drop(fake);
    let (_client, mut events) = connect(options).unwrap();
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.by, closed.stage), (1006, By::Network, Stage::Connecting));
    assert_eq!(closed.reason, "");
    assert!(closed.to_string().starts_with("cannot connect: "), "{closed}");
    assert!(closed.retry_in.is_some());
}

/// CLIENT-CLOSE-1: an HTTP error in place of the upgrade.
#[tokio::test]
async fn an_http_error() {
    let fake = Fake::new().await;
    let (_client, mut events) = fake.client();
    let mut stream = fake.accept_tcp().await;
    let _ = stream.read(&mut [0; 4096]).await.unwrap();
    stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n").await.unwrap();
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.reason.as_str()), (1006, ""));
    let told = closed.to_string();
    assert!(told.starts_with("cannot connect: 127.0.0.1:"), "{told}");
    assert!(told.ends_with(": the relay answered with HTTP 503 Service Unavailable"), "{told}");
}

/// CLIENT-WS-3: the answer to the upgrade chooses an extension, and the client had offered none.
#[tokio::test]
async fn an_extension_unasked() {
    let fake = Fake::new().await;
    let (_client, mut events) = fake.client();
    let stream = fake.accept_tcp().await;
    #[expect(clippy::result_large_err, reason = "the library's type")]
    let extend = |_: &Request, mut response: Response| {
        response.headers_mut().insert("sec-websocket-extensions", HeaderValue::from_static("x-unknown"));
        Ok(response)
    };
    let _socket = tokio_tungstenite::accept_hdr_async(stream, extend).await.unwrap();
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.reason.as_str(), closed.stage), (1006, "", Stage::Connecting));
}

/// CLIENT-CLOSE-1: a connection that breaks without a close frame.
#[tokio::test]
async fn a_broken_connection() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let member = fake.admit().await;
    until_ready(&mut events).await;
    drop(member);
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.by, closed.stage), (1006, By::Network, Stage::Ready));
    assert_eq!(closed.reason, "");
    assert!(client.peers().is_empty());
    // CLIENT-RETRY-1: and it comes back.
    let _member = fake.admit().await;
    until_ready(&mut events).await;
}

/// CLIENT-APPLY-4: the relay sees 4400 with class, offset, field and rule.
#[tokio::test]
async fn a_broken_message() {
    let fake = Fake::new().await;
    let (_client, mut events) = fake.client();
    let mut member = fake.admit().await;
    member.send(b"\xF5\0\0\0\0\x01\0a").await;
    let expected = "malformed: value at byte 1, rev [ROOM-REV-1]";
    assert_eq!(member.closed().await, (4400, expected.to_owned()));
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.reason.as_str(), closed.by), (4400, expected, By::Client));
}

/// CLIENT-TEXT-2: the relay sees 1003.
#[tokio::test]
async fn a_text_message() {
    let fake = Fake::new().await;
    let (_client, mut events) = fake.client();
    let mut member = fake.admit().await;
    member.socket.send(Message::text("hello")).await.unwrap();
    assert_eq!(member.closed().await.0, 1003);
    assert_eq!(until_closed(&mut events).await.code, 1003);
}

/// CLIENT-TEXT-1: a text message whose text is not UTF-8 is a text message.
#[tokio::test]
async fn a_text_message_that_is_no_text() {
    let fake = Fake::new().await;
    let (_client, mut events) = fake.client();
    let mut member = fake.admit().await;
    let text = Frame::message(b"\xFF".as_slice(), OpCode::Data(Data::Text), true);
    member.socket.send(Message::Frame(text)).await.unwrap();
    assert_eq!(member.closed().await.0, 1003);
    let error = until(&mut events, |event| matches!(event, Event::Error(_))).await;
    assert_eq!(error, Event::Error(ProtocolError::Text));
    assert_eq!(until_closed(&mut events).await.code, 1003);
}

/// CLIENT-RETRY-2: the relay breaks the framing. The client closes with 1002 and does not come back for more of it.
#[tokio::test]
async fn broken_framing() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let mut member = fake.admit().await;
    let reserved = Frame::message(b"".as_slice(), OpCode::Data(Data::Reserved(3)), true);
    member.socket.send(Message::Frame(reserved)).await.unwrap();
    let (code, reason) = member.closed().await;
    assert_eq!(code, 1002);
    assert!(reason.starts_with("websocket: "), "{reason}");
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.reason, closed.by), (1002, reason, By::Client));
    assert_eq!(closed.retry_in, None);
    assert!(!client.ready().await);
}

/// CLIENT-RETRY-2: after such a close there is no attempt until the game asks for one.
#[tokio::test]
async fn coming_back_when_told_to() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    fake.admit().await.close(4413, "too large").await;
    assert_eq!(until_closed(&mut events).await.retry_in, None);
    client.reconnect();
    let _member = fake.admit().await;
    until_ready(&mut events).await;
}

/// CLIENT-RETRY-1: a relay that throws everyone out is tried again and again.
#[tokio::test]
async fn it_keeps_trying() {
    let fake = Fake::new().await;
    let (_client, mut events) = fake.client();
    for attempt in 1..=5 {
        fake.accept().await.close(4432, "room full").await;
        let connecting = until(&mut events, |event| matches!(event, Event::Connecting { .. })).await;
        assert_eq!(connecting, Event::Connecting { attempt });
        assert_eq!(until_closed(&mut events).await.code, 4432);
    }
}

/// Dropping the last handle leaves the room and ends the events.
#[tokio::test]
async fn dropping_the_client() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let mut member = fake.admit().await;
    until_ready(&mut events).await;
    let other = client.clone();
    drop(client);
    assert!(other.peer().is_some());
    drop(other);
    assert_eq!(member.closed().await.0, 1000);
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.by), (1000, By::Client));
    assert_eq!(events.recv().await, None);
}

/// An attempt can be given up at any point, also while the relay does not answer.
#[tokio::test]
async fn giving_up_an_attempt() {
    let fake = Fake::new().await;
    let (client, mut events) = fake.client();
    let mut silent = fake.accept_tcp().await;
    client.close().await;
    let closed = until_closed(&mut events).await;
    assert_eq!((closed.code, closed.by, closed.stage), (1006, By::Client, Stage::Connecting));
    let mut request = Vec::new();
    silent.read_to_end(&mut request).await.unwrap();
}

#[tokio::test]
async fn no_tls() {
    let address = roomwire_client::Address::new("wss://127.0.0.1:1", "g", "r").unwrap();
    assert_eq!(connect(quick(address)).err(), Some(ConnectError::NoTls));
}
