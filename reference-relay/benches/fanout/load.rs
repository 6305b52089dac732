//! Members that write, and count what comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use roomwire_codec::{Key, StateSet};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Message;

#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) rooms: usize,
    pub(crate) members: usize,
    pub(crate) size: usize,
    /// How many members of each room write. Each has one write in flight: it writes again when all have got the last.
    pub(crate) writers: usize,
    pub(crate) time: Duration,
}

/// How often each writer's write in flight has been delivered.
struct Writer {
    got: AtomicUsize,
    all: Notify,
}

struct Room {
    writers: Vec<Writer>,
    stop: AtomicBool,
    deliveries: AtomicUsize,
}

/// Deliveries, and how much `meter` rose meanwhile.
pub(crate) fn run(address: &str, load: Load, meter: impl Fn() -> f64) -> (usize, f64) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let mut rooms = Vec::new();
        // Open until the end: who drops a half drops the connection.
        let mut silent = Vec::new();
        for number in 0..load.rooms {
            let writer = |_| Writer { got: AtomicUsize::new(0), all: Notify::new() };
            let room = Arc::new(Room {
                writers: (0..load.writers).map(writer).collect(),
                stop: AtomicBool::new(false),
                deliveries: AtomicUsize::new(0),
            });
            for member in 0..load.members {
                let url = format!("ws://{address}/r/{number}?g=bench&u=m{member}&v=1&m=state");
                let stream = TcpStream::connect(address).await.unwrap();
                stream.set_nodelay(true).unwrap();
                let (socket, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
                let (mut sink, mut source) = socket.split();
                let reader = Arc::clone(&room);
                tokio::spawn(async move {
                    while let Some(Ok(message)) = source.next().await {
                        reader.got(&message.into_data(), load.members);
                    }
                });
                if member < load.writers {
                    let room = Arc::clone(&room);
                    tokio::spawn(async move {
                        let key = format!("writer-{member:03}");
                        let mut value = vec![0; load.size];
                        value[..MARK.len()].copy_from_slice(&MARK);
                        value[MARK.len()] = member as u8;
                        let set = StateSet { key: Key::try_from(&*key).unwrap(), value: &value };
                        let message = Message::Binary(set.encode_to_vec().unwrap().into());
                        room.writers[member].all.notified().await;
                        while !room.stop.load(Ordering::Relaxed) {
                            sink.send(message.clone()).await.unwrap();
                            room.writers[member].all.notified().await;
                        }
                    });
                } else {
                    silent.push(sink);
                }
            }
            rooms.push(room);
        }
        let all = || rooms.iter().map(|room| room.deliveries.load(Ordering::Relaxed)).sum::<usize>();
        // Until all are members: a write that misses one would never be complete.
        tokio::time::sleep(Duration::from_millis(300)).await;
        rooms.iter().flat_map(|room| &room.writers).for_each(|writer| writer.all.notify_one());
        tokio::time::sleep(load.time / 4).await;
        let before = (all(), meter());
        tokio::time::sleep(load.time).await;
        let after = (all(), meter());
        rooms.iter().for_each(|room| room.stop.store(true, Ordering::Relaxed));
        assert!(after.0 > before.0, "nothing was delivered");
        (after.0 - before.0, after.1 - before.1)
    })
}

/// The start of every value, by which a delivery is known in a STATE_UPDATE and in a STATE_SET that is sent on as it is.
const MARK: [u8; 4] = *b"\xF0mrk";

impl Room {
    fn got(&self, message: &[u8], members: usize) {
        let marked = message.windows(MARK.len()).position(|bytes| bytes == MARK);
        let Some(&writer) = marked.and_then(|at| message.get(at + MARK.len())) else { return };
        self.deliveries.fetch_add(1, Ordering::Relaxed);
        let Some(writer) = self.writers.get(usize::from(writer)) else { return };
        if writer.got.fetch_add(1, Ordering::Relaxed) + 1 == members {
            writer.got.store(0, Ordering::Relaxed);
            writer.all.notify_one();
        }
    }
}
