//! Hooks that the compiled code calls directly, without the runtime in between: their stubs.
//!
//! | file | subject |
//! |---|---|
//! | `receiver` | the functions that the stubs call |
//! | `aarch64` | the stubs for arm64 outside of Windows |
//! | `x86_64_sysv` | the stubs for x86-64 outside of Windows |
//! | `x86_64_windows` | the stubs for x86-64 on Windows |
//! | `width` | the width of the processor's vector registers, for x86-64 |
//! | `missing` | platforms without stubs: the profiler is refused |
//!
//! Another architecture or convention is another file with stubs, areas and the values found in them.

mod receiver;
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", unix))))]
#[path = "missing.rs"]
mod stubs;
#[cfg(all(target_arch = "aarch64", unix))]
#[path = "aarch64.rs"]
mod stubs;
#[cfg(all(target_arch = "x86_64", unix))]
#[path = "x86_64_sysv.rs"]
mod stubs;
#[cfg(all(target_arch = "x86_64", windows))]
#[path = "x86_64_windows.rs"]
mod stubs;
#[cfg(target_arch = "x86_64")]
mod width;

pub(super) use receiver::Receiver;
#[cfg(all(target_arch = "aarch64", unix))]
pub(super) use stubs::Vector;
pub(super) use stubs::{EnterArea, LeaveArea, for_this_processor};
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), unix))]
pub(super) use stubs::{FLOAT_ARGUMENTS, INTEGER_ARGUMENTS};
