//! The limits of this crate.

/// The deepest nesting of types in the text of an identity.
pub(crate) const MAX_IDENTITY_DEPTH: usize = 64;

/// The deepest nesting of types in types. Metadata with more is refused as malformed.
pub(crate) const MAX_NESTING: usize = 64;

/// The most generic parameters that a name may declare after its backtick. A higher number is part of the name.
pub(crate) const MAX_ARITY: usize = 1024;

/// The most forwarders and enclosing types that are followed. Metadata with more is refused as malformed.
pub(crate) const MAX_STEPS: usize = 32;

/// The most entries of a debug directory that are read. Compilers write up to five.
#[cfg(feature = "files")]
pub(crate) const MAX_DEBUG_ENTRIES: usize = 64;

/// The largest embedded PDB, in bytes.
#[cfg(feature = "files")]
pub(crate) const MAX_EMBEDDED_PDB: u32 = 256 << 20;

/// The longest name, in bytes. C#'s compiler allows 1023. Without a limit, a heap without zeros would make every name
/// as long as the file.
#[cfg(feature = "files")]
pub(crate) const MAX_TEXT: usize = 16 << 10;
