//! Custom modifiers (II.23.2.7).

use crate::token::TypeDefOrRef;

/// A custom modifier: a type that modifies the type after it (II.23.2.7).
///
/// C# writes `in` parameters, `init` setters, `volatile` fields and the `unmanaged` constraint this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// CMOD_REQD, `modreq`: code that does not know it must not use the item.
    Required(TypeDefOrRef),
    /// CMOD_OPT, `modopt`: code that does not know it may ignore it.
    Optional(TypeDefOrRef),
    /// CMOD_INTERNAL: either of them, with a type of the running process in place of a token. Never in a file.
    Internal {
        /// Whether it is a `modreq`.
        required: bool,
        /// The runtime's type handle.
        handle: usize,
    },
}

impl Modifier {
    /// Returns whether it is a `modreq`.
    pub const fn is_required(self) -> bool {
        matches!(self, Self::Required(_) | Self::Internal { required: true, .. })
    }

    /// The type, unless it is one of the running process.
    pub const fn ty(self) -> Option<TypeDefOrRef> {
        match self {
            Self::Required(ty) | Self::Optional(ty) => Some(ty),
            Self::Internal { .. } => None,
        }
    }
}
