//! What a room wants done, in order.

use bytes::Bytes;
use roomwire_codec::Frame;
use roomwire_codec::registry::opcode;

use super::closing::Closing;
use super::member::{MemberId, Mode};

/// One thing to do. Effects are carried out in the order in which the room gives them; who is in an [`Audience`] is
/// settled by the [`Effect::Joined`], [`Effect::Left`] and [`Effect::Close`] that came before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The member is in the room: it gets what is sent from here on.
    Joined {
        /// The member.
        member: MemberId,
        /// Which audiences it belongs to.
        mode: Mode,
    },
    /// Send a frame.
    Send {
        /// Who gets it.
        to: Audience,
        /// The frame, one WebSocket message.
        frame: Bytes,
    },
    /// The member's connection has ended: nothing more is sent to it.
    Left {
        /// The member.
        member: MemberId,
    },
    /// Close the member's connection after what was sent to it before. Nothing is sent to it afterwards.
    Close {
        /// The member.
        member: MemberId,
        /// Code and reason.
        closing: Closing,
    },
}

/// Who gets a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// That member.
    One(MemberId),
    /// These members, ascending.
    Some(Box<[MemberId]>),
    /// Every state member.
    State,
    /// Every peers member but these.
    Peers {
        /// Not this one,
        not: MemberId,
        /// nor this one.
        nor: Option<MemberId>,
    },
}

/// Whether a frame towards a client is a STATE_UPDATE, which a backlog may merge with its neighbours.
///
/// The first byte tells: the relay gives out no peer id that begins like an opcode (PEER-ID-2).
pub fn is_update(frame: &[u8]) -> bool {
    frame.first() == Some(&opcode::STATE_UPDATE)
}

/// A frame as the bytes of one message.
pub(crate) fn encode(frame: Frame<'_>) -> Bytes {
    let mut message = vec![0; frame.encoded_len()];
    let encoded = frame.encode(&mut message);
    // The core makes no frame that cannot be encoded: its keys and peer ids are checked, its revisions start at 1.
    debug_assert!(encoded.is_ok(), "{encoded:?}");
    if encoded.is_ok() { Bytes::from(message) } else { Bytes::new() }
}

/// Effects that wait to be carried out.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    list: Vec<Effect>,
    bytes: usize,
}

impl Effects {
    pub(crate) fn send(&mut self, to: Audience, frame: Bytes) {
        self.bytes = self.bytes.saturating_add(frame.len());
        self.list.push(Effect::Send { to, frame });
    }

    pub(crate) fn push(&mut self, effect: Effect) {
        self.list.push(effect);
    }

    /// Bytes of the frames that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Exchanges the list for `empty`, so that both keep their memory.
    pub(crate) fn swap(&mut self, empty: &mut Vec<Effect>) {
        self.bytes = 0;
        std::mem::swap(&mut self.list, empty);
    }
}
