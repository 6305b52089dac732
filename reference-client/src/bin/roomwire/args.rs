//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use roomwire_client::{Address, Mode};
use roomwire_codec::Direction;
use roomwire_codec::registry::limit;

use crate::failure::Failure;

const EXAMPLES: &str = "\
A relay to try it with, in a terminal of its own:
  roomwire-relay --listen 127.0.0.1:8080 --data ./data

Two players, two more terminals. Each first says where the room is:
  export ROOMWIRE_RELAY=ws://127.0.0.1:8080 ROOMWIRE_GAME=tic-tac-toe ROOMWIRE_ROOM=table-1

One watches; every move appears as it is made:
  roomwire watch

The other makes moves. Here the keys 1 to 9 are the squares; any text is a key, and any text a value:
  roomwire set 5 X
  roomwire set turn O
  roomwire get turn
  roomwire get

What is in the room stays there when all have left.

Frames, without a relay:
  roomwire decode --direction to-client f5 07000000 0400 7475726e 02
  roomwire encode '{\"frame\":\"STATE_SET\",\"key\":\"turn\",\"value\":\"02\"}'

Exit codes:
  0  done
  1  failed: no connection, refused or closed by the relay (its code and reason are shown), no answer in time,
     a file that cannot be read or written, bytes that are no frame
  2  the command line, or input that is no hex or no JSON
  3  the key is not set, or no world was ever saved";

/// Look into Roomwire rooms, write into them, and take frames apart.
#[derive(Debug, Parser)]
#[command(name = "roomwire", version, after_long_help = EXAMPLES, after_help = "See --help for examples and exit codes.")]
pub(crate) struct Cli {
    /// Write JSON to standard output, one object a line. Bytes are lowercase hex
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what is in a room, and then everything that happens there
    Watch(WatchArgs),
    /// Print the value of a key, or all keys and their values
    Get(GetArgs),
    /// Write the value of a key, and wait until it is stored for good
    Set(SetArgs),
    /// Save a file as the room's world, and wait until it is stored for good
    Save(SaveArgs),
    /// Write the room's world to a file
    Load(LoadArgs),
    /// List the Godot peers that are present. While it does, the game sees one peer more
    Peers(PeersArgs),
    /// Explain a frame, field by field, or say what is wrong with it
    Decode(DecodeArgs),
    /// Make a frame from JSON
    Encode(EncodeArgs),
    /// Print a completion script for a shell
    Completions {
        /// For which shell
        shell: Shell,
    },
}

/// Which room. Flattened last, so that its heading does not stand over other options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Room")]
pub(crate) struct RoomArgs {
    /// The relay's address
    #[arg(long, env = "ROOMWIRE_RELAY", value_name = "URL", default_value = "ws://127.0.0.1:8080")]
    relay: String,
    #[arg(long, env = "ROOMWIRE_GAME", help = name_help("The game"))]
    game: String,
    #[arg(long, env = "ROOMWIRE_ROOM", help = name_help("The room of the game"))]
    room: String,
    /// A label for the relay's operator. It proves nothing and may be left out
    #[arg(long, env = "ROOMWIRE_USER", default_value = "", hide_default_value = true)]
    user: String,
}

fn name_help(what: &str) -> String {
    format!("{what}, 1 to {} characters of A-Z a-z 0-9 _ . ~ : -", limit::NAME_MAX)
}

impl RoomArgs {
    pub(crate) fn address(&self, mode: Mode) -> Result<Address, Failure> {
        let address = Address::new(&self.relay, &self.game, &self.room)?.with_user(&self.user)?;
        Ok(address.with_mode(mode))
    }
}

/// How long to wait.
#[derive(Debug, Args)]
pub(crate) struct PatienceArgs {
    /// Give up when nothing has come from the relay for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,
    /// How long the relay has to be quiet until what the room holds counts as complete. More is safer on a bad network
    #[arg(long, value_name = "MILLISECONDS", default_value_t = limit::READY_QUIET)]
    quiet: u64,
}

impl PatienceArgs {
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout.into())
    }

    pub(crate) fn quiet(&self) -> Duration {
        Duration::from_millis(self.quiet)
    }
}

/// How to show bytes.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ShowArgs {
    /// Show values as hex. Otherwise they are text if they are printable, and hex if not
    #[arg(long)]
    pub(crate) hex: bool,
    /// Show values as text, whatever they are; what cannot be shown is escaped
    #[arg(long, conflicts_with = "hex")]
    pub(crate) text: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// What to take part in
    #[arg(long, value_enum, default_value_t = ModeArg::State)]
    pub(crate) mode: ModeArg,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    /// End when the connection ends, and do not connect again
    #[arg(long)]
    pub(crate) no_reconnect: bool,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ModeArg {
    /// Values and worlds. The game does not see this watcher
    State,
    /// Godot peers and their packets. The game sees this watcher as a peer
    Peers,
    /// All of it. The game sees this watcher as a peer
    Both,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::State => Self::State,
            ModeArg::Peers => Self::Peers,
            ModeArg::Both => Self::Both,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// The key. Without one, all keys and their values are listed
    pub(crate) key: Option<String>,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    /// Write the value's bytes as they are, with no line end
    #[arg(long, requires = "key", conflicts_with_all = ["hex", "text", "json"])]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) patience: PatienceArgs,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    #[arg(help = format!("The key, {} to {} bytes", limit::KEY_MIN, limit::KEY_MAX))]
    pub(crate) key: String,
    /// The value; "" for an empty one
    #[arg(required_unless_present = "stdin", allow_hyphen_values = true)]
    pub(crate) value: Option<String>,
    /// VALUE is hex
    #[arg(long)]
    pub(crate) hex: bool,
    /// Take the value from standard input, byte for byte
    #[arg(long, conflicts_with_all = ["value", "hex"])]
    pub(crate) stdin: bool,
    #[command(flatten)]
    pub(crate) patience: PatienceArgs,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SaveArgs {
    /// The file; - is standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) patience: PatienceArgs,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
}

#[derive(Debug, Args)]
pub(crate) struct LoadArgs {
    /// The file; - is standard output
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) patience: PatienceArgs,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PeersArgs {
    #[command(flatten)]
    pub(crate) patience: PatienceArgs,
    #[command(flatten)]
    pub(crate) room: RoomArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    /// The frame as hex, with spaces wherever you like; - is standard input
    #[arg(required = true)]
    pub(crate) hex: Vec<String>,
    /// Which way it travels
    #[arg(long, value_enum)]
    pub(crate) direction: DirectionArg,
    /// It is the first message to a client: its peer id
    #[arg(long)]
    pub(crate) first: bool,
    /// HEX is - and standard input holds the bytes themselves
    #[arg(long)]
    pub(crate) binary: bool,
    /// Show every entry of a long snapshot
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DirectionArg {
    /// From a client
    ToRelay,
    /// From the relay
    ToClient,
}

impl From<DirectionArg> for Direction {
    fn from(direction: DirectionArg) -> Self {
        match direction {
            DirectionArg::ToRelay => Self::ToRelay,
            DirectionArg::ToClient => Self::ToClient,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct EncodeArgs {
    /// The frame as `decode --json` writes it: '{"frame":"STATE_SET","key":"turn","value":"02"}'; - is standard input
    #[arg(value_name = "JSON")]
    pub(crate) frame: String,
}
