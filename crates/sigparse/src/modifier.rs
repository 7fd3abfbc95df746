//! Custom modifiers (II.23.2.7).

use core::iter::FusedIterator;

use crate::{ElementType, Reader, TypeDefOrRef, bytes};

/// A custom modifier: a type that says something about the type after it (II.23.2.7).
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
    /// Whether it is a `modreq`.
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

/// The custom modifiers in front of a type, in the order of the blob.
#[derive(Clone, Copy, Debug)]
pub struct Modifiers<'a>(pub(crate) Reader<'a>);

impl Iterator for Modifiers<'_> {
    type Item = Modifier;

    #[inline]
    fn next(&mut self) -> Option<Modifier> {
        let element = ElementType(self.0.peek_u8()?);
        if !element.is_modifier() {
            return None;
        }
        self.0.advance();
        // The bytes were walked when the type was read, so this does not fail.
        self.0.take(|bytes| bytes::modifier(element, bytes)).ok()
    }
}

impl FusedIterator for Modifiers<'_> {}
