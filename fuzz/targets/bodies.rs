//! See `il::bodies`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sigparse_fuzz::il;

fuzz_target!(|bytes: &[u8]| il::bodies(bytes));
