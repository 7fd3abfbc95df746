//! Limits on memory and output.

use std::time::Duration;

/// The number of frames of a captured stack.
pub(crate) const STACK: usize = 512;

/// The number of exceptions that a thread throws before the first of them is caught.
pub(crate) const THROWS: usize = 64;

/// The number of exceptions that were caught and are recognised if they are thrown again.
pub(crate) const SETTLED: usize = 256;

/// The number of characters of a message.
pub(crate) const MESSAGE: usize = 200;

/// The number of collections that run at the same time: a background collection and others in the midst of it.
pub(crate) const COLLECTIONS: usize = 8;

/// The number of frames of all stacks of a sample.
pub(crate) const FRAMES: usize = 100_000;

/// The number of compilations and loads that are kept.
pub(crate) const SPANS: usize = 200_000;

/// The number of compilations and loads that are in progress on a thread.
pub(crate) const NESTED: usize = 1_000;

/// The number of threads that wait for locks at the same time.
pub(crate) const WAITS: usize = 10_000;

/// The time between two reports of a tool that keeps or pushes them.
pub(crate) const CONTINUOUS: Duration = Duration::from_secs(15);

/// The number of ended threads whose times are kept apart.
pub(crate) const ENDED_THREADS: usize = 10_000;

/// The size of a native library whose symbols are read, in bytes.
pub(crate) const LIBRARY: u64 = 100 << 20;

/// The number of addresses whose code is cached.
pub(crate) const ADDRESSES: usize = 1_000_000;
