//! Metadata: what describes the events of a trace.

use crate::runtime_events::{PROVIDER, RUNDOWN_PROVIDER};

use crate::bytes::{Bytes, Fault, Parsed};
use crate::error::FieldError;
use crate::limits::DEPTH;

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldType {
    /// A structure with fields of its own.
    Object(Vec<Field>),
    /// A boolean of four bytes.
    Boolean,
    /// A UTF-16 unit.
    Char,
    /// A signed byte.
    SByte,
    /// A byte.
    Byte,
    /// 16 bits, signed.
    Int16,
    /// 16 bits.
    UInt16,
    /// 32 bits, signed.
    Int32,
    /// 32 bits.
    UInt32,
    /// 64 bits, signed.
    Int64,
    /// 64 bits.
    UInt64,
    /// A number of single precision.
    Single,
    /// A number of double precision.
    Double,
    /// The 16 bytes of a decimal.
    Decimal,
    /// A time: units of 100 ns since the year 1601; since version 6 the eight numbers of a calendar time.
    DateTime,
    /// A GUID.
    Guid,
    /// A text of UTF-16 that ends with a zero.
    String,
    /// A number of elements, and the elements.
    Array(Box<FieldType>),
    /// A signed number of seven bits a byte. Since version 6.
    VarInt,
    /// A number of seven bits a byte. Since version 6.
    VarUInt,
    /// So many elements. Since version 6.
    FixedArray(Box<FieldType>, u16),
    /// A UTF-8 unit. Since version 6.
    Utf8,
    /// Elements at an offset from the end of the field. Since version 6.
    RelativeArray(Box<FieldType>),
    /// Elements at an offset in the payload. Since version 6.
    ArrayAt(Box<FieldType>),
    /// A boolean of one byte. Since version 6.
    Boolean8,
    /// A type of unknown layout: this field and those after it cannot be decoded.
    Unknown(u32),
}

/// A field of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The type.
    pub field_type: FieldType,
}

/// The provider of an event, as far as this crate knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Known {
    #[default]
    Other,
    Runtime,
    Rundown,
}

/// What describes the events of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// The number by which the events of the trace refer to the metadata.
    pub id: u32,
    /// The provider.
    pub provider: String,
    /// The number of the event.
    pub event_id: u32,
    /// The name. Events of the runtime itself have none.
    pub name: String,
    /// The keywords.
    pub keywords: u64,
    /// The version of the event's layout.
    pub version: u32,
    /// The level: 1 critical to 5 verbose.
    pub level: u32,
    /// The opcode: 1 starts an activity, 2 ends it.
    pub opcode: u8,
    /// The fields. Events of the runtime itself have none.
    pub fields: Vec<Field>,
    pub(crate) known: Known,
    /// The version of the format, if it is 6 or later.
    pub(crate) format: u32,
}

/// Tags of version 5.
const OPCODE: u8 = 1;
const PARAMETERS: u8 = 2;

impl Metadata {
    /// Parses the metadata of an event that the runtime delivers to a profiler in the process
    /// (`ICorProfilerCallback10::EventPipeEventDelivered`). Such metadata have neither a number nor a provider: `id` is 0 and
    /// `provider` is empty. Empty bytes give an event without name and fields.
    ///
    /// # Errors
    /// [`FieldError`]: the bytes end too early or types are nested too deeply.
    pub fn of_delivered_event(bytes: &[u8]) -> Result<Self, FieldError> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self::parse_event(&mut Bytes::new(bytes, 0))?)
    }

    fn finish(mut self) -> Self {
        self.known = match self.provider.as_str() {
            PROVIDER => Known::Runtime,
            RUNDOWN_PROVIDER => Known::Rundown,
            _ => Known::Other,
        };
        self
    }

    /// Reads metadata of version 4 or 5.
    pub(crate) fn parse(bytes: &mut Bytes<'_>) -> Parsed<Self> {
        let (id, provider) = (bytes.u32()?, bytes.utf16()?.to_string());
        Ok(Self { id, provider, ..Self::parse_event(bytes)? }.finish())
    }

    /// Reads what versions 4 and 5 and a runtime's callbacks have in common: the event without its provider.
    fn parse_event(bytes: &mut Bytes<'_>) -> Parsed<Self> {
        let mut metadata = Self {
            event_id: bytes.u32()?,
            name: bytes.utf16()?.to_string(),
            keywords: bytes.u64()?,
            version: bytes.u32()?,
            level: bytes.u32()?,
            ..Self::default()
        };
        metadata.fields = fields(bytes, DEPTH)?;
        while !bytes.is_empty() {
            let length = bytes.length()?;
            let tag = bytes.u8()?;
            let mut tagged = bytes.part(length)?;
            match tag {
                OPCODE => metadata.opcode = tagged.u8()?,
                PARAMETERS => metadata.fields = sized_fields(&mut tagged, DEPTH)?,
                _ => {}
            }
        }
        Ok(metadata)
    }

    /// Reads metadata of version 6.
    pub(crate) fn parse_row(bytes: &mut Bytes<'_>) -> Parsed<Self> {
        let mut metadata = Self {
            id: bytes.varuint32()?,
            provider: bytes.utf8()?,
            event_id: bytes.varuint32()?,
            name: bytes.utf8()?,
            format: 6,
            ..Self::default()
        };
        metadata.fields = row_fields(bytes, DEPTH)?;
        let length = usize::from(bytes.u16()?);
        let mut options = bytes.part(length)?;
        while !options.is_empty() {
            match options.u8()? {
                1 => metadata.opcode = options.u8()?,
                3 => metadata.keywords = options.u64()?,
                4 | 5 => drop(options.utf8()?),
                6 => drop((options.utf8()?, options.utf8()?)),
                7 => drop(options.take(16)?),
                8 => metadata.level = options.u8()?.into(),
                9 => metadata.version = options.u8()?.into(),
                // The rest is of a later version.
                _ => break,
            }
        }
        Ok(metadata.finish())
    }
}

fn nested(bytes: &Bytes<'_>, depth: u32) -> Parsed<u32> {
    depth.checked_sub(1).ok_or(bytes.malformed("types are nested too deeply"))
}

impl FieldType {
    /// Returns the code of the type in metadata (`COR_PRF_EVENTPIPE_PARAM_TYPE` and `System.TypeCode` up to 19).
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
            Self::VarInt => 20,
            Self::VarUInt => 21,
            Self::FixedArray(..) => 22,
            Self::Utf8 => 23,
            Self::RelativeArray(_) => 24,
            Self::ArrayAt(_) => 25,
            Self::Boolean8 => 26,
            Self::Unknown(code) => *code,
        }
    }
}

/// The type with a code that stands for itself.
fn simple(code: u32) -> FieldType {
    match code {
        3 => FieldType::Boolean,
        4 => FieldType::Char,
        5 => FieldType::SByte,
        6 => FieldType::Byte,
        7 => FieldType::Int16,
        8 => FieldType::UInt16,
        9 => FieldType::Int32,
        10 => FieldType::UInt32,
        11 => FieldType::Int64,
        12 => FieldType::UInt64,
        13 => FieldType::Single,
        14 => FieldType::Double,
        15 => FieldType::Decimal,
        16 => FieldType::DateTime,
        17 => FieldType::Guid,
        18 => FieldType::String,
        code => FieldType::Unknown(code),
    }
}

/// Fields of version 4: the type, then the name.
fn fields(bytes: &mut Bytes<'_>, depth: u32) -> Parsed<Vec<Field>> {
    let depth = nested(bytes, depth)?;
    let mut all = Vec::new();
    for _ in 0..bytes.u32()? {
        let field_type = match bytes.u32()? {
            1 => FieldType::Object(fields(bytes, depth)?),
            code => simple(code),
        };
        all.push(Field { name: bytes.utf16()?.to_string(), field_type });
    }
    Ok(all)
}

/// Fields of version 5: the size, the name, then the type.
fn sized_fields(bytes: &mut Bytes<'_>, depth: u32) -> Parsed<Vec<Field>> {
    let depth = nested(bytes, depth)?;
    let mut all = Vec::new();
    for _ in 0..bytes.u32()? {
        let at = bytes.offset();
        let length = bytes.length()?.checked_sub(4);
        let mut field = bytes.part(length.ok_or(Fault::Malformed(at, "a field that is too short"))?)?;
        let name = field.utf16()?.to_string();
        all.push(Field { name, field_type: sized_type(&mut field, depth)? });
    }
    Ok(all)
}

fn sized_type(bytes: &mut Bytes<'_>, depth: u32) -> Parsed<FieldType> {
    let depth = nested(bytes, depth)?;
    Ok(match bytes.u32()? {
        1 => FieldType::Object(sized_fields(bytes, depth)?),
        19 => FieldType::Array(Box::new(sized_type(bytes, depth)?)),
        code => simple(code),
    })
}

/// Fields of version 6.
fn row_fields(bytes: &mut Bytes<'_>, depth: u32) -> Parsed<Vec<Field>> {
    let depth = nested(bytes, depth)?;
    let mut all = Vec::new();
    for _ in 0..bytes.u16()? {
        let length = usize::from(bytes.u16()?);
        let mut field = bytes.part(length)?;
        let name = field.utf8()?;
        all.push(Field { name, field_type: row_type(&mut field, depth)? });
    }
    Ok(all)
}

fn row_type(bytes: &mut Bytes<'_>, depth: u32) -> Parsed<FieldType> {
    let depth = nested(bytes, depth)?;
    let element = |bytes: &mut Bytes<'_>| row_type(bytes, depth).map(Box::new);
    Ok(match bytes.u8()? {
        1 => FieldType::Object(row_fields(bytes, depth)?),
        19 => FieldType::Array(element(bytes)?),
        20 => FieldType::VarInt,
        21 => FieldType::VarUInt,
        22 => {
            let of = element(bytes)?;
            FieldType::FixedArray(of, bytes.u16()?)
        }
        23 => FieldType::Utf8,
        24 => FieldType::RelativeArray(element(bytes)?),
        25 => FieldType::ArrayAt(element(bytes)?),
        26 => FieldType::Boolean8,
        code => simple(code.into()),
    })
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
        let metadata = Metadata::of_delivered_event(&bytes).unwrap();
        assert_eq!((metadata.event_id, metadata.name.as_str(), metadata.keywords), (7, "Sold", 2));
        assert_eq!(metadata.fields[0], Field { name: "Count".into(), field_type: FieldType::Int32 });
        assert_eq!(metadata.fields[1].field_type, FieldType::String);
    }

    #[test]
    fn the_second_version_has_arrays_and_an_opcode() {
        let field = [text("Counts"), number(19), number(9)].concat();
        let length = u32::try_from(field.len() + 4).unwrap();
        let params = [number(1), number(length), field].concat();
        let mut bytes = head(0);
        bytes.extend([number(1), vec![OPCODE, 2]].concat());
        bytes.extend([number(u32::try_from(params.len()).unwrap()), vec![PARAMETERS], params].concat());
        let metadata = Metadata::of_delivered_event(&bytes).unwrap();
        assert_eq!(metadata.opcode, 2);
        assert_eq!(metadata.fields[0].field_type, FieldType::Array(Box::new(FieldType::Int32)));
    }

    #[test]
    fn what_ends_too_early_says_where() {
        let bytes = head(1);
        let error = Metadata::of_delivered_event(&bytes).unwrap_err();
        assert_eq!(error.offset, bytes.len());
        assert!(Metadata::of_delivered_event(&[]).unwrap().fields.is_empty());
    }

    #[test]
    fn nesting_has_a_limit() {
        let mut bytes = head(1);
        for _ in 0..100 {
            bytes.extend([number(1), number(1)].concat());
        }
        assert_eq!(Metadata::of_delivered_event(&bytes).unwrap_err().what, "types are nested too deeply");
    }
}
