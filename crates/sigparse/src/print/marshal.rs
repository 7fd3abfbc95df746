//! Marshalling descriptors, as C# and ILAsm write them (II.7.4).

use core::fmt::{self, Write};

use super::{Comma, Printed, Printer, Style, Tokens, attribute::csharp_type_name, text::quoted};
use crate::{
    Compressed,
    marshal::{MarshalSpec, NativeType},
};

impl<'a> MarshalSpec<'a> {
    /// The descriptor as C# writes it: `[MarshalAs(UnmanagedType.LPWStr)]`.
    ///
    /// ```
    /// use sigparse::marshal::MarshalSpec;
    ///
    /// let spec = MarshalSpec::parse(&[0x2A, 0x07, 0x01])?;
    /// assert_eq!(
    ///     spec.csharp().to_string(),
    ///     "[MarshalAs(UnmanagedType.LPArray, ArraySubType = UnmanagedType.I4, SizeParamIndex = 1)]"
    /// );
    /// assert_eq!(spec.ilasm().to_string(), "marshal(int32[ + 1])");
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    pub fn csharp(&self) -> Printed<'static, Self> {
        Printed { sig: *self, printer: Printer { names: &Tokens, style: Style::CSharp }, name: None }
    }

    /// The descriptor as ILAsm writes it: `marshal(lpwstr)`. What has no words there is its bytes: `marshal({ 30 })`.
    pub fn ilasm(&self) -> Printed<'static, Self> {
        Printed { sig: *self, printer: Printer { names: &Tokens, style: Style::IlAsm }, name: None }
    }
}

impl fmt::Display for Printed<'_, MarshalSpec<'_>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.printer.style {
            Style::CSharp => csharp(self.sig, f),
            Style::IlAsm => ilasm(self.sig, f),
        }
    }
}

impl fmt::Display for MarshalSpec<'_> {
    /// As C# writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.csharp(), f)
    }
}

fn csharp(spec: MarshalSpec<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str("[MarshalAs(")?;
    csharp_native(spec.native_type(), out)?;
    match spec {
        MarshalSpec::Simple(_) => {}
        MarshalSpec::Interface { iid_param, .. } => property("IidParameterIndex", iid_param, out)?,
        MarshalSpec::FixedString { length } => property("SizeConst", Some(length), out)?,
        MarshalSpec::FixedArray { count, element } => {
            property("SizeConst", Some(count), out)?;
            element_property(element, out)?;
        }
        MarshalSpec::SafeArray { variant_type, user_defined } => {
            if let Some(code) = variant_type {
                match variant(code) {
                    Some((name, _)) => write!(out, ", SafeArraySubType = VarEnum.{name}")?,
                    None => write!(out, ", SafeArraySubType = (VarEnum){code}")?,
                }
            }
            if let Some(name) = user_defined.filter(|name| !name.is_empty()) {
                out.write_str(", SafeArrayUserDefinedSubType = typeof(")?;
                csharp_type_name(name, out)?;
                out.write_char(')')?;
            }
        }
        MarshalSpec::Array { element, size_param, count, flags } => {
            element_property(element, out)?;
            // The number of a parameter that does not count only keeps the place.
            property("SizeParamIndex", size_param.filter(|_| flags.is_none_or(|flags| flags & 1 != 0)), out)?;
            property("SizeConst", count, out)?;
        }
        MarshalSpec::Custom { marshaler, cookie, .. } => {
            out.write_str(", MarshalType = ")?;
            quoted(marshaler, '"', out)?;
            if !cookie.is_empty() {
                out.write_str(", MarshalCookie = ")?;
                quoted(cookie, '"', out)?;
            }
        }
    }
    out.write_str(")]")
}

fn property(name: &str, value: Option<u32>, out: &mut dyn Write) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(out, ", {name} = {value}"))
}

fn element_property(element: Option<NativeType>, out: &mut dyn Write) -> fmt::Result {
    match element {
        None | Some(NativeType::MAX) => Ok(()),
        Some(native) => {
            out.write_str(", ArraySubType = ")?;
            csharp_native(native, out)
        }
    }
}

fn csharp_native(native: NativeType, out: &mut dyn Write) -> fmt::Result {
    match words(native) {
        Some((name, _)) => write!(out, "UnmanagedType.{name}"),
        None => write!(out, "(UnmanagedType){}", native.0),
    }
}

fn ilasm(spec: MarshalSpec<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_str("marshal(")?;
    if !ilasm_words(spec, out)? {
        out.write_str("{ ")?;
        ilasm_bytes(spec, out)?;
        out.write_char('}')?;
    }
    out.write_char(')')
}

/// Writes the descriptor in words, or nothing if there are none.
fn ilasm_words(spec: MarshalSpec<'_>, out: &mut dyn Write) -> Result<bool, fmt::Error> {
    match spec {
        MarshalSpec::Simple(native) => match ilasm_native(native) {
            Some(word) => out.write_str(word)?,
            None => return Ok(false),
        },
        MarshalSpec::Interface { native, iid_param } => {
            let Some(word) = ilasm_native(native) else { return Ok(false) };
            out.write_str(word)?;
            iid_param.map_or(Ok(()), |param| write!(out, "(iidparam = {param})"))?;
        }
        MarshalSpec::FixedString { length } => write!(out, "fixed sysstring [{length}]")?,
        MarshalSpec::FixedArray { count, element } => {
            let Some(word) = element.map_or(Some(""), ilasm_native) else { return Ok(false) };
            let space = if word.is_empty() { "" } else { " " };
            write!(out, "fixed array [{count}]{space}{word}")?;
        }
        MarshalSpec::SafeArray { variant_type, user_defined } => {
            let (Some((_, word)), Some(name)) = (variant_type.and_then(variant), user_defined) else {
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
                Some(native) => match ilasm_native(native) {
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

/// Writes the bytes of a descriptor that has no words.
fn ilasm_bytes(spec: MarshalSpec<'_>, out: &mut dyn Write) -> fmt::Result {
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
        // What was read has a compressed form.
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

fn ilasm_native(native: NativeType) -> Option<&'static str> {
    let (_, word) = words(native)?;
    (!word.is_empty()).then_some(word)
}

/// The name in `UnmanagedType`, and ILAsm's words, if there are any.
fn words(native: NativeType) -> Option<(&'static str, &'static str)> {
    Some(match native {
        NativeType::BOOLEAN => ("Bool", "bool"),
        NativeType::I1 => ("I1", "int8"),
        NativeType::U1 => ("U1", "uint8"),
        NativeType::I2 => ("I2", "int16"),
        NativeType::U2 => ("U2", "uint16"),
        NativeType::I4 => ("I4", "int32"),
        NativeType::U4 => ("U4", "uint32"),
        NativeType::I8 => ("I8", "int64"),
        NativeType::U8 => ("U8", "uint64"),
        NativeType::R4 => ("R4", "float32"),
        NativeType::R8 => ("R8", "float64"),
        NativeType::CURRENCY => ("Currency", "currency"),
        NativeType::BSTR => ("BStr", "bstr"),
        NativeType::LPSTR => ("LPStr", "lpstr"),
        NativeType::LPWSTR => ("LPWStr", "lpwstr"),
        NativeType::LPTSTR => ("LPTStr", "lptstr"),
        NativeType::FIXEDSYSSTRING => ("ByValTStr", ""),
        NativeType::IUNKNOWN => ("IUnknown", "iunknown"),
        NativeType::IDISPATCH => ("IDispatch", "idispatch"),
        NativeType::STRUCT => ("Struct", "struct"),
        NativeType::INTF => ("Interface", "interface"),
        NativeType::SAFEARRAY => ("SafeArray", ""),
        NativeType::FIXEDARRAY => ("ByValArray", ""),
        NativeType::INT => ("SysInt", "int"),
        NativeType::UINT => ("SysUInt", "uint"),
        NativeType::BYVALSTR => ("VBByRefStr", "byvalstr"),
        NativeType::ANSIBSTR => ("AnsiBStr", "ansi bstr"),
        NativeType::TBSTR => ("TBStr", "tbstr"),
        NativeType::VARIANTBOOL => ("VariantBool", "variant bool"),
        NativeType::FUNC => ("FunctionPtr", "method"),
        NativeType::ASANY => ("AsAny", "as any"),
        NativeType::ARRAY => ("LPArray", ""),
        NativeType::LPSTRUCT => ("LPStruct", "lpstruct"),
        NativeType::CUSTOMMARSHALER => ("CustomMarshaler", ""),
        NativeType::ERROR => ("Error", "error"),
        NativeType::IINSPECTABLE => ("IInspectable", ""),
        NativeType::HSTRING => ("HString", ""),
        NativeType::LPUTF8STR => ("LPUTF8Str", ""),
        _ => return None,
    })
}

/// The name in `VarEnum` of what a SAFEARRAY can hold, and ILAsm's word.
fn variant(code: u32) -> Option<(&'static str, &'static str)> {
    Some(match code {
        0 => ("VT_EMPTY", ""),
        2 => ("VT_I2", "int16"),
        3 => ("VT_I4", "int32"),
        4 => ("VT_R4", "float32"),
        5 => ("VT_R8", "float64"),
        6 => ("VT_CY", "currency"),
        7 => ("VT_DATE", "date"),
        8 => ("VT_BSTR", "bstr"),
        9 => ("VT_DISPATCH", "idispatch"),
        10 => ("VT_ERROR", "error"),
        11 => ("VT_BOOL", "bool"),
        12 => ("VT_VARIANT", "variant"),
        13 => ("VT_UNKNOWN", "iunknown"),
        14 => ("VT_DECIMAL", "decimal"),
        16 => ("VT_I1", "int8"),
        17 => ("VT_UI1", "uint8"),
        18 => ("VT_UI2", "uint16"),
        19 => ("VT_UI4", "uint32"),
        20 => ("VT_I8", "int64"),
        21 => ("VT_UI8", "uint64"),
        22 => ("VT_INT", "int"),
        23 => ("VT_UINT", "uint"),
        36 => ("VT_RECORD", "record"),
        _ => return None,
    })
}
