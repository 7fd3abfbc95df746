//! See `images::pdbs::patched`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sigparse_fuzz::images;

fuzz_target!(|patches: &[u8]| images::pdbs::patched(patches));
