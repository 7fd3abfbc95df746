//! Types that are written in a form of their own, recognised by name and by what they are made of.
//!
//! A type that has the name but not the expected size and fields is not recognised, and so is shown as the
//! fields that it has.

use super::{Field, Primitive, ShapeKind};

/// A value type with a form of its own, and where in it the needed bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WellKnown {
    Decimal,
    DateTime,
    DateTimeOffset {
        /// Where the `DateTime`, in UTC, is.
        date_time: usize,
        /// Where the minutes are.
        offset: usize,
        /// 2 bytes up to .NET 7, 4 since.
        offset_type: Primitive,
    },
    TimeSpan,
    Guid,
    Int128,
    UInt128,
    Half,
    /// The indexes of the two fields.
    Nullable {
        has_value: usize,
        value: usize,
    },
    /// A span: where the address and the length are.
    Span {
        reference: usize,
        length: usize,
    },
}

impl WellKnown {
    pub(super) fn recognise(full_name: &str, size: usize, fields: &[Field]) -> Option<Self> {
        let fixed = |expected: usize, known| (size == expected).then_some(known);
        match full_name.strip_prefix("System.")? {
            "Decimal" => fixed(16, Self::Decimal),
            "DateTime" => fixed(8, Self::DateTime),
            "TimeSpan" => fixed(8, Self::TimeSpan),
            "Guid" => fixed(16, Self::Guid),
            "Int128" => fixed(16, Self::Int128),
            "UInt128" => fixed(16, Self::UInt128),
            "Half" => fixed(2, Self::Half),
            "DateTimeOffset" => {
                let date_time = find(fields, &["_dateTime", "m_dateTime"])?;
                let offset = find(fields, &["_offsetMinutes", "m_offsetMinutes"])?;
                let ShapeKind::Primitive(offset_type @ (Primitive::I16 | Primitive::I32)) =
                    *fields[offset].shape().kind()
                else {
                    return None;
                };
                (fields[date_time].shape().size() == Some(8)).then_some(Self::DateTimeOffset {
                    date_time: fields[date_time].offset(),
                    offset: fields[offset].offset(),
                    offset_type,
                })
            }
            "Nullable`1" => {
                let has_value = find(fields, &["hasValue", "_hasValue"])?;
                let value = find(fields, &["value", "_value"])?;
                // Only a value type can be absent. It also bounds the decoder's recursion: references go through
                // the depth limit, and an optional one would not.
                (fields[has_value].shape().size() == Some(1) && fields[value].shape().is_value_type())
                    .then_some(Self::Nullable { has_value, value })
            }
            "Span`1" | "ReadOnlySpan`1" => {
                let reference = find(fields, &["_reference", "_pointer"])?;
                let length = find(fields, &["_length"])?;
                (fields[reference].shape().size() == Some(size_of::<usize>())
                    && fields[length].shape().size() == Some(4))
                .then_some(Self::Span {
                    reference: fields[reference].offset(),
                    length: fields[length].offset(),
                })
            }
            _ => None,
        }
    }
}

/// Where a delegate's fields are, from where the reference points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DelegateFields {
    /// The object that the method is called on; the delegate itself if the method is static.
    pub(crate) target: usize,
    /// The code that is called; for static methods a stub that drops the first argument.
    pub(crate) code: usize,
    /// The code of a static method.
    pub(crate) static_code: usize,
    /// How many delegates a combined one calls.
    pub(crate) count: usize,
    /// The delegates that a combined one calls.
    pub(crate) list: usize,
}

impl DelegateFields {
    pub(super) fn find(fields: &[Field]) -> Option<Self> {
        let offset = |name| Some(fields[find(fields, &[name])?].offset());
        Some(Self {
            target: offset("_target")?,
            code: offset("_methodPtr")?,
            static_code: offset("_methodPtrAux")?,
            count: offset("_invocationCount")?,
            list: offset("_invocationList")?,
        })
    }
}

fn find(fields: &[Field], names: &[&str]) -> Option<usize> {
    fields.iter().position(|field| names.contains(&field.name()))
}
