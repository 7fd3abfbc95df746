#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))),
    allow(dead_code, reason = "elsewhere there is no handler that would use the rings")
)]

mod capture;
mod clock;
mod limits;
mod ring;
mod slot;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[path = "linux.rs"]
mod system;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[path = "others.rs"]
mod system;
mod walk;

pub use capture::{Capture, Captured, Counts, Refusal};
pub use clock::{process_time, processor_time};
pub use walk::{CALLER_OF_REPLACED, End};
