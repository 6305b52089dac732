//! The relay's logic, sans-IO: no sockets, no clock, no runtime. Time, randomness and input are arguments; effects are
//! drained. So all of it can be tested, fuzzed and simulated in virtual time.
//!
//! | module | what it decides |
//! |---|---|
//! | [`admission`] | whether a URL lets a connection into which room |
//! | [`directory`] | which rooms are in memory |
//! | [`room`] | what a message, a join, a leave and a commit cause, in one order |
//! | [`backlog`] | what a slow reader gets, and when it is given up |
//! | [`keepalive`] | when a silent connection is pinged and when it is closed |
//!
//! The shell feeds a [`Room`](room::Room) from many connections, one at a time, and carries out its
//! [effects](effect) in their order. Accepted writes wait in the room as *pending* until the shell takes them as a batch to
//! the store; nothing that they cause becomes an effect before the store has said that the batch is durable (DUR-1).

pub mod admission;
pub mod backlog;
pub mod closing;
pub mod directory;
pub mod effect;
mod gather;
mod join;
pub mod keepalive;
pub mod limits;
pub mod member;
mod peers;
mod pipeline;
pub mod room;
#[cfg(test)]
mod tests;
pub mod time;
mod values;
mod world;
