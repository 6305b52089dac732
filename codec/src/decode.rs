//! How a layout becomes a decoder.

use crate::direction::Direction;
use crate::error::{DecodeError, Layout, Problem};
use crate::field::{END, Fault, Parsed, Reject};

/// A frame that can be read from a message.
pub(crate) trait Decode<'a>: Sized {
    const LAYOUT: Layout;

    /// Reads the layout, from the first byte of the message to its last.
    fn parse<E: Reject>(direction: Direction, message: &'a [u8]) -> Parsed<'a, Self, E>;

    /// Reads the frame, or says why not.
    #[inline(always)]
    fn decode(direction: Direction, message: &'a [u8]) -> Result<Self, DecodeError> {
        Self::attempt(direction, message).ok_or_else(|| Self::explain(direction, message))
    }

    /// Reads the frame, if it can be read.
    #[inline(always)]
    fn attempt(direction: Direction, message: &'a [u8]) -> Option<Self> {
        Self::parse::<()>(direction, message).ok().map(|(_, frame)| frame)
    }

    /// Says why [`attempt`](Self::attempt) gave nothing.
    #[cold]
    fn explain(direction: Direction, message: &'a [u8]) -> DecodeError {
        match Self::parse::<Fault>(direction, message) {
            Err(nom::Err::Error(Fault { problem, field, left }))
            | Err(nom::Err::Failure(Fault { problem, field, left })) => {
                DecodeError::new(&Self::LAYOUT, message.len().saturating_sub(left), field, problem)
            }
            // Neither comes to be: the grammar is the same, and complete parsers never ask for more. The message stays
            // refused.
            Ok(_) | Err(nom::Err::Incomplete(_)) => {
                DecodeError::new(&Self::LAYOUT, message.len(), END, Problem::Cut { need: 1, left: 0 })
            }
        }
    }
}
