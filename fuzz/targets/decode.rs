//! See `checks::decode`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sigparse_fuzz::checks;

fuzz_target!(|blob: &[u8]| checks::decode(blob));
