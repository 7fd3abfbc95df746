//! Structs that are not shown as their fields.

use core::fmt;

use super::{Decoder, Slot};
use crate::{
    format::{self, DateTimeKind},
    half::Half,
    memory::Memory,
    runtime::Runtime,
    shape::{Field, Primitive, StructShape, TypeShape, WellKnown},
    text_buffer::TextBuffer,
    visitor::Visitor,
};

/// The longest text is that of a decimal, 31 characters, or of a 128-bit number, 40.
type Text = TextBuffer<48>;

impl<M: Memory + ?Sized, R: Runtime + ?Sized> Decoder<'_, M, R> {
    /// Visits a value in its own text form. Returns `false` without an event if the bytes are malformed or a query
    /// fails: its fields are shown then.
    pub(super) fn well_known<V: Visitor + ?Sized>(
        &mut self,
        known: WellKnown,
        structure: &StructShape,
        shape: &TypeShape,
        slot: Slot,
        visitor: &mut V,
    ) -> bool {
        match known {
            WellKnown::Nullable { has_value, value } => {
                let (Some(has_value), Some(value)) =
                    (structure.fields().get(has_value), structure.fields().get(value))
                else {
                    return false;
                };
                match self.array::<1>(slot, has_value.offset()) {
                    None => return false,
                    Some([0]) => visitor.null(),
                    Some(_) => self.field(shape, value, slot, visitor),
                }
                true
            }
            WellKnown::Half => match self.array(slot, 0) {
                Some(bits) => {
                    visitor.half(Half(u16::from_ne_bytes(bits)));
                    true
                }
                None => false,
            },
            WellKnown::Span { reference, length } => {
                self.span(shape, slot, reference, length, visitor);
                true
            }
            WellKnown::Row | WellKnown::Vector => {
                let element = match known {
                    WellKnown::Row => structure.fields().first().map(Field::shape),
                    _ => shape.args().first(),
                };
                let element = element.filter(|element| element.size().is_some_and(|size| size > 0));
                if let Some(element) = element {
                    self.row(shape, element, slot, visitor);
                }
                element.is_some()
            }
            WellKnown::TypedReference { address, of } => {
                self.typed_reference(shape, slot, (address, of), visitor)
            }
            _ if self.raw && known.is_a_view() => false,
            WellKnown::Union => {
                let Some(case) = structure.fields().first() else { return false };
                self.field(shape, case, slot, visitor);
                true
            }
            WellKnown::Memory { object, index, length } => {
                self.memory_of(shape, slot, (object, index, length), visitor)
            }
            WellKnown::ImmutableArray { array } => self.immutable_array(shape, slot, array, visitor),
            WellKnown::ValueTask { task, result } => {
                self.value_task(shape, structure, slot, (task, result), visitor)
            }
            WellKnown::Handle { object } => self.handle(shape, slot, object, visitor),
            WellKnown::CancellationToken { source } => self.cancellation_token(shape, slot, source, visitor),
            WellKnown::JsonElement { document, row } => {
                self.json_element(shape, slot, (document, row), visitor)
            }
            WellKnown::BigInteger { sign, bits } => self.big_integer(slot, (sign, bits), visitor),
            _ => {
                let mut text = Text::new();
                match self.text(known, slot, &mut text) {
                    Some((name, Ok(()))) => {
                        visitor.formatted(name, text.as_str());
                        true
                    }
                    _ => false,
                }
            }
        }
    }

    /// The type's name and the value's text, if it is one.
    fn text(&self, known: WellKnown, slot: Slot, out: &mut Text) -> Option<(&'static str, fmt::Result)> {
        use fmt::Write as _;
        Some(match known {
            WellKnown::Decimal => ("System.Decimal", format::decimal(self.array(slot, 0)?, out)?),
            WellKnown::Guid => ("System.Guid", format::guid(self.array(slot, 0)?, out)),
            WellKnown::TimeSpan => {
                ("System.TimeSpan", format::time_span(i64::from_ne_bytes(self.array(slot, 0)?), out))
            }
            WellKnown::Int128 => {
                ("System.Int128", write!(out, "{}", i128::from_ne_bytes(self.array(slot, 0)?)))
            }
            WellKnown::UInt128 => {
                ("System.UInt128", write!(out, "{}", u128::from_ne_bytes(self.array(slot, 0)?)))
            }
            WellKnown::DateTime => ("System.DateTime", self.date_time(slot, out)?),
            WellKnown::Index => ("System.Index", self.index(slot, 0, out)?),
            WellKnown::Range { start, end } => {
                let written = self.index(slot, start, out)?.and_then(|()| out.write_str(".."));
                ("System.Range", written.and(self.index(slot, end, out)?))
            }
            WellKnown::DateOnly => {
                ("System.DateOnly", format::date_only(i32::from_ne_bytes(self.array(slot, 0)?), out)?)
            }
            WellKnown::TimeOnly => {
                ("System.TimeOnly", format::time_only(u64::from_ne_bytes(self.array(slot, 0)?), out)?)
            }
            WellKnown::DateTimeOffset { date_time, offset, offset_type } => {
                let data = u64::from_ne_bytes(self.array(slot, date_time)?);
                let minutes = match offset_type {
                    Primitive::I16 => i16::from_ne_bytes(self.array(slot, offset)?).into(),
                    _ => i32::from_ne_bytes(self.array(slot, offset)?),
                };
                ("System.DateTimeOffset", format::date_time_offset(data, minutes, out)?)
            }
            _ => return None,
        })
    }

    /// Writes a `System.Index`.
    fn index(&self, slot: Slot, offset: usize, out: &mut Text) -> Option<fmt::Result> {
        use fmt::Write as _;
        let value = i32::from_ne_bytes(self.array(slot, offset)?);
        Some(if value < 0 { write!(out, "^{}", !value) } else { write!(out, "{value}") })
    }

    fn date_time(&self, slot: Slot, out: &mut Text) -> Option<fmt::Result> {
        use fmt::Write as _;
        let (ticks, kind) = format::date_time_parts(u64::from_ne_bytes(self.array(slot, 0)?))?;
        // A local time is written with its offset; without it, it would look like an unspecified one.
        let offset = match kind {
            DateTimeKind::Local { daylight } => Some(self.runtime.utc_offset(ticks, daylight)?),
            _ => None,
        };
        Some(format::date_time(ticks, out).and_then(|()| match (kind, offset) {
            (DateTimeKind::Utc, _) => out.write_char('Z'),
            (_, Some(minutes)) => format::utc_offset(minutes, out),
            _ => Ok(()),
        }))
    }
}
