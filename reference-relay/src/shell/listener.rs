//! Accepts TCP connections and speaks HTTP on them until they are upgraded or end.

use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use roomwire_codec::registry::limit;
use tokio::net::{TcpListener, TcpStream};

use super::http;
use super::rates::{Place, Seat};
use super::relay::Shared;

/// How long to wait after an accept that failed, which it does for want of file descriptors or memory.
const RECOVERY: Duration = Duration::from_millis(100);

/// Accepts until the relay stops.
pub(crate) async fn run(shared: Arc<Shared>, socket: TcpListener) {
    let router = http::router(Arc::clone(&shared));
    loop {
        let accepted = tokio::select! {
            accepted = socket.accept() => accepted,
            () = shared.stop.cancelled() => return,
        };
        match accepted {
            Ok((stream, peer)) => match shared.rates.accept(peer.ip()) {
                Some(place) => {
                    drop(shared.sending.tasks.spawn(serve(
                        Arc::clone(&shared),
                        router.clone(),
                        stream,
                        place,
                    )));
                }
                // RATE-CONN-1.
                None => tracing::debug!(%peer, "too many connections"),
            },
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(RECOVERY).await;
            }
        }
    }
}

/// Serves one connection until it is upgraded. The handshake time-out ends it, whatever else is asked on it (LIM-TIME-1).
async fn serve(shared: Arc<Shared>, router: Router, stream: TcpStream, place: Place) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY");
    }
    let router = router.layer(Extension(Seat::new(place)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.timing.handshake_timeout)
        .max_buf_size(limit::MAX_REQUEST_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    tokio::select! {
        served = connection => {
            if let Err(error) = served {
                tracing::debug!(%error, "HTTP");
            }
        }
        () = tokio::time::sleep(shared.timing.handshake_timeout) => {}
        () = shared.stop.cancelled() => {}
    }
}
