//! The receiving side of a WebSocket connection: what its socket has, as messages.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use roomwire_codec::registry::{close, limit};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::tcp::OwnedReadHalf;

use super::connection::Connection;
use super::frames::{Fault, FrameReader, Item};
use crate::core::closing::Closing;

/// Bytes that are read at once.
const READ: usize = 16 * 1024;

thread_local! {
    /// A read never waits while it holds the buffer, so all connections of a thread share one.
    static BUFFER: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ].into());
}

/// What came from the other side.
#[derive(Debug)]
pub(crate) enum Event {
    /// A binary message: [`Inbound::message`].
    Message,
    /// The close frame, with its code. It is to be answered.
    Closed(Option<u16>),
    /// Something that no member may send; its framing can still be followed.
    Refused(Closing),
    /// Something after which the framing cannot be followed.
    Broken(Closing),
    /// Nothing more can come.
    End,
}

/// Reads messages, and answers pings through the [`Connection`].
#[derive(Debug)]
pub(crate) struct Inbound {
    socket: OwnedReadHalf,
    /// None once what comes means nothing any more: then bytes are only read to be dropped.
    reader: Option<FrameReader>,
    /// What was read behind the last event.
    rest: Bytes,
}

impl Inbound {
    /// A reader that begins with `first`, which was read together with the upgrade request.
    pub(crate) fn new(socket: OwnedReadHalf, first: Bytes) -> Self {
        Self { socket, reader: Some(FrameReader::default()), rest: first }
    }

    /// The message of the last event.
    pub(crate) fn message(&self) -> &[u8] {
        self.reader.as_ref().map_or(&[], FrameReader::message)
    }

    /// Messages mean nothing any more (CLOSE-7): they are followed, so that the close frame is seen, and dropped.
    pub(crate) fn skip_messages(&mut self) {
        if let Some(reader) = &mut self.reader {
            reader.skip_messages();
        }
    }

    /// The next event. `heard` is set when anything came at all.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        connection: &Arc<Connection>,
        heard: &mut bool,
    ) -> Poll<Event> {
        if let Some(reader) = &mut self.reader {
            reader.forget();
        }
        let rest = std::mem::take(&mut self.rest);
        let mut input = rest.as_ref();
        if let Some(event) = self.read(&mut input, connection) {
            self.rest = rest.slice_ref(input);
            return Poll::Ready(event);
        }
        drop(rest);
        BUFFER.with_borrow_mut(|buffer| {
            loop {
                let mut buffer = ReadBuf::new(buffer);
                match ready!(Pin::new(&mut self.socket).poll_read(cx, &mut buffer)) {
                    Ok(()) if !buffer.filled().is_empty() => *heard = true,
                    Ok(()) | Err(io::Error { .. }) => return Poll::Ready(Event::End),
                }
                let mut input = buffer.filled();
                if let Some(event) = self.read(&mut input, connection) {
                    self.rest = Bytes::copy_from_slice(input);
                    return Poll::Ready(event);
                }
            }
        })
    }

    /// Reads up to the next event.
    fn read(&mut self, input: &mut &[u8], connection: &Arc<Connection>) -> Option<Event> {
        let reader = self.reader.as_mut()?;
        loop {
            let item = match reader.next(input) {
                Ok(item) => item?,
                Err(fault) => {
                    self.reader = None;
                    return Some(Event::Broken(refusal(fault)));
                }
            };
            match item {
                Item::Ping(payload) => connection.pong(payload),
                Item::Message(_) => return Some(Event::Message),
                Item::Text => return Some(Event::Refused(Closing::new(close::TEXT, "messages are binary"))),
                Item::Close(code) => {
                    self.reader = None;
                    return Some(Event::Closed(code));
                }
            }
        }
    }
}

fn refusal(fault: Fault) -> Closing {
    match fault {
        Fault::Framing(what) => Closing::new(close::WEBSOCKET, what),
        Fault::TooBig => {
            Closing::new(close::TOO_BIG, format!("more than {} bytes", limit::MAX_INBOUND_MESSAGE))
        }
    }
}
