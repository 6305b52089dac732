//! Broken codecs and relays, with which the suite proves itself: each is caught by a case that is named for it.

pub mod codecs;
pub mod stores;
