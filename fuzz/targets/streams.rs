//! See `random::streams` in the tests of recording.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| sigparse_fuzz::streams(bytes));
