//! Why a method keeps its IL.
#![forbid(unsafe_code)]

use corprof::ModuleId;

/// The result of this crate's calls.
pub type Result<T, E = RewriteError> = core::result::Result<T, E>;

/// Why a method was not rewritten. It keeps the IL that it has.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// The runtime refused a call.
    #[error(transparent)]
    Runtime(#[from] corprof::Error),
    /// The body cannot be read, edited or encoded.
    #[error("the method body: {0}")]
    Body(#[from] cilbody::Error),
    /// The new body does not verify.
    #[error("the new method body does not verify: {0}")]
    Verification(cilbody::Error),
    /// The new body has a token that is no row of the module.
    #[error("the new method body refers to 0x{0:08X}, which is not a row of the module")]
    NoSuchRow(u32),
    /// The signature of the method is malformed.
    #[error("the signature of the method: {0}")]
    Signature(sigparse::Error),
    /// The methods of a module that can be unloaded cannot be recompiled; they can be rewritten before they are compiled.
    #[error("the module can be unloaded, and the runtime does not recompile methods of such modules")]
    Collectible(ModuleId),
    /// The method cannot have the code that was to be inserted. For those who edit methods.
    #[error("{0}")]
    Refused(&'static str),
    /// The function has no metadata, such as a dynamic method.
    #[error("the function has no metadata")]
    NoMetadata,
}
