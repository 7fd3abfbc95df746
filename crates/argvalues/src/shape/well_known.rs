//! Types with a text form of their own, recognised by name and fields.
//!
//! A type with the right name but an unexpected size or unexpected fields is not recognised and is shown as its fields.

use super::{
    Field, Primitive, ShapeKind,
    view::{find, primitive, word},
};

/// A value type with a form of its own, and where in it the needed bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WellKnown {
    Decimal,
    DateTime,
    DateTimeOffset {
        /// The offset of the `DateTime`, in UTC.
        date_time: usize,
        /// The offset of the minutes.
        offset: usize,
        /// 2 bytes up to .NET 7, 4 since.
        offset_type: Primitive,
    },
    TimeSpan,
    Guid,
    Int128,
    UInt128,
    Half,
    /// `System.Index`: from the end if it is negative, one less than the distance.
    Index,
    /// The offsets of the two `System.Index`.
    Range {
        start: usize,
        end: usize,
    },
    DateOnly,
    TimeOnly,
    /// The offsets of the sign, which is the number if there are no bits, and of the array of the magnitude.
    BigInteger {
        sign: usize,
        bits: usize,
    },
    /// The indexes of the two fields.
    Nullable {
        has_value: usize,
        value: usize,
    },
    /// A span: the offsets of its address and its length.
    Span {
        reference: usize,
        length: usize,
    },
    /// A union, whose one field refers to its case.
    Union,
    /// Items in place: an inline array or a fixed buffer, whose one field describes all of them.
    Row,
    /// A vector: items in place, of the type of the argument.
    Vector,
    /// A part of an array, a string, or another owner of memory.
    Memory {
        object: usize,
        index: usize,
        length: usize,
    },
    /// An array that does not change.
    ImmutableArray {
        array: usize,
    },
    /// A task, or its result at once: where the task is, and the index of the field with the result.
    ValueTask {
        task: usize,
        result: Option<usize>,
    },
    /// Where the source of the token is; null if the token is never cancelled.
    CancellationToken {
        source: usize,
    },
    /// A part of a document: where the document is, and the position of the part's row in the document's table.
    JsonElement {
        document: usize,
        row: usize,
    },
    /// A reference to an object with a runtime handle.
    Handle {
        object: usize,
    },
    /// The offsets of the address and of the type handle.
    TypedReference {
        address: usize,
        of: usize,
    },
}

impl WellKnown {
    /// Returns whether it is read by its fields, and not by its size and its type argument alone.
    pub(crate) const fn needs_fields(self) -> bool {
        !matches!(
            self,
            Self::Decimal
                | Self::DateTime
                | Self::TimeSpan
                | Self::Guid
                | Self::Int128
                | Self::UInt128
                | Self::Half
                | Self::Index
                | Self::DateOnly
                | Self::TimeOnly
                | Self::Vector
        )
    }

    /// Returns whether the fields are all there is to it, and this is only another way to show them.
    pub(crate) const fn is_a_view(self) -> bool {
        matches!(
            self,
            Self::Union
                | Self::Memory { .. }
                | Self::ImmutableArray { .. }
                | Self::ValueTask { .. }
                | Self::Handle { .. }
                | Self::CancellationToken { .. }
                | Self::JsonElement { .. }
        )
    }

    pub(super) fn recognise(full_name: &str, size: usize, fields: &[Field]) -> Option<Self> {
        let fixed = |expected: usize, known| (size == expected).then_some(known);
        let handle = |names| Some(Self::Handle { object: word(fields, names)? });
        match full_name.strip_prefix("System.")? {
            "Decimal" => fixed(16, Self::Decimal),
            "DateTime" => fixed(8, Self::DateTime),
            "TimeSpan" => fixed(8, Self::TimeSpan),
            "Guid" => fixed(16, Self::Guid),
            "Int128" => fixed(16, Self::Int128),
            "UInt128" => fixed(16, Self::UInt128),
            "Half" => fixed(2, Self::Half),
            "Index" => fixed(4, Self::Index),
            "Range" if size == 8 => {
                let index = |name| Some(fields[find(fields, &[name])?].offset());
                Some(Self::Range { start: index("Start")?, end: index("End")? })
            }
            "DateOnly" => fixed(4, Self::DateOnly),
            "TimeOnly" => fixed(8, Self::TimeOnly),
            "Numerics.BigInteger" => Some(Self::BigInteger {
                sign: primitive(fields, "_sign", Primitive::I32)?,
                bits: word(fields, &["_bits"])?,
            }),
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
            "Memory`1" | "ReadOnlyMemory`1" => Some(Self::Memory {
                object: word(fields, &["_object"])?,
                index: primitive(fields, "_index", Primitive::I32)?,
                length: primitive(fields, "_length", Primitive::I32)?,
            }),
            "ArraySegment`1" => Some(Self::Memory {
                object: word(fields, &["_array"])?,
                index: primitive(fields, "_offset", Primitive::I32)?,
                length: primitive(fields, "_count", Primitive::I32)?,
            }),
            "Collections.Immutable.ImmutableArray`1" => {
                Some(Self::ImmutableArray { array: word(fields, &["array"])? })
            }
            "Threading.Tasks.ValueTask" | "Threading.Tasks.ValueTask`1" => {
                Some(Self::ValueTask { task: word(fields, &["_obj"])?, result: find(fields, &["_result"]) })
            }
            "Threading.CancellationToken" => {
                Some(Self::CancellationToken { source: word(fields, &["_source"])? })
            }
            "Text.Json.JsonElement" => Some(Self::JsonElement {
                document: word(fields, &["_parent"])?,
                row: primitive(fields, "_idx", Primitive::I32)?,
            }),
            "RuntimeTypeHandle" => handle(&["m_type"]),
            "RuntimeMethodHandle" => handle(&["m_value"]),
            "RuntimeFieldHandle" => handle(&["m_ptr"]),
            "ModuleHandle" => handle(&["m_ptr"]),
            "TypedReference" => Some(Self::TypedReference {
                address: word(fields, &["_value", "Value"])?,
                of: word(fields, &["_type", "Type"])?,
            }),
            "Numerics.Vector`1" => Some(Self::Vector),
            name => {
                let width = name.strip_prefix("Runtime.Intrinsics.Vector")?.strip_suffix("`1")?;
                let bits: usize = width.parse().ok()?;
                (bits == size * 8).then_some(Self::Vector)
            }
        }
    }
}
