//! See `random::event` in the tests of nettrace.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| sigparse_fuzz::events(bytes));
