//! The limits of this crate.

use core::time::Duration;

/// The number of panics after which a profiler is switched off.
pub(crate) const MAX_PANICS: u32 = 100;

/// The nesting depth of type arguments that are queried.
pub(crate) const MAX_TYPE_NESTING: usize = 64;

/// No method has so many arguments that the runtime needs more bytes for where they are.
pub(crate) const MAX_ARGUMENT_INFO: usize = 4 << 20;

/// The nesting depth of types.
pub(crate) const MAX_EVENT_DEPTH: u32 = 16;

/// The time for which an unload waits for lookups of other threads. They take microseconds, and nothing that
/// they wait for waits for an unload; if it happens nevertheless, the program goes on, and a message says so.
pub(crate) const UNLOAD_PATIENCE: Duration = Duration::from_secs(10);

/// The same on a thread that keeps the garbage collector waiting meanwhile.
pub(crate) const SHORT_UNLOAD_PATIENCE: Duration = Duration::from_secs(1);

/// The time to wait for a suspension that is in progress, such as a garbage collection.
pub(crate) const SUSPENSION_PATIENCE: Duration = Duration::from_secs(5);

/// How many calls are asked: one may have no `this`.
pub(crate) const MAX_DOUBTFUL_CALLS: u8 = 4;

/// The number of attempts when the length that the runtime reports changes.
pub(crate) const MAX_ATTEMPTS: usize = 8;
