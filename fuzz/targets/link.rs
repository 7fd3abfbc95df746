//! See `random::link` in the tests of corprof-link.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| sigparse_fuzz::link(bytes));
