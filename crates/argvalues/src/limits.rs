//! The limits of a decode.

use core::time::Duration;

/// Limits on the decoded part of a value. The output marks every place where a limit has cut something.
///
/// With the defaults, the record of one call is usually far smaller than its maximum of a few kilobytes.
///
/// ```
/// use argvalues::Limits;
///
/// let limits = Limits { items: 1000, ..Limits::default() };
/// assert_eq!(limits.depth, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum depth of objects, structs, arrays and pointers. With 0, only scalars, strings and enums are decoded.
    /// At most [`MAX_DEPTH`].
    pub depth: usize,
    /// The maximum number of items of an array or span.
    pub items: usize,
    /// The maximum number of UTF-16 units of a string.
    pub chars: usize,
    /// The maximum number of bytes that are read for the arguments of one call, or for its results.
    ///
    /// This bounds the work for any data. At the limit, strings and arrays end early and objects are elided.
    pub bytes: usize,
    /// The maximum time for decoding the arguments of one call, or its results.
    ///
    /// After it the rest is cut as at the limit on bytes. The clock is read once in 64 reads of memory, so that short
    /// decodes never read it. The runtime's time for describing a type that is new is included.
    pub time: Duration,
}

/// The number of reads of memory between two reads of the clock.
pub(crate) const READS_PER_LOOK: u32 = 64;

/// The maximum of [`Limits::depth`], which protects the stack of the thread.
pub const MAX_DEPTH: usize = 32;

/// The maximum size of an object or struct in bytes. Larger ones, which only explicit sizes and inline arrays give, are
/// elided.
pub(crate) const MAX_BODY: usize = 64 * 1024;

/// The number of units of a string that are read at a time.
pub(crate) const STRING_CHUNK: usize = 2 * 1024;

/// The number of bytes of an array's items that are read at a time.
pub(crate) const ARRAY_CHUNK: usize = 4 * 1024;

impl Limits {
    /// The defaults as a constant.
    pub const DEFAULT: Self =
        Self { depth: 4, items: 32, chars: 256, bytes: 16 * 1024, time: Duration::from_millis(200) };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The maximum number of names of one enum value: each has at least one bit that no other has.
pub(crate) const MAX_ENUM_NAMES: usize = 64;

/// The maximum number of scanned entries of a hash table. It ends the scan of a table whose entries are nearly all
/// free.
pub(crate) const MAX_ENTRIES: usize = 1 << 16;

/// The maximum number of parts of a collection or a text that consists of parts. One with more is shown as its fields.
pub(crate) const MAX_PARTS: usize = 1 << 10;

/// The maximum nesting of values in a record. The decoder opens fewer levels; records from other sources must not
/// exhaust the stack.
pub(crate) const MAX_NESTING: usize = 256;
