//! What a tool declares of a stream, and the same as it is read.

use crate::bytes::{Cursor, Malformed, put_count, put_text};
use crate::limits::MAX_FIELDS;
use crate::rows::Form;

/// The type of a column. A newer version may have written one that has no constant here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldType(u8);

impl FieldType {
    /// A number of things.
    pub const COUNT: Self = Self(0);
    /// A time in ticks of the recording's clock.
    pub const TIME: Self = Self(1);
    /// The operating system's id of a thread.
    pub const THREAD: Self = Self(2);
    /// A stack.
    pub const NODE: Self = Self(3);
    /// A text.
    pub const TEXT: Self = Self(4);
    /// A class.
    pub const CLASS: Self = Self(5);
    /// A number of bytes.
    pub const BYTES: Self = Self(6);
    /// A duration in nanoseconds.
    pub const NANOSECONDS: Self = Self(7);
    /// Yes or no.
    pub const BOOL: Self = Self(8);
    /// A number that may be negative.
    pub const SIGNED: Self = Self(9);

    /// Returns the number in the file.
    #[must_use]
    pub const fn as_raw(self) -> u8 {
        self.0
    }

    /// Returns the encoding of the values.
    pub(crate) const fn form(self) -> Form {
        match self {
            Self::TIME | Self::THREAD => Form::Delta,
            Self::SIGNED => Form::Signed,
            _ => Form::Count,
        }
    }
}

/// The use of a column in sums. A newer version may have written one that has no constant here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Aggregate(u8);

impl Aggregate {
    /// None: the column is of single rows only.
    pub const NONE: Self = Self(0);
    /// Rows are grouped by it.
    pub const KEY: Self = Self(1);
    /// Its values are added.
    pub const SUM: Self = Self(2);
    /// The last value counts: the level of a gauge.
    pub const LAST: Self = Self(3);

    /// Returns the number in the file.
    #[must_use]
    pub const fn as_raw(self) -> u8 {
        self.0
    }
}

/// A column of a stream, as a tool declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    name: &'static str,
    field_type: FieldType,
    unit: &'static str,
    aggregate: Aggregate,
}

impl Field {
    /// A column of single rows.
    #[must_use]
    pub const fn plain(name: &'static str, field_type: FieldType) -> Self {
        Self { name, field_type, unit: "", aggregate: Aggregate::NONE }
    }

    /// A column that rows are grouped by.
    #[must_use]
    pub const fn key(name: &'static str, field_type: FieldType) -> Self {
        Self { name, field_type, unit: "", aggregate: Aggregate::KEY }
    }

    /// A column whose values are added. The unit is a word for people: `"objects"`.
    #[must_use]
    pub const fn sum(name: &'static str, field_type: FieldType, unit: &'static str) -> Self {
        Self { name, field_type, unit, aggregate: Aggregate::SUM }
    }

    /// A column whose last value counts.
    #[must_use]
    pub const fn last(name: &'static str, field_type: FieldType, unit: &'static str) -> Self {
        Self { name, field_type, unit, aggregate: Aggregate::LAST }
    }

    pub(crate) const fn field_type(&self) -> FieldType {
        self.field_type
    }
}

/// The name and the columns of a stream, as a tool declares them: 1 to 16 columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema {
    name: &'static str,
    fields: &'static [Field],
}

impl Schema {
    /// Describes a stream. In a `static` or `const`, a wrong number of columns does not compile.
    ///
    /// # Panics
    /// If there are no columns, or more than 16.
    #[must_use]
    pub const fn new(name: &'static str, fields: &'static [Field]) -> Self {
        assert!(!fields.is_empty() && fields.len() <= MAX_FIELDS, "a stream has 1 to 16 columns");
        Self { name, fields }
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) const fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// Returns the forms of the columns, that of the first one in the lowest bits.
    pub(crate) fn forms(&self) -> u32 {
        let forms = self.fields.iter().map(|field| field.field_type.form() as u32);
        forms.rev().fold(0, |forms, form| forms << Form::BITS | form)
    }

    /// Writes all but the number.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put_text(out, self.name);
        put_count(out, self.fields.len() as u64);
        let mut field = Vec::new();
        for Field { name, field_type, unit, aggregate } in self.fields {
            field.clear();
            put_text(&mut field, name);
            field.extend([field_type.0, field_type.form() as u8]);
            put_text(&mut field, unit);
            field.push(aggregate.0);
            put_count(out, field.len() as u64);
            out.append(&mut field);
        }
    }
}

/// A column of a stream, as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: Box<str>,
    /// The type of its values.
    pub field_type: FieldType,
    /// The unit, for people; may be empty.
    pub unit: Box<str>,
    /// Its use in sums.
    pub aggregate: Aggregate,
    /// `None` for one that a newer version has added.
    pub(crate) form: Option<Form>,
}

/// The name and the columns of a stream, as they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamInfo {
    /// Its number in the recording.
    pub number: u32,
    /// Its name.
    pub name: Box<str>,
    /// Its columns, in the order of a row's values.
    pub columns: Vec<Column>,
}

impl StreamInfo {
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Malformed> {
        let (number, name) = (cursor.small()?, cursor.text()?.into());
        let count = cursor.count()?;
        if !(1..=MAX_FIELDS as u64).contains(&count) {
            return cursor.error("a stream has no columns, or more than any that is written");
        }
        let mut columns = Vec::new();
        for _ in 0..count {
            let mut field = Cursor::new(cursor.counted()?);
            let read = |field: &mut Cursor<'_>| {
                let name = field.text()?.into();
                let (field_type, form) = (FieldType(field.byte()?), Form::from_raw(field.byte()?));
                let (unit, aggregate) = (field.text()?.into(), Aggregate(field.byte()?));
                // What a newer version has added is behind these.
                Ok(Column { name, field_type, unit, aggregate, form })
            };
            columns.push(read(&mut field).or_else(|error: Malformed| cursor.error(error.what))?);
        }
        Ok(Self { number, name, columns })
    }

    /// Returns the position of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| &*column.name == name)
    }
}
