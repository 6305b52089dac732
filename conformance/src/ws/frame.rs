//! WebSocket frames (RFC 6455), low enough to see and to send what is wrong with one.

use std::io::{self, Read};

/// The opcodes of RFC 6455.
pub mod op {
    /// A fragment after the first.
    pub const CONTINUATION: u8 = 0;
    /// A text message.
    pub const TEXT: u8 = 1;
    /// A binary message.
    pub const BINARY: u8 = 2;
    /// The closing handshake.
    pub const CLOSE: u8 = 8;
    /// A ping.
    pub const PING: u8 = 9;
    /// A pong.
    pub const PONG: u8 = 10;
}

/// A frame as it came.
#[derive(Debug)]
pub struct RawFrame {
    /// Last fragment of its message.
    pub fin: bool,
    /// The three reserved bits.
    pub rsv: u8,
    /// See [`op`].
    pub opcode: u8,
    /// Was the payload masked?
    pub masked: bool,
    /// Did the head use the shortest length form?
    pub shortest: bool,
    /// The payload, unmasked.
    pub payload: Vec<u8>,
}

/// Why no frame could be read.
#[derive(Debug)]
pub enum ReadError {
    /// The connection ended between two frames.
    End,
    /// The connection ended in the middle of a frame, or failed.
    Broken(io::Error),
    /// The frame announces more bytes than the reader takes.
    TooLong(u64),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::Broken(error)
    }
}

/// Reads one frame of at most `max` payload bytes.
///
/// # Errors
/// See [`ReadError`].
pub fn read(stream: &mut impl Read, max: u64) -> Result<RawFrame, ReadError> {
    let mut first = [0];
    if stream.read(&mut first)? == 0 {
        return Err(ReadError::End);
    }
    let [first] = first;
    let [second] = read_array(stream)?;
    let (len, shortest) = match second & 0x7f {
        126 => {
            let len = u64::from(u16::from_be_bytes(read_array(stream)?));
            (len, len > 125)
        }
        127 => {
            let len = u64::from_be_bytes(read_array(stream)?);
            (len, len > 0xffff)
        }
        short => (u64::from(short), true),
    };
    let masked = second & 0x80 != 0;
    let mask: [u8; 4] = if masked { read_array(stream)? } else { [0; 4] };
    if len > max {
        return Err(ReadError::TooLong(len));
    }
    let mut payload = Vec::new();
    let got = stream.take(len).read_to_end(&mut payload)?;
    if got as u64 != len {
        return Err(ReadError::Broken(io::ErrorKind::UnexpectedEof.into()));
    }
    apply_mask(&mut payload, mask);
    Ok(RawFrame {
        fin: first & 0x80 != 0,
        rsv: first >> 4 & 7,
        opcode: first & 0x0f,
        masked,
        shortest,
        payload,
    })
}

fn read_array<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Masks or unmasks in place.
pub fn apply_mask(payload: &mut [u8], mask: [u8; 4]) {
    for (byte, key) in payload.iter_mut().zip(mask.iter().cycle()) {
        *byte ^= key;
    }
}

/// The bytes of one frame. A client masks; a relay passes `None`.
pub fn encode(fin: bool, opcode: u8, payload: &[u8], mask: Option<[u8; 4]>) -> Vec<u8> {
    let mut out = Vec::with_capacity(payload.len() + 14);
    out.push(u8::from(fin) << 7 | opcode & 0x0f);
    let mask_bit = u8::from(mask.is_some()) << 7;
    if payload.len() <= 125 {
        out.push(mask_bit | payload.len() as u8);
    } else if let Ok(len) = u16::try_from(payload.len()) {
        out.push(mask_bit | 126);
        out.extend(len.to_be_bytes());
    } else {
        out.push(mask_bit | 127);
        out.extend((payload.len() as u64).to_be_bytes());
    }
    out.extend(mask.iter().flatten());
    let start = out.len();
    out.extend_from_slice(payload);
    if let (Some(mask), Some(body)) = (mask, out.get_mut(start..)) {
        apply_mask(body, mask);
    }
    out
}

/// The payload of a close frame.
pub fn close_payload(code: u16, reason: &str) -> Vec<u8> {
    let mut payload = code.to_be_bytes().to_vec();
    payload.extend_from_slice(reason.as_bytes());
    payload
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for len in [0, 1, 125, 126, 0xffff, 0x1_0000] {
            for mask in [None, Some([1, 2, 3, 4])] {
                let payload = vec![0x5a; len];
                let wire = encode(true, op::BINARY, &payload, mask);
                let frame = read(&mut wire.as_slice(), 1 << 20).unwrap();
                assert!(frame.fin && frame.rsv == 0 && frame.opcode == op::BINARY && frame.shortest);
                assert_eq!(frame.masked, mask.is_some());
                assert_eq!(frame.payload, payload);
            }
        }
    }

    #[test]
    fn a_long_form_for_a_short_length_is_seen() {
        let wire = [0x82, 126, 0, 1, 0];
        assert!(!read(&mut wire.as_slice(), 10).unwrap().shortest);
        let wire = [0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
        assert!(matches!(read(&mut wire.as_slice(), 10), Err(ReadError::TooLong(0xffff))));
    }

    #[test]
    fn a_cut_frame_is_no_clean_end() {
        let wire = encode(true, op::BINARY, b"abc", None);
        assert!(matches!(read(&mut &wire[..0], 10), Err(ReadError::End)));
        for cut in 1..wire.len() {
            assert!(matches!(read(&mut &wire[..cut], 10), Err(ReadError::Broken(_))), "{cut}");
        }
    }
}
