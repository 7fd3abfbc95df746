//! See `random::call` in the tests of argvalues.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| sigparse_fuzz::calls(bytes));
