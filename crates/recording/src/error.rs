//! What is wrong with a file.

use std::io;

/// A recording that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("the recording cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is something else, or is cut before it begins.
    #[error(
        "this is no recording: it begins with {found:02x?} instead of \\x89CLRREC; `calltrace --format binary` writes one"
    )]
    NotARecording {
        /// Its first bytes.
        found: Vec<u8>,
    },
    /// A newer version has written it.
    #[error(
        "the recording has version {found} of the format, and this reads version {known}; read it with what belongs to the profiler that has written it"
    )]
    Version {
        /// The version of the file.
        found: u16,
        /// The version that is read here.
        known: u16,
    },
    /// It is not what was written.
    #[error("the recording is damaged at byte {offset}: {what}")]
    Damaged {
        /// Where in the file.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
}

/// Values of a call that are not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("the values of a call are damaged at byte {offset}: {what}")]
pub struct ValuesError {
    /// Where in the bytes of the values.
    pub offset: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl From<argvalues::RecordError> for ValuesError {
    fn from(error: argvalues::RecordError) -> Self {
        Self { offset: error.offset, what: error.what }
    }
}
