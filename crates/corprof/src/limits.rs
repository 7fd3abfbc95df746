//! The limits of this crate.

use core::time::Duration;

/// The number of panics after which a profiler is switched off.
pub(crate) const MAX_PANICS: u32 = 100;

/// The maximum number of parts of a profiler: profilers of one library under one class id.
pub(crate) const MAX_PARTS: u8 = 16;

/// The maximum number of parts that a profiler has added and not removed. With those above and the crate they have a bit each in
/// a word.
pub(crate) const MAX_HOSTED: u8 = 15;

/// How long the removal of a part waits for threads that are in its callbacks.
pub(crate) const REMOVAL_PATIENCE: Duration = Duration::from_secs(1);

/// The oldest and the newest major version of the runtime on which the registers that compiled code has in use at fast-path hooks
/// were measured. .NET Core 3.1 has the number 4.
pub(crate) const OLDEST_MEASURED: u16 = if cfg!(target_arch = "aarch64") { 10 } else { 4 };
pub(crate) const NEWEST_MEASURED: u16 = if cfg!(all(target_arch = "x86_64", unix)) { 11 } else { 10 };

/// The maximum nesting of type arguments in lookups.
pub(crate) const MAX_TYPE_NESTING: usize = 64;

/// The maximum nesting of types in an imported signature, in one another and as constructed types of constructed types.
pub(crate) const MAX_IMPORTED_NESTING: usize = 64;

/// The maximum number of bytes for the ranges of a call's arguments. No method has so many arguments.
pub(crate) const MAX_ARGUMENT_INFO: usize = 4 << 20;

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
