//! `roomwire decode`.

use roomwire_client::json::JsonFrame;
use roomwire_codec::registry::limit;
use roomwire_codec::{DecodeError, Direction, Frame, decode_first, decode_strict};

use crate::args::{DecodeArgs, DirectionArg};
use crate::explain::Explanation;
use crate::failure::Failure;
use crate::input;
use crate::output::Output;

/// Bytes of hex that are read: the largest frame, each byte with two spaces.
const MOST: usize = limit::MAX_INBOUND_MESSAGE * 4;

pub(crate) fn run(args: DecodeArgs, output: &mut Output) -> Result<(), Failure> {
    if args.first && args.direction != DirectionArg::ToClient {
        return Err(Failure::Usage("--first goes with --direction to-client".into()));
    }
    let hex = args.hex.join(" ");
    if args.binary && hex != "-" {
        return Err(Failure::Usage("--binary reads standard input: give - in place of the hex".into()));
    }
    let bytes =
        if args.binary { input::stdin(MOST)? } else { input::hex(&input::text_or_stdin(&hex, MOST)?)? };
    let direction = Direction::from(args.direction);
    let decoded = decode(direction, args.first, &bytes);
    if output.is_json() {
        return output.object(&JsonFrame::from(decoded?));
    }
    let explanation = Explanation::of(direction, args.first, &bytes, decoded.as_ref().err());
    explanation.print(args.all, output)?;
    decoded.map(|_| ()).map_err(Failure::from)
}

fn decode(direction: Direction, first: bool, bytes: &[u8]) -> Result<Frame<'_>, DecodeError> {
    if first { decode_first(bytes).map(Frame::PeerId) } else { decode_strict(direction, bytes) }
}
