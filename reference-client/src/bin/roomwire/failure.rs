//! What can go wrong, and the exit codes.

use std::io;

use roomwire_client::json::CannotEncode;
use roomwire_client::{AddressError, Closed, ConnectError, DecodeError, WriteError};
use serde_json::{Value, json};

/// Exit code: it did not work.
pub(crate) const FAILED: u8 = 1;
/// Exit code: the command line.
pub(crate) const USAGE: u8 = 2;
/// Exit code: there is nothing under that name.
pub(crate) const NOT_SET: u8 = 3;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Standard output is gone: whoever read it has had enough.
    #[error("standard output is closed")]
    Pipe,
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A file that was named.
    #[error("{name}: {error}")]
    File { name: String, error: io::Error },
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Closed(Closed),
    #[error("{0}")]
    Write(#[from] WriteError),
    #[error("{0}")]
    Timeout(String),
    #[error("{0}")]
    NotSet(String),
    #[error("{0}")]
    Decode(#[from] DecodeError),
    #[error("{0}")]
    Encode(#[from] CannotEncode),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Pipe => 0,
            Self::Address(_) | Self::Usage(_) | Self::Write(WriteError::Key(_)) => USAGE,
            Self::NotSet(_) => NOT_SET,
            _ => FAILED,
        }
    }

    /// What `--json` writes.
    pub(crate) fn json(&self) -> Value {
        let class = match self {
            Self::Decode(DecodeError { class, offset, field, rule, .. }) => {
                return json!({"error": {"class": class.name(), "offset": offset, "field": field, "rule": rule}});
            }
            Self::Encode(CannotEncode { class, field, rule, .. }) => {
                return json!({"error": {"class": class.name(), "field": field, "rule": rule}});
            }
            Self::Closed(Closed { code, reason, .. }) => {
                return json!({"error": {"class": "closed", "code": code, "reason": reason, "message": self.to_string()}});
            }
            Self::Pipe | Self::Io(_) | Self::File { .. } => "io",
            Self::Address(_) | Self::Connect(_) => "address",
            Self::Usage(_) => "usage",
            Self::Write(_) => "write",
            Self::Timeout(_) => "timeout",
            Self::NotSet(_) => "not-set",
        };
        json!({"error": {"class": class, "message": self.to_string()}})
    }
}
