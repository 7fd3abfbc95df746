//! The types that the custom attributes of tests name.

use sigparse::{
    ElementType, Type, TypeSig,
    attribute::{AttributeTypes, Resolved},
};

/// TypeRef 1 is `System.Type`, TypeRef 2 an enumeration of bytes; `E` is one of shorts.
pub(crate) struct Types;

impl AttributeTypes for Types {
    fn resolve(&self, ty: TypeSig<'_>) -> Option<Resolved> {
        match ty.ty() {
            Type::Class(ty) if ty.token() == 0x0100_0001 => Some(Resolved::SystemType),
            Type::ValueType(ty) if ty.token() == 0x0100_0002 => Some(Resolved::Enum(ElementType::U1)),
            _ => None,
        }
    }

    fn named_enum(&self, name: &str) -> Option<ElementType> {
        (name == "E").then_some(ElementType::I2)
    }
}
