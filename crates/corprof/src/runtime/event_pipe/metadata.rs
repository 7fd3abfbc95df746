//! The metadata of EventPipe events, in its two versions.

use super::payload::{EventError, Reader};
use crate::limits::MAX_EVENT_DEPTH;

/// The tag of the opcode behind the fields.
const TAG_OPCODE: u8 = 1;
/// The tag of fields of the second version, which has arrays.
const TAG_FIELDS: u8 = 2;

/// The name, level, keywords and fields of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventMetadata {
    /// The event's number.
    pub id: u32,
    /// Its name; empty for the runtime's own events.
    pub name: String,
    /// The keywords, by which sessions enable the event.
    pub keywords: u64,
    /// The version of its layout.
    pub version: u32,
    /// The level: 1 critical, 2 error, 3 warning, 4 informational, 5 verbose; 0 is always logged.
    pub level: u32,
    /// The opcode: 1 starts an activity, 2 ends it, 0 neither.
    pub opcode: u8,
    /// Its fields in the order of the payload.
    pub fields: Vec<EventField>,
}

/// A field of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventField {
    /// Its name.
    pub name: String,
    /// Its type.
    pub field_type: EventType,
}

/// The type of a field (`COR_PRF_EVENTPIPE_PARAM_TYPE`, the numbers of `System.TypeCode`).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventType {
    /// A structure with fields of its own.
    Object(Vec<EventField>),
    /// Four bytes.
    Boolean,
    /// A UTF-16 unit.
    Char,
    /// `sbyte`.
    SByte,
    /// `byte`.
    Byte,
    /// `short`.
    Int16,
    /// `ushort`.
    UInt16,
    /// `int`.
    Int32,
    /// `uint`.
    UInt32,
    /// `long`.
    Int64,
    /// `ulong`.
    UInt64,
    /// `float`.
    Single,
    /// `double`.
    Double,
    /// 16 bytes.
    Decimal,
    /// A Windows file time, 8 bytes.
    DateTime,
    /// 16 bytes.
    Guid,
    /// UTF-16 with a terminating zero.
    String,
    /// A 16-bit count and as many elements.
    Array(Box<EventType>),
    /// An unknown type; the fields after it cannot be decoded.
    Unknown(u32),
}

impl EventType {
    /// Returns the type code of the metadata.
    #[must_use]
    pub fn code(&self) -> u32 {
        match self {
            Self::Object(_) => 1,
            Self::Boolean => 3,
            Self::Char => 4,
            Self::SByte => 5,
            Self::Byte => 6,
            Self::Int16 => 7,
            Self::UInt16 => 8,
            Self::Int32 => 9,
            Self::UInt32 => 10,
            Self::Int64 => 11,
            Self::UInt64 => 12,
            Self::Single => 13,
            Self::Double => 14,
            Self::Decimal => 15,
            Self::DateTime => 16,
            Self::Guid => 17,
            Self::String => 18,
            Self::Array(_) => 19,
            Self::Unknown(code) => *code,
        }
    }

    fn parse(reader: &mut Reader<'_>, second: bool, depth: u32) -> Result<Self, EventError> {
        if depth == 0 {
            return Err(reader.error("types are nested too deeply"));
        }
        Ok(match reader.u32()? {
            1 => Self::Object(fields(reader, second, depth - 1)?),
            3 => Self::Boolean,
            4 => Self::Char,
            5 => Self::SByte,
            6 => Self::Byte,
            7 => Self::Int16,
            8 => Self::UInt16,
            9 => Self::Int32,
            10 => Self::UInt32,
            11 => Self::Int64,
            12 => Self::UInt64,
            13 => Self::Single,
            14 => Self::Double,
            15 => Self::Decimal,
            16 => Self::DateTime,
            17 => Self::Guid,
            18 => Self::String,
            19 if second => Self::Array(Box::new(Self::parse(reader, second, depth - 1)?)),
            code => Self::Unknown(code),
        })
    }
}

impl EventMetadata {
    /// Parses the metadata of an event. Empty bytes give an event without name and fields.
    ///
    /// # Errors
    /// The bytes end too early or are nested too deeply.
    pub fn parse(bytes: &[u8]) -> Result<Self, EventError> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let mut reader = Reader::new(bytes);
        let mut metadata = Self {
            id: reader.u32()?,
            name: reader.text()?,
            keywords: reader.u64()?,
            version: reader.u32()?,
            level: reader.u32()?,
            opcode: 0,
            fields: fields(&mut reader, false, MAX_EVENT_DEPTH)?,
        };
        while !reader.is_empty() {
            let length = reader.u32()?;
            let tag = reader.u8()?;
            let mut tagged = Reader::new(reader.bytes(length as usize)?);
            match tag {
                TAG_OPCODE => metadata.opcode = tagged.u8()?,
                TAG_FIELDS => metadata.fields = fields(&mut tagged, true, MAX_EVENT_DEPTH)?,
                _ => {}
            }
        }
        Ok(metadata)
    }
}

/// A count and as many fields. Of the second version each has its length and its name first.
fn fields(reader: &mut Reader<'_>, second: bool, depth: u32) -> Result<Vec<EventField>, EventError> {
    let count = reader.u32()?;
    let mut fields = Vec::new();
    for _ in 0..count {
        let field = if second {
            let _length = reader.u32()?;
            let name = reader.text()?;
            EventField { name, field_type: EventType::parse(reader, second, depth)? }
        } else {
            let field_type = EventType::parse(reader, second, depth)?;
            EventField { name: reader.text()?, field_type }
        };
        fields.push(field);
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    fn number(number: u32) -> Vec<u8> {
        number.to_le_bytes().to_vec()
    }

    fn head(fields: u32) -> Vec<u8> {
        let mut bytes = number(7);
        bytes.extend(text("Sold"));
        bytes.extend(2u64.to_le_bytes());
        bytes.extend([number(1), number(4), number(fields)].concat());
        bytes
    }

    #[test]
    fn the_first_version_has_the_type_before_the_name() {
        let mut bytes = head(2);
        bytes.extend([number(9), text("Count"), number(18), text("What")].concat());
        let metadata = EventMetadata::parse(&bytes).unwrap();
        assert_eq!((metadata.id, metadata.name.as_str(), metadata.keywords), (7, "Sold", 2));
        assert_eq!(metadata.fields[0], EventField { name: "Count".into(), field_type: EventType::Int32 });
        assert_eq!(metadata.fields[1].field_type, EventType::String);
    }

    #[test]
    fn the_second_version_has_arrays_and_an_opcode() {
        let field = [text("Counts"), number(19), number(9)].concat();
        let length = u32::try_from(field.len() + 4).unwrap();
        let params = [number(1), number(length), field].concat();
        let mut bytes = head(0);
        bytes.extend([number(1), vec![TAG_OPCODE, 2]].concat());
        bytes.extend([number(u32::try_from(params.len()).unwrap()), vec![TAG_FIELDS], params].concat());
        let metadata = EventMetadata::parse(&bytes).unwrap();
        assert_eq!(metadata.opcode, 2);
        assert_eq!(metadata.fields[0].field_type, EventType::Array(Box::new(EventType::Int32)));
    }

    #[test]
    fn what_ends_too_early_says_where() {
        let bytes = head(1);
        let error = EventMetadata::parse(&bytes).unwrap_err();
        assert_eq!(error.offset, bytes.len());
        assert!(EventMetadata::parse(&[]).unwrap().fields.is_empty());
    }

    #[test]
    fn nesting_has_a_limit() {
        let mut bytes = head(1);
        for _ in 0..100 {
            bytes.extend([number(1), number(1)].concat());
        }
        assert_eq!(EventMetadata::parse(&bytes).unwrap_err().what, "types are nested too deeply");
    }
}
