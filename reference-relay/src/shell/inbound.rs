//! The receiving side of a WebSocket connection: tungstenite's reader over a non-blocking socket.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use roomwire_codec::registry::{close, limit};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::tcp::OwnedReadHalf;
use tungstenite::error::ProtocolError;
use tungstenite::protocol::{Role, WebSocketConfig, WebSocketContext};
use tungstenite::{Error, Message};

use super::connection::Connection;
use crate::core::closing::Closing;

/// Bytes that a connection reads at once. Allocated for each connection as long as it lives.
const READ_BUFFER: usize = 4 * 1024;

/// What came from the other side.
#[derive(Debug)]
pub(crate) enum Event {
    /// A binary message.
    Message(Bytes),
    /// The close frame.
    Closed,
    /// Something that no member may send; its framing can still be followed.
    Refused(Closing),
    /// Something after which the framing cannot be followed.
    Broken(Closing),
    /// Nothing more can come.
    End,
}

/// Reads messages and answers pings and closes through the [`Connection`].
#[derive(Debug)]
pub(crate) struct Inbound {
    socket: OwnedReadHalf,
    /// None once the framing is broken: then bytes are only read to be dropped.
    reader: Option<WebSocketContext>,
}

impl Inbound {
    /// A reader that begins with `first`, which was read together with the upgrade request.
    pub(crate) fn new(socket: OwnedReadHalf, first: &Bytes) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(0)
            .max_message_size(Some(limit::MAX_INBOUND_MESSAGE))
            .max_frame_size(Some(limit::MAX_INBOUND_MESSAGE));
        let reader = WebSocketContext::from_partially_read(first.to_vec(), Role::Server, Some(config));
        Self { socket, reader: Some(reader) }
    }

    /// The next event. `heard` is set when anything came at all.
    pub(crate) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        connection: &Arc<Connection>,
        heard: &mut bool,
    ) -> Poll<Event> {
        let mut socket = Socket { socket: Pin::new(&mut self.socket), cx, connection, heard };
        let Some(reader) = &mut self.reader else { return socket.drop_all() };
        loop {
            let event = match reader.read(&mut socket) {
                Ok(Message::Binary(message)) => Event::Message(message),
                Ok(Message::Text(_)) => Event::Refused(Closing::new(close::TEXT, "messages are binary")),
                Ok(Message::Close(_)) => Event::Closed,
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => continue,
                Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
                Err(Error::Io(_) | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
                    Event::End
                }
                // Its close frame was answered. What comes after it means nothing.
                Err(Error::ConnectionClosed | Error::AlreadyClosed) => {
                    self.reader = None;
                    return socket.drop_all();
                }
                Err(error) => {
                    self.reader = None;
                    Event::Broken(refusal(&error))
                }
            };
            return Poll::Ready(event);
        }
    }
}

fn refusal(error: &Error) -> Closing {
    match error {
        Error::Utf8(_) => Closing::new(close::TEXT, "messages are binary"),
        Error::Capacity(_) => {
            Closing::new(close::TOO_BIG, format!("more than {} bytes", limit::MAX_INBOUND_MESSAGE))
        }
        error => Closing::new(close::WEBSOCKET, error.to_string()),
    }
}

/// The socket as tungstenite wants it: reads do not block, and writes go where everything goes.
struct Socket<'a, 'c> {
    socket: Pin<&'a mut OwnedReadHalf>,
    cx: &'a mut Context<'c>,
    connection: &'a Arc<Connection>,
    heard: &'a mut bool,
}

impl Socket<'_, '_> {
    fn drop_all(&mut self) -> Poll<Event> {
        let mut buffer = [0; 1024];
        loop {
            match self.read(&mut buffer) {
                Ok(0) => return Poll::Ready(Event::End),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
                Err(_) => return Poll::Ready(Event::End),
            }
        }
    }
}

impl Read for Socket<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(buffer);
        match self.socket.as_mut().poll_read(self.cx, &mut buffer) {
            Poll::Ready(Ok(())) => {
                let read = buffer.filled().len();
                *self.heard |= read > 0;
                Ok(read)
            }
            Poll::Ready(Err(error)) => Err(error),
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl Write for Socket<'_, '_> {
    fn write(&mut self, frame: &[u8]) -> io::Result<usize> {
        self.connection.answer(frame);
        Ok(frame.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
