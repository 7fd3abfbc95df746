//! Kinds of items on the evaluation stack (ECMA-335 III.1.1).

use core::fmt;

use sigparse::{Token, Type, TypeSig};

use crate::module::{Module, TypeKind};

/// The kind of an item on the evaluation stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `int32`; smaller integers are widened to it.
    I4,
    /// `int64`.
    I8,
    /// `native int`, or an unmanaged pointer.
    I,
    /// A floating-point number.
    F,
    /// An object reference.
    Ref,
    /// A managed pointer.
    ByRef,
    /// A value of a structure.
    Value,
    /// A kind that depends on unknown types: a type argument, a type of another module.
    Unknown,
}

impl Kind {
    /// The kind of a value of this type.
    pub(crate) fn of<M: Module + ?Sized>(sig: TypeSig<'_>, module: &M) -> Self {
        match sig.ty() {
            Type::Boolean | Type::Char | Type::I1 | Type::U1 | Type::I2 | Type::U2 | Type::I4 | Type::U4 => {
                Self::I4
            }
            Type::I8 | Type::U8 => Self::I8,
            Type::R4 | Type::R8 => Self::F,
            Type::I | Type::U | Type::Ptr(_) | Type::FnPtr(_) => Self::I,
            Type::String | Type::Object | Type::Class(_) | Type::SzArray(_) | Type::Array(_) => Self::Ref,
            Type::TypedByRef => Self::Value,
            Type::ByRef(_) => Self::ByRef,
            // There are no more levels than sigparse allows.
            Type::Pinned(target) => Self::of(target, module),
            Type::ValueType(ty) => Self::of_value_type(ty.into(), module),
            Type::GenericInst(inst) => match inst.definition() {
                Type::Class(_) => Self::Ref,
                Type::ValueType(ty) => Self::of_value_type(ty.into(), module),
                _ => Self::Unknown,
            },
            Type::Void | Type::Var(_) | Type::MVar(_) | Type::Internal(_) => Self::Unknown,
        }
    }

    fn of_value_type<M: Module + ?Sized>(ty: Token, module: &M) -> Self {
        match module.type_kind(ty) {
            // The signature has a value type here.
            TypeKind::Reference => Self::Unknown,
            kind => Self::of_kind(kind),
        }
    }

    /// Returns the kind of a value of the type with a token.
    pub(crate) fn of_token<M: Module + ?Sized>(ty: Token, module: &M) -> Self {
        Self::of_kind(module.type_kind(ty))
    }

    const fn of_kind(kind: TypeKind) -> Self {
        match kind {
            TypeKind::Unknown => Self::Unknown,
            TypeKind::Reference => Self::Ref,
            TypeKind::Value | TypeKind::ByRefLike => Self::Value,
            TypeKind::I4 => Self::I4,
            TypeKind::I8 => Self::I8,
            TypeKind::I => Self::I,
            TypeKind::F => Self::F,
        }
    }

    /// The kind where two ways join; `None` if they cannot.
    pub(crate) const fn join(self, other: Self) -> Option<Self> {
        use Kind::{ByRef, F, I, I4, I8, Ref, Unknown, Value};
        match (self, other) {
            (Unknown, _) | (_, Unknown) => Some(Unknown),
            (I4, I4) => Some(I4),
            (I8, I8) => Some(I8),
            (F, F) => Some(F),
            (Ref, Ref) => Some(Ref),
            (Value, Value) => Some(Value),
            (ByRef, ByRef | I) | (I, ByRef) => Some(ByRef),
            (I, I | I4) | (I4, I) => Some(I),
            _ => None,
        }
    }

    /// Returns whether an item of this kind may be stored in, or passed as, one of the other kind.
    pub(crate) const fn fits(self, to: Self) -> bool {
        // A managed pointer may become an unmanaged one, and null a managed one.
        self.join(to).is_some()
    }

    /// Returns whether an instruction can take the item for an address.
    pub(crate) const fn is_address(self) -> bool {
        matches!(self, Self::ByRef | Self::I | Self::Unknown)
    }

    /// Returns whether an instruction can take the item for an `int32` or `native int`.
    pub(crate) const fn is_index(self) -> bool {
        matches!(self, Self::I4 | Self::I | Self::Unknown)
    }

    /// Returns whether an instruction can take the item for an object reference.
    pub(crate) const fn is_ref(self) -> bool {
        matches!(self, Self::Ref | Self::Unknown)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::I4 => "int32",
            Self::I8 => "int64",
            Self::I => "native int",
            Self::F => "float",
            Self::Ref => "an object reference",
            Self::ByRef => "a managed pointer",
            Self::Value => "a structure",
            Self::Unknown => "anything",
        })
    }
}
