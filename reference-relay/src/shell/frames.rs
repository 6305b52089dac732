//! Reads WebSocket frames (RFC 6455) from bytes as they come, sans-IO: heads, masks, fragments.
//!
//! Written for a relay with very many connections that are mostly silent. Nothing is reserved for what a head announces;
//! a connection between two messages holds no buffer; and what is wrong with a frame is found at its head (WS-5,
//! LIM-IN-1), before its payload has come.

use roomwire_codec::registry::limit;

/// Bits and opcodes of a head.
const FIN: u8 = 0x80;
const RESERVED: u8 = 0x70;
const OPCODE: u8 = 0x0F;
const CONTINUATION: u8 = 0x0;
const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xA;
const CONTROL: u8 = 0x8;
const MASKED: u8 = 0x80;
const LENGTH: u8 = 0x7F;
const LENGTH_16: u8 = 126;
const LENGTH_64: u8 = 127;

/// Longest payload of a control frame.
const CONTROL_MAX: u64 = 125;
/// Longest head: two bytes, a length of eight, a mask of four.
const HEAD_MAX: usize = 14;
/// A buffer that grew beyond this is given back after its message.
const KEEP: usize = 1024;

/// What has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item<'r> {
    /// A binary message.
    Message(&'r [u8]),
    /// A ping, and the payload that its pong is to carry.
    Ping(&'r [u8]),
    /// The close frame, with its code if it has one. Nothing that follows means anything.
    Close(Option<u16>),
    /// A text message has begun. It is skipped.
    Text,
}

/// Why what comes cannot be followed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The framing is broken.
    Framing(&'static str),
    /// A message is longer than the relay takes.
    TooBig,
}

/// The state between two bytes.
#[derive(Debug, Default)]
pub(crate) struct FrameReader {
    /// The head that is being read, and how much of it is there.
    head: [u8; HEAD_MAX],
    have: usize,
    /// The frame whose payload is being read.
    frame: Option<Frame>,
    /// The payload of the message or control frame so far, unmasked.
    message: Vec<u8>,
    control: Vec<u8>,
    /// Fragments of a message have come, and it is not complete.
    unfinished: bool,
    /// Messages are skipped.
    skip: bool,
    /// The payload in `message` or `control` was handed out: it goes at the next call.
    spent: bool,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: Kind,
    fin: bool,
    mask: [u8; 4],
    left: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Data,
    Ping,
    Pong,
    Close,
}

impl FrameReader {
    /// From now on messages are followed and dropped: nothing is kept of them, and they have no limit.
    pub(crate) fn skip_messages(&mut self) {
        self.skip = true;
        self.message = Vec::new();
    }

    /// Takes bytes from the front of `input` up to the end of the next item; all of them if it does not end there.
    pub(crate) fn next(&mut self, input: &mut &[u8]) -> Result<Option<Item<'_>>, Fault> {
        self.forget();
        loop {
            let Some(mut frame) = self.frame.take() else {
                if !self.read_head(input) {
                    return Ok(None);
                }
                let (frame, is_text) = self.parse_head()?;
                self.have = 0;
                self.frame = Some(frame);
                if is_text && !self.skip {
                    self.skip_messages();
                    return Ok(Some(Item::Text));
                }
                continue;
            };
            self.read_payload(&mut frame, input);
            if frame.left > 0 {
                self.frame = Some(frame);
                return Ok(None);
            }
            if let Some(item) = self.end(frame)? {
                // Only borrowed here, since the loop may go on otherwise.
                return Ok(Some(match item {
                    Done::Message => Item::Message(&self.message),
                    Done::Ping => Item::Ping(&self.control),
                    Done::Close(code) => Item::Close(code),
                }));
            }
        }
    }

    /// The payload of the [`Item::Message`] that was given last, until the next call that takes bytes.
    pub(crate) fn message(&self) -> &[u8] {
        &self.message
    }

    /// Drops the payload that was handed out, and its memory if that is much. [`next`](Self::next) does so as well; a
    /// connection that waits for bytes does so before.
    pub(crate) fn forget(&mut self) {
        if std::mem::take(&mut self.spent) {
            self.control = Vec::new();
            if !self.unfinished {
                self.message.clear();
                self.message.shrink_to(KEEP);
            }
        }
    }

    /// Reads the head's bytes. Returns whether it is complete.
    fn read_head(&mut self, input: &mut &[u8]) -> bool {
        loop {
            let needed = self.head_len();
            let Some(space) = self.head.get_mut(self.have..needed) else { return true };
            if space.is_empty() {
                return true;
            }
            let take = space.len().min(input.len());
            let Some((taken, rest)) = input.split_at_checked(take) else { return false };
            for (to, from) in space.iter_mut().zip(taken) {
                *to = *from;
            }
            *input = rest;
            self.have = self.have.saturating_add(take);
            if take == 0 {
                return false;
            }
        }
    }

    /// Bytes of the head, as far as what is there of it tells.
    fn head_len(&self) -> usize {
        let [_, second, ..] = self.head;
        if self.have < 2 {
            return 2;
        }
        let length = match second & LENGTH {
            LENGTH_16 => 2,
            LENGTH_64 => 8,
            _ => 0,
        };
        // Without a mask it is refused; the mask of the others is a part of their head.
        if second & MASKED == 0 { 2 } else { 2 + length + 4 }
    }

    /// Checks a complete head. Tells whether it begins a text message.
    fn parse_head(&mut self) -> Result<(Frame, bool), Fault> {
        let [first, second, rest @ ..] = self.head;
        let (fin, opcode) = (first & FIN != 0, first & OPCODE);
        if second & MASKED == 0 {
            return Err(Fault::Framing("a frame without a mask"));
        }
        if first & RESERVED != 0 {
            return Err(Fault::Framing("a reserved bit is set"));
        }
        let (left, mask) = match (second & LENGTH, rest) {
            (LENGTH_16, [a, b, m0, m1, m2, m3, ..]) => {
                (u64::from(u16::from_be_bytes([a, b])), [m0, m1, m2, m3])
            }
            (LENGTH_64, [a, b, c, d, e, f, g, h, mask @ ..]) => {
                (u64::from_be_bytes([a, b, c, d, e, f, g, h]), mask)
            }
            (length, [m0, m1, m2, m3, ..]) => (u64::from(length), [m0, m1, m2, m3]),
        };
        let kind = match opcode {
            CONTINUATION | TEXT | BINARY => Kind::Data,
            PING => Kind::Ping,
            PONG => Kind::Pong,
            CLOSE => Kind::Close,
            _ => return Err(Fault::Framing("a reserved opcode")),
        };
        if opcode & CONTROL != 0 {
            if !fin {
                return Err(Fault::Framing("a control frame in fragments"));
            }
            if left > CONTROL_MAX {
                return Err(Fault::Framing("a control frame of more than 125 bytes"));
            }
        } else {
            match (opcode == CONTINUATION, self.unfinished) {
                (true, false) => return Err(Fault::Framing("a continuation of nothing")),
                (false, true) => return Err(Fault::Framing("a message within a message")),
                (true, true) | (false, false) => {}
            }
            let len = (self.message.len() as u64).saturating_add(left);
            if len > limit::MAX_INBOUND_MESSAGE as u64 && !self.skip {
                return Err(Fault::TooBig);
            }
            self.unfinished = true;
        }
        Ok((Frame { kind, fin, mask, left }, opcode == TEXT))
    }

    /// Reads what is there of a frame's payload.
    fn read_payload(&mut self, frame: &mut Frame, input: &mut &[u8]) {
        let take = usize::try_from(frame.left).unwrap_or(usize::MAX).min(input.len());
        let Some((taken, rest)) = input.split_at_checked(take) else { return };
        *input = rest;
        let payload = match frame.kind {
            Kind::Data if self.skip => None,
            Kind::Data => Some(&mut self.message),
            Kind::Ping | Kind::Close => Some(&mut self.control),
            Kind::Pong => None,
        };
        if let Some(payload) = payload {
            let start = payload.len();
            // Doubles at most, and never beyond what the frame has announced.
            let left = usize::try_from(frame.left).unwrap_or(usize::MAX);
            payload.reserve_exact(take.max(start.min(left)));
            payload.extend_from_slice(taken);
            unmask(payload.get_mut(start..).unwrap_or_default(), frame.mask);
        }
        frame.left = frame.left.saturating_sub(take as u64);
        frame.mask.rotate_left(take % 4);
    }

    /// A frame is complete.
    fn end(&mut self, frame: Frame) -> Result<Option<Done>, Fault> {
        Ok(match frame.kind {
            Kind::Pong => None,
            Kind::Data if frame.fin => {
                self.unfinished = false;
                self.spent = !self.skip;
                (!self.skip).then_some(Done::Message)
            }
            Kind::Data => None,
            Kind::Ping => {
                self.spent = true;
                Some(Done::Ping)
            }
            Kind::Close => Some(Done::Close(close_code(&self.control)?)),
        })
    }
}

/// What [`FrameReader::end`] found.
enum Done {
    Message,
    Ping,
    Close(Option<u16>),
}

/// The code of a close frame, if it has one.
fn close_code(payload: &[u8]) -> Result<Option<u16>, Fault> {
    let (code, reason) = match payload {
        [] => return Ok(None),
        [_] => return Err(Fault::Framing("a close frame of one byte")),
        [high, low, reason @ ..] => (u16::from_be_bytes([*high, *low]), reason),
    };
    // RFC 6455, 7.4, and the IANA registry: the others are reserved, or stand for a close without a frame.
    if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(Fault::Framing("a close code that may not be sent"));
    }
    if str::from_utf8(reason).is_err() {
        return Err(Fault::Framing("a close reason that is not UTF-8"));
    }
    Ok(Some(code))
}

fn unmask(payload: &mut [u8], mask: [u8; 4]) {
    let word = u32::from_ne_bytes(mask);
    let (words, tail) = payload.as_chunks_mut::<4>();
    for bytes in words {
        *bytes = (u32::from_ne_bytes(*bytes) ^ word).to_ne_bytes();
    }
    for (byte, mask) in tail.iter_mut().zip(mask) {
        *byte ^= mask;
    }
}

#[cfg(test)]
mod tests;
