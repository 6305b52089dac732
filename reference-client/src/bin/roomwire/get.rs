//! `roomwire get`.

use roomwire_client::json::JsonValue;
use roomwire_client::{Held, Mode};

use crate::args::GetArgs;
use crate::failure::Failure;
use crate::note;
use crate::one_shot::OneShot;
use crate::output::Output;
use crate::progress::Progress;
use crate::values::{self, Count, Key};

pub(crate) async fn run(args: GetArgs, output: &mut Output) -> Result<(), Failure> {
    let progress = Progress::new("loading", None);
    let joined = OneShot::join(&args.room, &args.patience, Mode::State, progress).await?;
    let found = match &args.key {
        Some(key) => joined.client.get(key).map(|held| one(&args, key, &held, output)),
        None => Some(all(&args, &joined, output)),
    };
    joined.leave().await;
    found.unwrap_or_else(|| {
        let key = args.key.as_deref().unwrap_or_default();
        Err(Failure::NotSet(format!("{} is not set", Key(key))))
    })
}

fn one(args: &GetArgs, key: &str, held: &Held, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        output.object(&JsonValue::new(key, held))
    } else if args.raw {
        output.raw(&held.value)
    } else {
        output.line(format_args!("{}", values::alone(&held.value, args.show)))
    }
}

fn all(args: &GetArgs, joined: &OneShot, output: &mut Output) -> Result<(), Failure> {
    let entries = joined.client.entries();
    for (key, held) in &entries {
        if output.is_json() {
            output.object(&JsonValue::new(key, held))?;
        } else {
            output.line(format_args!("{} = {}", Key(key), values::inline(&held.value, args.show)))?;
        }
    }
    if !output.is_json() {
        note(format_args!("{}", Count(entries.len(), "key")));
    }
    Ok(())
}
