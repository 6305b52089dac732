//! The Roomwire wire format: decode and encode, no_std, zero-copy.
//!
//! A message is decoded as a whole and in a known [`Direction`]; what comes out borrows from it. Encoding writes into a buffer
//! of the caller's. Neither takes memory, blocks or panics, whatever the bytes.
//!
//! ```
//! use roomwire_codec::{Direction, ErrorClass, Frame, Key, StateSet, StateUpdate, decode};
//!
//! // A member writes `score = 7`.
//! let set = StateSet { key: Key::new(b"score")?, value: &[7] };
//! let mut buffer = [0; 64];
//! let len = set.encode(&mut buffer)?;
//! let message = &buffer[..len];
//! assert_eq!(message, b"\xF4\x05\x00score\x07");
//!
//! // The relay reads it, gives it a revision and tells everyone.
//! let Frame::StateSet(StateSet { key, value }) = decode(Direction::ToRelay, message)? else { unreachable!() };
//! let update = StateUpdate { rev: 1, key, value };
//! let mut out = vec![0; update.encoded_len()];
//! update.encode(&mut out)?;
//! assert_eq!(out, b"\xF5\x01\x00\x00\x00\x05\x00score\x07");
//!
//! // What is refused says what is wrong, where, and which rule of the spec it breaks.
//! let error = decode(Direction::ToRelay, b"\xF4\x00\x00").unwrap_err();
//! assert_eq!((error.class, error.offset, error.field, error.rule), (ErrorClass::Limit, 1, "key_len", "ROOM-KEY-1"));
//! assert_eq!(
//!     error.to_string(),
//!     "STATE_SET: limit at byte 1 (key_len): the key is 0 bytes long, but must be 1 to 1024 [ROOM-KEY-1]"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to look
//!
//! | for | see |
//! |---|---|
//! | which frame a message is, and back | [`decode`], [`decode_first`], [`decode_collecting`], [`encode`](fn@encode), [`Frame`] |
//! | shared values and the world | [`StateSet`], [`StateUpdate`], [`StateSnapshot`], [`WorldSave`], [`WorldSaveAck`], [`WorldLoad`] |
//! | peer ids and Godot's packets | [`PeerIdMessage`], [`AddPeer`], [`DelPeer`], [`Relay`], [`Godot`] |
//! | why something is refused | [`DecodeError`], [`EncodeError`], [`KeyError`] |
//! | every number and rule id | [`registry`] |
//!
//! # Features
//!
//! - `alloc` (default): [`decode_strict`], [`decode_collecting`], [`StateSnapshot::check_keys`] and `encode_to_vec`.
//! - `arbitrary`: frames out of a fuzzer's bytes, see `arbitrary::frame`.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "alloc"),
    allow(rustdoc::broken_intra_doc_links, reason = "the docs name what is there with all features")
)]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
mod convert;
mod decode;
mod direction;
mod encode;
mod error;
mod field;
mod frame;
mod key;
mod opcode_space;
mod peers;
#[allow(clippy::doc_lazy_continuation, reason = "clauses of the spec, wrapped wherever a line is full")]
pub mod registry;
mod room;
#[cfg(test)]
mod testing;

pub use direction::Direction;
pub use encode::{EncodeError, encode};
pub use error::{DecodeError, ErrorClass};
pub use frame::{Frame, decode, decode_first};
#[cfg(feature = "alloc")]
pub use frame::{decode_collecting, decode_strict};
pub use key::{Key, KeyError};
pub use peers::{AddPeer, DelPeer, Godot, NotAPeerId, PeerId, PeerIdMessage, Relay};
pub use room::{Entries, Entry, StateSet, StateSnapshot, StateUpdate, WorldLoad, WorldSave, WorldSaveAck};
