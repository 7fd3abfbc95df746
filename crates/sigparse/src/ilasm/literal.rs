//! Quoted text and numbers.

use core::fmt::{self, Write};

use crate::attribute::Primitive;

/// Writes a text between quotation marks, with escapes.
pub(super) fn quoted(text: &str, quote: char, out: &mut dyn Write) -> fmt::Result {
    out.write_char(quote)?;
    for char in text.chars() {
        escaped(char, quote, out)?;
    }
    out.write_char(quote)
}

fn escaped(char: char, quote: char, out: &mut dyn Write) -> fmt::Result {
    match char {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\\' => out.write_str("\\\\"),
        _ if char == quote => write!(out, "\\{char}"),
        _ => out.write_char(char),
    }
}

/// Writes a number, `bool` or `char` as it stands in the parentheses after its type.
pub(super) fn primitive(value: Primitive, out: &mut dyn Write) -> fmt::Result {
    match value {
        Primitive::Boolean(value) => write!(out, "{value}"),
        Primitive::Char(unit) => write!(out, "{unit}"),
        // Its bits, as a number: ILAsm has no name for what is not finite.
        Primitive::R4(value) if !value.is_finite() => write!(out, "0x{:08X}", value.to_bits()),
        Primitive::R8(value) if !value.is_finite() => write!(out, "0x{:016X}", value.to_bits()),
        Primitive::R4(value) => write!(out, "{value:?}"),
        Primitive::R8(value) => write!(out, "{value:?}"),
        Primitive::I1(value) => write!(out, "{value}"),
        Primitive::U1(value) => write!(out, "{value}"),
        Primitive::I2(value) => write!(out, "{value}"),
        Primitive::U2(value) => write!(out, "{value}"),
        Primitive::I4(value) => write!(out, "{value}"),
        Primitive::U4(value) => write!(out, "{value}"),
        Primitive::I8(value) => write!(out, "{value}"),
        Primitive::U8(value) => write!(out, "{value}"),
    }
}
