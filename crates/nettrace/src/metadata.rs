//! Metadata: what describes the events of a trace.

use runtime_events::{PROVIDER, RUNDOWN_PROVIDER};

use crate::bytes::{Bytes, Fault, Parsed};
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
}

/// Tags of version 5.
const OPCODE: u8 = 1;
const PARAMETERS: u8 = 2;

impl Metadata {
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
        let mut metadata = Self {
            id: bytes.u32()?,
            provider: bytes.utf16()?.to_string(),
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
        Ok(metadata.finish())
    }

    /// Reads metadata of version 6.
    pub(crate) fn parse_row(bytes: &mut Bytes<'_>) -> Parsed<Self> {
        let mut metadata = Self {
            id: bytes.varuint32()?,
            provider: bytes.utf8()?,
            event_id: bytes.varuint32()?,
            name: bytes.utf8()?,
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
