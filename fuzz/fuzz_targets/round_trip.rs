//! libFuzzer's shim of `roomwire_fuzz::round_trip`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| roomwire_fuzz::round_trip(data));
