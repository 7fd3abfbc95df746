//! Values as JSON, written while they are decoded.

use core::fmt::{self, Write};

use crate::{
    half::Half,
    output::Output,
    shape::Integer,
    visitor::{ArrayHead, EnumValue, StringUnits, Visitor},
};

/// Writes values as JSON on one line, in the shapes of `calltrace`'s format.
///
/// Numbers are written exactly: floating-point numbers by the shortest digits that parse to the same value. A lone
/// surrogate in a string is written as an escape.
///
/// ```
/// use argvalues::{JsonWriter, StringUnits, Visitor};
///
/// let mut out = String::new();
/// let mut json = JsonWriter::new(&mut out);
/// json.string(&StringUnits { units: &[0x61, 0xd800], length: 2 });
/// json.finish()?;
/// assert_eq!(out, r#""a\ud800""#);
/// # Ok::<(), std::fmt::Error>(())
/// ```
#[derive(Debug)]
pub struct JsonWriter<'w, W: ?Sized>(Output<'w, W>);

impl<'w, W: Write + ?Sized> JsonWriter<'w, W> {
    /// Creates a writer that appends to `out`.
    pub const fn new(out: &'w mut W) -> Self {
        Self(Output::new(out))
    }

    /// Returns the first error of the output, if there was one. A `String` has none.
    ///
    /// # Errors
    /// The error of the output.
    pub fn finish(self) -> fmt::Result {
        self.0.finish()
    }

    fn begin_typed(&mut self, type_name: &str) {
        self.0.put(|out| {
            out.write_str(r#"{"type":"#)?;
            write_str(out, type_name)
        });
    }
}

impl<W: Write + ?Sized> Visitor for JsonWriter<'_, W> {
    fn null(&mut self) {
        self.0.raw("null");
    }

    fn bool(&mut self, value: bool) {
        self.0.raw(if value { "true" } else { "false" });
    }

    fn integer(&mut self, value: Integer) {
        self.0.put(|out| write_integer(out, value));
    }

    fn single(&mut self, value: f32) {
        match not_finite(value.into()) {
            Some(name) => self.0.raw(name),
            None => self.0.put(|out| write!(out, "{value:?}")),
        }
    }

    fn double(&mut self, value: f64) {
        match not_finite(value) {
            Some(name) => self.0.raw(name),
            None => self.0.put(|out| write!(out, "{value:?}")),
        }
    }

    fn half(&mut self, value: Half) {
        match not_finite(value.to_f32().into()) {
            Some(name) => self.0.raw(name),
            None => self.0.put(|out| write!(out, "{value}")),
        }
    }

    fn char(&mut self, unit: u16) {
        self.0.put(|out| write_units(out, &[unit]));
    }

    fn string(&mut self, string: &StringUnits<'_>) {
        self.0.put(|out| {
            if !string.truncated() {
                return write_units(out, string.units);
            }
            out.write_str(r#"{"string":"#)?;
            write_units(out, string.units)?;
            write!(out, r#","length":{},"truncated":true}}"#, string.length)
        });
    }

    fn enumeration(&mut self, value: &EnumValue<'_>) {
        self.0.put(|out| {
            out.write_str(r#"{"enum":""#)?;
            value.write_name(&mut Escaped(out))?;
            write!(out, r#"","value":{}}}"#, value.value)
        });
    }

    fn formatted(&mut self, type_name: &str, text: &str) {
        self.begin_typed(type_name);
        self.0.put(|out| {
            out.write_str(r#","value":"#)?;
            write_str(out, text)?;
            out.write_char('}')
        });
    }

    fn begin_boxed(&mut self, type_name: &str) {
        self.begin_typed(type_name);
        self.0.raw(r#","value":"#);
    }

    fn end_boxed(&mut self) {
        self.0.raw("}");
    }

    fn begin_object(&mut self, type_name: &str) {
        self.begin_typed(type_name);
        self.0.raw(r#","fields":{"#);
    }

    fn field(&mut self, index: usize, name: &str) {
        self.0.put(|out| {
            if index > 0 {
                out.write_char(',')?;
            }
            write_str(out, name)?;
            out.write_char(':')
        });
    }

    fn end_object(&mut self, _: usize) {
        self.0.raw("}}");
    }

    fn begin_array(&mut self, array: &ArrayHead<'_>) {
        self.begin_typed(array.type_name);
        self.0.put(|out| {
            write!(out, r#","length":{}"#, array.length)?;
            if let Some(bounds) = array.bounds {
                out.write_str(r#","dims":"#)?;
                write_list(out, bounds.dims)?;
                out.write_str(r#","lower":"#)?;
                write_list(out, bounds.lower)?;
            }
            out.write_str(r#","items":["#)
        });
    }

    fn item(&mut self, index: usize) {
        if index > 0 {
            self.0.raw(",");
        }
    }

    fn end_array(&mut self, _: usize, truncated: bool) {
        self.0.raw(if truncated { r#"],"truncated":true}"# } else { "]}" });
    }

    fn begin_delegate(&mut self, type_name: &str) {
        self.begin_typed(type_name);
        self.0.raw(r#","target":"#);
    }

    fn end_delegate(&mut self, method: Option<&str>) {
        self.0.put(|out| {
            out.write_str(r#","method":"#)?;
            match method {
                Some(method) => write_str(out, method)?,
                None => out.write_str("null")?,
            }
            out.write_char('}')
        });
    }

    fn pointer(&mut self, address: usize) {
        self.0.put(|out| write!(out, r#"{{"pointer":"{address:#x}"}}"#));
    }

    fn begin_pointer(&mut self, address: usize) {
        self.0.put(|out| write!(out, r#"{{"pointer":"{address:#x}","target":"#));
    }

    fn end_pointer(&mut self) {
        self.0.raw("}");
    }

    fn elided(&mut self, type_name: &str, address: usize, reason: &str) {
        self.begin_typed(type_name);
        self.0.put(|out| {
            write!(out, r#","address":"{address:#x}","elided":"#)?;
            write_str(out, reason)?;
            out.write_char('}')
        });
    }

    fn cycle(&mut self, type_name: &str, address: usize) {
        self.begin_typed(type_name);
        self.0.put(|out| write!(out, r#","cycle":"{address:#x}"}}"#));
    }

    fn error(&mut self, message: &dyn fmt::Display) {
        self.0.put(|out| {
            out.write_str(r#"{"error":""#)?;
            write!(Escaped(out), "{message}")?;
            out.write_str(r#""}"#)
        });
    }
}

/// Writes text as a JSON string, quotes included. For the text around the values of a record.
///
/// # Errors
/// An error of the output.
///
/// ```
/// let mut out = String::new();
/// argvalues::json::write_str(&mut out, "a \"b\"\n")?;
/// assert_eq!(out, r#""a \"b\"\n""#);
/// # Ok::<(), std::fmt::Error>(())
/// ```
pub fn write_str<W: Write + ?Sized>(out: &mut W, text: &str) -> fmt::Result {
    out.write_char('"')?;
    Escaped(out).write_str(text)?;
    out.write_char('"')
}

/// Writes UTF-16 as a JSON string, quotes included. A lone surrogate is written as an escape.
///
/// # Errors
/// An error of the output.
pub fn write_units<W: Write + ?Sized>(out: &mut W, units: &[u16]) -> fmt::Result {
    out.write_char('"')?;
    write_units_escaped(out, units)?;
    out.write_char('"')
}

/// The number of units that are checked at once.
const CHUNK: usize = 16;

/// The contents of [`write_units`].
fn write_units_escaped<W: Write + ?Sized>(out: &mut W, mut units: &[u16]) -> fmt::Result {
    // Most text is plain ASCII and is written through the buffer.
    let mut plain = [[0; CHUNK]; 8];
    while !units.is_empty() {
        let mut count = 0;
        let (chunks, _) = units.as_chunks::<CHUNK>();
        for (bytes, chunk) in plain.iter_mut().zip(chunks) {
            // A whole chunk is checked at once, which is faster than a search for the first unit that is not plain.
            *bytes = chunk.map(|unit| u8::try_from(unit & 0xff).unwrap_or_default());
            if !chunk.iter().fold(true, |plain, &unit| plain & is_plain_unit(unit)) {
                break;
            }
            count += CHUNK;
        }
        // The rest of the buffer takes the units up to the first that is not plain.
        let rest = units.get(count..).unwrap_or_default();
        let room = plain.as_flattened_mut().get_mut(count..).unwrap_or_default();
        for (byte, &unit) in room.iter_mut().zip(rest) {
            if !is_plain_unit(unit) {
                break;
            }
            *byte = u8::try_from(unit).unwrap_or_default();
            count += 1;
        }
        if count > 0 {
            let plain = plain.as_flattened().get(..count).and_then(|plain| str::from_utf8(plain).ok());
            out.write_str(plain.unwrap_or_default())?;
            units = units.get(count..).unwrap_or_default();
        } else {
            let pair = matches!(units, [0xd800..=0xdbff, 0xdc00..=0xdfff, ..]);
            let (first, rest) = units.split_at(if pair { 2 } else { 1 });
            write_decoded(out, first)?;
            units = rest;
        }
    }
    Ok(())
}

/// Writes a surrogate pair or a single unit.
fn write_decoded<W: Write + ?Sized>(out: &mut W, units: &[u16]) -> fmt::Result {
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(character) => write_escaped(out, character)?,
            Err(lone) => write!(out, "\\u{:04x}", lone.unpaired_surrogate())?,
        }
    }
    Ok(())
}

/// Returns the text for a value that JSON has no number for.
fn not_finite(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some(r#""NaN""#)
    } else if value == f64::INFINITY {
        Some(r#""Infinity""#)
    } else if value == f64::NEG_INFINITY {
        Some(r#""-Infinity""#)
    } else {
        None
    }
}

fn write_list<W: Write + ?Sized, T: fmt::Display>(out: &mut W, numbers: &[T]) -> fmt::Result {
    for (index, number) in numbers.iter().enumerate() {
        write!(out, "{}{number}", if index == 0 { '[' } else { ',' })?;
    }
    out.write_str(if numbers.is_empty() { "[]" } else { "]" })
}

/// An output that escapes all text for a JSON string.
struct Escaped<'w, W: ?Sized>(&'w mut W);

impl<W: Write + ?Sized> Write for Escaped<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.bytes().all(is_plain) {
            return self.0.write_str(text);
        }
        let mut plain = 0;
        for (at, character) in text.char_indices().filter(|&(_, character)| needs_escape(character)) {
            self.0.write_str(text.get(plain..at).unwrap_or_default())?;
            write_escaped(self.0, character)?;
            plain = at + character.len_utf8();
        }
        self.0.write_str(text.get(plain..).unwrap_or_default())
    }
}

/// Returns whether a character needs no escape, for ASCII.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, 0x20..=0x7e) && byte != b'"' && byte != b'\\'
}

/// Returns whether a UTF-16 unit needs no escape. Branch-free.
const fn is_plain_unit(unit: u16) -> bool {
    (unit.wrapping_sub(0x20) < 0x5f) & (unit != 0x22) & (unit != 0x5c)
}

/// Writes an integer without the cost of general formatting.
pub(crate) fn write_integer<W: Write + ?Sized>(out: &mut W, value: Integer) -> fmt::Result {
    let mut digits = itoa::Buffer::new();
    out.write_str(match value {
        Integer::Signed(value) => digits.format(value),
        Integer::Unsigned(value) => digits.format(value),
    })
}

/// Returns whether a character is escaped: those that JSON requires, and those that are not printable.
const fn needs_escape(character: char) -> bool {
    matches!(character, '"' | '\\') || !corprof_in_process::printable::is_printable(character)
}

fn write_escaped<W: Write + ?Sized>(out: &mut W, character: char) -> fmt::Result {
    match character {
        '"' => out.write_str("\\\""),
        '\\' => out.write_str("\\\\"),
        _ if needs_escape(character) => corprof_in_process::printable::write_escape(out, character),
        _ => out.write_char(character),
    }
}

/// Writes a `char` literal of the text form, with the same escapes.
pub(crate) fn write_char_literal<W: Write + ?Sized>(out: &mut W, unit: u16) -> fmt::Result {
    out.write_char('\'')?;
    match unit {
        0x27 => out.write_str("\\'")?,
        0x22 => out.write_char('"')?,
        _ => write_units_escaped(out, &[unit])?,
    }
    out.write_char('\'')
}
