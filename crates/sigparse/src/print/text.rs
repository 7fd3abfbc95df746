//! Text and numbers as literals.

use core::fmt::{self, Write};

use crate::attribute::Primitive;

/// Writes a text between quotation marks, with what both languages escape escaped.
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
        // ILAsm has octal numbers for these, and takes the characters themselves; C# has this.
        _ if char.is_control() && quote == '"' => write!(out, "\\u{:04X}", u32::from(char)),
        _ => out.write_char(char),
    }
}

/// Writes a value as C# does: with a suffix where a number has another type than `int` or `double`, and, where no
/// parameter says so, with a cast where there is no suffix.
pub(super) fn csharp_primitive(value: Primitive, cast: bool, out: &mut dyn Write) -> fmt::Result {
    let small = |ty: &str, value: i32, out: &mut dyn Write| match (cast, value < 0) {
        (false, _) => write!(out, "{value}"),
        (true, false) => write!(out, "({ty}){value}"),
        (true, true) => write!(out, "({ty})({value})"),
    };
    match value {
        Primitive::Boolean(value) => write!(out, "{value}"),
        Primitive::Char(unit) => match char::from_u32(unit.into()) {
            Some(char) if !char.is_control() || char == '\n' || char == '\r' || char == '\t' => {
                out.write_char('\'')?;
                escaped(char, '\'', out)?;
                out.write_char('\'')
            }
            // Half of a character, or none that could be seen.
            _ => write!(out, "'\\u{unit:04X}'"),
        },
        Primitive::I1(value) => small("sbyte", value.into(), out),
        Primitive::U1(value) => small("byte", value.into(), out),
        Primitive::I2(value) => small("short", value.into(), out),
        Primitive::U2(value) => small("ushort", value.into(), out),
        Primitive::I4(value) => write!(out, "{value}"),
        Primitive::U4(value) => write!(out, "{value}u"),
        Primitive::I8(value) => write!(out, "{value}L"),
        Primitive::U8(value) => write!(out, "{value}UL"),
        Primitive::R4(value) if value.is_finite() => write!(out, "{value:?}f"),
        Primitive::R4(value) => csharp_not_finite("float", value.into(), out),
        Primitive::R8(value) if value.is_finite() => write!(out, "{value:?}"),
        Primitive::R8(value) => csharp_not_finite("double", value, out),
    }
}

fn csharp_not_finite(ty: &str, value: f64, out: &mut dyn Write) -> fmt::Result {
    let name = match value {
        f64::INFINITY => "PositiveInfinity",
        f64::NEG_INFINITY => "NegativeInfinity",
        _ => "NaN",
    };
    write!(out, "{ty}.{name}")
}

/// Writes a value as ILAsm does between the parentheses after its type.
pub(super) fn ilasm_primitive(value: Primitive, out: &mut dyn Write) -> fmt::Result {
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
