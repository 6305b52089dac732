//! The events of a client as a stream.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::Stream;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::core::Event;

/// What happens, in the order in which it does. It ends when the client is gone: see [`connect`](crate::connect).
#[derive(Debug)]
pub struct Events {
    receiver: UnboundedReceiver<Event>,
}

impl Events {
    pub(super) fn new(receiver: UnboundedReceiver<Event>) -> Self {
        Self { receiver }
    }

    /// Waits for the next event; `None` when there will be none. It may be cancelled without losing one.
    pub async fn recv(&mut self) -> Option<Event> {
        self.receiver.recv().await
    }

    /// The next event if one is there. For a game loop: take all that are there, once a frame.
    pub fn try_recv(&mut self) -> Option<Event> {
        self.receiver.try_recv().ok()
    }
}

impl Stream for Events {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.receiver.poll_recv(cx)
    }
}
