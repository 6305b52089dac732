//! libFuzzer's shim of `roomwire_fuzz::backlog`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| roomwire_fuzz::backlog(data));
