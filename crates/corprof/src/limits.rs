//! The limits of this crate.

use core::time::Duration;

/// The number of panics after which a profiler is switched off.
pub(crate) const MAX_PANICS: u32 = 100;

/// The maximum nesting of type arguments in lookups.
pub(crate) const MAX_TYPE_NESTING: usize = 64;

/// The maximum nesting of types in an imported signature, in one another and as constructed types of constructed types.
pub(crate) const MAX_IMPORTED_NESTING: usize = 64;

/// The maximum number of bytes for the ranges of a call's arguments. No method has so many arguments.
pub(crate) const MAX_ARGUMENT_INFO: usize = 4 << 20;

/// The maximum nesting of the types in an event.
pub(crate) const MAX_EVENT_DEPTH: u32 = 16;

/// The maximum number of sets of names that a thread caches. A profiler usually has one.
pub(crate) const MAX_SETS: usize = 4;

/// How long an unload waits for the lookups that other threads have begun. They take microseconds and do not wait for an
/// unload. After this time the program continues, and a message reports it.
pub(crate) const UNLOAD_PATIENCE: Duration = Duration::from_secs(10);

/// The same on a thread that keeps the garbage collector waiting meanwhile.
pub(crate) const SHORT_UNLOAD_PATIENCE: Duration = Duration::from_secs(1);

/// How long a suspension by another thread, such as a garbage collection, is waited for.
pub(crate) const SUSPENSION_PATIENCE: Duration = Duration::from_secs(5);

/// The maximum number of calls that are examined for the lifetime of their function: one may have no `this`.
pub(crate) const MAX_DOUBTFUL_CALLS: u8 = 4;

/// The maximum number of attempts to fill a buffer whose required length changes.
pub(crate) const MAX_ATTEMPTS: usize = 8;
