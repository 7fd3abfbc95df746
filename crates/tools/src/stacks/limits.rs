//! Limits on memory.

/// The number of threads that are watched at the same time.
pub(crate) const THREADS: usize = 8192;

/// The number of return addresses of a stack.
pub(crate) const FRAMES: usize = 512;

/// The number of words of a thread's ring. A stack of 30 frames takes 37.
#[cfg(not(loom))]
pub(crate) const RING: usize = 4096;
/// The models (`cargo xtask loom`) fill it in every order. A sample without a stack takes 7.
#[cfg(loom)]
pub(crate) const RING: usize = 8;

/// The number of words that one read copies at most: a page.
#[cfg(not(loom))]
pub(crate) const PAGE_WORDS: usize = 512;
/// The models read no stack.
#[cfg(loom)]
pub(crate) const PAGE_WORDS: usize = 1;

/// The distance from the stack pointer beyond which no frame is looked for.
pub(crate) const STACK_BYTES: usize = 1 << 30;

/// The number of words above a frame among which the frame of replaced code is looked for.
pub(crate) const REPLACED_WORDS: usize = 1024;

/// The number of return addresses that are passed for the frame of replaced code.
pub(crate) const REPLACED_COPIES: usize = 4;
