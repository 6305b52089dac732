//! The fields that layouts are made of, as complete nom parsers: each reads its bytes, then checks them, before the next
//! field is looked at (spec 02-primitives, "Errors").
//!
//! A parser that fails says how many bytes were left at the start of the field; [`finish`] makes the offset of it. So no
//! parser needs to know where in the message it stands.

use nom::bytes::complete::take;

use crate::error::{DecodeError, Layout, Problem};
use crate::key::{self, Key, KeyError};

/// What a field's parser returns: what is left and the field, or the fault.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Fault>;

/// Name of what follows the last field.
const END: &str = "end";

/// A field that cannot be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    problem: Problem,
    field: &'static str,
    left: usize,
}

/// For nom's own parsers, which know neither field nor problem: the field is named by whoever calls them.
impl nom::error::ParseError<&[u8]> for Fault {
    fn from_error_kind(input: &[u8], _: nom::error::ErrorKind) -> Self {
        Self { problem: Problem::Cut { need: 1, left: input.len() }, field: END, left: input.len() }
    }

    fn append(_: &[u8], _: nom::error::ErrorKind, first: Self) -> Self {
        first
    }
}

/// The fault `problem` of the field that starts where `input` does.
#[cold]
pub(crate) fn fault<'a, T>(input: &'a [u8], field: &'static str, problem: Problem) -> Parsed<'a, T> {
    Err(nom::Err::Error(Fault { problem, field, left: input.len() }))
}

/// The fault of a field that takes `need` bytes, more than there are.
#[cold]
pub(crate) fn cut<'a, T>(input: &'a [u8], field: &'static str, need: usize) -> Parsed<'a, T> {
    fault(input, field, Problem::Cut { need, left: input.len() })
}

/// Turns the outcome of parsing `whole` into the caller's.
#[inline(always)]
pub(crate) fn finish<'a, T>(
    layout: &Layout,
    whole: &'a [u8],
    parsed: Parsed<'a, T>,
) -> Result<T, DecodeError> {
    match parsed {
        Ok((_, value)) => Ok(value),
        Err(error) => Err(refusal(layout, whole, error)),
    }
}

#[cold]
fn refusal(layout: &Layout, whole: &[u8], error: nom::Err<Fault>) -> DecodeError {
    match error {
        nom::Err::Error(Fault { problem, field, left })
        | nom::Err::Failure(Fault { problem, field, left }) => {
            DecodeError::new(layout, whole.len().saturating_sub(left), field, problem)
        }
        // Complete parsers never ask for more. Were one to do so, the message would be refused, not waited for.
        nom::Err::Incomplete(_) => {
            DecodeError::new(layout, whole.len(), END, Problem::Cut { need: 1, left: 0 })
        }
    }
}

#[inline(always)]
fn array<'a, const N: usize>(input: &'a [u8], field: &'static str) -> Parsed<'a, [u8; N]> {
    if let Ok((rest, bytes)) = take::<_, _, ()>(N)(input)
        && let Ok(bytes) = bytes.try_into()
    {
        return Ok((rest, bytes));
    }
    cut(input, field, N)
}

/// Two bytes, little-endian, unsigned.
#[inline(always)]
pub(crate) fn u16<'a>(input: &'a [u8], field: &'static str) -> Parsed<'a, u16> {
    let (rest, bytes) = array(input, field)?;
    Ok((rest, u16::from_le_bytes(bytes)))
}

/// Four bytes, little-endian, unsigned.
#[inline(always)]
pub(crate) fn u32<'a>(input: &'a [u8], field: &'static str) -> Parsed<'a, u32> {
    let (rest, bytes) = array(input, field)?;
    Ok((rest, u32::from_le_bytes(bytes)))
}

/// Four bytes, little-endian, signed.
#[inline(always)]
pub(crate) fn i32<'a>(input: &'a [u8], field: &'static str) -> Parsed<'a, i32> {
    let (rest, bytes) = array(input, field)?;
    Ok((rest, i32::from_le_bytes(bytes)))
}

/// As many bytes as a length before them says. The length is compared with what is left and never added to an offset, so
/// nothing can overflow.
#[inline(always)]
pub(crate) fn bytes<'a>(input: &'a [u8], field: &'static str, len: u32) -> Parsed<'a, &'a [u8]> {
    match take::<_, _, ()>(len)(input) {
        Ok(taken) => Ok(taken),
        Err(_) => fault(input, field, Problem::Announced { len, left: input.len() }),
    }
}

/// All bytes that are left, which may be none.
#[inline(always)]
pub(crate) fn rest(input: &[u8]) -> Parsed<'_, &[u8]> {
    nom::combinator::rest(input)
}

/// The end of a layout that has no rest field.
#[inline(always)]
pub(crate) fn end(input: &[u8]) -> Parsed<'_, ()> {
    if input.is_empty() {
        Ok((input, ()))
    } else {
        fault(input, END, Problem::Trailing { extra: input.len() })
    }
}

/// A revision above the one `before` it: 1 to 2^32 - 1 (ROOM-REV-1), ascending (ROOM-SNAP-1).
#[inline(always)]
pub(crate) fn rev<'a>(input: &'a [u8], field: &'static str, before: u32) -> Parsed<'a, u32> {
    let (rest, rev) = u32(input, field)?;
    if rev > before {
        Ok((rest, rev))
    } else if rev == 0 {
        fault(input, field, Problem::RevZero)
    } else {
        fault(input, field, Problem::RevOrder { before, rev })
    }
}

/// A key after its length. The length's limit is checked before the key is read, so a length that is out of range is
/// `limit` even where the key is cut (ROOM-KEY-1, ROOM-KEY-2).
#[inline(always)]
pub(crate) fn key<'a>(input: &'a [u8], len_field: &'static str, field: &'static str) -> Parsed<'a, Key<'a>> {
    let (text, len) = u16(input, len_field)?;
    if !key::length_fits(usize::from(len)) {
        return fault(input, len_field, Problem::Key(KeyError::Length { len: usize::from(len) }));
    }
    let (rest, bytes) = bytes(text, field, u32::from(len))?;
    match Key::from_fitting(bytes) {
        Ok(key) => Ok((rest, key)),
        Err(error) => fault(text, field, Problem::Key(error)),
    }
}
