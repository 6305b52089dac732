//! Frames cut anywhere, and every way to break one.

use proptest::prelude::*;

use super::*;

/// An item without its lifetime.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Message(Vec<u8>),
    Ping(Vec<u8>),
    Close(Option<u16>),
    Text,
    Fault(Fault),
}

fn frame(first: u8, payload: &[u8], mask: [u8; 4]) -> Vec<u8> {
    let mut frame = head(first, payload.len() as u64, mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

fn head(first: u8, len: u64, mask: [u8; 4]) -> Vec<u8> {
    let mut head = vec![first];
    match len {
        0..=125 => head.push(MASKED | len as u8),
        126..=0xFFFF => {
            head.push(MASKED | LENGTH_16);
            head.extend((len as u16).to_be_bytes());
        }
        _ => {
            head.push(MASKED | LENGTH_64);
            head.extend(len.to_be_bytes());
        }
    }
    head.extend(mask);
    head
}

fn read(reader: &mut FrameReader, mut input: &[u8], seen: &mut Vec<Seen>) {
    loop {
        seen.push(match reader.next(&mut input) {
            Ok(Some(Item::Message(message))) => Seen::Message(message.to_vec()),
            Ok(Some(Item::Ping(payload))) => Seen::Ping(payload.to_vec()),
            Ok(Some(Item::Close(code))) => Seen::Close(code),
            Ok(Some(Item::Text)) => Seen::Text,
            Ok(None) => {
                assert!(input.is_empty(), "all is taken");
                return;
            }
            Err(fault) => {
                seen.push(Seen::Fault(fault));
                return;
            }
        });
    }
}

fn seen(input: &[u8]) -> Vec<Seen> {
    let mut seen = Vec::new();
    read(&mut FrameReader::default(), input, &mut seen);
    seen
}

const M: [u8; 4] = [1, 2, 3, 0xF0];

#[test]
fn faults_are_found_at_the_head() {
    let framing = |what| vec![Seen::Fault(Fault::Framing(what))];
    for (input, expected) in [
        (vec![0x82, 0x05], framing("a frame without a mask")),
        (vec![0x82, 0x7F], framing("a frame without a mask")),
        (head(0xC2, 5, M), framing("a reserved bit is set")),
        (head(0x92, 5, M), framing("a reserved bit is set")),
        (head(0x83, 5, M), framing("a reserved opcode")),
        (head(0x8B, 5, M), framing("a reserved opcode")),
        (head(0x09, 5, M), framing("a control frame in fragments")),
        (head(0x89, 126, M), framing("a control frame of more than 125 bytes")),
        (head(0x80, 5, M), framing("a continuation of nothing")),
        ([frame(0x02, b"a", M), head(0x82, 1, M)].concat(), framing("a message within a message")),
        (frame(0x88, b"x", M), framing("a close frame of one byte")),
        (frame(0x88, &999u16.to_be_bytes(), M), framing("a close code that may not be sent")),
        (frame(0x88, &1005u16.to_be_bytes(), M), framing("a close code that may not be sent")),
        (frame(0x88, &5000u16.to_be_bytes(), M), framing("a close code that may not be sent")),
        (frame(0x88, &[0x03, 0xE8, 0xFF], M), framing("a close reason that is not UTF-8")),
        (head(0x82, limit::MAX_INBOUND_MESSAGE as u64 + 1, M), vec![Seen::Fault(Fault::TooBig)]),
        (head(0x82, u64::MAX, M), vec![Seen::Fault(Fault::TooBig)]),
        (
            [frame(0x02, b"a", M), head(0x80, limit::MAX_INBOUND_MESSAGE as u64, M)].concat(),
            vec![Seen::Fault(Fault::TooBig)],
        ),
    ] {
        assert_eq!(seen(&input), expected, "{input:02X?}");
    }
}

#[test]
fn closes_carry_their_code() {
    assert_eq!(seen(&frame(0x88, b"", M)), [Seen::Close(None)]);
    assert_eq!(seen(&frame(0x88, &[0x0F, 0xA0, b'a'], M)), [Seen::Close(Some(4000))]);
}

#[test]
fn a_control_frame_behind_a_skipped_message_may_be_cut_anywhere() {
    let wire = [frame(0x82, b"skipped", M), frame(0x89, b"hi", M), frame(0x88, &1000u16.to_be_bytes(), M)];
    let wire = wire.concat();
    for cut in 0..wire.len() {
        let (mut reader, mut seen) = (FrameReader::default(), Vec::new());
        reader.skip_messages();
        read(&mut reader, &wire[..cut], &mut seen);
        reader.forget();
        read(&mut reader, &wire[cut..], &mut seen);
        assert_eq!(seen, [Seen::Ping(b"hi".to_vec()), Seen::Close(Some(1000))], "cut at {cut}");
    }
}

#[test]
fn text_is_told_once_and_what_follows_is_skipped() {
    let mut reader = FrameReader::default();
    let mut seen = Vec::new();
    let input = [frame(0x01, b"\xFFhalf", M), frame(0x89, b"p", M), head(0x80, 1 << 40, M), vec![0; 1 << 20]];
    read(&mut reader, &input.concat(), &mut seen);
    assert_eq!(seen, [Seen::Text, Seen::Ping(b"p".to_vec())]);
    assert_eq!(reader.message.capacity(), 0);
}

#[test]
fn memory_follows_what_has_come_and_goes_with_the_message() {
    let mut reader = FrameReader::default();
    let len = limit::MAX_INBOUND_MESSAGE;
    let whole = frame(0x82, &vec![7; len], M);
    read(&mut reader, &whole[..1000], &mut Vec::new());
    assert!(reader.message.capacity() < 2000, "{}", reader.message.capacity());
    read(&mut reader, &whole[1000..len / 2], &mut Vec::new());
    read(&mut reader, &whole[len / 2..len], &mut Vec::new());
    assert!(reader.message.capacity() <= len);
    let mut seen = Vec::new();
    read(&mut reader, &whole[len..], &mut seen);
    assert_eq!(seen, [Seen::Message(vec![7; len])]);
    assert!(reader.message.capacity() <= KEEP && reader.control.capacity() == 0);
}

#[derive(Clone, Debug)]
struct Sent {
    fragments: Vec<Vec<u8>>,
    ping: Option<Vec<u8>>,
    mask: [u8; 4],
}

fn sent() -> impl Strategy<Value = Sent> {
    let bytes = || prop_oneof![4 => 0..20usize, 1 => 100..400usize, 1 => 65_500..65_600usize];
    let fragments = prop::collection::vec(bytes(), 1..4);
    (fragments, prop::option::of(0..126usize), any::<[u8; 4]>(), any::<u8>()).prop_map(
        |(lens, ping, mask, byte)| {
            let fill = |len: usize| (0..len).map(|at| byte.wrapping_add(at as u8)).collect::<Vec<_>>();
            Sent { fragments: lens.into_iter().map(fill).collect(), ping: ping.map(fill), mask }
        },
    )
}

proptest! {
    #[test]
    fn however_it_is_cut_it_reads_the_same(
        messages in prop::collection::vec(sent(), 0..6),
        cuts in prop::collection::vec(1..5000usize, 1..40),
    ) {
        let (mut wire, mut expected) = (Vec::new(), Vec::new());
        for Sent { fragments, ping, mask } in &messages {
            for (at, fragment) in fragments.iter().enumerate() {
                let fin = if at + 1 == fragments.len() { FIN } else { 0 };
                let opcode = if at == 0 { BINARY } else { CONTINUATION };
                wire.extend(frame(fin | opcode, fragment, *mask));
                if let (0, Some(ping)) = (at, ping) {
                    wire.extend(frame(FIN | PONG, b"unasked", *mask));
                    wire.extend(frame(FIN | PING, ping, *mask));
                }
            }
            let message = Seen::Message(fragments.concat());
            match ping {
                Some(ping) if fragments.len() == 1 => expected.extend([message, Seen::Ping(ping.clone())]),
                Some(ping) => expected.extend([Seen::Ping(ping.clone()), message]),
                None => expected.push(message),
            }
        }
        let (mut reader, mut rest, mut seen) = (FrameReader::default(), wire.as_slice(), Vec::new());
        let mut cuts = cuts.iter().cycle();
        while !rest.is_empty() {
            let (part, left) = rest.split_at(rest.len().min(*cuts.next().expect("cuts")));
            read(&mut reader, part, &mut seen);
            rest = left;
        }
        prop_assert_eq!(seen, expected);
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut reader = FrameReader::default();
        let mut input = bytes.as_slice();
        while let Ok(Some(_)) = reader.next(&mut input) {}
    }
}
