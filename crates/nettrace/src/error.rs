//! Errors.

use std::io;

/// The result of this crate's calls.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The reason why a trace cannot be read, with the offset in the trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source cannot be read. The reader may be called again.
    #[error("the trace cannot be read at byte {offset}: {source}")]
    Io {
        /// The number of bytes that were read.
        offset: u64,
        /// The cause.
        source: io::Error,
    },
    /// The trace ends before its end: the program was killed, or the file was cut. All events before were returned.
    #[error("the trace is cut at byte {offset}")]
    Truncated {
        /// The length of the trace.
        offset: u64,
    },
    /// The bytes do not follow the format.
    #[error("malformed trace at byte {offset}: {what}")]
    Malformed {
        /// The offset.
        offset: u64,
        /// The fault.
        what: &'static str,
    },
    /// A part of the trace exceeds a limit of this crate.
    #[error("at byte {offset}: {what} of {size}, and at most {limit} is read")]
    Limit {
        /// The offset.
        offset: u64,
        /// The part.
        what: &'static str,
        /// Its size.
        size: u64,
        /// The largest size.
        limit: u64,
    },
    /// The version of the format is not known.
    #[error("nettrace version {version} is not known; 4, 5 and 6 are read")]
    Version {
        /// The version.
        version: u32,
    },
}

/// The error of fields, or of their metadata, that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset} of the payload or metadata: {what}")]
pub struct FieldError {
    /// The offset in the payload or metadata.
    pub offset: usize,
    /// The fault.
    pub what: &'static str,
}
