//! What every frame has in the same words: the way into [`Frame`], and with `alloc` into a `Vec`.

use crate::frame::Frame;
use crate::peers::{AddPeer, DelPeer, Godot, PeerIdMessage, Relay};
use crate::room::{StateSet, StateSnapshot, StateUpdate, WorldLoad, WorldSave, WorldSaveAck};

macro_rules! into_frame {
    ($($frame:ty => $variant:ident,)*) => {
        $(impl<'a> From<$frame> for Frame<'a> {
            #[inline]
            fn from(frame: $frame) -> Self {
                Self::$variant(frame)
            }
        })*
    };
}

into_frame! {
    WorldSave<'a> => WorldSave,
    WorldLoad<'a> => WorldLoad,
    WorldSaveAck => WorldSaveAck,
    StateSet<'a> => StateSet,
    StateUpdate<'a> => StateUpdate,
    StateSnapshot<'a> => StateSnapshot,
    PeerIdMessage => PeerId,
    AddPeer => AddPeer,
    DelPeer => DelPeer,
    Relay<'a> => Relay,
    Godot<'a> => Godot,
}

#[cfg(feature = "alloc")]
mod to_vec {
    use alloc::vec::Vec;

    use super::*;
    use crate::encode::EncodeError;
    use crate::room::Entry;

    macro_rules! to_vec {
        ($($frame:ty,)*) => {
            $(impl $frame {
                /// Encodes into a new `Vec`.
                ///
                /// # Errors
                ///
                /// As `encode`, but that the buffer is always long enough.
                pub fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
                    let mut out = alloc::vec![0; self.encoded_len()];
                    self.encode(&mut out)?;
                    Ok(out)
                }
            })*
        };
    }

    to_vec! {
        Frame<'_>,
        WorldSave<'_>,
        WorldLoad<'_>,
        WorldSaveAck,
        StateSet<'_>,
        StateUpdate<'_>,
        StateSnapshot<'_>,
        PeerIdMessage,
        AddPeer,
        DelPeer,
        Relay<'_>,
        Godot<'_>,
    }

    impl StateSnapshot<'_> {
        /// Encodes a snapshot of `entries` into a new `Vec`, as [`encode_entries`](Self::encode_entries) does.
        ///
        /// # Errors
        ///
        /// As [`encode_entries`](Self::encode_entries), but that the buffer is always long enough.
        pub fn encode_entries_to_vec<'e, I>(entries: I) -> Result<Vec<u8>, EncodeError>
        where
            I: IntoIterator<Item = Entry<'e>>,
            I::IntoIter: Clone,
        {
            let entries = entries.into_iter();
            let mut out = alloc::vec![0; Self::encoded_len_of(entries.clone())];
            Self::encode_entries(entries, &mut out)?;
            Ok(out)
        }
    }
}
