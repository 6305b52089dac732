//! The sans-IO session in virtual time: no sockets, no clock, no runtime.

mod applying;
mod bench;
mod ending;
mod joining;
mod model;
mod peers;
mod writing;
