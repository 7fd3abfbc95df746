//! The fields of an event, decoded by its metadata.

use crate::runtime_events::Utf16;

use crate::bytes::{Bytes, Parsed};
use crate::error::FieldError;
use crate::limits::VALUES;
use crate::metadata::{Field, FieldType, Metadata};

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'p> {
    /// A structure.
    Object(Vec<(&'p str, Value<'p>)>),
    /// A boolean.
    Boolean(bool),
    /// A UTF-16 unit.
    Char(u16),
    /// A signed number of up to 64 bits.
    Int(i64),
    /// A number of up to 64 bits.
    UInt(u64),
    /// A number of single precision.
    Single(f32),
    /// A number of double precision.
    Double(f64),
    /// The 16 bytes of a decimal.
    Decimal([u8; 16]),
    /// Units of 100 ns since the year 1601.
    FileTime(i64),
    /// Year, month, day of the week, day, hour, minute, second, millisecond.
    CalendarTime([u16; 8]),
    /// A GUID, in the order of the text.
    Guid([u8; 16]),
    /// A text.
    String(Utf16<'p>),
    /// An array of bytes, or of the units of a UTF-8 text.
    Bytes(&'p [u8]),
    /// Another array.
    Array(Vec<Value<'p>>),
}

struct Decoder<'p> {
    payload: &'p [u8],
    version: u32,
    /// The values that may still be made: some types take no bytes.
    left: u32,
    /// The bytes that arrays elsewhere in the payload may still have: each byte belongs to one.
    placed: usize,
}

impl Metadata {
    /// Decodes the fields of a payload, in order.
    ///
    /// # Errors
    /// [`FieldError`]: the payload ends too early, or a field has a type of unknown layout.
    pub fn decode<'p>(&'p self, payload: &'p [u8]) -> Result<Vec<(&'p str, Value<'p>)>, FieldError> {
        let mut decoder = Decoder { payload, version: self.format, left: VALUES, placed: payload.len() };
        Ok(decoder.fields(&self.fields, &mut Bytes::new(payload, 0))?)
    }
}

impl<'p> Decoder<'p> {
    fn fields(&mut self, fields: &'p [Field], bytes: &mut Bytes<'p>) -> Parsed<Vec<(&'p str, Value<'p>)>> {
        let mut values = Vec::new();
        for field in fields {
            values.push((field.name.as_str(), self.value(&field.field_type, bytes)?));
        }
        Ok(values)
    }

    fn value(&mut self, of: &'p FieldType, bytes: &mut Bytes<'p>) -> Parsed<Value<'p>> {
        self.left = self.left.checked_sub(1).ok_or(bytes.malformed("an event has too many values"))?;
        Ok(match of {
            FieldType::Object(fields) => Value::Object(self.fields(fields, bytes)?),
            FieldType::Boolean => Value::Boolean(bytes.u32()? != 0),
            FieldType::Boolean8 => Value::Boolean(bytes.u8()? != 0),
            FieldType::Char => Value::Char(bytes.u16()?),
            FieldType::SByte => Value::Int(i8::from_le_bytes(bytes.array()?).into()),
            FieldType::Byte | FieldType::Utf8 => Value::UInt(bytes.u8()?.into()),
            FieldType::Int16 => Value::Int(i16::from_le_bytes(bytes.array()?).into()),
            FieldType::UInt16 => Value::UInt(bytes.u16()?.into()),
            FieldType::Int32 => Value::Int(i32::from_le_bytes(bytes.array()?).into()),
            FieldType::UInt32 => Value::UInt(bytes.u32()?.into()),
            FieldType::Int64 => Value::Int(i64::from_le_bytes(bytes.array()?)),
            FieldType::UInt64 => Value::UInt(bytes.u64()?),
            FieldType::VarUInt => Value::UInt(bytes.varuint()?),
            FieldType::VarInt => Value::Int(bytes.varint()?),
            FieldType::Single => Value::Single(f32::from_le_bytes(bytes.array()?)),
            FieldType::Double => Value::Double(f64::from_le_bytes(bytes.array()?)),
            FieldType::Decimal => Value::Decimal(bytes.array()?),
            FieldType::DateTime if self.version < 6 => Value::FileTime(i64::from_le_bytes(bytes.array()?)),
            FieldType::DateTime => {
                let mut numbers = [0; 8];
                for number in &mut numbers {
                    *number = bytes.u16()?;
                }
                Value::CalendarTime(numbers)
            }
            FieldType::Guid => Value::Guid(bytes.guid()?.unwrap_or_default()),
            FieldType::String => Value::String(bytes.utf16()?),
            FieldType::Array(of) => {
                let count = bytes.u16()?;
                self.array(of, count.into(), bytes)?
            }
            FieldType::FixedArray(of, count) => self.array(of, (*count).into(), bytes)?,
            FieldType::RelativeArray(of) => {
                let place = bytes.u32()?;
                self.placed(of, place, bytes.position())?
            }
            FieldType::ArrayAt(of) => {
                let place = bytes.u32()?;
                self.placed(of, place, 0)?
            }
            FieldType::Unknown(_) => return Err(bytes.malformed("a type that is not known")),
        })
    }

    fn array(&mut self, of: &'p FieldType, count: usize, bytes: &mut Bytes<'p>) -> Parsed<Value<'p>> {
        if matches!(of, FieldType::Byte | FieldType::Utf8) {
            return bytes.take(count).map(Value::Bytes);
        }
        let mut values = Vec::new();
        for _ in 0..count {
            let before = bytes.position();
            values.push(self.value(of, bytes)?);
            // A count is no reason to make as many values of nothing.
            if bytes.position() == before && count > 1 {
                return Err(bytes.malformed("an element without bytes"));
            }
        }
        Ok(Value::Array(values))
    }

    /// An array elsewhere in the payload: its size and its offset from `base`.
    fn placed(&mut self, of: &'p FieldType, place: u32, base: usize) -> Parsed<Value<'p>> {
        let offset = base + usize::try_from(place & 0xFFFF).unwrap_or(0);
        let size = usize::try_from(place >> 16).unwrap_or(0);
        let placed = self.placed.checked_sub(size);
        self.placed =
            placed.ok_or(Bytes::at(self.payload, 0, 0).malformed("arrays that lie in each other"))?;
        let mut bytes = Bytes::at(self.payload, 0, offset).part(size)?;
        if matches!(of, FieldType::Byte | FieldType::Utf8) {
            return bytes.take(size).map(Value::Bytes);
        }
        let mut values = Vec::new();
        while !bytes.is_empty() {
            let before = bytes.position();
            values.push(self.value(of, &mut bytes)?);
            if bytes.position() == before {
                return Err(bytes.malformed("an element without bytes"));
            }
        }
        Ok(Value::Array(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(field: FieldType, payload: &[u8]) -> Option<usize> {
        let metadata = Metadata {
            id: 1,
            provider: "Shop".to_owned(),
            event_id: 1,
            name: String::new(),
            keywords: 0,
            version: 0,
            level: 4,
            opcode: 0,
            fields: vec![Field { name: "items".to_owned(), field_type: field }],
            known: Default::default(),
            format: 6,
        };
        metadata.decode(payload).ok().map(|fields| fields.len())
    }

    fn fixed(of: FieldType, count: u16) -> FieldType {
        FieldType::FixedArray(Box::new(of), count)
    }

    /// Events of two bytes would make a million values each.
    #[test]
    fn arrays_of_nothing_are_refused() {
        let nothing = || FieldType::Object(Vec::new());
        assert_eq!(decoded(fixed(nothing(), 65_535), &[]), None);
        assert_eq!(decoded(FieldType::Array(Box::new(nothing())), &[0xFF, 0xFF]), None);
        assert_eq!(decoded(fixed(fixed(nothing(), 1), 2), &[]), None);
        assert_eq!(decoded(fixed(nothing(), 1), &[]), Some(1));
        assert_eq!(decoded(fixed(FieldType::UInt16, 2), &[1, 0, 2, 0]), Some(1));
    }

    /// Each byte of a payload belongs to one array, so that work is in proportion to the payload.
    #[test]
    fn arrays_that_share_bytes_are_refused() {
        let placed = || FieldType::ArrayAt(Box::new(FieldType::Byte));
        let place = |size: u32, offset: u32| (size << 16 | offset).to_le_bytes();
        let apart = [place(2, 8), place(2, 10), [1, 2, 3, 4]].concat();
        assert_eq!(decoded(fixed(placed(), 2), &apart), Some(1));
        let shared = [place(12, 0), place(12, 0), [1, 2, 3, 4]].concat();
        assert_eq!(decoded(fixed(placed(), 2), &shared), None);
    }
}
