//! Broken codecs and relays, with which the suite proves itself: each is found by a case that is named for it.

pub mod clients;
pub mod codecs;
pub mod proxy;
pub mod relays;
pub mod stores;
