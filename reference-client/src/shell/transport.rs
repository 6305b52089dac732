//! One connection: dials, reads, writes, and reports its end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, Stream, StreamExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

use roomwire_codec::registry::{close, limit};

use super::close_frame::{self, Watch};
use super::dial::{Socket, dial};
use super::meter::Metered;
use super::shared::{Command, Shared};
use crate::core::{Address, By, End, LinkId, NO_STATUS};

/// How long after a close frame, whoever sent it, the connection may take to end.
pub(super) const GOODBYE: Duration = Duration::from_millis(limit::CLOSE_TIMEOUT);

/// What went wrong where nothing more is known.
const NO_CLOSE: &str = "the connection ended without a close";

/// Runs a connection from the attempt to its end, and tells the session of all that it needs to know.
pub(super) async fn run(
    shared: &Arc<Shared>,
    link: LinkId,
    address: &Address,
    commands: UnboundedReceiver<Command>,
) {
    let raw = close_frame::CloseFrame::default();
    let meter = |stream: TcpStream| {
        let heard = Arc::clone(shared);
        let mut watch = Watch::new(raw.clone());
        Metered::new(stream, shared.counts(), move |bytes: &[u8]| {
            watch.bytes(bytes);
            heard.with(|session, now| session.heard(link, now));
        })
    };
    let end = match dial(address, meter).await {
        Ok(socket) => {
            shared.with(|session, now| session.opened(link, now));
            talk(shared, link, socket, commands, &raw).await
        }
        Err(problem) => End::broken(problem),
    };
    shared.with(|session, now| session.ended(link, end, now));
}

/// Reads and writes at the same time, until the connection ends.
async fn talk<F: FnMut(&[u8]) + Unpin>(
    shared: &Arc<Shared>,
    link: LinkId,
    socket: Socket<F>,
    mut commands: UnboundedReceiver<Command>,
    raw: &close_frame::CloseFrame,
) -> End {
    let (mut sink, mut stream) = socket.split();
    let write = async {
        while let Some(command) = commands.recv().await {
            let message = match command {
                Command::Send(message) => Message::Binary(message),
                Command::Ping => Message::Ping(bytes::Bytes::new()),
                Command::Close { code, reason } => {
                    let frame = CloseFrame { code: code.into(), reason: reason.into() };
                    // The end has been reported: what fails now fails unseen.
                    let _ = sink.send(Message::Close(Some(frame))).await;
                    return Written::Goodbye;
                }
            };
            let bytes = if message.is_binary() { message.len() } else { 0 };
            if let Err(error) = sink.send(message).await {
                return Written::Failed(end_of(&error));
            }
            shared.with(|session, _| session.sent(link, bytes));
        }
        // Nobody can command it any more: it is not wanted.
        Written::Goodbye
    };
    let read = read(shared, link, &mut stream, raw);
    tokio::pin!(write, read);
    tokio::select! {
        // What has come is read before a failure to write is looked at: it may hold the relay's close frame.
        biased;
        end = &mut read => {
            if end.by == By::Client {
                let _ = tokio::time::timeout(GOODBYE, write).await;
            }
            end
        }
        written = &mut write => match written {
            Written::Goodbye => in_time(read).await.unwrap_or_else(|| End::broken("")),
            Written::Failed(end) => in_time(read).await.filter(|read| read.by == By::Relay).unwrap_or(end),
        },
    }
}

/// How writing ended.
enum Written {
    /// The close frame has left.
    Goodbye,
    /// The connection takes nothing more.
    Failed(End),
}

async fn in_time(read: impl Future<Output = End>) -> Option<End> {
    tokio::time::timeout(GOODBYE, read).await.ok()
}

/// Hands on what comes, until the end.
async fn read(
    shared: &Arc<Shared>,
    link: LinkId,
    stream: &mut (impl Stream<Item = Result<Message, Error>> + Unpin),
    raw: &close_frame::CloseFrame,
) -> End {
    let end = loop {
        match stream.next().await {
            Some(Ok(Message::Binary(message))) => {
                shared.with(|session, now| session.message(link, message, now))
            }
            Some(Ok(Message::Text(_))) => shared.with(|session, now| session.text(link, now)),
            Some(Ok(Message::Close(Some(frame)))) => {
                let (code, reason) = (u16::from(frame.code), frame.reason.to_string());
                break match raw.valid() {
                    Some((code, reason)) => End::by_relay(code, reason),
                    // The library has answered a broken one for this client, with the code and reason that it gives here.
                    None => End { by: By::Client, ..End::by_relay(code, reason) },
                };
            }
            Some(Ok(Message::Close(None))) => break End::by_relay(NO_STATUS, ""),
            // Pings are answered below this layer; that bytes came has been reported.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            Some(Err(error)) => {
                if matches!(error, Error::Utf8(_)) && raw.is_no_text() {
                    break End::with_detail(close::WEBSOCKET, "a close reason that is not UTF-8");
                }
                // A text message that is not UTF-8 comes as an error, and is a text message (CLIENT-TEXT-1).
                if matches!(error, Error::Utf8(_)) {
                    shared.with(|session, now| session.text(link, now));
                }
                break end_of(&error);
            }
            None => break End::broken(NO_CLOSE),
        }
    };
    // The game hears of it now; the answer to the close frame goes out while the stream is read to its end.
    shared.with(|session, now| session.ended(link, end.clone(), now));
    let _ = tokio::time::timeout(GOODBYE, async { while let Some(Ok(_)) = stream.next().await {} }).await;
    end
}

fn end_of(error: &Error) -> End {
    match error {
        // More than any relay sends a client (LIM-OUT-1).
        Error::Capacity(CapacityError::MessageTooLong { size, max_size }) => End::with_detail(
            close::TOO_BIG,
            format_args!("{size} bytes came, but at most {max_size} are allowed"),
        ),
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(
            ProtocolError::ResetWithoutClosingHandshake
            | ProtocolError::SendAfterClosing
            | ProtocolError::ReceivedAfterClosing,
        ) => End::broken(NO_CLOSE),
        Error::Utf8(_) => End::with_detail(close::TEXT, "not UTF-8"),
        // What broke the framing would break it again (CLIENT-RETRY-2).
        Error::Protocol(fault) => End::with_detail(close::WEBSOCKET, fault),
        error => End::broken(error.to_string()),
    }
}
