//! The errors of formatting and resolution.

/// Why a name cannot be formatted.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A signature in the metadata is malformed.
    #[error("malformed signature of {of}: {error}")]
    Signature {
        /// The token or name of the signature's owner.
        of: String,
        /// The cause and its offset.
        error: sigparse::Error,
    },
    /// A token or type was not found.
    #[error("{0}")]
    NotFound(String),
}
