//! The end of a connection (spec 12-clients, "The end").

use std::fmt;
use std::time::Duration;

use roomwire_codec::registry::{close, limit};

use super::event::SaveTicket;

/// Close code of an ordinary end (RFC 6455, 7.4.1).
pub const NORMAL: u16 = 1000;
/// What stands for the code of a close frame that has none (RFC 6455, 7.4.1).
pub const NO_STATUS: u16 = 1005;
/// What stands for the code of an end without a close frame, and of an attempt that failed (RFC 6455, 7.4.1).
pub const ABNORMAL: u16 = 1006;

/// How the transport says that a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Close code; [`NO_STATUS`] or [`ABNORMAL`] where there is none.
    pub code: u16,
    /// The close frame's reason; empty where there is none.
    pub reason: String,
    /// Who ended it.
    pub by: By,
    /// What went wrong where there was no close frame, for people.
    pub detail: String,
}

impl End {
    /// A close frame from the relay.
    pub fn by_relay(code: u16, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), by: By::Relay, detail: String::new() }
    }

    /// An end without a close frame, or an attempt that did not come to a connection.
    pub fn broken(detail: impl Into<String>) -> Self {
        Self { code: ABNORMAL, reason: String::new(), by: By::Network, detail: detail.into() }
    }

    /// The client's own decision.
    pub(super) fn by_client(code: u16, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), by: By::Client, detail: String::new() }
    }

    /// The client's own decision for a reason that the registry has: `prefix: detail`, as CLOSE-1 has it.
    pub(crate) fn with_detail(close: close::Close, detail: impl fmt::Display) -> Self {
        let mut reason = format!("{}: {detail}", close.reason);
        let mut end = reason.len().min(limit::CLOSE_REASON_MAX);
        while !reason.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        reason.truncate(end);
        Self::by_client(close.code, reason)
    }
}

/// Who ended a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// The relay, with a close frame.
    Relay,
    /// This client.
    Client,
    /// Neither: the connection broke or never came to be.
    Network,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// There is no WebSocket yet.
    Connecting,
    /// The WebSocket is open, and the peer id has not come. A relay that refuses a member ends the connection here.
    Open,
    /// The peer id has come, and the join data is coming.
    Joining,
    /// The join data has come.
    Ready,
}

/// The end of a connection, as it is reported (CLIENT-CLOSE-1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// Code of the close frame that the relay or this client sent. [`NO_STATUS`] for a close frame without one, [`ABNORMAL`] for
    /// an end without a close frame.
    pub code: u16,
    /// Reason of the close frame; empty where it has none, and where there was no close frame.
    pub reason: String,
    /// What went wrong where there was no close frame, for people: "connection refused". Otherwise empty.
    pub detail: String,
    /// Who ended it.
    pub by: By,
    /// How far the connection had come.
    pub stage: Stage,
    /// How long until the next attempt; `None` if the client does not come back by itself.
    pub retry_in: Option<Duration>,
    /// Saves that were sent and not acked. Whether they were committed cannot be known; nor can it for the last values set.
    pub unanswered_saves: Vec<SaveTicket>,
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, reason, by, stage, detail, .. } = self;
        match (by, stage) {
            (By::Client, Stage::Connecting) => f.write_str("attempt given up")?,
            (By::Relay, Stage::Connecting | Stage::Open) => write!(f, "refused by the relay: {code}")?,
            (By::Relay, _) => write!(f, "closed by the relay: {code}")?,
            (By::Client, _) => write!(f, "closed: {code}")?,
            (By::Network, Stage::Connecting) => f.write_str("cannot connect")?,
            (By::Network, _) => f.write_str("connection lost")?,
        }
        match (reason.as_str(), detail.as_str()) {
            ("", "") => Ok(()),
            ("", detail) => write!(f, ": {detail}"),
            (reason, _) => write!(f, " {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLOSE-1: prefix, colon, space, detail, at most 123 bytes of UTF-8.
    #[test]
    fn reasons_are_cut_at_a_character() {
        let end = End::with_detail(close::MALFORMED, "é".repeat(100));
        assert!(end.reason.starts_with("malformed: é"));
        assert_eq!(end.reason.len(), limit::CLOSE_REASON_MAX);
        let end = End::with_detail(close::MALFORMED, format!("x{}", "é".repeat(100)));
        assert_eq!(end.reason.len(), limit::CLOSE_REASON_MAX - 1);
    }
}
