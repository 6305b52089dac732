//! The binary; everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    roomwire_relay::run::main(std::env::args_os())
}
