//! Default values of parameters, as C# writes them.

use sigparse::attribute::{AttributeValue, NoTypes, Primitive, Value};
use sigparse::{ElementType, GenericInst, MethodSig, ParamDef, Reader, Type, TypeDef, TypeSig};

use super::formatter::{Formatter, Result};
use super::scope::Scope;
use crate::metadata::{Constant, FieldAttributes, Metadata as _};
use crate::source::Source;

impl<S: Source> Scope<'_, S> {
    /// Formats the default value of a parameter: `5`, `"text"`, `Shop.Color.Red`, `null`, `default`; `None` without
    /// one.
    pub(super) fn default_value(
        &self,
        metadata: &S::Metadata,
        param: ParamDef,
        sig: TypeSig<'_>,
    ) -> Result<Option<String>, S> {
        if let Some(constant) = metadata.param(param)?.constant {
            return self.constant(sig, constant).map(Some);
        }
        let name = "System.Runtime.CompilerServices.DecimalConstantAttribute";
        Ok(metadata.custom_attribute(param.into(), name)?.and_then(decimal))
    }

    fn constant(&self, sig: TypeSig<'_>, constant: Constant<'_>) -> Result<String, S> {
        if constant.element_type == ElementType::CLASS {
            return Ok(self.null(sig)?.to_owned());
        }
        let underlying = match sig.ty() {
            Type::GenericInst(generic) if self.is_nullable(&generic)? => generic.args().next().unwrap_or(sig),
            _ => sig,
        };
        // An enum that is nested in a generic type has its arguments.
        let token = match underlying.ty() {
            Type::ValueType(token) => Some(token),
            Type::GenericInst(generic) if generic.is_value_type() => generic.type_def_or_ref(),
            _ => None,
        };
        let Some(token) = token else { return Ok(literal(constant)) };
        let type_name = self.type_name(underlying)?;
        let Some(value) = integer(constant) else { return Ok(literal(constant)) };
        // Without the module of an enum its members are not known.
        let names = match self.formatter.resolve(self.module, token) {
            Ok((module, type_def)) => self.formatter.enum_names(module, type_def, value)?,
            Err(_) => None,
        };
        Ok(match names {
            Some(names) => {
                let names: Vec<String> =
                    names.iter().map(|name| format!("{}.{name}", type_name.as_str())).collect();
                names.join(" | ")
            }
            None => format!("({}){value}", type_name.as_str()),
        })
    }

    /// Returns the zero of a type: `null` where it can be null.
    fn null(&self, sig: TypeSig<'_>) -> Result<&'static str, S> {
        Ok(match sig.ty() {
            Type::ValueType(_) | Type::Var(_) | Type::MVar(_) => "default",
            Type::GenericInst(generic) if self.is_nullable(&generic)? => "null",
            Type::GenericInst(generic) if generic.is_value_type() => "default",
            _ => "null",
        })
    }

    fn is_nullable(&self, generic: &GenericInst<'_>) -> Result<bool, S> {
        Ok(match generic.type_def_or_ref() {
            Some(token) if generic.is_value_type() => &*self.metadata_name(token)? == "System.Nullable`1",
            _ => false,
        })
    }
}

impl<S: Source> Formatter<'_, S> {
    /// Returns the members of an enum that make up a value: one, or several of a set of flags; `None` without any.
    fn enum_names(
        &self,
        module: S::Module,
        type_def: TypeDef,
        value: i128,
    ) -> Result<Option<Vec<String>>, S> {
        let metadata = self.metadata(module)?;
        let mut members = Vec::new();
        for field in metadata.fields(type_def)? {
            let props = metadata.field(field)?;
            if let (true, Some(constant)) =
                (props.attributes.contains(FieldAttributes::LITERAL), props.constant)
            {
                members.extend(integer(constant).map(|value| (value, props.name)));
            }
        }
        if let Some((_, name)) = members.iter().find(|(member, _)| *member == value) {
            return Ok(Some(vec![name.clone()]));
        }
        if !metadata.has_custom_attribute(type_def.into(), "System.FlagsAttribute")? {
            return Ok(None);
        }
        Ok(flags(members, value))
    }
}

/// Returns the flags that make up a value, the lowest first: as few as possible.
fn flags(mut members: Vec<(i128, String)>, value: i128) -> Option<Vec<String>> {
    members.sort_by_key(|(member, _)| core::cmp::Reverse(*member));
    let (mut left, mut names) = (value, Vec::new());
    for (member, name) in members {
        if member != 0 && left & member == member {
            left &= !member;
            names.push(name);
        }
    }
    names.reverse();
    (left == 0 && !names.is_empty()).then_some(names)
}

/// The value of a constant that is a whole number.
fn integer(constant: Constant<'_>) -> Option<i128> {
    primitive(constant)?.as_integer()
}

/// The value of a constant that is a number, `bool` or `char`.
fn primitive(constant: Constant<'_>) -> Option<Primitive> {
    Reader::new(constant.bytes).read_primitive(constant.element_type).ok()
}

/// A constant of a built-in type.
fn literal(constant: Constant<'_>) -> String {
    if constant.element_type == ElementType::STRING {
        return quoted(constant.bytes, '"');
    }
    match primitive(constant) {
        Some(Primitive::Boolean(value)) => value.to_string(),
        Some(Primitive::Char(_)) => quoted(constant.bytes, '\''),
        Some(Primitive::R4(value)) => float(value),
        Some(Primitive::R8(value)) => double(value),
        Some(whole) => whole.as_integer().map_or_else(String::new, |value| value.to_string()),
        None => String::new(),
    }
}

/// UTF-16 text as a literal.
fn quoted(bytes: &[u8], quote: char) -> String {
    let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let mut text = String::from(quote);
    for unit in char::decode_utf16(units) {
        match unit {
            Ok('\0') => text.push_str("\\0"),
            Ok('\n') => text.push_str("\\n"),
            Ok('\r') => text.push_str("\\r"),
            Ok('\t') => text.push_str("\\t"),
            Ok(char) if char == quote || char == '\\' => text.extend(['\\', char]),
            Ok(char) if char.is_control() => text.push_str(&format!("\\u{:04x}", u32::from(char))),
            Ok(char) => text.push(char),
            Err(lone) => text.push_str(&format!("\\u{:04x}", lone.unpaired_surrogate())),
        }
    }
    text.push(quote);
    text
}

fn float(value: f32) -> String {
    match value {
        _ if value.is_nan() => "float.NaN".to_owned(),
        f32::INFINITY => "float.PositiveInfinity".to_owned(),
        f32::NEG_INFINITY => "float.NegativeInfinity".to_owned(),
        _ => shortest(&format!("{value:e}"), value.to_string(), 9),
    }
}

fn double(value: f64) -> String {
    match value {
        _ if value.is_nan() => "double.NaN".to_owned(),
        f64::INFINITY => "double.PositiveInfinity".to_owned(),
        f64::NEG_INFINITY => "double.NegativeInfinity".to_owned(),
        _ => shortest(&format!("{value:e}"), value.to_string(), 17),
    }
}

/// The shortest text that reads back to the same number, with an exponent where .NET writes one.
fn shortest(scientific: &str, plain: String, digits: i32) -> String {
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return plain };
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..digits).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}E{sign}{:02}", exponent.abs())
        }
        _ => plain,
    }
}

/// The value of a `DecimalConstantAttribute`: scale, sign, and 96 bits, the highest 32 first.
fn decimal(blob: &[u8]) -> Option<String> {
    // (byte, byte, uint, uint, uint). The other constructor has `int`, and the same bytes.
    const CONSTRUCTOR: [u8; 8] = [0x20, 5, 0x01, 0x05, 0x05, 0x09, 0x09, 0x09];
    let attribute = AttributeValue::parse(blob, MethodSig::parse(&CONSTRUCTOR).ok()?, &NoTypes).ok()?;
    let mut numbers = attribute.fixed_args().map(|arg| match arg {
        Ok(Value::Primitive(number)) => number.as_integer().and_then(|number| u128::try_from(number).ok()),
        _ => None,
    });
    let mut number = || numbers.next().flatten();
    let (scale, sign) = (usize::try_from(number()?).ok()?, number()?);
    let mut digits = (number()? << 64 | number()? << 32 | number()?).to_string();
    if scale > 0 {
        digits = format!("{digits:0>width$}", width = scale + 1);
        digits.insert(digits.len() - scale, '.');
    }
    Some(format!("{}{digits}", if sign == 0 { "" } else { "-" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(element_type: ElementType, bytes: &[u8]) -> String {
        literal(Constant { element_type, bytes })
    }

    #[test]
    fn literals_are_csharps() {
        assert_eq!(text(ElementType::I4, &(-5i32).to_le_bytes()), "-5");
        assert_eq!(text(ElementType::BOOLEAN, &[1]), "true");
        assert_eq!(text(ElementType::CHAR, &[0x27, 0]), r"'\''");
        assert_eq!(text(ElementType::STRING, &[b'a', 0, b'"', 0, 0, 0xd8]), r#""a\"\ud800""#);
        assert_eq!(text(ElementType::STRING, &[]), r#""""#);
    }

    #[test]
    fn numbers_have_the_exponents_of_dotnet() {
        assert_eq!(double(1.5), "1.5");
        assert_eq!(double(1e17), "1E+17");
        assert_eq!(double(1e16), "10000000000000000");
        assert_eq!(double(1e-5), "1E-05");
        assert_eq!(double(0.0001), "0.0001");
        assert_eq!(float(16_777_216.0), "16777216");
        assert_eq!(float(1e9), "1E+09");
        assert_eq!(float(f32::NAN), "float.NaN");
    }

    #[test]
    fn a_decimal_has_its_scale() {
        let blob = |scale, sign, low: u32| {
            let mut blob = vec![1, 0, scale, sign, 0, 0, 0, 0, 0, 0, 0, 0];
            blob.extend(low.to_le_bytes());
            blob.extend([0, 0]);
            blob
        };
        assert_eq!(decimal(&blob(2, 0, 150)).as_deref(), Some("1.50"));
        assert_eq!(decimal(&blob(3, 0x80, 5)).as_deref(), Some("-0.005"));
        assert_eq!(decimal(&blob(0, 0, 7)).as_deref(), Some("7"));
        assert_eq!(decimal(&[1, 0]), None);
    }

    #[test]
    fn flags_are_taken_apart() {
        let members =
            || vec![(1, "A".to_owned()), (2, "B".to_owned()), (3, "AB".to_owned()), (4, "C".to_owned())];
        assert_eq!(flags(members(), 7), Some(vec!["AB".to_owned(), "C".to_owned()]));
        assert_eq!(flags(members(), 5), Some(vec!["A".to_owned(), "C".to_owned()]));
        assert_eq!(flags(members(), 9), None);
    }
}
