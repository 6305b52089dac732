//! What a session wants done, and what it is doing.

use bytes::Bytes;

use super::address::Address;
use super::end::Stage;
use super::event::Event;
use super::link::LinkId;

/// What a [`Session`](super::Session) wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Open a WebSocket at the address. One whole binary message is one [`Session::message`](super::Session::message).
    Dial {
        /// The name of the connection from here on.
        link: LinkId,
        /// Where.
        address: Address,
    },
    /// Send a binary message, and report its length by [`Session::sent`](super::Session::sent) when it has left.
    Send {
        /// Over which connection.
        link: LinkId,
        /// The message.
        message: Bytes,
    },
    /// Send a WebSocket ping.
    Ping {
        /// Over which connection.
        link: LinkId,
    },
    /// Send what waits and then a close frame, and be done with the connection. Nothing of it needs to be reported any more.
    Close {
        /// Which connection.
        link: LinkId,
        /// Close code.
        code: u16,
        /// Close reason, at most 123 bytes.
        reason: String,
    },
    /// Be done with the connection, or with the attempt, at once.
    Drop {
        /// Which connection.
        link: LinkId,
    },
    /// Tell the game.
    Event(Event),
}

/// What a client is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing: it never joined a room, left it, or was closed for good.
    Idle,
    /// Waiting for the next attempt.
    Waiting,
    /// Connected, or on the way to it.
    Linked(Stage),
}
