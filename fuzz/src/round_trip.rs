//! Frames of every kind, encoded and decoded again.

use arbitrary::{Result, Unstructured};
use roomwire_codec::{Direction, EncodeError, Frame, StateSnapshot, arbitrary as arbitrary_frame, decode};

/// Makes a frame of the bytes; decode(encode(frame)) is the frame.
///
/// # Panics
///
/// If it is not.
pub fn round_trip(data: &[u8]) {
    let mut u = Unstructured::new(data);
    // Bytes that make no frame are no finding.
    let _ = snapshot_or_frame(&mut u);
}

/// The message that the bytes make, and the byte that picks its way for the target `decode`.
pub fn round_trip_wire(data: &[u8]) -> Option<(u8, Vec<u8>)> {
    let mut u = Unstructured::new(data);
    let (direction, wire) = if u.ratio(1u8, 4u8).ok()? {
        let entries = arbitrary_frame::entries(&mut u).ok()?;
        let mut out = vec![0; StateSnapshot::encoded_len_of(entries.iter().copied())];
        StateSnapshot::encode_entries(entries.iter().copied(), &mut out).ok()?;
        (Direction::ToClient, out)
    } else {
        let direction: Direction = u.arbitrary().ok()?;
        (direction, arbitrary_frame::frame(direction, &mut u).ok()?.encode_to_vec().ok()?)
    };
    Some((u8::from(direction == Direction::ToClient), wire))
}

fn snapshot_or_frame(u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1u8, 4u8)? {
        check_snapshot(u)
    } else {
        let direction: Direction = u.arbitrary()?;
        check_frame(direction, arbitrary_frame::frame(direction, u)?);
        Ok(())
    }
}

fn check_frame(direction: Direction, frame: Frame<'_>) {
    let needed = frame.encoded_len();
    let mut out = vec![0xAA; needed + 1];
    assert_eq!(frame.encode(&mut out), Ok(needed), "{frame:?}");
    assert_eq!(out.pop(), Some(0xAA), "{frame:?} was written beyond its end");
    assert_eq!(decode(direction, &out), Ok(frame));
    let available = needed - 1;
    let short = frame.encode(&mut out[..available]);
    assert_eq!(short, Err(EncodeError::BufferTooShort { needed, available }), "{frame:?}");
}

fn check_snapshot(u: &mut Unstructured<'_>) -> Result<()> {
    let entries = arbitrary_frame::entries(u)?;
    let needed = StateSnapshot::encoded_len_of(entries.iter().copied());
    let mut out = vec![0xAA; needed + 1];
    assert_eq!(StateSnapshot::encode_entries(entries.iter().copied(), &mut out), Ok(needed), "{entries:?}");
    assert_eq!(out.pop(), Some(0xAA), "{entries:?} were written beyond their end");
    let decoded = decode(Direction::ToClient, &out);
    assert!(
        matches!(decoded, Ok(Frame::StateSnapshot(snapshot)) if snapshot.iter().eq(entries.iter().copied())),
        "{entries:?} became {decoded:?}"
    );
    let available = u.int_in_range(0..=needed - 1)?;
    let short = StateSnapshot::encode_entries(entries.iter().copied(), &mut vec![0; available]);
    assert_eq!(short, Err(EncodeError::BufferTooShort { needed, available }), "{entries:?}");
    Ok(())
}
