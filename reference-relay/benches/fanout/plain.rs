//! The peer: a WebSocket server that sends what a member sends to all members of the room. A task and a channel for each
//! member, nothing stored, nothing merged: what one writes first.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

type Rooms = Arc<Mutex<HashMap<String, Vec<UnboundedSender<Message>>>>>;

pub(crate) fn serve() {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{{\"listening\":\"{}\"}}", listener.local_addr().unwrap());
        let rooms = Rooms::default();
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(member(stream, Arc::clone(&rooms)));
        }
    });
}

#[allow(clippy::result_large_err, reason = "the callback's type is tungstenite's")]
async fn member(stream: TcpStream, rooms: Rooms) {
    stream.set_nodelay(true).unwrap();
    let mut room = String::new();
    let read_path = |request: &Request, response: Response| {
        room = request.uri().path().to_owned();
        Ok(response)
    };
    let Ok(socket) = tokio_tungstenite::accept_hdr_async(stream, read_path).await else { return };
    let (mut sink, mut source) = socket.split();
    let (to_me, mut for_me) = unbounded_channel();
    rooms.lock().unwrap().entry(room.clone()).or_default().push(to_me);
    tokio::spawn(async move {
        while let Some(message) = for_me.recv().await {
            if sink.send(message).await.is_err() {
                return;
            }
        }
    });
    while let Some(Ok(message)) = source.next().await {
        if message.is_binary() {
            for member in &rooms.lock().unwrap()[&room] {
                drop(member.send(message.clone()));
            }
        }
    }
}
