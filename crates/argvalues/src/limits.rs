//! Every limit of a decode, in one place.

use core::time::Duration;

/// How much of a value is written. What a limit cut says so in the output.
///
/// The defaults keep the record of one call small: a few kilobytes at the very worst, and usually far less.
///
/// ```
/// use argvalues::Limits;
///
/// let limits = Limits { items: 1000, ..Limits::default() };
/// assert_eq!(limits.depth, 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many levels of objects, structs, arrays and pointers are opened. With 0 only scalars, strings and
    /// enums are shown; never more than [`MAX_DEPTH`].
    pub depth: usize,
    /// How many items of one array or span are shown.
    pub items: usize,
    /// How many UTF-16 units of one string are shown.
    pub chars: usize,
    /// How many bytes are read for one call's arguments, or for its results. This bounds the work, whatever
    /// the shape of the data: when it is used up, strings and arrays end early and objects are elided.
    pub bytes: usize,
    /// How long one call's arguments, or its results, may be decoded. When the time is up, what is left is cut as if
    /// the bytes were used up. It is looked at once in 64 reads, so little values never are, and
    /// what the runtime takes to describe a type that is new counts too.
    pub time: Duration,
}

/// How many reads there are between two looks at the clock.
pub(crate) const READS_PER_LOOK: u32 = 64;

/// The most levels that are ever opened, so that a limit from a user cannot exhaust a thread's stack.
pub const MAX_DEPTH: usize = 32;

/// The most dimensions that an array of the runtime's can have.
pub const MAX_RANK: usize = 32;

/// The most bytes of one object or struct that are read. Larger ones, which only explicit sizes and inline
/// arrays give, are elided.
pub(crate) const MAX_BODY: usize = 64 * 1024;

/// How many units of a string are read at a time.
pub(crate) const STRING_CHUNK: usize = 2 * 1024;

/// How many bytes of an array's items are read at a time.
pub(crate) const ARRAY_CHUNK: usize = 4 * 1024;

impl Limits {
    /// The defaults, as a constant.
    pub const DEFAULT: Self =
        Self { depth: 4, items: 32, chars: 256, bytes: 16 * 1024, time: Duration::from_millis(200) };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
