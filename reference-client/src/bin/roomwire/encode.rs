//! `roomwire encode`.

use roomwire_client::json::JsonFrame;
use roomwire_codec::registry::limit;
use serde_json::json;

use crate::args::EncodeArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::{hex_of, input};

/// Bytes of JSON that are read: more than the hex of the largest frame and all that can stand around it.
const MOST: usize = limit::MAX_INBOUND_MESSAGE * 16;

pub(crate) fn run(args: EncodeArgs, output: &mut Output) -> Result<(), Failure> {
    let text = input::text_or_stdin(&args.frame, MOST)?;
    let frame: JsonFrame =
        serde_json::from_str(&text).map_err(|error| Failure::Usage(format!("this is no frame: {error}")))?;
    let bytes = frame.encode()?;
    if output.is_json() {
        output.object(&json!({"bytes": hex_of(&bytes)}))
    } else {
        output.line(format_args!("{}", hex_of(&bytes)))
    }
}
