//! Types and methods as ILAsm writes them (II.7.1, II.14.1, II.15.3).

use core::fmt::{self, Write};

use super::{Comma, Printer, Style};
use crate::{
    ArrayShape, CallingConvention, ElementType, Error, MethodSig, Modifier, Params, PropertySig, SigHeader,
    Type, TypeDefOrRef, TypeSig,
};

impl Printer<'_> {
    pub(super) fn ilasm_type(self, sig: TypeSig<'_>, out: &mut dyn Write) -> fmt::Result {
        self.ilasm_unmodified(sig, out)?;
        // ILAsm puts each modifier after all that it modifies, so the last of the blob comes first. There are no
        // more of them than `limits::MAX_DEPTH`.
        let modifiers = sig.modifiers();
        for index in (0..modifiers.count()).rev() {
            if let Some(modifier) = modifiers.clone().nth(index) {
                self.ilasm_modifier(modifier, out)?;
            }
        }
        Ok(())
    }

    fn ilasm_unmodified(self, sig: TypeSig<'_>, out: &mut dyn Write) -> fmt::Result {
        let ty = sig.ty();
        if let Some(keyword) = keyword(ty.element_type()) {
            return out.write_str(keyword);
        }
        match ty {
            Type::Class(ty) => self.ilasm_name("class", ty, out),
            Type::ValueType(ty) => self.ilasm_name("valuetype", ty, out),
            Type::Var(number) => self.names.var(number, Style::IlAsm, out),
            Type::MVar(number) => self.names.mvar(number, Style::IlAsm, out),
            Type::Internal(handle) => self.names.internal(handle, Style::IlAsm, out),
            Type::Ptr(target) => self.ilasm_suffixed(target, "*", out),
            Type::ByRef(target) => self.ilasm_suffixed(target, "&", out),
            Type::SzArray(element) => self.ilasm_suffixed(element, "[]", out),
            Type::Pinned(target) => self.ilasm_suffixed(target, " pinned", out),
            Type::Array(array) => {
                self.ilasm_type(array.element(), out)?;
                ilasm_shape(array.shape(), out)
            }
            Type::GenericInst(inst) => {
                match inst.definition() {
                    Type::Class(ty) => self.ilasm_name("class", ty, out)?,
                    Type::ValueType(ty) => self.ilasm_name("valuetype", ty, out)?,
                    Type::Internal(handle) => self.names.internal(handle, Style::IlAsm, out)?,
                    other => write!(out, "{}", other.element_type())?,
                }
                self.args(inst.args(), out)
            }
            Type::FnPtr(method) => {
                out.write_str("method ")?;
                self.ilasm_method(method, Some(&"*"), out)
            }
            // Only keywords are left.
            other => write!(out, "{}", other.element_type()),
        }
    }

    fn ilasm_suffixed(self, target: TypeSig<'_>, suffix: &str, out: &mut dyn Write) -> fmt::Result {
        self.ilasm_type(target, out)?;
        out.write_str(suffix)
    }

    fn ilasm_name(self, keyword: &str, ty: TypeDefOrRef, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{keyword} ")?;
        self.names.type_name(ty, Style::IlAsm, out)
    }

    fn ilasm_modifier(self, modifier: Modifier, out: &mut dyn Write) -> fmt::Result {
        out.write_str(if modifier.is_required() { " modreq(" } else { " modopt(" })?;
        match modifier {
            Modifier::Required(ty) | Modifier::Optional(ty) => self.names.type_name(ty, Style::IlAsm, out)?,
            Modifier::Internal { handle, .. } => self.names.internal(handle, Style::IlAsm, out)?,
        }
        out.write_char(')')
    }

    pub(super) fn ilasm_method(
        self,
        sig: MethodSig<'_>,
        name: Option<&dyn fmt::Display>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        ilasm_convention(sig.header(), out)?;
        self.ilasm_type(sig.return_type(), out)?;
        write!(out, " {}", name.unwrap_or(&""))?;
        self.generic_params(sig.generic_param_count(), out)?;
        self.ilasm_params(sig.params(), out)
    }

    pub(super) fn ilasm_property(
        self,
        sig: PropertySig<'_>,
        name: Option<&str>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        ilasm_convention(sig.header(), out)?;
        self.ilasm_type(sig.property_type(), out)?;
        write!(out, " {}", name.unwrap_or_default())?;
        self.ilasm_params(sig.params(), out)
    }

    fn ilasm_params(self, params: Params<'_>, out: &mut dyn Write) -> fmt::Result {
        out.write_char('(')?;
        let mut comma = Comma::default();
        let mut vararg = false;
        for param in params {
            if matches!(param, Ok(param) if param.is_vararg() && !vararg) {
                vararg = true;
                comma.write(out)?;
                out.write_str("...")?;
            }
            comma.write(out)?;
            match param {
                Ok(param) => self.ilasm_type(param.sig(), out)?,
                Err(error) => ilasm_error(error, out)?,
            }
        }
        out.write_char(')')
    }
}

/// The types that ILAsm has a keyword for.
pub(super) fn keyword(element: ElementType) -> Option<&'static str> {
    Some(match element {
        ElementType::VOID => "void",
        ElementType::BOOLEAN => "bool",
        ElementType::CHAR => "char",
        ElementType::I1 => "int8",
        ElementType::U1 => "uint8",
        ElementType::I2 => "int16",
        ElementType::U2 => "uint16",
        ElementType::I4 => "int32",
        ElementType::U4 => "uint32",
        ElementType::I8 => "int64",
        ElementType::U8 => "uint64",
        ElementType::R4 => "float32",
        ElementType::R8 => "float64",
        ElementType::I => "native int",
        ElementType::U => "native uint",
        ElementType::STRING => "string",
        ElementType::OBJECT => "object",
        ElementType::TYPEDBYREF => "typedref",
        _ => return None,
    })
}

fn ilasm_error(error: Error, out: &mut dyn Write) -> fmt::Result {
    write!(out, "<{error}>")
}

/// What stands before the return type (II.15.3).
fn ilasm_convention(header: SigHeader, out: &mut dyn Write) -> fmt::Result {
    if header.has_this() {
        out.write_str("instance ")?;
    }
    if header.explicit_this() {
        out.write_str("explicit ")?;
    }
    out.write_str(match header.calling_convention() {
        CallingConvention::C => "unmanaged cdecl ",
        CallingConvention::STDCALL => "unmanaged stdcall ",
        CallingConvention::THISCALL => "unmanaged thiscall ",
        CallingConvention::FASTCALL => "unmanaged fastcall ",
        CallingConvention::VARARG => "vararg ",
        CallingConvention::UNMANAGED => "unmanaged ",
        CallingConvention::NATIVEVARARG => "unmanaged vararg ",
        _ => "",
    })
}

/// The dimensions of an ARRAY (II.14.2).
fn ilasm_shape(shape: ArrayShape<'_>, out: &mut dyn Write) -> fmt::Result {
    out.write_char('[')?;
    let mut sizes = shape.sizes();
    let mut lower_bounds = shape.lower_bounds();
    for dimension in 0..shape.rank() {
        if dimension > 0 {
            out.write_char(',')?;
        }
        match (lower_bounds.next(), sizes.next()) {
            (Some(lower), Some(size)) => {
                write!(out, "{lower}...{}", i64::from(lower) + i64::from(size) - 1)?;
            }
            (Some(lower), None) => write!(out, "{lower}...")?,
            (None, Some(size)) => write!(out, "{size}")?,
            // Without anything, an array of one dimension would be a vector.
            (None, None) if shape.rank() == 1 => out.write_str("...")?,
            (None, None) => {}
        }
    }
    out.write_char(']')
}
