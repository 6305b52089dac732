//! `roomwire watch`.

use roomwire_client::json::JsonEvent;
use std::time::Duration;

use roomwire_client::{Backoff, Client, Closed, Event, Events, Mode, Options, connect};

use crate::args::{ShowArgs, WatchArgs};
use crate::failure::Failure;
use crate::note;
use crate::output::Output;
use crate::values::{self, Count, Key};

/// Somebody looks on, and there is one of them: the waits stay short.
const RECONNECT: Backoff = Backoff { first: Duration::from_millis(500), limit: Duration::from_secs(4) };

pub(crate) async fn run(args: WatchArgs, output: &mut Output) -> Result<(), Failure> {
    let mut options = Options::new(args.room.address(Mode::from(args.mode))?);
    if args.no_reconnect {
        options.config.reconnect = None;
    } else {
        options.config.reconnect = Some(RECONNECT);
    }
    if !output.is_json() {
        note(format_args!("-- connecting to {}", options.address.url()));
    }
    let (client, mut events) = connect(options)?;
    let watched = tokio::select! {
        ended = watch(&client, &mut events, args.show, output) => ended,
        interrupted = tokio::signal::ctrl_c() => interrupted.map_err(Failure::from),
    };
    client.close().await;
    watched
}

async fn watch(
    client: &Client,
    events: &mut Events,
    show: ShowArgs,
    output: &mut Output,
) -> Result<(), Failure> {
    while let Some(event) = events.recv().await {
        if output.is_json() {
            output.object(&JsonEvent::from(&event))?;
        } else {
            tell(client, &event, show, output)?;
        }
        match event {
            Event::Closed(closed) if closed.retry_in.is_none() => return Err(Failure::Closed(closed)),
            _ => {}
        }
    }
    Ok(())
}

/// What is in the room goes to standard output, what becomes of the connection to standard error.
fn tell(client: &Client, event: &Event, show: ShowArgs, output: &mut Output) -> Result<(), Failure> {
    match event {
        Event::StateChanged { key, value, rev } => {
            output.line(format_args!("{} = {}  (rev {rev})", Key(key), values::inline(value, show)))
        }
        Event::WorldLoaded { blob } => output.line(format_args!("world: {}", values::inline(blob, show))),
        Event::PeerAdded { peer } => output.line(format_args!("peer {peer} is here")),
        Event::PeerRemoved { peer } => output.line(format_args!("peer {peer} has left")),
        Event::Packet { from, payload } => {
            output.line(format_args!("packet from {from}: {}", values::inline(payload, show)))
        }
        Event::Godot { message } => output.line(format_args!("Godot: {}", values::inline(message, show))),
        Event::Joined { peer } => {
            note(format_args!("-- joined, peer id {peer}"));
            Ok(())
        }
        Event::Ready => {
            let keys = client.entries().len();
            note(format_args!(
                "-- this is all there is so far: {}. Watching; Ctrl-C ends it",
                Count(keys, "key")
            ));
            Ok(())
        }
        Event::Error(error) => {
            note(format_args!("-- the relay broke the protocol: {error}"));
            Ok(())
        }
        Event::Closed(closed @ Closed { retry_in: Some(wait), .. }) => {
            note(format_args!("-- {closed}; trying again in {:.1} s", wait.as_secs_f32()));
            Ok(())
        }
        // The last end is told as the reason of failing.
        _ => Ok(()),
    }
}
