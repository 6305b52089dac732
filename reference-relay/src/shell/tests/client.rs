//! A WebSocket client that hides nothing: blocking, one byte string at a time.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};

use roomwire_codec::decode_first;

use super::PATIENCE;

pub(super) const BINARY: u8 = 0x82;
pub(super) const TEXT: u8 = 0x81;
pub(super) const CLOSE: u8 = 0x88;
pub(super) const PING: u8 = 0x89;
pub(super) const PONG: u8 = 0x8A;

/// A connection after its upgrade.
pub(super) struct Client {
    pub(super) stream: TcpStream,
    /// What was read behind the end of the upgrade's answer.
    buffered: Vec<u8>,
    /// The head of the upgrade's answer.
    pub(super) answer: String,
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_nodelay(true).expect("TCP_NODELAY");
    stream.set_read_timeout(Some(PATIENCE)).expect("a read time-out");
    stream
}

/// Sends a request and reads until the relay ends the connection.
pub(super) fn request(address: SocketAddr, request: &str) -> String {
    let mut stream = connect(address);
    stream.write_all(request.as_bytes()).expect("the request is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// The request of an upgrade, with `extra` headers, each with its line end.
pub(super) fn upgrade(target: &str, extra: &str) -> String {
    format!(
        "GET {target} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{extra}\r\n"
    )
}

/// A frame as a client sends it: masked, whatever its first byte says.
pub(super) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = head(first, payload.len() as u64);
    let mask = [0x12, 0x34, 0x56, 0x78];
    frame.extend(mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// First byte, mask bit and length of a client's frame.
pub(super) fn head(first: u8, len: u64) -> Vec<u8> {
    let mut head = vec![first];
    match len {
        0..=125 => head.push(0x80 | len as u8),
        126..=0xFFFF => {
            head.push(0x80 | 126);
            head.extend((len as u16).to_be_bytes());
        }
        _ => {
            head.push(0x80 | 127);
            head.extend(len.to_be_bytes());
        }
    }
    head
}

impl Client {
    pub(super) fn open(address: SocketAddr, target: &str) -> Self {
        Self::open_with(address, upgrade(target, "").as_bytes())
    }

    /// Sends `request`, which may be more than the request, and reads the head of the answer.
    pub(super) fn open_with(address: SocketAddr, request: &[u8]) -> Self {
        let mut stream = connect(address);
        stream.write_all(request).expect("the request is sent");
        let mut client = Self { stream, buffered: Vec::new(), answer: String::new() };
        while !client.answer.ends_with("\r\n\r\n") {
            let [byte] = client.take().expect("the answer's head");
            client.answer.push(char::from(byte));
        }
        client
    }

    pub(super) fn send(&mut self, message: &[u8]) {
        self.send_bytes(&frame(BINARY, message));
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the relay reads");
    }

    /// The next bytes; none if the connection ends here.
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes).then_some(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> bool {
        let buffered = self.buffered.len().min(bytes.len());
        bytes[..buffered].copy_from_slice(&self.buffered[..buffered]);
        self.buffered.drain(..buffered);
        match self.stream.read_exact(&mut bytes[buffered..]) {
            Ok(()) => true,
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => false,
            Err(error) => panic!("{error}"),
        }
    }

    /// The next WebSocket frame: its first byte and its payload; none at the end of the connection.
    pub(super) fn read_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let [first, second] = self.take()?;
        assert_eq!(second & 0x80, 0, "the relay does not mask");
        let len = match second {
            126 => {
                let len = u64::from(u16::from_be_bytes(self.take().expect("a length")));
                assert!(len > 125, "the shortest form of a length");
                len
            }
            127 => {
                let len = u64::from_be_bytes(self.take().expect("a length"));
                assert!(len > 0xFFFF, "the shortest form of a length");
                len
            }
            len => u64::from(len),
        };
        let mut payload = vec![0; usize::try_from(len).expect("a length that fits")];
        assert!(self.fill(&mut payload), "a whole frame");
        Some((first, payload))
    }

    /// The next frame that is no ping; pings are answered.
    fn read_answering(&mut self) -> Option<(u8, Vec<u8>)> {
        loop {
            match self.read_frame() {
                // The relay may have ended its side already.
                Some((PING, payload)) => drop(self.stream.write_all(&frame(PONG, &payload))),
                other => return other,
            }
        }
    }

    /// The next message, which is a whole binary one (WS-1).
    pub(super) fn read(&mut self) -> Vec<u8> {
        match self.read_answering() {
            Some((BINARY, message)) => message,
            Some((CLOSE, payload)) => panic!("closed: {:?}", parse_close(&payload)),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn read_peer_id(&mut self) -> i32 {
        decode_first(&self.read()).expect("a peer id").peer.get()
    }

    /// Reads messages up to the close frame, answers it and reads the end of the connection.
    pub(super) fn read_to_close(&mut self) -> (Vec<Vec<u8>>, u16, String) {
        let mut messages = Vec::new();
        loop {
            match self.read_answering() {
                Some((BINARY, message)) => messages.push(message),
                Some((CLOSE, payload)) => {
                    // The relay may have ended its side already.
                    let _ = self.stream.write_all(&frame(CLOSE, &payload));
                    assert_eq!(self.read_frame(), None, "nothing follows a close frame");
                    let (code, reason) = parse_close(&payload);
                    return (messages, code, reason);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// Reads the close frame, which is the next thing to come.
    pub(super) fn read_close(&mut self) -> (u16, String) {
        let (messages, code, reason) = self.read_to_close();
        assert!(messages.is_empty(), "{messages:?} before the close");
        (code, reason)
    }

    /// Closes in order.
    pub(super) fn close(mut self) {
        self.send_bytes(&frame(CLOSE, &1000u16.to_be_bytes()));
        while let Some((first, payload)) = self.read_frame() {
            if first == CLOSE {
                assert_eq!(payload, 1000u16.to_be_bytes());
            }
        }
    }

    /// Ends the connection without a word.
    pub(super) fn vanish(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

fn parse_close(payload: &[u8]) -> (u16, String) {
    let (code, reason) = payload.split_first_chunk().expect("a close code");
    (u16::from_be_bytes(*code), String::from_utf8(reason.to_vec()).expect("a reason in UTF-8"))
}
