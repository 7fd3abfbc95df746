//! Settings, in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use std::fs;

use corprof_double::{Runtime, Version};

use crate::Heap;

#[test]
fn a_runtime_without_a_walk_gives_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("heap.txt");
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.attach::<Heap>(format!("HEAP_OUT={}", out.display()).as_bytes()).unwrap();
    session.shutdown();
    runtime.assert_released();
    assert!(fs::read_to_string(&out).unwrap().starts_with("no snapshot at "));
}

#[test]
fn invalid_settings_are_refused() {
    for data in ["HEAP_TOP=-1", "HEAP_EVERY=x", "HEAP_CLASSES=x"] {
        let runtime = Runtime::new(Version::NET_9);
        assert!(runtime.attach::<Heap>(data.as_bytes()).is_err(), "{data}");
    }
}
