//! The limits of this crate.

use core::time::Duration;

/// How many panics of a profiler are borne; with the last one it is switched off.
pub(crate) const MAX_PANICS: u32 = 100;

/// How deep type arguments may be nested before no more is asked for.
pub(crate) const MAX_TYPE_NESTING: usize = 64;

/// No method has so many arguments that the runtime needs more bytes for where they are.
pub(crate) const MAX_ARGUMENT_INFO: usize = 4 << 20;

/// How deep types may be nested.
pub(crate) const MAX_EVENT_DEPTH: u32 = 16;

/// How long an unload waits for lookups that other threads have begun. They take microseconds, and nothing that
/// they wait for waits for an unload; if it happens nevertheless, the program goes on, and a message says so.
pub(crate) const UNLOAD_PATIENCE: Duration = Duration::from_secs(10);

/// The same on a thread that keeps the garbage collector waiting meanwhile.
pub(crate) const SHORT_UNLOAD_PATIENCE: Duration = Duration::from_secs(1);

/// How long somebody else's suspension, such as a garbage collection, is waited for.
pub(crate) const SUSPENSION_PATIENCE: Duration = Duration::from_secs(5);

/// How many calls are asked: one may have no `this`.
pub(crate) const MAX_DOUBTFUL_CALLS: u8 = 4;

/// How often the runtime may change its mind on the length.
pub(crate) const MAX_ATTEMPTS: usize = 8;
