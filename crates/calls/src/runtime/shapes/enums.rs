//! The shape of an enum: its underlying type, its members, whether they are flags.

use std::sync::Arc;

use corprof::clrnames::metadata::Metadata as _;
use corprof::{Error, FieldAttributes, ResolvedType, Result};
use sigparse::{ElementType, FieldSig, Reader};

use crate::runtime::ClrRuntime;
use argvalues::{EnumShape, Primitive, ShapeKind, SigTypeContext, TypeShape, resolve};

impl ClrRuntime {
    /// Returns the shape of an enum from its metadata; `None` for any other type. The name of an enum inside of a
    /// generic type has type arguments, which only the caller knows.
    pub(super) fn enum_shape(
        &self,
        definition: ResolvedType,
        name: impl FnOnce() -> Result<Arc<str>>,
    ) -> Result<Option<TypeShape>> {
        let ResolvedType { module, type_def } = definition;
        let metadata = self.names.metadata(module)?;
        let Some(base) = metadata.type_def(type_def)?.extends else { return Ok(None) };
        if &*self.names.metadata_name(module, base)? != "System.Enum" {
            return Ok(None);
        }
        let (mut underlying, mut members) = (None, Vec::new());
        for field in metadata.fields(type_def)? {
            let props = metadata.field(field)?;
            if props.attributes.contains(FieldAttributes::LITERAL) {
                let constant =
                    props.constant.and_then(|constant| bits(constant.element_type, constant.bytes));
                members.extend(constant.map(|bits| (bits, props.name.into_boxed_str())));
            } else if !props.attributes.contains(FieldAttributes::STATIC) {
                underlying = self.underlying_type(&props.name, props.signature)?;
            }
        }
        let underlying = underlying
            .ok_or_else(|| Error::NotFound(format!("the enum {type_def} has no field with its value")))?;
        let has_flags = metadata.has_custom_attribute(type_def.into(), "System.FlagsAttribute")?;
        Ok(Some(TypeShape::enumeration(name()?, EnumShape::new(underlying, has_flags, members))))
    }

    /// The type of an enum's value, from the signature of its one instance field.
    fn underlying_type(&self, name: &str, signature: &[u8]) -> Result<Option<Primitive>> {
        let sig =
            FieldSig::parse(signature).map_err(|error| Error::Signature { of: name.to_owned(), error })?;
        let shape = resolve(self, sig.sig(), &SigTypeContext::default()).ok();
        Ok(shape.and_then(|shape| match shape.kind() {
            ShapeKind::Primitive(primitive) => Some(*primitive),
            _ => None,
        }))
    }
}

/// A constant's bits, sign-extended; `None` for one that is no integer.
fn bits(element: ElementType, bytes: &[u8]) -> Option<u64> {
    let value = Reader::new(bytes).read_primitive(element).ok()?.as_integer()?;
    // Every integer of metadata fits one of the two.
    u64::try_from(value).ok().or_else(|| i64::try_from(value).ok().map(i64::cast_unsigned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_sign_extended() {
        assert_eq!(bits(ElementType::I1, &[0xFF]), Some(u64::MAX));
        assert_eq!(bits(ElementType::U1, &[0xFF]), Some(0xFF));
        assert_eq!(bits(ElementType::I4, &[1, 0, 0, 0x80]), Some(0xFFFF_FFFF_8000_0001));
        assert_eq!(bits(ElementType::I4, &[1, 0]), None);
        assert_eq!(bits(ElementType::R4, &[0; 4]), None);
    }
}
