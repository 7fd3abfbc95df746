//! The module of a method body: signatures and tables.

use sigparse::token::Table;
use sigparse::{MethodSig, Token};

/// The module that a method body belongs to, as far as the body needs it.
///
/// A profiler implements it over the metadata API, a tool over an assembly file. A method that returns `None` means that
/// the module does not have the token; the body is then refused, except where the default implementation is `None`.
pub trait Module {
    /// The signature of a MethodDef or MemberRef; of a MethodSpec that of its method.
    fn method_sig(&self, method: Token) -> Option<&[u8]>;

    /// The signature of a FieldDef or of the MemberRef of a field.
    fn field_sig(&self, field: Token) -> Option<&[u8]>;

    /// The signature of a StandAloneSig: of local variables, or of a call site.
    fn stand_alone_sig(&self, token: Token) -> Option<&[u8]>;

    /// The number of rows of a table; for [`Table::USER_STRING`] the size of the heap in bytes.
    ///
    /// `None`, the default, accepts every row.
    fn rows(&self, table: Table) -> Option<u32> {
        let _ = table;
        None
    }

    /// The kind of a TypeDef, TypeRef or TypeSpec.
    ///
    /// [`TypeKind::Unknown`], the default, is compatible with everything.
    fn type_kind(&self, ty: Token) -> TypeKind {
        let _ = ty;
        TypeKind::Unknown
    }
}

/// The behaviour of a type's values on the evaluation stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// The kind is not known.
    Unknown,
    /// A class, an interface, an array or a delegate.
    Reference,
    /// A structure.
    Value,
    /// A structure that may not be boxed, such as `Span<T>` (`IsByRefLikeAttribute`).
    ByRefLike,
    /// An enumeration or primitive type that is an `int32` on the stack.
    I4,
    /// An enumeration or primitive type that is an `int64` on the stack.
    I8,
    /// A primitive type that is a `native int` on the stack.
    I,
    /// A floating-point number.
    F,
}

impl<M: Module + ?Sized> Module for &M {
    fn method_sig(&self, method: Token) -> Option<&[u8]> {
        (**self).method_sig(method)
    }

    fn field_sig(&self, field: Token) -> Option<&[u8]> {
        (**self).field_sig(field)
    }

    fn stand_alone_sig(&self, token: Token) -> Option<&[u8]> {
        (**self).stand_alone_sig(token)
    }

    fn rows(&self, table: Table) -> Option<u32> {
        (**self).rows(table)
    }

    fn type_kind(&self, ty: Token) -> TypeKind {
        (**self).type_kind(ty)
    }
}

/// Returns the signature for the token of a call instruction.
pub(crate) fn called<M: Module + ?Sized>(module: &M, token: Token) -> Option<MethodSig<'_>> {
    let blob = match token.table() {
        Table::STAND_ALONE_SIG => module.stand_alone_sig(token),
        _ => module.method_sig(token),
    };
    MethodSig::parse(blob?).ok()
}
