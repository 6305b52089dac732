//! What the table of `time.rs` says of cases and subjects.

use crate::subjects::{Case, Subject, data};

impl Case {
    pub(crate) const ALL: [Self; 11] = [
        Self::DecodeUpdate,
        Self::DecodeSet,
        Self::CheckSnapshot,
        Self::DecodeSnapshot,
        Self::DecodeWorld,
        Self::DecodeRelay,
        Self::EncodeUpdate,
        Self::EncodeSet,
        Self::EncodeSnapshot,
        Self::EncodeWorld,
        Self::EncodeRelay,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::DecodeUpdate => "decode STATE_UPDATE, 64 bytes",
            Self::DecodeSet => "decode STATE_SET, 64 bytes",
            Self::CheckSnapshot => "decode STATE_SNAPSHOT of 1,000, as a view",
            Self::DecodeSnapshot => "decode STATE_SNAPSHOT of 1,000, into a Vec",
            Self::DecodeWorld => "decode WORLD_LOAD, 4 KiB",
            Self::DecodeRelay => "decode RELAY, 64 bytes",
            Self::EncodeUpdate => "encode STATE_UPDATE, 64 bytes",
            Self::EncodeSet => "encode STATE_SET, 64 bytes",
            Self::EncodeSnapshot => "encode STATE_SNAPSHOT of 1,000",
            Self::EncodeWorld => "encode WORLD_LOAD, 4 KiB",
            Self::EncodeRelay => "encode RELAY, 64 bytes",
        }
    }

    /// How many times the floor this codec may take.
    pub(crate) const fn goal(self) -> f64 {
        match self {
            Self::DecodeUpdate | Self::DecodeSet | Self::DecodeWorld | Self::DecodeRelay => 1.3,
            Self::CheckSnapshot | Self::DecodeSnapshot => 1.4,
            _ => 1.1,
        }
    }

    /// Frames that one call of a [`Run`] goes through; a snapshot counts its entries.
    pub(crate) const fn frames(self) -> usize {
        match self {
            Self::CheckSnapshot | Self::DecodeSnapshot | Self::EncodeSnapshot => data::ENTRIES,
            Self::DecodeWorld | Self::EncodeWorld => data::WORLDS,
            _ => data::FRAMES,
        }
    }
}

impl Subject {
    pub(crate) const ALL: [Self; 7] = [
        Self::Floor,
        Self::Roomwire,
        Self::RoomwireTwice,
        Self::Unchecked,
        Self::Prost,
        Self::Rmp,
        Self::Bincode,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor: hand-written, same checks",
            Self::Roomwire => "roomwire-codec",
            Self::RoomwireTwice => "roomwire-codec, decoded, then iterated",
            Self::Unchecked => "hand-written, lengths checked only",
            Self::Prost => "prost",
            Self::Rmp => "rmp-serde",
            Self::Bincode => "bincode",
        }
    }

    pub(crate) const fn is_peer(self) -> bool {
        matches!(self, Self::Prost | Self::Rmp | Self::Bincode)
    }
}
