//! What can be wrong with what names are made from.

/// Why something has no name.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A signature of the metadata is malformed.
    #[error("malformed signature of {of}: {error}")]
    Signature {
        /// The token or name whose signature it is.
        of: String,
        /// Where and what.
        error: sigparse::Error,
    },
    /// Something that was asked for is not there.
    #[error("{0}")]
    NotFound(String),
}
