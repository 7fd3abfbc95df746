//! The tool in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use corprof_double::{Runtime, Version};

use crate::Locks;

#[test]
fn invalid_settings_are_refused() {
    for data in ["LOCKS_DEPTH=1", "LOCKS_TOP=x", "LOCKS_OUT=/nowhere/x"] {
        let runtime = Runtime::new(Version::NET_9);
        assert!(runtime.attach::<Locks>(data.as_bytes()).is_err(), "{data}");
    }
}
