//! Limits on memory and output.

/// The number of frames of a captured stack.
pub(crate) const STACK: usize = 512;

/// The number of exceptions that a thread throws before the first of them is caught.
pub(crate) const THROWS: usize = 64;

/// The number of different messages that are kept for each type of exception.
pub(crate) const MESSAGES: usize = 32;

/// The number of types whose messages are kept.
pub(crate) const TYPES: usize = 1_000;

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
