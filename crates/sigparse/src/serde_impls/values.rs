//! Custom attribute values and marshalling descriptors: as the structure they show.

use serde::{
    Serialize, Serializer,
    ser::{Error as _, SerializeStruct},
};

use super::views::Fallible;
use crate::attribute::{ArgElement, ArgType, AttributeValue, Boxed, NamedArg, Primitive, Value, Values};
use crate::element::ElementType;
use crate::marshal::MarshalSpec;

impl Serialize for AttributeValue<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("AttributeValue", 2)?;
        let fixed_args = Fallible(self.fixed_args(), self.constructor.param_count());
        fields.serialize_field("fixed_args", &fixed_args)?;
        fields.serialize_field("named_args", &Fallible(self.named_args(), self.named_count().into()))?;
        fields.end()
    }
}

impl Serialize for NamedArg<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("NamedArg", 4)?;
        fields.serialize_field("is_property", &self.is_property)?;
        fields.serialize_field("name", self.name)?;
        fields.serialize_field("ty", &self.ty)?;
        fields.serialize_field("value", &self.value)?;
        fields.end()
    }
}

impl Serialize for ArgType<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ArgType", 2)?;
        fields.serialize_field("element", &self.element)?;
        fields.serialize_field("is_array", &self.is_array)?;
        fields.end()
    }
}

/// The number and the name of an element type, which stand for a variant in every format.
fn variant(element: ElementType) -> (u32, &'static str) {
    (element.0.into(), element.name().unwrap_or_default())
}

impl Serialize for ArgElement<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "ArgElement";
        let (index, variant) = variant(self.element_type());
        match self {
            Self::Enum { name, under } => {
                serializer.serialize_newtype_variant(NAME, index, variant, &(name, under))
            }
            _ => serializer.serialize_unit_variant(NAME, index, variant),
        }
    }
}

impl Serialize for Primitive {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "Primitive";
        let (index, variant) = variant(self.element_type());
        match self {
            Self::Boolean(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::Char(value) | Self::U2(value) => {
                serializer.serialize_newtype_variant(NAME, index, variant, value)
            }
            Self::I1(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::U1(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::I2(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::I4(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::U4(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::I8(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::U8(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::R4(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
            Self::R8(value) => serializer.serialize_newtype_variant(NAME, index, variant, value),
        }
    }
}

impl Serialize for Value<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const NAME: &str = "Value";
        match self {
            Self::Primitive(value) => value.serialize(serializer),
            Self::String(text) => serializer.serialize_newtype_variant(NAME, 0x0E, "STRING", text),
            Self::Type(name) => serializer.serialize_newtype_variant(NAME, 0x50, "CA_TYPE", name),
            Self::Enum { name, value } => {
                serializer.serialize_newtype_variant(NAME, 0x55, "CA_ENUM", &(name, value))
            }
            Self::Boxed(boxed) => serializer.serialize_newtype_variant(NAME, 0x51, "CA_BOXED", boxed),
            Self::Array(values) => {
                let count = |values: Values<'_, '_>| u32::try_from(values.count()).unwrap_or_default();
                let values = values.map(|values| Fallible(values, count(values)));
                serializer.serialize_newtype_variant(NAME, 0x1D, "SZARRAY", &values)
            }
        }
    }
}

impl Serialize for Boxed<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().map_err(S::Error::custom)?.serialize(serializer)
    }
}

macro_rules! marshal_spec {
    ($this:expr, $serializer:expr, $($field:ident),*) => {{
        let count = <[&str]>::len(&[$(stringify!($field)),*]);
        let mut fields = $serializer.serialize_struct("MarshalSpec", count + 1)?;
        fields.serialize_field("native_type", &$this.native_type())?;
        $( fields.serialize_field(stringify!($field), $field)?; )*
        fields.end()
    }};
}

impl Serialize for MarshalSpec<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Simple(_) => marshal_spec!(self, serializer,),
            Self::Interface { iid_param, .. } => marshal_spec!(self, serializer, iid_param),
            Self::FixedString { length } => marshal_spec!(self, serializer, length),
            Self::FixedArray { count, element } => marshal_spec!(self, serializer, count, element),
            Self::SafeArray { variant_type, user_defined } => {
                marshal_spec!(self, serializer, variant_type, user_defined)
            }
            Self::Array { element, size_param, count, flags } => {
                marshal_spec!(self, serializer, element, size_param, count, flags)
            }
            Self::Custom { guid, native_type: native_name, marshaler, cookie } => {
                marshal_spec!(self, serializer, guid, native_name, marshaler, cookie)
            }
        }
    }
}
