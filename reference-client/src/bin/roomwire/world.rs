//! `roomwire save` and `roomwire load`.

use std::path::Path;

use roomwire_client::{Event, Mode};
use roomwire_codec::registry::limit;
use serde_json::json;

use crate::args::{LoadArgs, SaveArgs};
use crate::failure::Failure;
use crate::one_shot::OneShot;
use crate::output::Output;
use crate::progress::Progress;
use crate::values::Count;
use crate::{hex_of, input, note};

pub(crate) async fn save(args: SaveArgs, output: &mut Output) -> Result<(), Failure> {
    let SaveArgs { file, room, patience } = args;
    let blob = input::file(&file, limit::ROOM_BYTES)?;
    let mut joined = OneShot::join(&room, &patience, Mode::State, Progress::new("joining", None)).await?;
    let before = joined.client.traffic().sent;
    let ticket = joined.client.save(&blob)?;
    let total = u64::try_from(blob.len()).unwrap_or(u64::MAX);
    let mut progress = Progress::new("saving", Some(total));
    let late = || "the relay did not confirm the save, which may be stored or not,".into();
    let show = |traffic: roomwire_client::Traffic| progress.update(traffic.sent.saturating_sub(before));
    let acked = |event| matches!(event, Event::WorldSaved { save } if save == ticket).then_some(());
    joined.wait(late, show, acked).await?;
    drop(progress);
    joined.leave().await;
    if output.is_json() {
        output.object(&json!({"saved": blob.len()}))
    } else {
        note(format_args!("{} saved", Count(blob.len(), "byte")));
        Ok(())
    }
}

pub(crate) async fn load(args: LoadArgs, output: &mut Output) -> Result<(), Failure> {
    let LoadArgs { file, room, patience } = args;
    let progress = Progress::new("loading", None);
    let mut joined = OneShot::join(&room, &patience, Mode::State, progress).await?;
    let world = joined.world.take();
    joined.leave().await;
    let blob = world.ok_or_else(|| Failure::NotSet("no world was ever saved in this room".into()))?;
    let to_stdout = file == Path::new("-");
    if !to_stdout {
        let name = || file.display().to_string();
        std::fs::write(&file, &blob).map_err(|error| Failure::File { name: name(), error })?;
    }
    match (output.is_json(), to_stdout) {
        (true, true) => output.object(&json!({"loaded": blob.len(), "blob": hex_of(&blob)})),
        (true, false) => output.object(&json!({"loaded": blob.len()})),
        (false, true) => output.raw(&blob),
        (false, false) => {
            note(format_args!("{} loaded", Count(blob.len(), "byte")));
            Ok(())
        }
    }
}
