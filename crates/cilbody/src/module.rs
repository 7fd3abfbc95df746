//! The module of a method body: signatures and tables.

use sigparse::token::Table;
use sigparse::{MethodSig, Token, TypeSig, TypeSpecSig};

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

    /// The signature of a TypeSpec.
    ///
    /// The type of a TypeSpec without one, the default, is compatible with everything.
    fn type_spec_sig(&self, ty: Token) -> Option<&[u8]> {
        let _ = ty;
        None
    }

    /// The kind of a TypeDef or TypeRef.
    ///
    /// [`TypeKind::Unknown`], the default, is compatible with everything.
    fn type_kind(&self, ty: Token) -> TypeKind {
        let _ = ty;
        TypeKind::Unknown
    }

    /// Returns whether two tokens, each a TypeDef or TypeRef, may mean the same type.
    ///
    /// The default compares tokens, and only those of one table: a type has one TypeDef, but may have several TypeRefs, in its
    /// own module too. A module that knows the names of types tells more apart.
    fn may_be_same_type(&self, one: Token, other: Token) -> bool {
        one == other || one.table() != Table::TYPE_DEF || other.table() != Table::TYPE_DEF
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

impl TypeKind {
    /// The kind of a type by the metadata names of the type and of its base class; the base class is `None` for interfaces and for
    /// `System.Object`.
    ///
    /// Enumerations are [`Unknown`](Self::Unknown): their underlying type is that of a field. So are the primitive types, which
    /// signatures name by element types of their own.
    ///
    /// ```
    /// use cilbody::TypeKind;
    ///
    /// assert_eq!(TypeKind::of_type("System.Guid", Some("System.ValueType")), TypeKind::Value);
    /// assert_eq!(TypeKind::of_type("System.Int32", Some("System.ValueType")), TypeKind::Unknown);
    /// assert_eq!(TypeKind::of_type("Shop.Cart", Some("System.Object")), TypeKind::Reference);
    /// ```
    #[must_use]
    pub fn of_type(name: &str, base: Option<&str>) -> Self {
        const PRIMITIVES: [&str; 16] = [
            "Boolean",
            "Char",
            "SByte",
            "Byte",
            "Int16",
            "UInt16",
            "Int32",
            "UInt32",
            "Int64",
            "UInt64",
            "IntPtr",
            "UIntPtr",
            "Single",
            "Double",
            "Void",
            "TypedReference",
        ];
        let is_primitive = || name.strip_prefix("System.").is_some_and(|name| PRIMITIVES.contains(&name));
        match base {
            Some("System.ValueType") if name == "System.Enum" => Self::Reference,
            Some("System.ValueType") if is_primitive() => Self::Unknown,
            Some("System.ValueType") => Self::Value,
            Some("System.Enum") => Self::Unknown,
            Some(_) | None => Self::Reference,
        }
    }
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

    fn type_spec_sig(&self, ty: Token) -> Option<&[u8]> {
        (**self).type_spec_sig(ty)
    }

    fn type_kind(&self, ty: Token) -> TypeKind {
        (**self).type_kind(ty)
    }

    fn may_be_same_type(&self, one: Token, other: Token) -> bool {
        (**self).may_be_same_type(one, other)
    }
}

/// Returns the type that a TypeSpec stands for, if the module has its signature.
pub(crate) fn type_of_spec<M: Module + ?Sized>(module: &M, ty: Token) -> Option<TypeSig<'_>> {
    if ty.table() != Table::TYPE_SPEC {
        return None;
    }
    TypeSpecSig::parse(module.type_spec_sig(ty)?).ok().map(|spec| spec.sig())
}

/// Returns the signature for the token of a call instruction.
pub(crate) fn called<M: Module + ?Sized>(module: &M, token: Token) -> Option<MethodSig<'_>> {
    MethodSig::parse(called_blob(module, token)?).ok()
}

/// Returns the bytes of the signature for the token of a call instruction.
pub(crate) fn called_blob<M: Module + ?Sized>(module: &M, token: Token) -> Option<&[u8]> {
    match token.table() {
        Table::STAND_ALONE_SIG => module.stand_alone_sig(token),
        _ => module.method_sig(token),
    }
}
