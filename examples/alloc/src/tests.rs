//! The allocations of a program in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use corprof_double::{Runtime, Version};

use crate::Alloc;

#[test]
fn invalid_settings_are_refused() {
    for data in ["ALLOC_MODE=all", "ALLOC_TOP=x", "ALLOC_RATE=500", "ALLOC_OUT=/nowhere/x"] {
        let runtime = Runtime::new(Version::NET_9);
        assert!(runtime.attach::<Alloc>(data.as_bytes()).is_err(), "{data}");
    }
}
