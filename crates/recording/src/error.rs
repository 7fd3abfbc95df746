//! Errors of a malformed file.

use std::io;

use crate::format::MAGIC;

/// The reason why a file that begins with these bytes is no recording.
fn no_recording(found: &[u8]) -> String {
    const WRITES: &str = "`calltrace --format binary` writes one";
    if found.is_empty() {
        return format!("the file is empty and not a recording; {WRITES}");
    }
    if MAGIC.starts_with(found) || found.starts_with(&MAGIC) {
        let length = found.len();
        return format!(
            "the file ends after {length} bytes, within the header of a recording: it is incomplete"
        );
    }
    let found = found.get(..MAGIC.len()).unwrap_or(found).escape_ascii();
    format!("this is not a recording: it begins with {found} instead of {}; {WRITES}", MAGIC.escape_ascii())
}

/// A recording that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("the recording cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file is not a recording, or its header is cut.
    #[error("{}", no_recording(found))]
    NotARecording {
        /// Its first bytes.
        found: Vec<u8>,
    },
    /// A newer version has written it.
    #[error(
        "the recording has version {found} of the format, and this reader needs version {known}; use the reader of the release that has written it"
    )]
    Version {
        /// The version of the file.
        found: u16,
        /// The version that is read here.
        known: u16,
    },
    /// The content is damaged.
    #[error("the recording is damaged at byte {offset}: {what}")]
    Damaged {
        /// The offset in the file.
        offset: u64,
        /// The cause.
        what: &'static str,
    },
}

/// A recording that could not be written to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(
    "the recording could not be written to its end: {source}; {bytes} bytes of records are missing, and {lost} records for which there was no room"
)]
pub struct FinishError {
    /// The cause.
    #[source]
    pub source: io::Error,
    /// The number of records that were dropped for lack of memory.
    pub lost: u64,
    /// The number of bytes of the other records that are not in the file.
    pub bytes: u64,
}

/// The values of a call are damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("the values of a call are damaged at byte {offset}: {what}")]
pub struct ValuesError {
    /// The offset in the bytes of the values.
    pub offset: usize,
    /// The cause.
    pub what: &'static str,
}

impl From<argvalues::RecordError> for ValuesError {
    fn from(error: argvalues::RecordError) -> Self {
        Self { offset: error.offset, what: error.what }
    }
}
