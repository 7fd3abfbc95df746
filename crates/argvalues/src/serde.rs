//! `Serialize` for values that are kept: the facts of [`JsonWriter`](crate::JsonWriter), for any format.
//!
//! One thing cannot be the same: serde's strings are Unicode, so a string with half of a surrogate pair is an object
//! with its UTF-16 `units`, beside the text in which the halves are replaced.

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use crate::{
    shape::{EnumNames, Integer},
    value::Value,
    visitor::EnumValue,
};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => value.serialize(serializer),
            Self::Half(value) => float(value.to_f32(), serializer),
            Self::Single(value) => float(*value, serializer),
            Self::Double(value) => double(*value, serializer),
            Self::Char(unit) => string(&[*unit], 1, serializer),
            Self::String { units, length } => string(units, *length, serializer),
            Self::Formatted { type_name, text } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", type_name)?;
                map.serialize_entry("value", text)?;
                map.end()
            }
            Self::Enum { type_name, names, value } => {
                let mut name = String::new();
                let named = EnumValue { type_name, names: EnumNames::from(&**names), value: *value };
                named.write_name(&mut name).map_err(serde::ser::Error::custom)?;
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("enum", &name)?;
                map.serialize_entry("value", value)?;
                map.end()
            }
            Self::Object { type_name, fields } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", type_name)?;
                map.serialize_entry("fields", &Fields(fields))?;
                map.end()
            }
            Self::Array { type_name, length, bounds, items, truncated } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("type", type_name)?;
                map.serialize_entry("length", length)?;
                if let Some(bounds) = bounds {
                    map.serialize_entry("dims", &bounds.dims)?;
                    map.serialize_entry("lower", &bounds.lower)?;
                }
                map.serialize_entry("items", items)?;
                if *truncated {
                    map.serialize_entry("truncated", &true)?;
                }
                map.end()
            }
            Self::Delegate { type_name, target, method } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("type", type_name)?;
                map.serialize_entry("target", target)?;
                map.serialize_entry("method", method)?;
                map.end()
            }
            Self::Pointer { address, target } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("pointer", &Address(*address))?;
                if let Some(target) = target {
                    map.serialize_entry("target", target)?;
                }
                map.end()
            }
            Self::Elided { type_name, address, reason } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("type", type_name)?;
                map.serialize_entry("address", &Address(*address))?;
                map.serialize_entry("elided", reason)?;
                map.end()
            }
            Self::Cycle { type_name, address } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("type", type_name)?;
                map.serialize_entry("cycle", &Address(*address))?;
                map.end()
            }
            Self::Error(message) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("error", message)?;
                map.end()
            }
        }
    }
}

impl Serialize for Integer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Signed(value) => serializer.serialize_i64(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
        }
    }
}

/// An address is text, so that it keeps all its digits everywhere.
struct Address(usize);

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

struct Fields<'a>(&'a [(Box<str>, Value)]);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

struct Units<'a>(&'a [u16]);

impl Serialize for Units<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for unit in self.0 {
            list.serialize_element(unit)?;
        }
        list.end()
    }
}

fn string<S: Serializer>(units: &[u16], length: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let whole = String::from_utf16(units);
    if let (Ok(text), true) = (&whole, units.len() == length) {
        return serializer.serialize_str(text);
    }
    let mut map = serializer.serialize_map(None)?;
    let lone = whole.is_err();
    map.serialize_entry("string", &whole.unwrap_or_else(|_| String::from_utf16_lossy(units)))?;
    map.serialize_entry("length", &length)?;
    if lone {
        map.serialize_entry("units", &Units(units))?;
    }
    if units.len() < length {
        map.serialize_entry("truncated", &true)?;
    }
    map.end()
}

fn float<S: Serializer>(value: f32, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { serializer.serialize_f32(value) } else { double(value.into(), serializer) }
}

fn double<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(value)
    } else if value.is_nan() {
        serializer.serialize_str("NaN")
    } else {
        serializer.serialize_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
    }
}
