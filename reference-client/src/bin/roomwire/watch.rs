//! `roomwire watch`.

use roomwire_client::{
    By, Client, Closed, Event, Events, Held, Mode, Options, ProtocolError, Stage, connect,
};
use serde_json::{Value, json};

use crate::args::{ShowArgs, WatchArgs};
use crate::failure::Failure;
use crate::get::json_entry;
use crate::output::Output;
use crate::values::{self, Count, Key};
use crate::{hex_of, note};

pub(crate) async fn run(args: WatchArgs, output: &mut Output) -> Result<(), Failure> {
    let mut options = Options::new(args.room.address(Mode::from(args.mode))?);
    if args.no_reconnect {
        options.config.reconnect = None;
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
            output.object(&json_event(&event))?;
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
        Event::WorldLoaded { blob } => {
            output.line(format_args!("world: {}, {}", Count(blob.len(), "byte"), values::inline(blob, show)))
        }
        Event::PeerAdded { peer } => output.line(format_args!("peer {peer} is here")),
        Event::PeerRemoved { peer } => output.line(format_args!("peer {peer} has left")),
        Event::Packet { from, payload } => {
            output.line(format_args!("packet from {from}: {}", values::inline(payload, show)))
        }
        Event::Godot { message } => output.line(format_args!("Godot: {}", values::inline(message, show))),
        Event::Joined { peer } => {
            note(format_args!("-- joined as {peer}"));
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

fn json_event(event: &Event) -> Value {
    match event {
        Event::Connecting { attempt } => json!({"event": "connecting", "attempt": attempt}),
        Event::Opened => json!({"event": "opened"}),
        Event::Joined { peer } => json!({"event": "joined", "peer": peer.get()}),
        Event::Ready => json!({"event": "ready"}),
        Event::StateChanged { key, value, rev } => {
            let mut object = json_entry(key, &Held { rev: *rev, value: value.clone() });
            if let Some(members) = object.as_object_mut() {
                members.insert("event".into(), "state".into());
            }
            object
        }
        Event::WorldLoaded { blob } => json!({"event": "world", "blob": hex_of(blob)}),
        Event::WorldSaved { save } => json!({"event": "saved", "save": save.map(|save| save.get())}),
        Event::PeerAdded { peer } => json!({"event": "peer-added", "peer": peer.get()}),
        Event::PeerRemoved { peer } => json!({"event": "peer-removed", "peer": peer.get()}),
        Event::Packet { from, payload } => {
            json!({"event": "packet", "peer": from.get(), "payload": hex_of(payload)})
        }
        Event::Godot { message } => json!({"event": "godot", "bytes": hex_of(message)}),
        Event::Error(ProtocolError::Decode(error)) => json!({
            "event": "error", "class": error.class.name(), "offset": error.offset, "field": error.field, "rule": error.rule,
        }),
        Event::Error(error) => json!({"event": "error", "class": "text", "message": error.to_string()}),
        Event::Closed(Closed { code, reason, by, stage, retry_in, .. }) => json!({
            "event": "closed", "code": code, "reason": reason,
            "by": match by { By::Relay => "relay", By::Client => "client", By::Network => "network" },
            "stage": match stage {
                Stage::Connecting => "connecting",
                Stage::Open => "open",
                Stage::Joining => "joining",
                Stage::Ready => "ready",
            },
            "retry_in_ms": retry_in.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        }),
        _ => json!({"event": "unknown"}),
    }
}
