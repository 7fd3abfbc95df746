//! The contents of metadata rows: types, members, accessors.

use sigparse::token::{EventDef, MethodDef, PropertyDef, TypeDef};
use sigparse::{ElementType, ResolutionScope, Token, TypeDefOrRef};

bitflags::bitflags! {
    /// Attributes of a type (`CorTypeAttr`, ECMA-335 II.23.1.15). Visibility, layout and string format are
    /// small numbers under masks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct TypeAttributes: u32 {
        /// The mask of the visibility: 0 and 1 for types that are not nested, 2 to 7 for nested ones.
        const VISIBILITY_MASK = 0x7;
        /// Nested and private.
        const NESTED_PRIVATE = 0x3;
        /// Nested and public.
        const NESTED_PUBLIC = 0x2;
        /// Public, and not nested.
        const PUBLIC = 0x1;
        /// An interface.
        const INTERFACE = 0x20;
        /// Abstract.
        const ABSTRACT = 0x80;
        /// Sealed.
        const SEALED = 0x100;
        /// Each field has an explicit offset.
        const EXPLICIT_LAYOUT = 0x10;
        /// The fields lie in the order of their declaration.
        const SEQUENTIAL_LAYOUT = 0x8;
        const _ = !0;
    }
}

impl TypeAttributes {
    /// Returns whether the type is nested.
    #[must_use]
    pub fn is_nested(self) -> bool {
        self.intersection(Self::VISIBILITY_MASK).bits() >= 2
    }
}

/// A type's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDefProps {
    /// Namespace and name; of a nested type the name alone.
    pub name: String,
    /// Its attributes.
    pub attributes: TypeAttributes,
    /// The base type; `None` for `System.Object` and interfaces.
    pub extends: Option<TypeDefOrRef>,
}

/// A reference to a type of another module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRefProps {
    /// Namespace and name; of a nested type the name alone.
    pub name: String,
    /// The scope: an assembly, a module, or the enclosing type.
    pub scope: Option<ResolutionScope>,
}

/// A generic parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericParamProps {
    /// Its name: `TKey`.
    pub name: String,
    /// Its position, from 0.
    pub index: u32,
}

bitflags::bitflags! {
    /// Attributes of a method (`CorMethodAttr`, ECMA-335 II.23.1.10).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct MethodAttributes: u32 {
        /// The mask of the accessibility: one of the following six.
        const ACCESS_MASK = 0x7;
        /// Public.
        const PUBLIC = 0x6;
        /// Protected or internal.
        const FAM_OR_ASSEM = 0x5;
        /// Protected.
        const FAMILY = 0x4;
        /// Internal.
        const ASSEMBLY = 0x3;
        /// Protected and internal.
        const FAM_AND_ASSEM = 0x2;
        /// Private.
        const PRIVATE = 0x1;
        /// Static.
        const STATIC = 0x10;
        /// Final.
        const FINAL = 0x20;
        /// Virtual.
        const VIRTUAL = 0x40;
        /// Hides a base class's method of the same name and signature, not of the same name alone.
        const HIDE_BY_SIG = 0x80;
        /// Takes a new slot in the vtable: overrides nothing.
        const NEW_SLOT = 0x100;
        /// Abstract.
        const ABSTRACT = 0x400;
        /// Its name has a meaning to compilers: properties, events, operators.
        const SPECIAL_NAME = 0x800;
        /// Its name has a meaning to the runtime: constructors.
        const RT_SPECIAL_NAME = 0x1000;
        /// Implemented outside of managed code.
        const PINVOKE_IMPL = 0x2000;
        const _ = !0;
    }
}

bitflags::bitflags! {
    /// Attributes of a parameter (`CorParamAttr`, ECMA-335 II.23.1.13).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct ParamAttributes: u32 {
        /// `[In]`.
        const IN = 0x1;
        /// `[Out]`.
        const OUT = 0x2;
        /// `[Optional]`.
        const OPTIONAL = 0x10;
        /// Has a default value.
        const HAS_DEFAULT = 0x1000;
        const _ = !0;
    }
}

bitflags::bitflags! {
    /// Attributes of a field (`CorFieldAttr`, ECMA-335 II.23.1.5).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct FieldAttributes: u32 {
        /// The mask of the accessibility: one of the following six.
        const ACCESS_MASK = 0x7;
        /// Public.
        const PUBLIC = 0x6;
        /// Protected or internal.
        const FAM_OR_ASSEM = 0x5;
        /// Protected.
        const FAMILY = 0x4;
        /// Internal.
        const ASSEMBLY = 0x3;
        /// Protected and internal.
        const FAM_AND_ASSEM = 0x2;
        /// Private.
        const PRIVATE = 0x1;
        /// Static.
        const STATIC = 0x10;
        /// Set in constructors only.
        const INIT_ONLY = 0x20;
        /// A constant, which has no storage.
        const LITERAL = 0x40;
        /// Its name has a meaning to the runtime: the value of an enum.
        const RT_SPECIAL_NAME = 0x400;
        /// Its initial value lies in the image.
        const HAS_FIELD_RVA = 0x100;
        const _ = !0;
    }
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodProps<'m> {
    /// The type that declares it; `None` for a global function.
    pub declaring_type: Option<TypeDef>,
    /// Its name: `Add`, `.ctor`, `get_Item`.
    pub name: String,
    /// Its attributes.
    pub attributes: MethodAttributes,
    /// Its signature, for `sigparse::MethodSig`.
    pub signature: &'m [u8],
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamProps<'m> {
    /// Its name; empty where there is none.
    pub name: String,
    /// Its position, from 1; 0 is the return value.
    pub sequence: u32,
    /// Its attributes.
    pub attributes: ParamAttributes,
    /// Its default value, unless that is of a type which has no constants in the metadata: `decimal` and
    /// `DateTime` are attributes.
    pub constant: Option<Constant<'m>>,
}

/// A constant, as the metadata stores it (ECMA-335 II.22.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant<'m> {
    /// Its type.
    pub element_type: ElementType,
    /// Its bytes, little-endian; for a string its UTF-16 units.
    pub bytes: &'m [u8],
}

impl Constant<'_> {
    /// Returns the length in bytes of a constant of a type; `None` for a string. A null reference is stored as four bytes.
    #[must_use]
    pub const fn size(element_type: ElementType) -> Option<u32> {
        Some(match element_type {
            ElementType::BOOLEAN | ElementType::I1 | ElementType::U1 => 1,
            ElementType::CHAR | ElementType::I2 | ElementType::U2 => 2,
            ElementType::I4 | ElementType::U4 | ElementType::R4 | ElementType::CLASS => 4,
            ElementType::I8 | ElementType::U8 | ElementType::R8 => 8,
            ElementType::STRING => return None,
            _ => 0,
        })
    }
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProps<'m> {
    /// The type that declares it.
    pub declaring_type: Option<TypeDef>,
    /// Its name.
    pub name: String,
    /// Its attributes.
    pub attributes: FieldAttributes,
    /// Its signature, for `sigparse::FieldSig`.
    pub signature: &'m [u8],
    /// Its value, for a constant.
    pub constant: Option<Constant<'m>>,
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyProps<'m> {
    /// Its name: `Count`; `Item` for most indexers.
    pub name: String,
    /// Its signature, for `sigparse::PropertySig`.
    pub signature: &'m [u8],
    /// The method that reads it.
    pub getter: Option<MethodDef>,
    /// The method that writes it.
    pub setter: Option<MethodDef>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventProps {
    /// Its name.
    pub name: String,
    /// The type of its delegates: a `TypeDef`, `TypeRef` or `TypeSpec`.
    pub event_type: Token,
    /// The method that adds a handler.
    pub add: Option<MethodDef>,
    /// The method that removes a handler.
    pub remove: Option<MethodDef>,
    /// The method that calls the handlers; C# has none.
    pub raise: Option<MethodDef>,
}

/// A member of a type elsewhere, or of a constructed type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRefProps<'m> {
    /// The type whose member it is: a `TypeDef`, `TypeRef` or `TypeSpec`; a `MethodDef` for a call with
    /// variable arguments, a `ModuleRef` for a global function.
    pub parent: Token,
    /// Its name.
    pub name: String,
    /// Its signature.
    pub signature: &'m [u8],
}

/// The property or event of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accessed {
    /// A property.
    Property(PropertyDef),
    /// An event.
    Event(EventDef),
}
