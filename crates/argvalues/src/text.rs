//! Values as text for people, written during the decode.

use core::fmt::{self, Write};

use corprof_in_process::printable::{Escaping, Printable};

use crate::{
    half::Half,
    json::{write_char_literal, write_integer, write_units},
    output::Output,
    shape::Integer,
    visitor::{ArrayHead, EnumValue, StringUnits, Visitor},
};

/// Writes values as text on one line: the same facts as [`JsonWriter`](crate::JsonWriter), for people.
///
/// ```
/// use argvalues::{Integer, StringUnits, TextWriter, Visitor};
///
/// let mut out = String::new();
/// let mut text = TextWriter::new(&mut out);
/// text.begin_object("Shop.Item");
/// text.field(0, "count");
/// text.integer(Integer::Signed(3));
/// text.field(1, "price");
/// text.formatted("System.Decimal", "1.50");
/// text.end_object(2);
/// text.finish()?;
/// assert_eq!(out, "Shop.Item { count: 3, price: 1.50 }");
/// # Ok::<(), std::fmt::Error>(())
/// ```
#[derive(Debug)]
pub struct TextWriter<'w, W: ?Sized>(Output<'w, W>);

impl<'w, W: Write + ?Sized> TextWriter<'w, W> {
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

    /// Writes a name or a message from the program, escaped.
    fn foreign(&mut self, text: &str) {
        self.0.put(|out| Escaping::new(out).write_str(text));
    }
}

/// Writes a floating-point number as C# does.
fn float(value: f64, text: fmt::Arguments<'_>, out: &mut (impl Write + ?Sized)) -> fmt::Result {
    if value.is_nan() {
        out.write_str("NaN")
    } else if value.is_infinite() {
        out.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        out.write_fmt(text)
    }
}

/// Writes numbers joined by `×`.
fn product<T: fmt::Display>(numbers: &[T], out: &mut (impl Write + ?Sized)) -> fmt::Result {
    for (index, number) in numbers.iter().enumerate() {
        write!(out, "{}{number}", if index == 0 { "" } else { "×" })?;
    }
    Ok(())
}

impl<W: Write + ?Sized> Visitor for TextWriter<'_, W> {
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
        self.0.put(|out| float(value.into(), format_args!("{value:?}"), out));
    }

    fn double(&mut self, value: f64) {
        self.0.put(|out| float(value, format_args!("{value:?}"), out));
    }

    fn half(&mut self, value: Half) {
        self.0.put(|out| float(value.to_f32().into(), format_args!("{value}"), out));
    }

    fn char(&mut self, unit: u16) {
        self.0.put(|out| write_char_literal(out, unit));
    }

    fn string(&mut self, string: &StringUnits<'_>) {
        self.0.put(|out| {
            write_units(out, string.units)?;
            if string.truncated() { write!(out, "… (length {})", string.length) } else { Ok(()) }
        });
    }

    fn enumeration(&mut self, value: &EnumValue<'_>) {
        self.0.put(|out| {
            value.write_name(&mut Escaping::new(out))?;
            write!(out, " ({})", value.value)
        });
    }

    fn formatted(&mut self, _: &str, text: &str) {
        self.foreign(text);
    }

    fn begin_object(&mut self, type_name: &str) {
        self.foreign(type_name);
        self.0.raw(" {");
    }

    fn field(&mut self, index: usize, name: &str) {
        self.0.raw(if index == 0 { " " } else { ", " });
        self.foreign(name);
        self.0.raw(": ");
    }

    fn end_object(&mut self, fields: usize) {
        self.0.raw(if fields == 0 { "}" } else { " }" });
    }

    fn begin_array(&mut self, array: &ArrayHead<'_>) {
        self.0.put(|out| {
            Escaping::new(out).write_str(array.type_name)?;
            out.write_str(" (length ")?;
            match array.bounds {
                None => write!(out, "{}", array.length)?,
                Some(bounds) => {
                    product(bounds.dims, out)?;
                    if bounds.lower.iter().any(|&lower| lower != 0) {
                        out.write_str(" from ")?;
                        product(bounds.lower, out)?;
                    }
                }
            }
            out.write_str(") [")
        });
    }

    fn item(&mut self, index: usize) {
        if index > 0 {
            self.0.raw(", ");
        }
    }

    fn end_array(&mut self, items: usize, truncated: bool) {
        self.0.raw(match (truncated, items) {
            (false, _) => "]",
            (true, 0) => "…]",
            (true, _) => ", …]",
        });
    }

    fn begin_delegate(&mut self, type_name: &str) {
        self.foreign(type_name);
        self.0.raw(" { target: ");
    }

    fn end_delegate(&mut self, method: Option<&str>) {
        self.0.raw(", method: ");
        self.foreign(method.unwrap_or("?"));
        self.0.raw(" }");
    }

    fn pointer(&mut self, address: usize) {
        self.0.put(|out| write!(out, "{address:#x}"));
    }

    fn begin_pointer(&mut self, address: usize) {
        self.0.put(|out| write!(out, "{address:#x} → "));
    }

    fn end_pointer(&mut self) {}

    fn elided(&mut self, type_name: &str, address: usize, reason: &str) {
        self.0.put(|out| write!(out, "{} at {address:#x} ({reason})", Printable(type_name)));
    }

    fn cycle(&mut self, type_name: &str, address: usize) {
        self.0.put(|out| write!(out, "{} at {address:#x} (cycle)", Printable(type_name)));
    }

    fn error(&mut self, message: &dyn fmt::Display) {
        self.0.put(|out| write!(Escaping::new(out), "<error: {message}>"));
    }
}
