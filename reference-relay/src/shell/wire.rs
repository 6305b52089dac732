//! WebSocket framing of what the relay sends (RFC 6455, spec 11-websocket): unmasked, whole messages, nothing reserved
//! set, the shortest length form (WS-1).

use crate::core::closing::Closing;

/// First byte of a whole frame: FIN, no reserved bit, the WebSocket opcode.
const BINARY: u8 = 0x82;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8A;

/// Longest payload whose length stands in the second byte itself.
const SHORT: usize = 125;
const LENGTH_16: u8 = 126;
const LENGTH_64: u8 = 127;

/// Appends the head of a binary frame with a payload of `len` bytes.
pub(crate) fn put_head(out: &mut Vec<u8>, len: usize) {
    match (u8::try_from(len), u16::try_from(len)) {
        (Ok(short), _) if len <= SHORT => out.extend_from_slice(&[BINARY, short]),
        (_, Ok(len)) => {
            let [high, low] = len.to_be_bytes();
            out.extend_from_slice(&[BINARY, LENGTH_16, high, low]);
        }
        _ => {
            out.extend_from_slice(&[BINARY, LENGTH_64]);
            out.extend_from_slice(&(len as u64).to_be_bytes());
        }
    }
}

/// A whole binary frame.
pub(crate) fn binary(payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(payload.len().saturating_add(10));
    put_head(&mut frame, payload.len());
    frame.extend_from_slice(payload);
    frame
}

/// A close frame.
pub(crate) fn close(closing: &Closing) -> Vec<u8> {
    control(CLOSE, &[&closing.code().to_be_bytes(), closing.reason().as_bytes()].concat())
}

/// The answer to a close frame: the same code, or none if it had none (WS-6).
pub(crate) fn close_answer(code: Option<u16>) -> Vec<u8> {
    control(CLOSE, code.map(u16::to_be_bytes).as_ref().map_or(&[], |code| code.as_slice()))
}

/// The answer to a ping, which carries the same bytes (WS-6).
pub(crate) fn pong(payload: &[u8]) -> Vec<u8> {
    control(PONG, payload)
}

/// A ping without a payload.
pub(crate) fn ping() -> Vec<u8> {
    control(PING, &[])
}

/// The payload of a control frame is at most 125 bytes, which the most that a close reason may have sees to.
fn control(first: u8, payload: &[u8]) -> Vec<u8> {
    let payload = payload.get(..payload.len().min(SHORT)).unwrap_or_default();
    let mut frame = vec![first, payload.len() as u8];
    frame.extend_from_slice(payload);
    frame
}

#[cfg(test)]
mod tests {
    use roomwire_codec::registry::{close, limit};

    use super::*;

    #[test]
    fn heads_have_the_shortest_form() {
        for (len, head) in [
            (0, &[0x82, 0][..]),
            (125, &[0x82, 125]),
            (126, &[0x82, 126, 0, 126]),
            (65_535, &[0x82, 126, 0xFF, 0xFF]),
            (65_536, &[0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
            (limit::MAX_OUTBOUND_MESSAGE, &[0x82, 127, 0, 0, 0, 0, 0, 0x40, 0, 0]),
        ] {
            let mut out = Vec::new();
            put_head(&mut out, len);
            assert_eq!(out, head, "{len}");
        }
        assert_eq!(binary(b"ab"), [0x82, 2, b'a', b'b']);
    }

    #[test]
    fn control_frames() {
        assert_eq!(ping(), [0x89, 0]);
        assert_eq!(close(&Closing::new(close::TEXT, "")), b"\x88\x06\x03\xEBtext");
        let long = close(&Closing::new(close::TEXT, "x".repeat(1000)));
        assert_eq!((long.len(), long.get(1)), (127, Some(&125)));
        assert_eq!(close_answer(Some(4000)), [0x88, 2, 0x0F, 0xA0]);
        assert_eq!((close_answer(None), pong(b"hi")), (vec![0x88, 0], b"\x8A\x02hi".to_vec()));
    }
}
