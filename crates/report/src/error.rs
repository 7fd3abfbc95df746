//! The error of a report.

use recording::ReadError;

/// The error of reading a recording, or of writing what is in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The recording cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The recording has no session of a tool.
    #[error("the recording has no session of a tool; `corprof trace` reads recordings of calls")]
    Empty,
    /// What was asked for is not in the recording.
    #[error("{what} is not in the recording; it has {known}")]
    Missing {
        /// What was asked for.
        what: String,
        /// What there is.
        known: String,
    },
    /// The rows have no stacks and no values that can be added.
    #[error(
        "{tool} records no profile, so there is no file of such a format; it has tables, as text, csv or json"
    )]
    NoProfile {
        /// The tool.
        tool: String,
    },
    /// The profile cannot be written.
    #[error("the profile cannot be written: {0}")]
    Write(String),
}
