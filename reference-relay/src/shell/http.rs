//! HTTP in front of the WebSocket: routes, the upgrade's answer, `/healthz`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use roomwire_codec::registry::limit;
use sha1::{Digest, Sha1};
use tokio::net::TcpStream;

use super::rates::{Place, Seat};
use super::relay::Shared;
use super::session;
use crate::core::admission::{Admission, admit};
use crate::core::closing::Closing;

/// What a key is hashed with (RFC 6455, 1.3).
const WEBSOCKET_GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Where a proxy says for whom it speaks.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// The version of the WebSocket protocol (RFC 6455).
const WEBSOCKET_VERSION: &str = "13";

/// The relay's routes. A WebSocket upgrade is taken on any path (WS-7).
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/r/{room}", axum::routing::any(upgrade_required))
        .layer(from_fn_with_state(Arc::clone(&shared), upgrades))
        .fallback_service(
            Router::new()
                .fallback(async || StatusCode::NOT_FOUND)
                .layer(from_fn_with_state(Arc::clone(&shared), upgrades)),
        )
        .with_state(shared)
}

async fn healthz(State(shared): State<Arc<Shared>>) -> Response {
    let (rooms, members) = shared.census();
    let version = env!("CARGO_PKG_VERSION");
    let body = format!(r#"{{"status":"ok","version":"{version}","rooms":{rooms},"members":{members}}}"#);
    respond(StatusCode::OK, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body)
}

/// WS-8.
async fn upgrade_required(method: Method) -> Response {
    let status =
        if method == Method::GET { StatusCode::UPGRADE_REQUIRED } else { StatusCode::METHOD_NOT_ALLOWED };
    let upgrade = [(header::UPGRADE, HeaderValue::from_static("websocket"))];
    respond(status, upgrade, "this is a WebSocket; see the Roomwire specification, chapter 5\n")
}

/// Takes upgrades out of the stream of requests.
async fn upgrades(
    State(shared): State<Arc<Shared>>,
    Extension(seat): Extension<Seat>,
    mut request: Request,
    next: Next,
) -> Response {
    if head_len(&request) > limit::MAX_REQUEST_HEAD {
        return respond(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, [], Body::empty());
    }
    let is_http_1_1 = request.version() == Version::HTTP_11;
    if request.method() != Method::GET || !is_http_1_1 || !is_upgrade(request.headers()) {
        return next.run(request).await;
    }
    let target = request.uri().path_and_query().map_or("", |target| target.as_str());
    let accept = accept_key(request.headers()).filter(|_| target.bytes().all(|byte| byte.is_ascii_graphic()));
    let Some(accept) = accept else {
        let version = HeaderValue::from_static(WEBSOCKET_VERSION);
        return respond(
            StatusCode::BAD_REQUEST,
            [(header::SEC_WEBSOCKET_VERSION, version)],
            "no valid upgrade\n",
        );
    };
    let Some(mut place) = seat.take() else {
        return respond(StatusCode::BAD_REQUEST, [], "one upgrade is enough\n");
    };
    if let Some(addresses) = request.headers().get_all(FORWARDED_FOR).iter().next_back() {
        place.forwarded_for(addresses.to_str().unwrap_or_default());
    }
    // Whatever is wrong with the URL is told by a close frame (JOIN-ADMIT-1).
    let admission = admit(request.uri().path(), request.uri().query());
    let upgrade = hyper::upgrade::on(&mut request);
    shared.sending.tasks.spawn(upgraded(Arc::clone(&shared), upgrade, admission, place));
    // WS-3, WS-4: this and nothing else.
    let headers = [
        (header::CONNECTION, HeaderValue::from_static("Upgrade")),
        (header::UPGRADE, HeaderValue::from_static("websocket")),
        (header::SEC_WEBSOCKET_ACCEPT, accept),
    ];
    respond(StatusCode::SWITCHING_PROTOCOLS, headers, Body::empty())
}

fn respond<const N: usize>(
    status: StatusCode,
    headers: [(HeaderName, HeaderValue); N],
    body: impl Into<Body>,
) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().extend(headers);
    response
}

/// Bytes of a request's head (LIM-IN-2), as a client writes it that wastes none.
fn head_len(request: &Request) -> usize {
    const LINE_END: usize = 2;
    const SEPARATOR: usize = 2;
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    let line = request.method().as_str().len() + target + " ".len() + " HTTP/1.1".len() + LINE_END;
    let fields = request.headers().iter();
    fields.map(|(name, value)| name.as_str().len() + SEPARATOR + value.len() + LINE_END).sum::<usize>()
        + line
        + LINE_END
}

fn is_upgrade(headers: &HeaderMap) -> bool {
    has_token(headers, header::CONNECTION, "upgrade") && has_token(headers, header::UPGRADE, "websocket")
}

fn has_token(headers: &HeaderMap, name: HeaderName, token: &str) -> bool {
    let mut values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.any(|value| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(token)))
}

/// The answer to the request's key; none if the request is no valid upgrade (WS-7).
fn accept_key(headers: &HeaderMap) -> Option<HeaderValue> {
    let version = headers.get(header::SEC_WEBSOCKET_VERSION)?;
    let mut keys = headers.get_all(header::SEC_WEBSOCKET_KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else { return None };
    let is_served = version.as_bytes() == WEBSOCKET_VERSION.as_bytes();
    let accept =
        || STANDARD.encode(Sha1::new().chain_update(key.as_bytes()).chain_update(WEBSOCKET_GUID).finalize());
    if is_served { HeaderValue::try_from(accept()).ok() } else { None }
}

/// Takes the socket over from HTTP.
async fn upgraded(
    shared: Arc<Shared>,
    upgrade: OnUpgrade,
    admission: Result<Admission, Closing>,
    place: Place,
) {
    let Ok(upgraded) = upgrade.await else { return };
    if let Some((socket, first)) = raw(upgraded) {
        session::run(shared, socket, first, admission, place).await;
    }
}

/// The TCP socket under an upgraded connection, and what was read from it already.
fn raw(upgraded: Upgraded) -> Option<(TcpStream, bytes::Bytes)> {
    // It is what `listener` serves, so this cannot fail.
    let parts = upgraded.downcast::<TokioIo<TcpStream>>().ok()?;
    Some((parts.io.into_inner(), parts.read_buf))
}
