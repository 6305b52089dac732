//! `roomwire set`.

use roomwire_client::{Event, Mode};
use roomwire_codec::registry::limit;
use serde_json::json;

use crate::args::SetArgs;
use crate::failure::Failure;
use crate::one_shot::OneShot;
use crate::output::Output;
use crate::progress::Progress;
use crate::values::Key;
use crate::{hex_of, input, note};

pub(crate) async fn run(args: SetArgs, output: &mut Output) -> Result<(), Failure> {
    let value = value(&args)?;
    let SetArgs { key, room, timeout, .. } = args;
    let mut joined = OneShot::join(&room, &timeout, Mode::State, Progress::new("joining", None)).await?;
    joined.client.set(&key, &value)?;
    // Version 1 has no answer to a write but the update that goes to everyone.
    let late = || format!("the relay did not confirm {}, which may be set or not,", Key(&key));
    let committed = |event| match event {
        Event::StateChanged { key: changed, value: now, rev } if *changed == *key && *now == *value => {
            Some(rev)
        }
        _ => None,
    };
    let rev = joined.wait(late, |_| {}, committed).await?;
    joined.leave().await;
    if output.is_json() {
        output.object(&json!({"key": key, "rev": rev, "value": hex_of(&value)}))
    } else {
        note(format_args!("{} is set (rev {rev})", Key(&key)));
        Ok(())
    }
}

fn value(args: &SetArgs) -> Result<Vec<u8>, Failure> {
    match &args.value {
        Some(value) if args.hex => input::hex(value),
        Some(value) => Ok(value.clone().into_bytes()),
        None => input::stdin(limit::ROOM_BYTES),
    }
}
