//! `roomwire set`.

use roomwire_client::json::JsonValue;
use roomwire_client::{Event, Held, Mode, WriteError};
use roomwire_codec::registry::limit;

use crate::args::SetArgs;
use crate::failure::Failure;
use crate::one_shot::OneShot;
use crate::output::Output;
use crate::progress::Progress;
use crate::values::Key;
use crate::{input, note};

pub(crate) async fn run(args: SetArgs, output: &mut Output) -> Result<(), Failure> {
    // What cannot be written need not be connected for.
    roomwire_codec::Key::try_from(args.key.as_str()).map_err(WriteError::Key)?;
    let value = value(&args)?;
    let SetArgs { key, room, patience, .. } = args;
    let mut joined = OneShot::join(&room, &patience, Mode::State, Progress::new("joining", None)).await?;
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
        output.object(&JsonValue::new(&key, &Held { rev, value: value.into() }))
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
