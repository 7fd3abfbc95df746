//! Types of signatures (ECMA-335 II.23.2.12), with classes in place of tokens.

use sigparse::TypeDefOrRef;
use sigparse::builder::{Done, TypeEncoder};

/// A type in a signature. A [`Class`](crate::Class) converts into one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// `void`: as a return type only.
    Void,
    /// `bool`.
    Bool,
    /// `char`.
    Char,
    /// `sbyte`.
    I1,
    /// `byte`.
    U1,
    /// `short`.
    I2,
    /// `ushort`.
    U2,
    /// `int`.
    I4,
    /// `uint`.
    U4,
    /// `long`.
    I8,
    /// `ulong`.
    U8,
    /// `float`.
    R4,
    /// `double`.
    R8,
    /// `nint`.
    I,
    /// `nuint`.
    U,
    /// `string`.
    String,
    /// `object`.
    Object,
    /// A class, value type or interface, or an instantiation of a generic one.
    Class(TypeRow),
    /// A vector: one dimension with the lower bound 0.
    Vector(Box<Type>),
    /// An array with a rank.
    Array(Box<Type>, u32),
    /// A managed reference.
    ByRef(Box<Type>),
    /// An unmanaged pointer.
    Pointer(Box<Type>),
    /// A type parameter of the declaring type, by number.
    Var(u32),
    /// A type parameter of the method, by number.
    MVar(u32),
}

/// A type definition with its type arguments, made from a [`Class`](crate::Class).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRow {
    pub(crate) module: usize,
    /// The row in the TypeDef table of the module.
    pub(crate) rid: u32,
    pub(crate) is_value: bool,
    pub(crate) args: Vec<Type>,
}

impl Type {
    /// A vector of this type: `int[]`.
    #[must_use]
    pub fn vector(self) -> Self {
        Self::Vector(Box::new(self))
    }

    /// A managed reference to this type.
    #[must_use]
    pub fn by_ref(self) -> Self {
        Self::ByRef(Box::new(self))
    }

    /// Encodes the type into a signature; `token` returns the token by which the module refers to a definition.
    pub(crate) fn encode<'b>(
        &self,
        out: TypeEncoder<'b>,
        token: &mut dyn FnMut(usize, u32) -> TypeDefOrRef,
    ) -> Done<'b> {
        match self {
            Self::Void => out.void(),
            Self::Bool => out.boolean(),
            Self::Char => out.char(),
            Self::I1 => out.i1(),
            Self::U1 => out.u1(),
            Self::I2 => out.i2(),
            Self::U2 => out.u2(),
            Self::I4 => out.i4(),
            Self::U4 => out.u4(),
            Self::I8 => out.i8(),
            Self::U8 => out.u8(),
            Self::R4 => out.r4(),
            Self::R8 => out.r8(),
            Self::I => out.i(),
            Self::U => out.u(),
            Self::String => out.string(),
            Self::Object => out.object(),
            Self::Var(number) => out.var(*number),
            Self::MVar(number) => out.mvar(*number),
            Self::Vector(element) => element.encode(out.sz_array(), token),
            Self::ByRef(to) => to.encode(out.by_ref(), token),
            Self::Pointer(to) => to.encode(out.ptr(), token),
            Self::Array(element, rank) => out.array(*rank, &[], &[], |out| element.encode(out, token)),
            Self::Class(row) => {
                let definition = token(row.module, row.rid);
                if row.args.is_empty() {
                    return if row.is_value { out.value_type(definition) } else { out.class(definition) };
                }
                let mut args = |list: &mut sigparse::builder::TypeList| {
                    for arg in &row.args {
                        list.arg(|out| arg.encode(out, token));
                    }
                };
                if row.is_value {
                    out.generic_value_type(definition, &mut args)
                } else {
                    out.generic_class(definition, &mut args)
                }
            }
        }
    }

    /// Returns whether the type is a value type that a module defines.
    pub(crate) fn is_value_type(&self) -> bool {
        matches!(self, Self::Class(row) if row.is_value)
    }

    /// Returns whether the collector follows values of the type.
    pub(crate) fn is_reference(&self) -> bool {
        match self {
            Self::String | Self::Object | Self::Vector(_) | Self::Array(..) => true,
            Self::Class(row) => !row.is_value,
            _ => false,
        }
    }
}
