//! Custom attributes (II.21).

use core::fmt::{self, Write};

use super::literal::{primitive, quoted};
use super::names::{Names, Tokens};
use super::printed::Printed;
use super::types::{Printer, keyword};
use crate::attribute::{ArgElement, ArgType, AttributeValue, Boxed, NamedArg, Value, Values};
use crate::error::Error;

impl<'a, 't> AttributeValue<'a, 't> {
    /// Returns the arguments for printing as ILAsm writes them.
    ///
    /// [`named`](Printed::named) adds the directive with the constructor of a type of that name. ILAsm has no syntax for
    /// a null array and for the name of an enumeration where the type is `object`: both are written as comments.
    ///
    /// ```
    /// use sigparse::{MethodSig, attribute::{AttributeValue, NoTypes}, ilasm::Tokens};
    ///
    /// let constructor = MethodSig::parse(&[0x20, 0x02, 0x01, 0x0E, 0x02])?;
    /// let blob = b"\x01\x00\x04Gone\x01\x01\x00\x54\x0E\x03Url\xFF";
    /// let value = AttributeValue::parse(blob, constructor, &NoTypes)?;
    /// assert_eq!(
    ///     value.ilasm(&Tokens).to_string(),
    ///     "{ string('Gone') bool(true) property string 'Url' = string(nullref) }"
    /// );
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    pub fn ilasm<'n>(&self, names: &'n dyn Names) -> Printed<'n, Self> {
        Printed::new(*self, names)
    }
}

impl fmt::Display for Printed<'_, AttributeValue<'_, '_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.printer.attribute(self.sig, self.name, f)
    }
}

impl fmt::Display for AttributeValue<'_, '_> {
    /// Writes ILAsm with tokens for names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.ilasm(&Tokens), f)
    }
}

impl Printer<'_> {
    fn attribute(
        self,
        value: AttributeValue<'_, '_>,
        name: Option<&str>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        if let Some(name) = name {
            out.write_str(".custom ")?;
            self.method(value.constructor, format_args!("{name}::.ctor"), out)?;
            out.write_str(" = ")?;
        }
        out.write_str("{ ")?;
        for arg in value.fixed_args() {
            typed_value(arg, out)?;
            out.write_char(' ')?;
        }
        for arg in value.named_args() {
            match arg {
                Ok(NamedArg { is_property, name, ty, value, .. }) => {
                    out.write_str(if is_property { "property " } else { "field " })?;
                    arg_type(ty, out)?;
                    out.write_char(' ')?;
                    quoted(name, '\'', out)?;
                    out.write_str(" = ")?;
                    typed_value(Ok(value), out)?;
                }
                Err(error) => write!(out, "<{error}>")?,
            }
            out.write_char(' ')?;
        }
        out.write_char('}')
    }
}

/// Writes the type of a named argument.
fn arg_type(ty: ArgType<'_>, out: &mut dyn Write) -> fmt::Result {
    match ty.element {
        ArgElement::Enum { name: Some(name), .. } => {
            out.write_str("enum class ")?;
            quoted(name, '\'', out)?;
        }
        element => out.write_str(element_word(element))?,
    }
    if ty.is_array { out.write_str("[]") } else { Ok(()) }
}

/// Returns the type in front of the parentheses of a value. A value of an enumeration is a number.
fn element_word(element: ArgElement<'_>) -> &'static str {
    match element {
        ArgElement::Primitive(ty) | ArgElement::Enum { under: ty, .. } => keyword(ty).unwrap_or("object"),
        ArgElement::String => "string",
        ArgElement::Type => "type",
        ArgElement::Object => "object",
    }
}

fn typed_value(value: Result<Value<'_, '_>, Error>, out: &mut dyn Write) -> fmt::Result {
    let element = match value {
        Ok(Value::Primitive(value) | Value::Enum { value, .. }) => {
            keyword(value.element_type()).unwrap_or_default()
        }
        Ok(Value::String(_)) => "string",
        Ok(Value::Type(_)) => "type",
        Ok(Value::Boxed(boxed)) => return boxed_value(boxed, out),
        Ok(Value::Array(Some(values))) => return array(values, out),
        Ok(Value::Array(None)) => return out.write_str("/* null */"),
        Err(error) => return write!(out, "<{error}>"),
    };
    write!(out, "{element}(")?;
    bare_value(value, out)?;
    out.write_char(')')
}

fn boxed_value(boxed: Boxed<'_, '_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str("object(")?;
    if let ArgType { element: ArgElement::Enum { .. }, .. } = boxed.ty() {
        out.write_str("/* ")?;
        arg_type(boxed.ty(), out)?;
        out.write_str(" */ ")?;
    }
    typed_value(boxed.value(), out)?;
    out.write_char(')')
}

fn array(values: Values<'_, '_>, out: &mut dyn Write) -> fmt::Result {
    write!(out, "{}[{}](", element_word(values.element()), values.count())?;
    for (index, value) in values.enumerate() {
        if index > 0 {
            out.write_char(' ')?;
        }
        bare_value(value, out)?;
    }
    out.write_char(')')
}

/// Writes a value without its type, as it stands in parentheses. A value where the type is `object` has a type.
fn bare_value(value: Result<Value<'_, '_>, Error>, out: &mut dyn Write) -> fmt::Result {
    match value {
        Ok(Value::Primitive(value) | Value::Enum { value, .. }) => primitive(value, out),
        Ok(Value::String(Some(text))) => quoted(text, '\'', out),
        Ok(Value::Type(Some(name))) => {
            out.write_str("class ")?;
            quoted(name, '\'', out)
        }
        Ok(Value::String(None) | Value::Type(None)) => out.write_str("nullref"),
        Ok(Value::Boxed(boxed)) => typed_value(boxed.value(), out),
        Ok(array @ Value::Array(_)) => typed_value(Ok(array), out),
        Err(error) => write!(out, "<{error}>"),
    }
}
