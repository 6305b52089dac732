//! The Roomwire conformance suite and its runner.
//!
//! The suite is data: golden frames (`vectors/`) for codecs, scenarios (`scenarios/`) for relays and others
//! (`clients/`) for clients, each citing the clauses of the specification that it tests. This library loads both, runs them, and reports.
//!
//! | part | what it does |
//! |---|---|
//! | [`vectors`] | loads golden frames and runs them against a [`codec::CodecUnderTest`] |
//! | [`scenario`] | loads scenarios and plays them against a [`relay::RelayUnderTest`] |
//! | [`client`] | plays client scenarios: the runner is the relay |
//! | [`ws`] | the runner's own WebSocket client, raw enough to see and to send malformed frames |
//! | [`relay`] | the relays: the reference relay as a child process, a command that starts one, or an address |
//! | [`run`] | which cases run, and in which order |
//! | [`crash`] | kills a relay under load and looks for what it lost |
//! | [`trace`] | from clauses to cases, and which cases to read again |
//! | [`report`] | terminal, HTML, JSON and JUnit |
//! | [`cli`] | the command line |

pub mod cli;
pub mod client;
pub mod codec;
pub mod crash;
pub mod embedded;
pub mod expected;
pub mod frame_json;
pub mod hex;
pub mod interrupt;
#[cfg(feature = "mutants")]
pub mod mutants;
mod out;
mod process;
pub mod relay;
pub mod report;
pub mod result;
pub mod run;
pub mod scenario;
pub mod select;
pub mod trace;
pub mod vectors;
pub mod verdict;
pub mod ws;
