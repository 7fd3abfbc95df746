//! The values of events that the profiler writes: one after the other, little-endian, without padding.

use corprof_types::Guid;

/// A value that the profiler writes into an event.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventValue {
    /// `bool`.
    Boolean(bool),
    /// A UTF-16 unit.
    Char(u16),
    /// `sbyte`.
    SByte(i8),
    /// `byte`.
    Byte(u8),
    /// `short`.
    Int16(i16),
    /// `ushort`.
    UInt16(u16),
    /// `int`.
    Int32(i32),
    /// `uint`.
    UInt32(u32),
    /// `long`.
    Int64(i64),
    /// `ulong`.
    UInt64(u64),
    /// `float`.
    Single(f32),
    /// `double`.
    Double(f64),
    /// The 16 bytes of a `decimal`.
    Decimal([u8; 16]),
    /// A Windows file time: units of 100 ns since the year 1601.
    DateTime(i64),
    /// `Guid`.
    Guid(Guid),
    /// `string`.
    String(String),
    /// All elements.
    Array(Vec<EventValue>),
}

impl EventValue {
    /// Returns the value as payloads have it.
    pub(crate) fn payload(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }

    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Boolean(value) => to.extend(u32::from(*value).to_le_bytes()),
            Self::Char(value) | Self::UInt16(value) => to.extend(value.to_le_bytes()),
            Self::SByte(value) => to.extend(value.to_le_bytes()),
            Self::Byte(value) => to.push(*value),
            Self::Int16(value) => to.extend(value.to_le_bytes()),
            Self::Int32(value) => to.extend(value.to_le_bytes()),
            Self::UInt32(value) => to.extend(value.to_le_bytes()),
            Self::Int64(value) | Self::DateTime(value) => to.extend(value.to_le_bytes()),
            Self::UInt64(value) => to.extend(value.to_le_bytes()),
            Self::Single(value) => to.extend(value.to_le_bytes()),
            Self::Double(value) => to.extend(value.to_le_bytes()),
            Self::Decimal(bytes) => to.extend(bytes),
            Self::Guid(value) => to.extend(value.to_le_bytes()),
            Self::String(text) => {
                let units = text.encode_utf16().filter(|unit| *unit != 0).chain([0]);
                to.extend(units.flat_map(u16::to_le_bytes));
            }
            Self::Array(elements) => {
                let count = u16::try_from(elements.len()).unwrap_or(u16::MAX);
                to.extend(count.to_le_bytes());
                elements.iter().take(count.into()).for_each(|element| element.write(to));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nettrace::{Field, FieldType, Metadata, Value};

    use super::*;

    #[test]
    fn values_are_read_by_nettrace() {
        const GUID: Guid = Guid::parse("00112233-4455-6677-8899-aabbccddeeff");
        let values = [
            (EventValue::Boolean(true), FieldType::Boolean, Value::Boolean(true)),
            (EventValue::Char(0x41), FieldType::Char, Value::Char(0x41)),
            (EventValue::SByte(-1), FieldType::SByte, Value::Int(-1)),
            (EventValue::Byte(255), FieldType::Byte, Value::UInt(255)),
            (EventValue::Int16(-2), FieldType::Int16, Value::Int(-2)),
            (EventValue::UInt16(3), FieldType::UInt16, Value::UInt(3)),
            (EventValue::Int32(-4), FieldType::Int32, Value::Int(-4)),
            (EventValue::UInt32(5), FieldType::UInt32, Value::UInt(5)),
            (EventValue::Int64(-6), FieldType::Int64, Value::Int(-6)),
            (EventValue::UInt64(7), FieldType::UInt64, Value::UInt(7)),
            (EventValue::Single(1.5), FieldType::Single, Value::Single(1.5)),
            (EventValue::Double(-2.5), FieldType::Double, Value::Double(-2.5)),
            (EventValue::Guid(GUID), FieldType::Guid, Value::Guid(GUID.to_bytes())),
            (
                EventValue::Array(vec![EventValue::Int32(1), EventValue::Int32(2)]),
                FieldType::Array(Box::new(FieldType::Int32)),
                Value::Array(vec![Value::Int(1), Value::Int(2)]),
            ),
        ];
        for (value, field_type, read) in values {
            let mut metadata = Metadata::default();
            metadata.fields.push(Field { name: "it".to_owned(), field_type });
            let bytes = value.payload();
            assert_eq!(metadata.decode(&bytes), Ok(vec![("it", read)]));
            let short = metadata.decode(&bytes[..bytes.len() - 1]).unwrap_err();
            assert_eq!(short.what, "the bytes end within a field");
        }
    }

    #[test]
    fn texts_end_at_their_zero() {
        let bytes = EventValue::String("Gr\0öße".to_owned()).payload();
        assert_eq!(bytes, "Größe\0".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    }

    #[test]
    fn a_guid_lies_in_memory_with_its_numbers_reversed() {
        let bytes = EventValue::Guid(Guid::parse("00112233-4455-6677-8899-aabbccddeeff")).payload();
        assert_eq!(bytes[..8], [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66]);
    }
}
