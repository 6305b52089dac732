//! How many bytes have gone by.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that a client has received and sent, WebSocket heads included, over all its connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes from the relay.
    pub received: u64,
    /// Bytes that were handed to the operating system for the relay.
    pub sent: u64,
}

/// The counts of a client.
#[derive(Debug, Default)]
pub(super) struct Counts {
    received: AtomicU64,
    sent: AtomicU64,
}

impl Counts {
    pub(super) fn read(&self) -> Traffic {
        Traffic { received: self.received.load(Ordering::Relaxed), sent: self.sent.load(Ordering::Relaxed) }
    }
}

/// A stream that counts what goes by and shows what came.
pub(super) struct Metered<S, F> {
    stream: S,
    counts: Arc<Counts>,
    heard: F,
}

impl<S, F: FnMut(&[u8])> Metered<S, F> {
    pub(super) fn new(stream: S, counts: Arc<Counts>, heard: F) -> Self {
        Self { stream, counts, heard }
    }
}

impl<S: AsyncRead + Unpin, F: FnMut(&[u8]) + Unpin> AsyncRead for Metered<S, F> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        let came = buf.filled().get(before..).unwrap_or_default();
        if !came.is_empty() {
            self.counts.received.fetch_add(count(came.len()), Ordering::Relaxed);
            (self.heard)(came);
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin, F: Unpin> AsyncWrite for Metered<S, F> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        if let Poll::Ready(Ok(went)) = polled {
            self.counts.sent.fetch_add(count(went), Ordering::Relaxed);
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
