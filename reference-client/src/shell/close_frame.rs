//! The relay's close frame as it stood on the wire.
//!
//! The WebSocket library takes a close frame with a code that it does not know for a broken one, 1014 among them, and keeps
//! neither code nor reason; and it does not say whether the text that is not UTF-8 was a message or the reason of a close frame.
//! So the frame is read a second time here.

use std::sync::{Arc, Mutex, PoisonError};

/// Opcode of a close frame (RFC 6455, 5.2).
const CLOSE: u8 = 8;

/// Longest payload of a control frame, in bytes (RFC 6455, 5.5).
const CONTROL_MAX: u64 = 125;

/// What a connection's stream has shown of a close frame.
#[derive(Clone, Debug, Default)]
pub(super) struct CloseFrame(Arc<Mutex<Option<Vec<u8>>>>);

impl CloseFrame {
    /// The code and reason of the close frame that came, if it has both in a valid form (WS-5).
    pub(super) fn valid(&self) -> Option<(u16, String)> {
        let payload = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let (code, reason) = payload.split_first_chunk::<2>()?;
        let code = u16::from_be_bytes(*code);
        let reason = String::from_utf8(reason.to_vec()).ok()?;
        matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999).then_some((code, reason))
    }

    /// Whether a close frame came whose reason is not UTF-8.
    pub(super) fn is_no_text(&self) -> bool {
        let payload = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        payload
            .as_ref()
            .and_then(|payload| payload.get(2..))
            .is_some_and(|reason| str::from_utf8(reason).is_err())
    }
}

/// Reads along, from the answer to the upgrade to the first close frame.
#[derive(Debug)]
pub(super) struct Watch {
    found: CloseFrame,
    state: State,
}

#[derive(Debug)]
enum State {
    /// In the head of the answer; so many bytes of the blank line at its end have come.
    Head(usize),
    /// In the head of a frame.
    Frame(Vec<u8>),
    /// In a payload of which so much is still to come.
    Skip(u64),
    /// In the payload of a close frame.
    Close { payload: Vec<u8>, len: usize },
    /// Nothing more is looked at.
    Done,
}

impl Watch {
    pub(super) fn new(found: CloseFrame) -> Self {
        Self { found, state: State::Head(0) }
    }

    /// Bytes that came.
    pub(super) fn bytes(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            if let State::Skip(left) = &mut self.state {
                let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                *left = left.saturating_sub(here as u64);
                bytes = bytes.get(here..).unwrap_or_default();
                if *left == 0 {
                    self.state = State::Frame(vec![]);
                }
                continue;
            }
            bytes = rest;
            match &mut self.state {
                State::Head(seen) => {
                    const END: &[u8] = b"\r\n\r\n";
                    *seen = match END.get(*seen) {
                        Some(&wanted) if wanted == byte => seen.saturating_add(1),
                        _ => usize::from(byte == b'\r'),
                    };
                    if *seen == END.len() {
                        self.state = State::Frame(vec![]);
                    }
                }
                State::Frame(head) => {
                    head.push(byte);
                    if let Some((close, len)) = parse(head) {
                        self.state = match usize::try_from(len) {
                            // The library refuses what is longer.
                            Ok(len @ 1..) if close && len as u64 <= CONTROL_MAX => {
                                State::Close { payload: vec![], len }
                            }
                            _ if len == 0 => State::Frame(vec![]),
                            _ => State::Skip(len),
                        };
                    }
                }
                State::Close { payload, len } => {
                    payload.push(byte);
                    if payload.len() >= *len {
                        let payload = std::mem::take(payload);
                        *self.found.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
                        self.state = State::Done;
                    }
                }
                State::Skip(_) | State::Done => return,
            }
        }
    }
}

/// Whether a frame is a close frame, and the length of its payload; `None` while its head is not whole. A relay masks nothing.
fn parse(head: &[u8]) -> Option<(bool, u64)> {
    let (&[first, second], rest) = head.split_first_chunk::<2>()?;
    let len = match second & 0x7F {
        126 => u64::from(u16::from_be_bytes(rest.try_into().ok()?)),
        127 => u64::from_be_bytes(rest.try_into().ok()?),
        short => u64::from(short),
    };
    Some((first & 0x0F == CLOSE, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in a stream, however it is cut.
    fn found(frames: &[u8]) -> CloseFrame {
        let stream = [b"HTTP/1.1 101 X\r\r\nA: b\r\n\r\n".as_slice(), frames].concat();
        let mut seen = Vec::new();
        for size in [1, 3, stream.len()] {
            let found = CloseFrame::default();
            let mut watch = Watch::new(found.clone());
            stream.chunks(size).for_each(|chunk| watch.bytes(chunk));
            seen.push(found);
        }
        let payloads: Vec<_> = seen.iter().map(|found| found.0.lock().unwrap().clone()).collect();
        assert!(payloads.iter().all(|payload| *payload == payloads[0]), "{payloads:?}");
        seen.remove(0)
    }

    /// CLIENT-CLOSE-1: a code that only the library does not know is told.
    #[test]
    fn a_close_frame_behind_other_frames() {
        let mut frames = vec![0x82, 0, 0x82, 2, 0x88, 2, 0x82, 126, 0, 200];
        frames.extend([0x88; 200]);
        frames.extend([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]);
        frames.extend([0x88; 65_536]);
        assert_eq!(found(&frames).valid(), None);
        frames.extend(b"\x88\x05\x03\xF6why\x88\x02\x03\xE8");
        assert_eq!(found(&frames).valid(), Some((1014, "why".into())));
    }

    /// WS-5: which close frames are none.
    #[test]
    fn broken_close_frames() {
        for code in [999_u16, 1004, 1005, 1006, 1015, 1016, 2999, 5000] {
            let [high, low] = code.to_be_bytes();
            assert_eq!(found(&[0x88, 2, high, low]).valid(), None, "{code}");
        }
        assert_eq!(found(b"\x88\x01\x03").valid(), None);
        let broken = found(b"\x88\x03\x03\xE8\xFF");
        assert!(broken.valid().is_none() && broken.is_no_text());
        assert!(!found(b"\x81\x01\xFF").is_no_text());
    }
}
