//! What only the SQLite store does.

mod damage;
mod failure;
mod open;
mod process;
mod writer;
