//! What can go wrong, and the exit codes.

use std::io;

use roomwire_client::json::{CannotEncode, JsonError};
use roomwire_client::{AddressError, Closed, ConnectError, DecodeError, WriteError};
use serde::Serialize;

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
    pub(crate) fn json(&self) -> JsonFailure {
        let error = match self {
            Self::Decode(error) => Body::Frame(error.into()),
            Self::Encode(error) => Body::Frame(error.into()),
            Self::Closed(Closed { code, reason, .. }) => {
                let (code, reason) = (Some(*code), Some(reason.clone()));
                Body::Other { class: "closed", code, reason, message: self.to_string() }
            }
            _ => Body::Other { class: self.class(), code: None, reason: None, message: self.to_string() },
        };
        JsonFailure { error }
    }

    fn class(&self) -> &'static str {
        match self {
            Self::Pipe | Self::Io(_) | Self::File { .. } => "io",
            Self::Address(_) | Self::Connect(_) => "address",
            Self::Usage(_) => "usage",
            Self::Write(_) => "write",
            Self::Timeout(_) => "timeout",
            Self::NotSet(_) => "not-set",
            Self::Closed(_) => "closed",
            Self::Decode(_) | Self::Encode(_) => "frame",
        }
    }
}

/// A failure as an object.
#[derive(Debug, Serialize)]
pub(crate) struct JsonFailure {
    error: Body,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Body {
    Frame(JsonError),
    Other {
        class: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<u16>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        message: String,
    },
}
