//! The payload of an event: values one after the other, little-endian, without padding.

use core::fmt;

use super::metadata::{EventField, EventType};
use corprof_types::Guid;

/// The error of malformed metadata or a malformed payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventError {
    /// The offset in the metadata or payload, in bytes.
    pub offset: usize,
    /// The cause.
    pub what: &'static str,
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl core::error::Error for EventError {}

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventValue {
    /// A structure with fields of its own.
    Object(Vec<(String, EventValue)>),
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

/// Reads the values of fields.
pub(super) fn read(fields: &[EventField], data: &[u8]) -> Result<Vec<(String, EventValue)>, EventError> {
    read_fields(fields, &mut Reader::new(data))
}

fn read_fields(
    fields: &[EventField],
    reader: &mut Reader<'_>,
) -> Result<Vec<(String, EventValue)>, EventError> {
    fields.iter().map(|field| Ok((field.name.clone(), value(&field.field_type, reader)?))).collect()
}

fn value(of: &EventType, reader: &mut Reader<'_>) -> Result<EventValue, EventError> {
    Ok(match of {
        EventType::Object(fields) => EventValue::Object(read_fields(fields, reader)?),
        EventType::Boolean => EventValue::Boolean(reader.u32()? != 0),
        EventType::Char => EventValue::Char(u16::from_le_bytes(reader.array()?)),
        EventType::SByte => EventValue::SByte(i8::from_le_bytes(reader.array()?)),
        EventType::Byte => EventValue::Byte(reader.u8()?),
        EventType::Int16 => EventValue::Int16(i16::from_le_bytes(reader.array()?)),
        EventType::UInt16 => EventValue::UInt16(u16::from_le_bytes(reader.array()?)),
        EventType::Int32 => EventValue::Int32(i32::from_le_bytes(reader.array()?)),
        EventType::UInt32 => EventValue::UInt32(reader.u32()?),
        EventType::Int64 => EventValue::Int64(i64::from_le_bytes(reader.array()?)),
        EventType::UInt64 => EventValue::UInt64(reader.u64()?),
        EventType::Single => EventValue::Single(f32::from_le_bytes(reader.array()?)),
        EventType::Double => EventValue::Double(f64::from_le_bytes(reader.array()?)),
        EventType::Decimal => EventValue::Decimal(reader.array()?),
        EventType::DateTime => EventValue::DateTime(i64::from_le_bytes(reader.array()?)),
        EventType::Guid => EventValue::Guid(guid(reader.array()?)),
        EventType::String => EventValue::String(reader.text()?),
        EventType::Array(of) => {
            let count = u16::from_le_bytes(reader.array()?);
            EventValue::Array((0..count).map(|_| value(of, reader)).collect::<Result<_, _>>()?)
        }
        EventType::Unknown(_) => return Err(reader.error("a type that is not known")),
    })
}

/// A GUID as it lies in memory: its first three numbers are little-endian.
fn guid(bytes: [u8; 16]) -> Guid {
    let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
    let [i, j, k, l, m, n, o, p] = rest;
    Guid::from_bytes([d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p])
}

impl EventValue {
    /// Returns the field type for this value. Elements of an empty array count as bytes.
    #[must_use]
    pub fn event_type(&self) -> EventType {
        match self {
            Self::Object(fields) => {
                let field = |(name, value): &(String, Self)| EventField {
                    name: name.clone(),
                    field_type: value.event_type(),
                };
                EventType::Object(fields.iter().map(field).collect())
            }
            Self::Boolean(_) => EventType::Boolean,
            Self::Char(_) => EventType::Char,
            Self::SByte(_) => EventType::SByte,
            Self::Byte(_) => EventType::Byte,
            Self::Int16(_) => EventType::Int16,
            Self::UInt16(_) => EventType::UInt16,
            Self::Int32(_) => EventType::Int32,
            Self::UInt32(_) => EventType::UInt32,
            Self::Int64(_) => EventType::Int64,
            Self::UInt64(_) => EventType::UInt64,
            Self::Single(_) => EventType::Single,
            Self::Double(_) => EventType::Double,
            Self::Decimal(_) => EventType::Decimal,
            Self::DateTime(_) => EventType::DateTime,
            Self::Guid(_) => EventType::Guid,
            Self::String(_) => EventType::String,
            Self::Array(elements) => {
                EventType::Array(Box::new(elements.first().map_or(EventType::Byte, Self::event_type)))
            }
        }
    }
}

/// Writes values as payloads have them.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// The bytes of one value.
    pub(crate) fn value(value: &EventValue) -> Vec<u8> {
        let mut writer = Self::default();
        writer.write(value);
        writer.bytes
    }

    fn write(&mut self, value: &EventValue) {
        match value {
            EventValue::Object(fields) => fields.iter().for_each(|(_, value)| self.write(value)),
            EventValue::Boolean(value) => self.bytes.extend(u32::from(*value).to_le_bytes()),
            EventValue::Char(value) | EventValue::UInt16(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::SByte(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::Byte(value) => self.bytes.push(*value),
            EventValue::Int16(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::Int32(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::UInt32(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::Int64(value) | EventValue::DateTime(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::UInt64(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::Single(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::Double(value) => self.bytes.extend(value.to_le_bytes()),
            EventValue::Decimal(bytes) => self.bytes.extend(bytes),
            // The exchange of bytes is its own inverse.
            EventValue::Guid(value) => self.bytes.extend(guid(value.to_bytes()).to_bytes()),
            EventValue::String(text) => {
                let units = text.encode_utf16().filter(|unit| *unit != 0).chain([0]);
                self.bytes.extend(units.flat_map(u16::to_le_bytes));
            }
            EventValue::Array(elements) => {
                let count = u16::try_from(elements.len()).unwrap_or(u16::MAX);
                self.bytes.extend(count.to_le_bytes());
                elements.iter().take(count.into()).for_each(|element| self.write(element));
            }
        }
    }
}

/// Reads numbers and texts, and fails where there are not enough bytes.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    offset: usize,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    pub(super) fn error(&self, what: &'static str) -> EventError {
        EventError { offset: self.offset, what }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn bytes(&mut self, length: usize) -> Result<&'b [u8], EventError> {
        let Some((bytes, rest)) = self.bytes.split_at_checked(length) else {
            return Err(self.error("the bytes end too early"));
        };
        self.bytes = rest;
        self.offset += length;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], EventError> {
        let error = self.error("the bytes end too early");
        self.bytes(N)?.try_into().map_err(|_| error)
    }

    pub(super) fn u8(&mut self) -> Result<u8, EventError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(super) fn u32(&mut self) -> Result<u32, EventError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, EventError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// UTF-16 up to a zero. A lone surrogate becomes U+FFFD.
    pub(super) fn text(&mut self) -> Result<String, EventError> {
        let mut units = Vec::new();
        loop {
            match u16::from_le_bytes(self.array()?) {
                0 => return Ok(String::from_utf16_lossy(&units)),
                unit => units.push(unit),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        let values = [
            EventValue::Boolean(true),
            EventValue::Char(0x41),
            EventValue::SByte(-1),
            EventValue::Byte(255),
            EventValue::Int16(-2),
            EventValue::UInt16(3),
            EventValue::Int32(-4),
            EventValue::UInt32(5),
            EventValue::Int64(-6),
            EventValue::UInt64(7),
            EventValue::Single(1.5),
            EventValue::Double(-2.5),
            EventValue::Guid(Guid::parse("00112233-4455-6677-8899-aabbccddeeff")),
            EventValue::String("Größe".to_owned()),
            EventValue::Array(vec![EventValue::Int32(1), EventValue::Int32(2)]),
        ];
        for value in values {
            let fields = [EventField { name: "it".to_owned(), field_type: value.event_type() }];
            let bytes = Writer::value(&value);
            assert_eq!(read(&fields, &bytes), Ok(vec![("it".to_owned(), value)]));
            let short = read(&fields, &bytes[..bytes.len() - 1]).unwrap_err();
            assert_eq!(short.what, "the bytes end too early");
        }
    }

    #[test]
    fn a_guid_lies_in_memory_with_its_numbers_reversed() {
        let bytes = Writer::value(&EventValue::Guid(Guid::parse("00112233-4455-6677-8899-aabbccddeeff")));
        assert_eq!(bytes[..8], [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66]);
    }

    #[test]
    fn a_type_that_is_not_known_ends_it() {
        let fields = [EventField { name: "it".to_owned(), field_type: EventType::Unknown(42) }];
        assert_eq!(read(&fields, &[0; 8]).unwrap_err().what, "a type that is not known");
    }
}
