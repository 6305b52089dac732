//! A relay that does what the test says.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use roomwire_client::{Address, Backoff, Client, Closed, Config, Event, Events, Options, connect};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};

pub(crate) const PEER_ID: &[u8] = &[0, 2, 0, 0];

pub(crate) struct Fake {
    listener: TcpListener,
    pub(crate) at: SocketAddr,
}

/// The relay's end of a connection.
pub(crate) struct Member {
    pub(crate) socket: WebSocketStream<TcpStream>,
    /// Path and query of the request.
    pub(crate) uri: String,
}

impl Fake {
    pub(crate) async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { at: listener.local_addr().unwrap(), listener }
    }

    pub(crate) fn address(&self) -> Address {
        Address::new(&format!("ws://{}/", self.at), "game", "room").unwrap()
    }

    /// A client on its way here. It becomes ready and comes back quickly.
    pub(crate) fn client(&self) -> (Client, Events) {
        connect(quick(self.address())).unwrap()
    }

    /// A client that waits long for the join data, so that a slow machine does not end it early.
    pub(crate) fn patient_client(&self) -> (Client, Events) {
        let mut options = quick(self.address());
        options.config.quiet = Duration::from_secs(1);
        connect(options).unwrap()
    }

    pub(crate) async fn accept_tcp(&self) -> TcpStream {
        self.listener.accept().await.unwrap().0
    }

    /// The next connection, after its handshake.
    pub(crate) async fn accept(&self) -> Member {
        let mut uri = String::new();
        #[expect(clippy::result_large_err, reason = "the library's type")]
        let see = |request: &Request, response: Response| {
            uri = request.uri().to_string();
            Ok(response)
        };
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let stream = self.accept_tcp().await;
        let socket =
            tokio_tungstenite::accept_hdr_async_with_config(stream, see, Some(config)).await.unwrap();
        Member { socket, uri }
    }

    /// The next connection, let in.
    pub(crate) async fn admit(&self) -> Member {
        let mut member = self.accept().await;
        member.send(PEER_ID).await;
        member
    }
}

impl Member {
    pub(crate) async fn send(&mut self, message: &[u8]) {
        self.socket.send(Message::Binary(message.to_vec().into())).await.unwrap();
    }

    /// Sends a close frame and reads until the connection has ended.
    pub(crate) async fn close(mut self, code: u16, reason: &str) {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        self.socket.send(Message::Close(Some(frame))).await.unwrap();
        while let Some(Ok(_)) = self.socket.next().await {}
    }

    /// The next binary message; pings and pongs are passed over.
    pub(crate) async fn recv(&mut self) -> Vec<u8> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Binary(message))) => return message.to_vec(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("no message but {other:?}"),
            }
        }
    }

    /// Code and reason of the client's close frame, which comes next.
    pub(crate) async fn closed(&mut self) -> (u16, String) {
        match self.socket.next().await {
            Some(Ok(Message::Close(Some(frame)))) => (frame.code.into(), frame.reason.to_string()),
            other => panic!("no close but {other:?}"),
        }
    }
}

pub(crate) fn quick(address: Address) -> Options {
    let mut options = Options::new(address);
    options.config = Config {
        quiet: Duration::from_millis(100),
        reconnect: Some(Backoff { first: Duration::from_millis(10), limit: Duration::from_millis(20) }),
        ..options.config
    };
    options
}

/// Takes events until one that is wanted, and gives back that one.
pub(crate) async fn until(events: &mut Events, wanted: fn(&Event) -> bool) -> Event {
    loop {
        let event = events.recv().await.expect("the client is gone");
        if wanted(&event) {
            return event;
        }
    }
}

pub(crate) async fn until_ready(events: &mut Events) {
    until(events, |event| *event == Event::Ready).await;
}

pub(crate) async fn until_closed(events: &mut Events) -> Closed {
    match until(events, |event| matches!(event, Event::Closed(_))).await {
        Event::Closed(closed) => closed,
        _ => unreachable!(),
    }
}
