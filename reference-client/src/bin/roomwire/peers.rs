//! `roomwire peers`.

use roomwire_client::{Mode, PeerId};
use serde_json::json;

use crate::args::PeersArgs;
use crate::failure::Failure;
use crate::note;
use crate::one_shot::OneShot;
use crate::output::Output;
use crate::progress::Progress;
use crate::values::Count;

pub(crate) async fn run(args: PeersArgs, output: &mut Output) -> Result<(), Failure> {
    let joined =
        OneShot::join(&args.room, &args.patience, Mode::Peers, Progress::new("joining", None)).await?;
    let peers: Vec<i32> = joined.client.peers().into_iter().map(PeerId::get).collect();
    let own = joined.client.peer().map(PeerId::get);
    joined.leave().await;
    if output.is_json() {
        return output.object(&json!({"peer": own, "peers": peers}));
    }
    for peer in &peers {
        output.line(format_args!("{peer}"))?;
    }
    note(format_args!("{} besides this one", Count(peers.len(), "peer")));
    Ok(())
}
