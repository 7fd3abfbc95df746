//! The events of a decode as bytes.

use core::fmt::{self, Write as _};

use super::numbers::{signed_bytes, unsigned_bytes};
use super::{RecordNames, tag};
use crate::{
    half::Half,
    memory::units::as_bytes,
    shape::{Integer, Primitive, TypeShape},
    visitor::{ArrayHead, EnumValue, StringUnits, Visitor},
};

/// A visitor that writes a [record](crate::record).
///
/// Nothing is allocated once the buffer has its size and the names are known.
///
/// ```
/// use argvalues::{Integer, RecordNames, RecordReader, RecordWriter, TextWriter, Visitor};
///
/// let (mut bytes, mut names) = (Vec::new(), RecordNames::new());
/// let mut record = RecordWriter::new(&mut bytes, &mut names);
/// record.begin_object("Shop.Point");
/// record.field(0, "X");
/// record.integer(Integer::Signed(-3));
/// record.end_object(1);
/// assert_eq!(bytes, [0x33, 0, 0x11, 0xFD, 0x3E]);
///
/// let mut text = String::new();
/// RecordReader::new(&bytes, &names).value(&mut TextWriter::new(&mut text))?;
/// assert_eq!(text, "Shop.Point { X: -3 }");
/// # Ok::<(), argvalues::RecordError>(())
/// ```
#[derive(Debug)]
pub struct RecordWriter<'w> {
    out: &'w mut Vec<u8>,
    names: &'w mut RecordNames,
    ends: Option<&'w mut Vec<usize>>,
}

impl<'w> RecordWriter<'w> {
    /// A writer that appends to `out`.
    #[inline]
    pub fn new(out: &'w mut Vec<u8>, names: &'w mut RecordNames) -> Self {
        names.start();
        Self { out, names, ends: None }
    }

    /// A writer that appends to `out`, and to `ends` the length of `out` after each [value](Visitor::value_ended).
    #[inline]
    pub fn with_ends(out: &'w mut Vec<u8>, names: &'w mut RecordNames, ends: &'w mut Vec<usize>) -> Self {
        names.start();
        Self { out, names, ends: Some(ends) }
    }

    #[inline]
    fn tag(&mut self, tag: u8) {
        self.out.push(tag);
    }

    /// A byte and a few behind it.
    #[inline]
    fn tagged<const N: usize>(&mut self, tag: u8, bytes: [u8; N]) {
        self.out.push(tag);
        self.out.extend_from_slice(&bytes);
    }

    /// Writes the lowest bytes of a number.
    #[inline]
    fn number(&mut self, tag: u8, bits: u64, bytes: u8) {
        let [a, b, c, d, e, f, g, h] = bits.to_le_bytes();
        let end = self.out.len() + 1 + usize::from(bytes);
        // All of them at once and then some less is quicker than as many as there are.
        self.out.extend_from_slice(&[tag + bytes, a, b, c, d, e, f, g, h]);
        self.out.truncate(end);
    }

    #[inline]
    fn count(&mut self, mut count: usize) {
        while count >= 0x80 {
            self.out.push(low_bits(count) | 0x80);
            count >>= 7;
        }
        self.out.push(low_bits(count));
    }

    /// A tag, and counts behind it. Most have a byte each, and are appended together.
    #[inline]
    fn counted<const N: usize>(&mut self, tag: u8, counts: [usize; N]) {
        if counts.iter().all(|count| *count < 0x80) {
            return self.tagged(tag, counts.map(low_bits));
        }
        self.tag(tag);
        counts.into_iter().for_each(|count| self.count(count));
    }

    #[inline]
    fn name(&mut self, text: &str) {
        let number = self.names.number(text);
        self.count(number as usize);
    }

    #[inline]
    fn named(&mut self, tag: u8, text: &str) {
        self.tag(tag);
        self.name(text);
    }

    /// A tag and the number of a name.
    #[inline]
    fn numbered(&mut self, tag: u8, number: u32) {
        self.tag(tag);
        self.count(number as usize);
    }

    #[inline]
    fn units(&mut self, units: &[u16]) {
        if cfg!(target_endian = "little") {
            self.out.extend_from_slice(as_bytes(units));
        } else {
            self.out.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        }
    }

    #[cold]
    fn long_string(&mut self, shown: usize, more: usize) {
        self.tag(tag::STRING);
        self.count(shown);
        self.count(more);
    }

    #[cold]
    fn other_field(&mut self, name: &str) {
        self.named(tag::NAME, name);
    }

    fn address(&mut self, address: usize) {
        self.out.extend_from_slice(&(address as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// The lowest seven bits.
#[inline]
fn low_bits(count: usize) -> u8 {
    u8::try_from(count & 0x7F).unwrap_or_default()
}

impl Visitor for RecordWriter<'_> {
    #[inline]
    fn value_ended(&mut self) {
        if let Some(ends) = &mut self.ends {
            ends.push(self.out.len());
        }
    }

    fn null(&mut self) {
        self.tag(tag::NULL);
    }

    fn bool(&mut self, value: bool) {
        self.tag(if value { tag::TRUE } else { tag::FALSE });
    }

    #[inline(always)]
    fn primitive(&mut self, primitive: Primitive, bits: u64) {
        let [a, b, c, d, ..] = bits.to_le_bytes();
        match primitive {
            Primitive::I8 => self.out.extend_from_slice(&[tag::SIGNED + 1, a]),
            Primitive::I16 => self.out.extend_from_slice(&[tag::SIGNED + 2, a, b]),
            Primitive::I32 => self.out.extend_from_slice(&[tag::SIGNED + 4, a, b, c, d]),
            Primitive::U8 => self.out.extend_from_slice(&[tag::UNSIGNED + 1, a]),
            Primitive::U16 => self.out.extend_from_slice(&[tag::UNSIGNED + 2, a, b]),
            Primitive::U32 => self.out.extend_from_slice(&[tag::UNSIGNED + 4, a, b, c, d]),
            _ => primitive.visit_bits(bits, self),
        }
    }

    #[inline(always)]
    fn record(&mut self) -> Option<&mut Vec<u8>> {
        Some(self.out)
    }

    #[inline]
    fn integer(&mut self, value: Integer) {
        match value {
            Integer::Signed(value) => {
                self.number(tag::SIGNED, value.cast_unsigned(), signed_bytes(value));
            }
            Integer::Unsigned(value) => self.number(tag::UNSIGNED, value, unsigned_bytes(value)),
        }
    }

    fn single(&mut self, value: f32) {
        self.tagged(tag::SINGLE, value.to_bits().to_le_bytes());
    }

    fn double(&mut self, value: f64) {
        self.tagged(tag::DOUBLE, value.to_bits().to_le_bytes());
    }

    fn half(&mut self, value: Half) {
        self.tagged(tag::HALF, value.0.to_le_bytes());
    }

    fn char(&mut self, unit: u16) {
        self.tagged(tag::CHAR, unit.to_le_bytes());
    }

    fn string(&mut self, string: &StringUnits<'_>) {
        let (shown, more) = (string.units.len(), string.length - string.units.len());
        if shown < 0x80 && more == 0 {
            self.out.extend_from_slice(&[tag::STRING, low_bits(shown), 0]);
        } else {
            self.long_string(shown, more);
        }
        self.units(string.units);
    }

    fn enumeration(&mut self, value: &EnumValue<'_>) {
        self.named(tag::ENUM, value.type_name);
        self.count(value.names.iter().count());
        for name in value.names.iter() {
            self.name(name);
        }
        self.integer(value.value);
    }

    fn formatted(&mut self, type_name: &str, text: &str) {
        self.named(tag::FORMATTED, type_name);
        self.text(text);
    }

    fn begin_boxed(&mut self, type_name: &str) {
        self.named(tag::BOXED, type_name);
    }

    #[inline]
    fn begin_object(&mut self, type_name: &str) {
        let number = self.names.begin(type_name);
        self.numbered(tag::OBJECT, number);
    }

    #[inline]
    fn begin_shape(&mut self, shape: &TypeShape) {
        let number = self.names.begin_shape(shape);
        self.numbered(tag::OBJECT, number);
    }

    #[inline]
    fn field(&mut self, index: usize, name: &str) {
        if !self.names.begin_field(index, name) {
            self.other_field(name);
        }
    }

    #[inline]
    fn end_object(&mut self, _: usize) {
        self.names.end();
        self.tag(tag::END);
    }

    #[inline]
    fn begin_array(&mut self, array: &ArrayHead<'_>) {
        let rank = array.bounds.map_or(0, |bounds| bounds.dims.len());
        let name = self.names.number(array.type_name) as usize;
        self.counted(tag::ARRAY, [name, array.length, rank]);
        let Some(bounds) = array.bounds else { return };
        for (dim, lower) in bounds.dims.iter().zip(bounds.lower) {
            self.out.extend_from_slice(&dim.to_le_bytes());
            self.out.extend_from_slice(&lower.to_le_bytes());
        }
    }

    fn item(&mut self, _: usize) {}

    #[inline]
    fn primitives(&mut self, _: usize, primitive: Primitive, bytes: &[u8]) {
        self.counted(tag::PRIMITIVES, [primitive as usize, bytes.len() / primitive.size()]);
        self.out.extend_from_slice(bytes);
    }

    fn end_array(&mut self, _: usize, truncated: bool) {
        self.tag(if truncated { tag::END_CUT } else { tag::END });
    }

    fn begin_delegate(&mut self, type_name: &str) {
        self.named(tag::DELEGATE, type_name);
    }

    fn end_delegate(&mut self, method: Option<&str>) {
        let name = method.map_or(0, |method| self.names.number(method) as usize + 1);
        self.count(name);
    }

    fn pointer(&mut self, address: usize) {
        self.tag(tag::POINTER);
        self.address(address);
    }

    fn begin_pointer(&mut self, address: usize) {
        self.tag(tag::POINTER_TO);
        self.address(address);
    }

    fn end_pointer(&mut self) {}

    fn elided(&mut self, type_name: &str, address: usize, reason: &str) {
        self.named(tag::ELIDED, type_name);
        self.address(address);
        self.name(reason);
    }

    fn elided_shape(&mut self, shape: &TypeShape, address: usize, reason: &str) {
        let number = self.names.number_of_shape(shape);
        self.numbered(tag::ELIDED, number);
        self.address(address);
        let reason = self.names.reason(reason);
        self.count(reason as usize);
    }

    fn cycle(&mut self, type_name: &str, address: usize) {
        self.named(tag::CYCLE, type_name);
        self.address(address);
    }

    fn error(&mut self, message: &dyn fmt::Display) {
        // An error may be of any length, and is too rare to optimise.
        let mut text = String::new();
        let _ = write!(text, "{message}");
        self.tag(tag::ERROR);
        self.text(&text);
    }
}
