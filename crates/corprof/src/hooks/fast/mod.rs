//! Hooks that the compiled code calls directly, without the runtime in between: their stubs.
//!
//! | file | subject |
//! |---|---|
//! | `x86_64_sysv` | the stubs for x86-64 outside of Windows |
//! | `missing` | platforms without stubs: the profiler is refused |
//!
//! Another architecture or convention is another file with stubs, areas and the values found in them.

#[cfg(not(all(target_arch = "x86_64", unix)))]
#[path = "missing.rs"]
mod stubs;
#[cfg(all(target_arch = "x86_64", unix))]
#[path = "x86_64_sysv.rs"]
mod stubs;

pub(super) use stubs::{EnterArea, LeaveArea, for_this_processor};
#[cfg(all(target_arch = "x86_64", unix))]
pub(super) use stubs::{FLOAT_ARGUMENTS, INTEGER_ARGUMENTS, Receiver};
