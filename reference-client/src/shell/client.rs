//! The handle.

use std::sync::Arc;

use roomwire_codec::PeerId;

use super::ConnectError;
use super::meter::Traffic;
use super::shared::Shared;
use crate::core::{Address, Held, SaveTicket, Session, Stage, Status, Target, WriteError};

/// A client's handle: cheap to clone, usable from any thread. When the last one is dropped, the client leaves its room.
///
/// Writes return at once and say only what can be said locally: that the write was refused and nothing was sent, or that it is on
/// its way. Version 1 has no answer to a single write; a value comes back as an [`Event::StateChanged`](crate::Event::StateChanged), a
/// save as an [`Event::WorldSaved`](crate::Event::WorldSaved), and if the connection ends before, nobody can know what became of it.
#[derive(Clone, Debug)]
pub struct Client {
    owner: Arc<Owner>,
}

/// Held by the handles and by nothing else, so that the last handle takes it along.
#[derive(Debug)]
struct Owner(Arc<Shared>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.finish();
    }
}

impl Client {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { owner: Arc::new(Owner(shared)) }
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.owner.0
    }

    /// Writes a value: any bytes, also none. What [`get`](Self::get) gives changes when the relay has committed it (CLIENT-ECHO-1).
    ///
    /// # Errors
    ///
    /// A [`WriteError`]; then nothing was sent.
    pub fn set(&self, key: &str, value: impl AsRef<[u8]>) -> Result<(), WriteError> {
        self.shared().with(|session, _| session.set(key, value.as_ref()))
    }

    /// Saves the world: any bytes, also none, up to 1 MiB together with the room's values. The ticket tells its
    /// [`Event::WorldSaved`](crate::Event::WorldSaved) from those of other saves.
    ///
    /// # Errors
    ///
    /// A [`WriteError`]; then nothing was sent.
    pub fn save(&self, blob: impl AsRef<[u8]>) -> Result<SaveTicket, WriteError> {
        self.shared().with(|session, _| session.save(blob.as_ref()))
    }

    /// Sends a packet of at least 1 byte to peers.
    ///
    /// # Errors
    ///
    /// A [`WriteError`]; then nothing was sent.
    pub fn send_packet(&self, target: Target, payload: impl AsRef<[u8]>) -> Result<(), WriteError> {
        self.shared().with(|session, _| session.send_packet(target, payload.as_ref()))
    }

    /// The newest value of a key that has come; `None` if the key is not set, which is not the same as empty (CLIENT-GET-1).
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Held> {
        self.shared().read(|session| session.get(key).cloned())
    }

    /// Whether a key is set.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.shared().read(|session| session.get(key).is_some())
    }

    /// All keys that are set and what they hold, ascending by the keys' bytes.
    #[must_use]
    pub fn entries(&self) -> Vec<(Arc<str>, Held)> {
        self.shared().read(|session| {
            session.cache().iter().map(|(key, held)| (Arc::clone(key), held.clone())).collect()
        })
    }

    /// The peers that are present, ascending. None while there is no connection.
    #[must_use]
    pub fn peers(&self) -> Vec<PeerId> {
        self.shared().read(|session| session.peers().collect())
    }

    /// This client's own peer id, while there is a connection. Each connection has another one.
    #[must_use]
    pub fn peer(&self) -> Option<PeerId> {
        self.shared().read(Session::peer)
    }

    /// What the client is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        self.shared().read(Session::status)
    }

    /// Waits until the room's state has come. Returns `false` if the client does not try any more; the last
    /// [`Event::Closed`](crate::Event::Closed) says why.
    pub async fn ready(&self) -> bool {
        let decided = |status: &Status| matches!(status, Status::Linked(Stage::Ready) | Status::Idle);
        let mut status = self.shared().status();
        status.wait_for(decided).await.is_ok_and(|status| *status != Status::Idle)
    }

    /// Joins another room, and leaves this one. What is held is forgotten if it is another room (CLIENT-CACHE-1).
    ///
    /// # Errors
    ///
    /// A [`ConnectError`]; then the client stays where it is.
    pub fn join(&self, address: Address) -> Result<(), ConnectError> {
        ConnectError::check(&address)?;
        self.shared().with(|session, now| session.join(address, now));
        Ok(())
    }

    /// Connects to the same room again, now: after a close that the client does not come back from by itself, or to cut a wait
    /// short.
    pub fn reconnect(&self) {
        self.shared().with(|session, now| session.reconnect(now));
    }

    /// Leaves the room. What is held stays readable; [`reconnect`](Self::reconnect) goes back.
    pub fn leave(&self) {
        self.shared().with(Session::leave);
    }

    /// Leaves the room and waits until all writes and the close frame have been sent, two seconds each at most.
    pub async fn close(&self) {
        self.leave();
        self.shared().all_links_done().await;
    }

    /// Bytes received and sent so far, for showing progress.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.shared().traffic()
    }
}
