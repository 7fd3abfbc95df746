//! Settings, in the fake runtime.
#![allow(clippy::unwrap_used, reason = "of what the tests themselves have set up")]

use corprof_double::{Runtime, Version};

use crate::Cpu;

#[test]
fn invalid_settings_are_refused() {
    for data in ["CPU_HZ=0", "CPU_HZ=1001", "CPU_HZ=x", "CPU_WALL=2", "CPU_TOP=-1", "CPU_BY=x"] {
        let runtime = Runtime::new(Version::NET_9);
        assert!(runtime.attach::<Cpu>(data.as_bytes()).is_err(), "{data}");
    }
}
