//! Custom attributes, as C# and ILAsm write them.

use core::fmt::{self, Write};

use super::{
    Comma, Names, Printed, Printer, Style, Tokens,
    csharp::csharp_keyword,
    ilasm::keyword as ilasm_keyword,
    text::{csharp_primitive, ilasm_primitive, quoted},
};
use crate::{
    Error, Type, TypeSig,
    attribute::{ArgElement, ArgType, AttributeValue, Boxed, NamedArg, Value, Values},
};

impl<'a, 't> AttributeValue<'a, 't> {
    /// The arguments as C# would write them; [`named`](Printed::named) puts the attribute's name and brackets around
    /// them.
    ///
    /// A value of an enumeration is a cast number, and a type is its name in the blob without the assembly.
    ///
    /// ```
    /// use sigparse::{MethodSig, attribute::{AttributeValue, NoTypes}, print::Tokens};
    ///
    /// let constructor = MethodSig::parse(&[0x20, 0x02, 0x01, 0x0E, 0x02])?;
    /// let blob = b"\x01\x00\x04Gone\x01\x01\x00\x54\x0E\x03Url\xFF";
    /// let value = AttributeValue::parse(blob, constructor, &NoTypes)?;
    /// assert_eq!(
    ///     value.csharp(&Tokens).named("Obsolete").to_string(),
    ///     r#"[Obsolete("Gone", true, Url = null)]"#
    /// );
    /// assert_eq!(
    ///     value.ilasm(&Tokens).to_string(),
    ///     "{ string('Gone') bool(true) property string 'Url' = string(nullref) }"
    /// );
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    pub fn csharp<'n>(&self, names: &'n dyn Names) -> Printed<'n, Self> {
        Printed { sig: *self, printer: Printer { names, style: Style::CSharp }, name: None }
    }

    /// The arguments as ILAsm would write them, in words; [`named`](Printed::named) puts the directive with the
    /// constructor of a type of that name before them.
    ///
    /// ILAsm has no words for an array that is null, nor for the name of an enumeration where the type is `object`: they
    /// are comments.
    pub fn ilasm<'n>(&self, names: &'n dyn Names) -> Printed<'n, Self> {
        Printed { sig: *self, printer: Printer { names, style: Style::IlAsm }, name: None }
    }
}

impl fmt::Display for Printed<'_, AttributeValue<'_, '_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.printer.style {
            Style::CSharp => self.printer.csharp_attribute(self.sig, self.name, f),
            Style::IlAsm => self.printer.ilasm_attribute(self.sig, self.name, f),
        }
    }
}

impl fmt::Display for AttributeValue<'_, '_> {
    /// C# with tokens for names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.csharp(&Tokens), f)
    }
}

/// What the type of an argument is called where it stands.
#[derive(Clone, Copy)]
enum Declared<'a> {
    /// By the constructor's signature.
    Param(TypeSig<'a>),
    /// By the value.
    Value(ArgType<'a>),
}

impl<'a> Declared<'a> {
    /// The type of the elements of a vector.
    fn element(self) -> Self {
        match self {
            Self::Param(sig) => match sig.ty() {
                Type::SzArray(element) => Self::Param(element),
                _ => self,
            },
            Self::Value(ty) => Self::Value(ArgType { is_array: false, ..ty }),
        }
    }
}

impl Printer<'_> {
    fn csharp_attribute(
        self,
        value: AttributeValue<'_, '_>,
        name: Option<&str>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        let parentheses = name.is_none() || value.constructor.param_count() > 0 || value.named_count() > 0;
        if let Some(name) = name {
            write!(out, "[{name}")?;
        }
        if parentheses {
            out.write_char('(')?;
        }
        let mut comma = Comma::default();
        for (param, arg) in value.constructor.params().zip(value.fixed_args()) {
            comma.write(out)?;
            match param.and_then(|param| Ok((Declared::Param(param.sig()), arg?))) {
                Ok((declared, arg)) => self.csharp_value(arg, declared, false, out)?,
                Err(error) => write!(out, "<{error}>")?,
            }
        }
        for arg in value.named_args() {
            comma.write(out)?;
            match arg {
                Ok(NamedArg { name, ty, value, .. }) => {
                    write!(out, "{name} = ")?;
                    self.csharp_value(value, Declared::Value(ty), false, out)?;
                }
                Err(error) => write!(out, "<{error}>")?,
            }
        }
        if parentheses {
            out.write_char(')')?;
        }
        if name.is_some() { out.write_char(']') } else { Ok(()) }
    }

    /// Writes a value. `object` says that nothing but the value tells its type.
    fn csharp_value(
        self,
        value: Value<'_, '_>,
        declared: Declared<'_>,
        object: bool,
        out: &mut dyn Write,
    ) -> fmt::Result {
        match value {
            Value::Primitive(value) => csharp_primitive(value, object, out),
            Value::String(Some(text)) => quoted(text, '"', out),
            Value::Type(Some(name)) => {
                out.write_str("typeof(")?;
                csharp_type_name(name, out)?;
                out.write_char(')')
            }
            Value::String(None) | Value::Type(None) | Value::Array(None) => out.write_str("null"),
            Value::Enum { value, .. } => {
                out.write_char('(')?;
                self.csharp_declared(declared, out)?;
                out.write_char(')')?;
                let negative = value.as_integer().is_some_and(|value| value < 0);
                match value.as_integer() {
                    Some(value) if negative => write!(out, "({value})"),
                    Some(value) => write!(out, "{value}"),
                    None => csharp_primitive(value, false, out),
                }
            }
            Value::Boxed(boxed) => match boxed.value() {
                Ok(value) => self.csharp_value(value, Declared::Value(boxed.ty()), true, out),
                Err(error) => write!(out, "<{error}>"),
            },
            Value::Array(Some(values)) => {
                let element = declared.element();
                out.write_str("new ")?;
                self.csharp_declared(element, out)?;
                out.write_str("[] {")?;
                for (index, value) in values.enumerate() {
                    out.write_str(if index == 0 { " " } else { ", " })?;
                    match value {
                        Ok(value) => self.csharp_value(value, element, false, out)?,
                        Err(error) => write!(out, "<{error}>")?,
                    }
                }
                out.write_str(" }")
            }
        }
    }

    fn csharp_declared(self, declared: Declared<'_>, out: &mut dyn Write) -> fmt::Result {
        match declared {
            Declared::Param(sig) => self.ty(sig, out),
            Declared::Value(ty) => match ty.element {
                ArgElement::Enum { name: Some(name), .. } => csharp_type_name(name, out),
                ArgElement::Enum { name: None, under: ty } | ArgElement::Primitive(ty) => {
                    out.write_str(csharp_keyword(ty).unwrap_or("object"))
                }
                ArgElement::String => out.write_str("string"),
                ArgElement::Type => out.write_str("System.Type"),
                ArgElement::Object => out.write_str("object"),
            },
        }
    }

    fn ilasm_attribute(
        self,
        value: AttributeValue<'_, '_>,
        name: Option<&str>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        if let Some(name) = name {
            out.write_str(".custom ")?;
            self.ilasm_method(value.constructor, Some(&format_args!("{name}::.ctor")), out)?;
            out.write_str(" = ")?;
        }
        out.write_str("{ ")?;
        for arg in value.fixed_args() {
            ilasm_value(arg, out)?;
            out.write_char(' ')?;
        }
        for arg in value.named_args() {
            match arg {
                Ok(NamedArg { is_property, name, ty, value, .. }) => {
                    out.write_str(if is_property { "property " } else { "field " })?;
                    ilasm_arg_type(ty, out)?;
                    out.write_char(' ')?;
                    quoted(name, '\'', out)?;
                    out.write_str(" = ")?;
                    ilasm_value(Ok(value), out)?;
                }
                Err(error) => write!(out, "<{error}>")?,
            }
            out.write_char(' ')?;
        }
        out.write_char('}')
    }
}

/// Writes the type of a named argument.
fn ilasm_arg_type(ty: ArgType<'_>, out: &mut dyn Write) -> fmt::Result {
    match ty.element {
        ArgElement::Enum { name: Some(name), .. } => {
            out.write_str("enum class ")?;
            quoted(name, '\'', out)?;
        }
        element => out.write_str(ilasm_element(element))?,
    }
    if ty.is_array { out.write_str("[]") } else { Ok(()) }
}

/// What stands before the parentheses of a value. That of an enumeration is a number.
fn ilasm_element(element: ArgElement<'_>) -> &'static str {
    match element {
        ArgElement::Primitive(ty) | ArgElement::Enum { under: ty, .. } => {
            ilasm_keyword(ty).unwrap_or("object")
        }
        ArgElement::String => "string",
        ArgElement::Type => "type",
        ArgElement::Object => "object",
    }
}

fn ilasm_value(value: Result<Value<'_, '_>, Error>, out: &mut dyn Write) -> fmt::Result {
    let element = match value {
        Ok(Value::Primitive(value) | Value::Enum { value, .. }) => {
            ilasm_keyword(value.element_type()).unwrap_or_default()
        }
        Ok(Value::String(_)) => "string",
        Ok(Value::Type(_)) => "type",
        Ok(Value::Boxed(boxed)) => return ilasm_boxed(boxed, out),
        Ok(Value::Array(Some(values))) => return ilasm_array(values, out),
        Ok(Value::Array(None)) => return out.write_str("/* null */"),
        Err(error) => return write!(out, "<{error}>"),
    };
    write!(out, "{element}(")?;
    ilasm_bare(value, out)?;
    out.write_char(')')
}

fn ilasm_boxed(boxed: Boxed<'_, '_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str("object(")?;
    if let ArgType { element: ArgElement::Enum { .. }, .. } = boxed.ty() {
        out.write_str("/* ")?;
        ilasm_arg_type(boxed.ty(), out)?;
        out.write_str(" */ ")?;
    }
    ilasm_value(boxed.value(), out)?;
    out.write_char(')')
}

fn ilasm_array(values: Values<'_, '_>, out: &mut dyn Write) -> fmt::Result {
    write!(out, "{}[{}](", ilasm_element(values.element()), values.count())?;
    for (index, value) in values.enumerate() {
        if index > 0 {
            out.write_char(' ')?;
        }
        ilasm_bare(value, out)?;
    }
    out.write_char(')')
}

/// A value without its type, as it stands in parentheses. What stands where the type is `object` has one.
fn ilasm_bare(value: Result<Value<'_, '_>, Error>, out: &mut dyn Write) -> fmt::Result {
    match value {
        Ok(Value::Primitive(value) | Value::Enum { value, .. }) => ilasm_primitive(value, out),
        Ok(Value::String(Some(text))) => quoted(text, '\'', out),
        Ok(Value::Type(Some(name))) => {
            out.write_str("class ")?;
            quoted(name, '\'', out)
        }
        Ok(Value::String(None) | Value::Type(None)) => out.write_str("nullref"),
        Ok(Value::Boxed(boxed)) => ilasm_value(boxed.value(), out),
        Ok(array @ Value::Array(_)) => ilasm_value(Ok(array), out),
        Err(error) => write!(out, "<{error}>"),
    }
}

/// Writes the name of a type as reflection has it (I.8.12, `Type.GetType`), without assemblies: `+` between nested types
/// is `.`, and generic arguments stand in angle brackets.
pub(super) fn csharp_type_name(name: &str, out: &mut dyn Write) -> fmt::Result {
    let mut chars = name.chars().peekable();
    let mut in_args = 0_u32;
    // After the comma that comes before an assembly.
    let mut assembly = false;
    while let Some(char) = chars.next() {
        match char {
            '[' if !assembly && chars.next_if_eq(&'[').is_some() => {
                in_args += 1;
                out.write_char('<')?;
            }
            '[' if !assembly => {
                out.write_char('[')?;
                while let Some(rank) = chars.next_if(|char| matches!(char, ',' | '*')) {
                    out.write_char(rank)?;
                }
                chars.next_if_eq(&']').map_or(Ok(()), |end| out.write_char(end))?;
            }
            // The end of an argument.
            ']' if in_args > 0 => {
                assembly = false;
                if chars.next_if_eq(&']').is_some() {
                    in_args -= 1;
                    out.write_char('>')?;
                } else if chars.next_if_eq(&',').is_some() {
                    chars.next_if_eq(&'[');
                    out.write_str(", ")?;
                }
            }
            ',' => assembly = true,
            _ if assembly => {}
            '`' => while chars.next_if(char::is_ascii_digit).is_some() {},
            '+' => out.write_char('.')?,
            '\\' => chars.next().map_or(Ok(()), |char| out.write_char(char))?,
            _ => out.write_char(char)?,
        }
    }
    Ok(())
}
