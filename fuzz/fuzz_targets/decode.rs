//! libFuzzer's shim of `roomwire_fuzz::decode`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| roomwire_fuzz::decode(data));
