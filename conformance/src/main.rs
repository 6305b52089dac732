//! `roomwire-conformance`: see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(exit) = roomwire_conformance::relay::child::serve_if_asked() {
        return exit;
    }
    roomwire_conformance::cli::main().into()
}
