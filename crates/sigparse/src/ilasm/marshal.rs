//! Marshalling descriptors (II.7.4).

use core::fmt::{self, Write};

use super::literal::quoted;
use super::names::Tokens;
use super::printed::Printed;
use super::types::Comma;
use crate::compressed::Compressed;
use crate::marshal::{MarshalSpec, NativeType};

impl<'a> MarshalSpec<'a> {
    /// Returns the descriptor for printing as ILAsm writes it: `marshal(lpwstr)`.
    ///
    /// A descriptor that ILAsm has no keywords for is written as its bytes: `marshal({ 30 })`.
    ///
    /// ```
    /// use sigparse::marshal::MarshalSpec;
    ///
    /// let spec = MarshalSpec::parse(&[0x2A, 0x07, 0x01])?;
    /// assert_eq!(spec.ilasm().to_string(), "marshal(int32[ + 1])");
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    pub fn ilasm(&self) -> Printed<'static, Self> {
        Printed::new(*self, &Tokens)
    }
}

impl fmt::Display for Printed<'_, MarshalSpec<'_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ilasm(self.sig, f)
    }
}

impl fmt::Display for MarshalSpec<'_> {
    /// Writes ILAsm.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.ilasm(), f)
    }
}

fn ilasm(spec: MarshalSpec<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str("marshal(")?;
    if !keywords(spec, out)? {
        out.write_str("{ ")?;
        bytes(spec, out)?;
        out.write_char('}')?;
    }
    out.write_char(')')
}

/// Writes the descriptor in keywords, or returns `false` if ILAsm has none for it.
fn keywords(spec: MarshalSpec<'_>, out: &mut dyn Write) -> Result<bool, fmt::Error> {
    match spec {
        MarshalSpec::Simple(native) => match native_keyword(native) {
            Some(word) => out.write_str(word)?,
            None => return Ok(false),
        },
        MarshalSpec::Interface { native, iid_param } => {
            let Some(word) = native_keyword(native) else { return Ok(false) };
            out.write_str(word)?;
            iid_param.map_or(Ok(()), |param| write!(out, "(iidparam = {param})"))?;
        }
        MarshalSpec::FixedString { length } => write!(out, "fixed sysstring [{length}]")?,
        MarshalSpec::FixedArray { count, element } => {
            let Some(word) = element.map_or(Some(""), native_keyword) else { return Ok(false) };
            let space = if word.is_empty() { "" } else { " " };
            write!(out, "fixed array [{count}]{space}{word}")?;
        }
        MarshalSpec::SafeArray { variant_type, user_defined } => {
            let (Some(word), Some(name)) = (variant_type.and_then(variant_keyword), user_defined) else {
                return Ok(false);
            };
            write!(out, "safearray{}{word}", if word.is_empty() { "" } else { " " })?;
            if !name.is_empty() {
                out.write_str(", ")?;
                quoted(name, '"', out)?;
            }
        }
        MarshalSpec::Array { element, size_param, count, flags } => {
            let word = match element {
                Some(NativeType::MAX) => "",
                Some(native) => match native_keyword(native) {
                    Some(word) => word,
                    None => return Ok(false),
                },
                None => return Ok(false),
            };
            match (size_param, count, flags) {
                (None, None, None) => write!(out, "{word}[]")?,
                (Some(param), None, None) => write!(out, "{word}[ + {param}]")?,
                (Some(0), Some(count), Some(0)) => write!(out, "{word}[{count}]")?,
                (Some(param), Some(count), Some(1)) => write!(out, "{word}[{count} + {param}]")?,
                _ => return Ok(false),
            }
        }
        MarshalSpec::Custom { guid, native_type, marshaler, cookie } => {
            out.write_str("custom(")?;
            let mut comma = Comma::default();
            let all = [guid, native_type, marshaler, cookie];
            let from = if guid.is_empty() && native_type.is_empty() { 2 } else { 0 };
            for text in all.into_iter().skip(from) {
                comma.write(out)?;
                quoted(text, '"', out)?;
            }
            out.write_char(')')?;
        }
    }
    Ok(true)
}

/// Writes the bytes of a descriptor that ILAsm has no keywords for.
fn bytes(spec: MarshalSpec<'_>, out: &mut dyn Write) -> fmt::Result {
    let element = |element: Option<NativeType>| element.map(|native| u32::from(native.0));
    let numbers = match spec {
        MarshalSpec::Interface { iid_param, .. } => [iid_param, None, None, None],
        MarshalSpec::FixedArray { count, element: native } => [Some(count), element(native), None, None],
        MarshalSpec::SafeArray { variant_type, .. } => [variant_type, None, None, None],
        MarshalSpec::Array { element: native, size_param, count, flags } => {
            [element(native), size_param, count, flags]
        }
        _ => [None; 4],
    };
    write!(out, "{:02X} ", spec.native_type().0)?;
    for number in numbers.into_iter().flatten() {
        // A number that was read has a compressed form.
        for byte in Compressed::unsigned(number).as_deref().unwrap_or_default() {
            write!(out, "{byte:02X} ")?;
        }
    }
    if let MarshalSpec::SafeArray { user_defined: Some(name), .. } = spec {
        let length = u32::try_from(name.len()).ok().and_then(Compressed::unsigned);
        for byte in length.as_deref().unwrap_or_default().iter().chain(name.as_bytes()) {
            write!(out, "{byte:02X} ")?;
        }
    }
    Ok(())
}

/// Returns the keyword of a native type that has one.
fn native_keyword(native: NativeType) -> Option<&'static str> {
    Some(match native {
        NativeType::BOOLEAN => "bool",
        NativeType::I1 => "int8",
        NativeType::U1 => "uint8",
        NativeType::I2 => "int16",
        NativeType::U2 => "uint16",
        NativeType::I4 => "int32",
        NativeType::U4 => "uint32",
        NativeType::I8 => "int64",
        NativeType::U8 => "uint64",
        NativeType::R4 => "float32",
        NativeType::R8 => "float64",
        NativeType::CURRENCY => "currency",
        NativeType::BSTR => "bstr",
        NativeType::LPSTR => "lpstr",
        NativeType::LPWSTR => "lpwstr",
        NativeType::LPTSTR => "lptstr",
        NativeType::IUNKNOWN => "iunknown",
        NativeType::IDISPATCH => "idispatch",
        NativeType::STRUCT => "struct",
        NativeType::INTF => "interface",
        NativeType::INT => "int",
        NativeType::UINT => "uint",
        NativeType::BYVALSTR => "byvalstr",
        NativeType::ANSIBSTR => "ansi bstr",
        NativeType::TBSTR => "tbstr",
        NativeType::VARIANTBOOL => "variant bool",
        NativeType::FUNC => "method",
        NativeType::ASANY => "as any",
        NativeType::LPSTRUCT => "lpstruct",
        NativeType::ERROR => "error",
        _ => return None,
    })
}

/// Returns the keyword of a variant type (`VarEnum`) that a SAFEARRAY can hold; empty for `VT_EMPTY`.
fn variant_keyword(code: u32) -> Option<&'static str> {
    Some(match code {
        0 => "",
        2 => "int16",
        3 => "int32",
        4 => "float32",
        5 => "float64",
        6 => "currency",
        7 => "date",
        8 => "bstr",
        9 => "idispatch",
        10 => "error",
        11 => "bool",
        12 => "variant",
        13 => "iunknown",
        14 => "decimal",
        16 => "int8",
        17 => "uint8",
        18 => "uint16",
        19 => "uint32",
        20 => "int64",
        21 => "uint64",
        22 => "int",
        23 => "uint",
        36 => "record",
        _ => return None,
    })
}
