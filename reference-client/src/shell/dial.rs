//! From an address to an open WebSocket.

use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use roomwire_codec::registry::limit;

use super::meter::Metered;
use crate::core::Address;

/// Bytes that are read at once. Small: games exchange small messages, and a large world comes in many reads anyway.
const READ_BUFFER: usize = 16 * 1024;

pub(super) type Socket<F> = WebSocketStream<Metered<TcpStream, F>>;

/// Opens a WebSocket. The error is where and what went wrong, for people.
pub(super) async fn dial<F: FnMut(&[u8]) + Unpin>(
    address: &Address,
    meter: impl FnOnce(TcpStream) -> Metered<TcpStream, F>,
) -> Result<Socket<F>, String> {
    let relay = address.relay();
    open(address, meter).await.map_err(|error| format!("{}:{}: {error}", relay.host(), relay.port()))
}

async fn open<F: FnMut(&[u8]) + Unpin>(
    address: &Address,
    meter: impl FnOnce(TcpStream) -> Metered<TcpStream, F>,
) -> Result<Socket<F>, String> {
    let relay = address.relay();
    let stream = TcpStream::connect((relay.host(), relay.port())).await.map_err(|error| error.to_string())?;
    // Games send small messages and wait for the answers; an error means that the connection is gone, which the handshake finds.
    let _ = stream.set_nodelay(true);
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .max_message_size(Some(limit::MAX_OUTBOUND_MESSAGE))
        .max_frame_size(Some(limit::MAX_OUTBOUND_MESSAGE));
    let opening = tokio_tungstenite::client_async_with_config(address.url(), meter(stream), Some(config));
    match opening.await {
        // It was offered none, so this is an answer to something else (CLIENT-WS-3, RFC 6455, 4.1). The library does not look.
        Ok((_, answer)) if answer.headers().contains_key("sec-websocket-extensions") => {
            Err("the relay chose an extension that it was not offered".into())
        }
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => Err(format!("the relay answered with HTTP {}", response.status())),
        Err(error) => Err(error.to_string()),
    }
}
