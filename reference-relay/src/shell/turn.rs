//! What one turn of a room's flusher sends: every frame encoded once, in one buffer, and who gets which parts of it.

use std::ops::Range;

use bytes::Bytes;

use super::wire;

/// The buffer of one turn. Reused from turn to turn; see [`Turn::reset`].
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// WebSocket frames, one after the other.
    buffer: Vec<u8>,
    /// Where each frame stands in the buffer.
    frames: Vec<Placed>,
}

#[derive(Debug)]
struct Placed {
    at: Range<usize>,
    frame: Bytes,
}

/// Which parts of a turn's buffer one member gets, ascending. Neighbouring frames are one part, so that a member that
/// gets everything has one.
pub(crate) type Parts = Vec<Range<usize>>;

/// More memory than this is given back after a turn: a join may have needed a megabyte.
const KEEP: usize = 256 * 1024;

impl Turn {
    /// Appends a frame. Returns where it stands.
    pub(crate) fn place(&mut self, frame: Bytes) -> Range<usize> {
        let start = self.buffer.len();
        wire::put_head(&mut self.buffer, frame.len());
        self.buffer.extend_from_slice(&frame);
        let at = start..self.buffer.len();
        self.frames.push(Placed { at: at.clone(), frame });
        at
    }

    /// The bytes of a part.
    pub(crate) fn bytes(&self, part: &Range<usize>) -> &[u8] {
        self.buffer.get(part.clone()).unwrap_or_default()
    }

    /// The frames of a part.
    pub(crate) fn frames(&self, part: &Range<usize>) -> impl Iterator<Item = (&Range<usize>, &Bytes)> {
        let first = self.frames.partition_point(|placed| placed.at.start < part.start);
        let end = part.end;
        self.frames
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take_while(move |placed| placed.at.start < end)
            .map(|placed| (&placed.at, &placed.frame))
    }

    /// Empties the buffer for the next turn.
    pub(crate) fn reset(&mut self) {
        self.buffer.clear();
        self.buffer.shrink_to(KEEP);
        self.frames.clear();
        self.frames.shrink_to(KEEP / size_of::<Placed>());
    }
}

/// Gives a member the frame at `at`, which comes after all that it has.
pub(crate) fn add(parts: &mut Parts, at: &Range<usize>) {
    match parts.last_mut() {
        Some(last) if last.end == at.start => last.end = at.end,
        _ => parts.push(at.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_part() {
        let mut turn = Turn::default();
        let [a, b, c] = [&b"a"[..], b"bb", b"ccc"].map(|frame| turn.place(Bytes::from_static(frame)));
        let (mut all, mut some) = (Parts::new(), Parts::new());
        for at in [&a, &b, &c] {
            add(&mut all, at);
        }
        add(&mut some, &a);
        add(&mut some, &c);
        assert_eq!((all.len(), &all[0]), (1, &(0..c.end)));
        assert_eq!(some, [a.clone(), c.clone()]);
        assert_eq!(turn.bytes(&c), b"\x82\x03ccc");
        assert_eq!(
            turn.frames(&all[0]).map(|(_, frame)| &frame[..]).collect::<Vec<_>>(),
            [&b"a"[..], b"bb", b"ccc"]
        );
        assert_eq!(turn.frames(&c).map(|(at, _)| at.clone()).collect::<Vec<_>>(), [c]);
        turn.reset();
        assert_eq!(turn.place(Bytes::new()), 0..2);
    }
}
