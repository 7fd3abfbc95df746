//! See `random::condition` in the tests of corprof-condition.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| sigparse_fuzz::condition(bytes));
