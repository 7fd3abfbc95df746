//! Types, methods, properties and local variables (II.7.1, II.14.1, II.15.3).

use core::fmt::{self, Write};

use super::names::Names;
use crate::array_shape::ArrayShape;
use crate::element::ElementType;
use crate::field::FieldSig;
use crate::generic::TypeArgs;
use crate::header::{CallingConvention, SigHeader};
use crate::locals::LocalVarSig;
use crate::method::{MethodSig, Params};
use crate::modifier::Modifier;
use crate::property::PropertySig;
use crate::token::TypeDefOrRef;
use crate::ty::Type;
use crate::type_sig::TypeSig;

/// Prints signatures with these names.
#[derive(Clone, Copy)]
pub(super) struct Printer<'n> {
    pub(super) names: &'n dyn Names,
}

impl Printer<'_> {
    pub(super) fn ty(self, sig: TypeSig<'_>, out: &mut dyn Write) -> fmt::Result {
        self.unmodified(sig, out)?;
        // ILAsm puts each modifier after all that it modifies, so the last of the blob comes first. There are no
        // more of them than `limits::MAX_DEPTH`.
        let modifiers = sig.modifiers();
        for index in (0..modifiers.count()).rev() {
            if let Some(modifier) = modifiers.clone().nth(index) {
                self.modifier(modifier, out)?;
            }
        }
        Ok(())
    }

    fn unmodified(self, sig: TypeSig<'_>, out: &mut dyn Write) -> fmt::Result {
        let ty = sig.ty();
        if let Some(keyword) = keyword(ty.element_type()) {
            return out.write_str(keyword);
        }
        match ty {
            Type::Class(ty) => self.name("class", ty, out),
            Type::ValueType(ty) => self.name("valuetype", ty, out),
            Type::Var(number) => self.names.var(number, out),
            Type::MVar(number) => self.names.mvar(number, out),
            Type::Internal(handle) => self.names.internal(handle, out),
            Type::Ptr(target) => self.suffixed(target, "*", out),
            Type::ByRef(target) => self.suffixed(target, "&", out),
            Type::SzArray(element) => self.suffixed(element, "[]", out),
            Type::Pinned(target) => self.suffixed(target, " pinned", out),
            Type::Array(array) => {
                self.ty(array.element(), out)?;
                shape(array.shape(), out)
            }
            Type::GenericInst(inst) => {
                match inst.definition() {
                    Type::Class(ty) => self.name("class", ty, out)?,
                    Type::ValueType(ty) => self.name("valuetype", ty, out)?,
                    Type::Internal(handle) => self.names.internal(handle, out)?,
                    other => write!(out, "{}", other.element_type())?,
                }
                self.args(inst.args(), out)
            }
            Type::FnPtr(method) => {
                out.write_str("method ")?;
                self.method(method, format_args!("*"), out)
            }
            // Only keywords are left.
            other => write!(out, "{}", other.element_type()),
        }
    }

    fn suffixed(self, target: TypeSig<'_>, suffix: &str, out: &mut dyn Write) -> fmt::Result {
        self.ty(target, out)?;
        out.write_str(suffix)
    }

    fn name(self, keyword: &str, ty: TypeDefOrRef, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{keyword} ")?;
        self.names.type_name(ty, out)
    }

    fn modifier(self, modifier: Modifier, out: &mut dyn Write) -> fmt::Result {
        out.write_str(if modifier.is_required() { " modreq(" } else { " modopt(" })?;
        match modifier {
            Modifier::Required(ty) | Modifier::Optional(ty) => self.names.type_name(ty, out)?,
            Modifier::Internal { handle, .. } => self.names.internal(handle, out)?,
        }
        out.write_char(')')
    }

    pub(super) fn field(self, sig: FieldSig<'_>, name: Option<&str>, out: &mut dyn Write) -> fmt::Result {
        self.ty(sig.sig(), out)?;
        name.map_or(Ok(()), |name| write!(out, " {name}"))
    }

    pub(super) fn method(
        self,
        sig: MethodSig<'_>,
        name: fmt::Arguments<'_>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        convention(sig.header(), out)?;
        self.ty(sig.return_type(), out)?;
        write!(out, " {name}")?;
        self.generic_params(sig.generic_param_count(), out)?;
        self.params(sig.params(), out)
    }

    pub(super) fn property(
        self,
        sig: PropertySig<'_>,
        name: Option<&str>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        convention(sig.header(), out)?;
        self.ty(sig.property_type(), out)?;
        write!(out, " {}", name.unwrap_or_default())?;
        self.params(sig.params(), out)
    }

    pub(super) fn locals(self, sig: LocalVarSig<'_>, out: &mut dyn Write) -> fmt::Result {
        out.write_char('(')?;
        let mut comma = Comma::default();
        for local in sig.locals() {
            comma.write(out)?;
            match local {
                Ok(local) => self.ty(local.sig(), out)?,
                Err(error) => write!(out, "<{error}>")?,
            }
        }
        out.write_char(')')
    }

    /// Writes generic arguments in angle brackets.
    pub(super) fn args(self, args: TypeArgs<'_>, out: &mut dyn Write) -> fmt::Result {
        out.write_char('<')?;
        let mut comma = Comma::default();
        for arg in args {
            comma.write(out)?;
            self.ty(arg, out)?;
        }
        out.write_char('>')
    }

    /// Writes the generic parameters of a method in angle brackets, or nothing if there are none.
    fn generic_params(self, count: u32, out: &mut dyn Write) -> fmt::Result {
        if count == 0 {
            return Ok(());
        }
        out.write_char('<')?;
        let mut comma = Comma::default();
        for number in 0..count {
            comma.write(out)?;
            self.names.mvar(number, out)?;
        }
        out.write_char('>')
    }

    fn params(self, params: Params<'_>, out: &mut dyn Write) -> fmt::Result {
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
                Ok(param) => self.ty(param.sig(), out)?,
                Err(error) => write!(out, "<{error}>")?,
            }
        }
        out.write_char(')')
    }
}

/// Writes the separator of a list: nothing before the first item.
#[derive(Default)]
pub(super) struct Comma(bool);

impl Comma {
    pub(super) fn write(&mut self, out: &mut dyn Write) -> fmt::Result {
        if core::mem::replace(&mut self.0, true) { out.write_str(", ") } else { Ok(()) }
    }
}

/// Returns the keyword of ILAsm for a leaf type (II.7.1); `None` for other element types.
///
/// ```
/// use sigparse::{ElementType, ilasm::keyword};
///
/// assert_eq!(keyword(ElementType::I), Some("native int"));
/// assert_eq!(keyword(ElementType::PTR), None);
/// ```
#[must_use]
pub fn keyword(element: ElementType) -> Option<&'static str> {
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

/// Writes what stands before the return type (II.15.3).
fn convention(header: SigHeader, out: &mut dyn Write) -> fmt::Result {
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

/// Writes the dimensions of an ARRAY (II.14.2).
fn shape(shape: ArrayShape<'_>, out: &mut dyn Write) -> fmt::Result {
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
