//! Samples the threads of the own process as they use processor time, for profilers on Linux. Each watched thread has a timer of its
//! own processor time (`timer_create`); the kernel delivers the timer's signal to that thread while it runs, and the handler writes the
//! return addresses of its stack into a ring. A thread that sleeps or waits is not disturbed, and costs nothing.
//!
//! ```rust
//! use corprof_tools::stacks::{Capture, Refusal};
//! use std::time::Duration;
//!
//! let capture = match Capture::start(Duration::from_millis(10)) {
//!     Ok(capture) => capture,
//!     Err(Refusal::Unsupported) => return Ok(()),
//!     Err(refusal) => return Err(refusal),
//! };
//! # let link = std::fs::read_link("/proc/thread-self").unwrap();
//! # let os_thread = link.file_name().unwrap().to_str().unwrap().parse().unwrap();
//! capture.watch(os_thread, 1)?; // a thread by the id that `gettid` returns, and a number for its samples
//! let mut samples = 0;
//! while samples < 5 {
//!     capture.drain(|sample| {
//!         assert!(sample.key == 1 && !sample.addresses.is_empty());
//!         samples += 1;
//!     });
//! }
//! # Ok::<(), Refusal>(())
//! ```
//!
//! - **The handler** takes no lock, allocates nothing, and calls only `clock_gettime` and `process_vm_readv`. The kernel copies the
//!   stack, page by page, and checks each address: a frame pointer that is none ends the walk, and cannot fault.
//! - **The walk** follows frame pointers, as code has them that the .NET JIT has compiled and the runtime itself. It ends where
//!   code keeps something else there; [`End`] says why. The caller of a function that has no frame yet is missing, unless
//!   it is at [`Captured::top`]. The caller of code that replaced a running method (on-stack replacement) is not in the chain, and is passed
//!   beside it: see [`CALLER_OF_REPLACED`].
//! - **The signal** is the highest real-time signal that has its default action. It is handled with `SA_RESTART`, keeps `errno`, uses
//!   the stack that the thread is on, and defers other signals meanwhile except faults. If somebody else sends it, it ends the process
//!   as it would have done.
//! - **Time**: a sample stands for a period of processor time. The kernel looks at the clocks at its ticks, 100 to 1,000 a second
//!   (`CONFIG_HZ`); [`Capture::period`] is a multiple of that. Work that begins at a tick and ends before the next one is not seen.
//! - **Memory** is allocated when a thread is watched, 36 KiB a thread, and used again for later threads.
//!
//! Implemented for Linux on x86-64 and arm64 (not run there yet); elsewhere [`Capture::start`] returns [`Refusal::Unsupported`].
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
