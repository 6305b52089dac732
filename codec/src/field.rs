//! The fields that layouts are made of, as complete nom parsers: each reads its bytes, then checks them, before the next
//! field is looked at (ERR-ORDER-1, ERR-ORDER-4).
//!
//! The parsers are generic over their error, so that one grammar serves twice. A message is first parsed with the error `()`,
//! which costs nothing to carry through the hot path. Only if that fails is it parsed again with [`Fault`], which knows the
//! field and the problem; see [`Decode`](crate::decode::Decode).
//!
//! Integers and byte strings are split off the slice here and not by nom's own `le_u32` and `take`: without link-time
//! optimisation those compile to calls, and a snapshot takes twice as long.

use nom::error::{ErrorKind, ParseError};

use crate::error::Problem;
use crate::key::{self, Key, KeyError};

/// What a field's parser returns: what is left and the field, or the fault.
pub(crate) type Parsed<'a, T, E> = nom::IResult<&'a [u8], T, E>;

/// Name of what follows the last field.
pub(crate) const END: &str = "end";

/// The error of a parser that refuses the field which starts where `left` bytes are left.
pub(crate) trait Reject: for<'a> ParseError<&'a [u8]> {
    fn reject(left: usize, field: &'static str, problem: Problem) -> Self;
}

/// Refused, and nothing else is known.
impl Reject for () {
    #[inline(always)]
    fn reject(_: usize, _: &'static str, _: Problem) -> Self {}
}

/// A field that cannot be taken, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) problem: Problem,
    pub(crate) field: &'static str,
    /// Bytes from the field's start to the end of the message. The offset is made of it at the end, so no parser needs to know
    /// where in the message it stands.
    pub(crate) left: usize,
}

impl Reject for Fault {
    fn reject(left: usize, field: &'static str, problem: Problem) -> Self {
        Self { problem, field, left }
    }
}

/// For nom's combinators, which know neither the field nor the problem. Those in use here pass errors on and make none.
impl ParseError<&[u8]> for Fault {
    fn from_error_kind(input: &[u8], _: ErrorKind) -> Self {
        Self::reject(input.len(), END, Problem::Cut { need: 1, left: input.len() })
    }

    fn append(_: &[u8], _: ErrorKind, first: Self) -> Self {
        first
    }
}

/// The fault `problem` of the field that starts where `input` does.
#[inline(always)]
pub(crate) fn fault<'a, T, E: Reject>(
    input: &'a [u8],
    field: &'static str,
    problem: Problem,
) -> Parsed<'a, T, E> {
    Err(nom::Err::Error(E::reject(input.len(), field, problem)))
}

/// The fault of a field that takes `need` bytes, more than there are.
#[inline(always)]
pub(crate) fn cut<'a, T, E: Reject>(input: &'a [u8], field: &'static str, need: usize) -> Parsed<'a, T, E> {
    fault(input, field, Problem::Cut { need, left: input.len() })
}

#[inline(always)]
fn array<'a, const N: usize, E: Reject>(input: &'a [u8], field: &'static str) -> Parsed<'a, [u8; N], E> {
    if let Some((bytes, rest)) = input.split_first_chunk() {
        return Ok((rest, *bytes));
    }
    cut(input, field, N)
}

/// One byte.
#[inline(always)]
pub(crate) fn u8<'a, E: Reject>(input: &'a [u8], field: &'static str) -> Parsed<'a, u8, E> {
    let (rest, [byte]) = array(input, field)?;
    Ok((rest, byte))
}

/// The opcode, which the dispatch has already looked at.
#[inline(always)]
pub(crate) fn opcode<E: Reject>(input: &[u8]) -> Parsed<'_, u8, E> {
    u8(input, "opcode")
}

/// Two bytes, little-endian, unsigned.
#[inline(always)]
pub(crate) fn u16<'a, E: Reject>(input: &'a [u8], field: &'static str) -> Parsed<'a, u16, E> {
    let (rest, bytes) = array(input, field)?;
    Ok((rest, u16::from_le_bytes(bytes)))
}

/// Four bytes, little-endian, unsigned.
#[inline(always)]
pub(crate) fn u32<'a, E: Reject>(input: &'a [u8], field: &'static str) -> Parsed<'a, u32, E> {
    let (rest, bytes) = array(input, field)?;
    Ok((rest, u32::from_le_bytes(bytes)))
}

/// Four bytes, little-endian, signed.
#[inline(always)]
pub(crate) fn i32<'a, E: Reject>(input: &'a [u8], field: &'static str) -> Parsed<'a, i32, E> {
    let (rest, bytes) = array(input, field)?;
    Ok((rest, i32::from_le_bytes(bytes)))
}

/// As many bytes as a length before them says. The length is compared with what is left and never added to an offset, so
/// nothing can overflow.
#[inline(always)]
pub(crate) fn bytes<'a, E: Reject>(
    input: &'a [u8],
    field: &'static str,
    len: u32,
) -> Parsed<'a, &'a [u8], E> {
    match usize::try_from(len).ok().and_then(|len| input.split_at_checked(len)) {
        Some((bytes, rest)) => Ok((rest, bytes)),
        None => fault(input, field, Problem::Announced { len, left: input.len() }),
    }
}

/// All bytes that are left, which may be none.
#[inline(always)]
pub(crate) fn rest<'a, E: Reject>(input: &'a [u8]) -> Parsed<'a, &'a [u8], E> {
    nom::combinator::rest(input)
}

/// The end of a layout that has no rest field.
#[inline(always)]
pub(crate) fn end<E: Reject>(input: &[u8]) -> Parsed<'_, (), E> {
    if input.is_empty() {
        Ok((input, ()))
    } else {
        fault(input, END, Problem::Trailing { extra: input.len() })
    }
}

/// A revision above the one `before` it: 1 to 2^32 - 1 (ROOM-REV-1), ascending (ROOM-SNAP-1).
#[inline(always)]
pub(crate) fn rev<'a, E: Reject>(input: &'a [u8], field: &'static str, before: u32) -> Parsed<'a, u32, E> {
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
pub(crate) fn key<'a, E: Reject>(
    input: &'a [u8],
    len_field: &'static str,
    field: &'static str,
) -> Parsed<'a, Key<'a>, E> {
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
