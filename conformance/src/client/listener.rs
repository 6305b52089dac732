//! Where clients connect to: a thread that accepts.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A port, and the connections that wait there.
pub(crate) struct Listener {
    /// Where it listens.
    pub(crate) addr: SocketAddr,
    waiting: Mutex<Receiver<TcpStream>>,
    over: Arc<AtomicBool>,
}

impl Listener {
    /// Listens.
    ///
    /// # Errors
    /// Those of the socket.
    pub(crate) fn bind(addr: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(addr)?;
        let addr = listener.local_addr()?;
        let (sender, waiting) = channel();
        let over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&over);
        std::thread::Builder::new().name("listener".into()).spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(stream) = stream
                    && (stream.set_nodelay(true).is_err() || sender.send(stream).is_err())
                {
                    return;
                }
            }
        })?;
        Ok(Self { addr, waiting: Mutex::new(waiting), over })
    }

    /// The next connection; `None` if none came in time.
    pub(crate) fn next(&self, patience: Duration) -> Option<TcpStream> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(patience).ok()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // Wakes the thread.
        let _ = TcpStream::connect_timeout(&self.addr, Duration::from_secs(1));
    }
}
