//! The limits of this crate.

/// The maximum number of followed pointers to pointers.
pub(crate) const MAX_POINTERS: usize = 8;

/// The maximum number of followed jumps.
pub(crate) const MAX_JUMPS: usize = 4;

/// The maximum nesting of inspected structs.
pub(crate) const MAX_STRUCT_DEPTH: usize = 8;

/// The maximum number of ranges of moved objects. Those of the oldest collections are dropped first; references saved before
/// these become stale.
pub(crate) const MAX_RANGES: usize = 1 << 18;

/// The maximum number of boxes for the data of open calls that a thread keeps. Each holds the method of the call before.
pub(crate) const MAX_SPARE: usize = 32;

/// The maximum number of exceptions of a thread. One inside the handling of another is rare.
pub(crate) const MAX_EXCEPTIONS: usize = 16;

/// The size of the stack's end in which calls are not traced: hooks that decode, format and allocate need less. It is at most
/// a quarter of a stack. The framework calls a stack of 64 KiB or 128 KiB insufficient.
pub(crate) const STACK_LEFT: usize = 64 << 10;

/// The oldest and the newest major version of the runtime on which the locations of all values were compared with those that
/// the runtime reports. .NET Core 3.1 has the number 4. On arm64 they were compared on .NET 10 alone, and
/// on Windows up to .NET 10.
pub(crate) const OLDEST_MEASURED: u16 = if cfg!(target_arch = "aarch64") { 10 } else { 4 };
pub(crate) const NEWEST_MEASURED: u16 = if cfg!(all(target_arch = "x86_64", unix)) { 11 } else { 10 };

/// The oldest major version of the runtime that suspends calls which have hooks.
pub(crate) const OLDEST_SUSPENDING: u16 = 11;

/// The number of arguments that confirm the locations on a newer runtime, and of those among them that are not the first.
pub(crate) const CONFIRMATIONS: u32 = 32;
pub(crate) const LATER_CONFIRMATIONS: u32 = 8;

/// The number of calls of a method that are traced whatever the budget is.
pub(crate) const FIRST_CALLS: u32 = 100;

/// The maximum interval between two consultations of the budget about calls of one method, in calls.
pub(crate) const MAX_INTERVAL: u32 = 4096;

/// The milliseconds whose share of the budget a thread may save, and those between two reports of omitted calls.
pub(crate) const MAX_SAVED: u64 = 100;
pub(crate) const REPORT_OMITTED: u64 = 1000;

/// The number of omitted calls in an interval, in milliseconds, above which methods lose their hooks: they take some 2 % of a thread's time. And that of
/// one method from which on this pays: compiling it again takes about as long as omitting 50,000 calls.
pub(crate) const MAX_COUNTED: u64 = 50_000;
pub(crate) const MIN_FREQUENT: u64 = 250;
pub(crate) const COUNTING_INTERVAL: u64 = 50;

/// The largest number of base classes between an object's class and the class that declares a method.
pub(crate) const MAX_BASES: usize = 64;
