//! Types and methods as C# writes them.

use core::fmt::{self, Write};

use super::{Comma, Printer, Style};
use crate::{
    CallingConvention, ElementType, Error, MethodSig, Param, Params, PropertySig, Type, TypeArgs,
    TypeDefOrRef, TypeSig, limits,
};

impl Printer<'_> {
    pub(super) fn csharp_type(self, sig: TypeSig<'_>, out: &mut dyn Write) -> fmt::Result {
        let ty = sig.ty();
        if let Some(keyword) = csharp_keyword(ty.element_type()) {
            return out.write_str(keyword);
        }
        match ty {
            Type::Class(ty) | Type::ValueType(ty) => self.csharp_name(ty, None, out),
            Type::GenericInst(inst) => match inst.type_def_or_ref() {
                Some(ty) => self.csharp_name(ty, Some(inst.args()), out),
                None => {
                    if let Type::Internal(handle) = inst.definition() {
                        self.names.internal(handle, Style::CSharp, out)?;
                    }
                    self.args(inst.args(), out)
                }
            },
            Type::Var(number) => self.names.var(number, Style::CSharp, out),
            Type::MVar(number) => self.names.mvar(number, Style::CSharp, out),
            Type::Internal(handle) => self.names.internal(handle, Style::CSharp, out),
            Type::Ptr(target) => {
                self.csharp_type(target, out)?;
                out.write_char('*')
            }
            Type::ByRef(target) => {
                out.write_str("ref ")?;
                self.csharp_type(target, out)
            }
            Type::Pinned(target) => {
                out.write_str("pinned ")?;
                self.csharp_type(target, out)
            }
            Type::SzArray(_) | Type::Array(_) => self.csharp_array(sig, out),
            Type::FnPtr(method) => self.csharp_fn_ptr(method, out),
            // Only keywords are left.
            other => write!(out, "{}", other.element_type()),
        }
    }

    /// Arrays of arrays: C# writes the ranks from the outside in, after the type of the innermost elements.
    fn csharp_array(self, sig: TypeSig<'_>, out: &mut dyn Write) -> fmt::Result {
        let mut innermost = sig;
        while let Some(element) = array_element(&innermost.ty()) {
            innermost = element;
        }
        self.csharp_type(innermost, out)?;
        let mut array = sig.ty();
        while let Some(element) = array_element(&array) {
            match array {
                // An array of one dimension that is no vector; reflection writes it so.
                Type::Array(array) if array.rank() == 1 => out.write_str("[*]")?,
                Type::Array(array) => {
                    out.write_char('[')?;
                    for _ in 1..array.rank() {
                        out.write_char(',')?;
                    }
                    out.write_char(']')?;
                }
                _ => out.write_str("[]")?,
            }
            array = element.ty();
        }
        Ok(())
    }

    fn csharp_fn_ptr(self, sig: MethodSig<'_>, out: &mut dyn Write) -> fmt::Result {
        out.write_str("delegate*")?;
        out.write_str(match sig.calling_convention() {
            CallingConvention::C => " unmanaged[Cdecl]",
            CallingConvention::STDCALL => " unmanaged[Stdcall]",
            CallingConvention::THISCALL => " unmanaged[Thiscall]",
            CallingConvention::FASTCALL => " unmanaged[Fastcall]",
            CallingConvention::UNMANAGED | CallingConvention::NATIVEVARARG => " unmanaged",
            _ => "",
        })?;
        out.write_char('<')?;
        let mut list = ParamList::default();
        for param in sig.params() {
            list.write(self, param, out)?;
        }
        list.end(out)?;
        list.comma.write(out)?;
        self.csharp_type(sig.return_type(), out)?;
        out.write_char('>')
    }

    pub(super) fn csharp_method(
        self,
        sig: MethodSig<'_>,
        name: Option<&str>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        self.csharp_type(sig.return_type(), out)?;
        write!(out, " {}", name.unwrap_or_default())?;
        self.generic_params(sig.generic_param_count(), out)?;
        self.csharp_params(sig.params(), ['(', ')'], sig.calling_convention(), out)
    }

    pub(super) fn csharp_property(
        self,
        sig: PropertySig<'_>,
        name: Option<&str>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        self.csharp_type(sig.property_type(), out)?;
        if let Some(name) = name {
            write!(out, " {name}")?;
        }
        if sig.param_count() == 0 {
            return Ok(());
        }
        if name.is_none() {
            out.write_str(" this")?;
        }
        self.csharp_params(sig.params(), ['[', ']'], CallingConvention::PROPERTY, out)
    }

    fn csharp_params(
        self,
        params: Params<'_>,
        brackets: [char; 2],
        convention: CallingConvention,
        out: &mut dyn Write,
    ) -> fmt::Result {
        out.write_char(brackets[0])?;
        let mut list = ParamList::default();
        for param in params {
            list.write(self, param, out)?;
        }
        if convention == CallingConvention::VARARG && !list.vararg {
            list.comma.write(out)?;
            out.write_str("__arglist")?;
        }
        list.end(out)?;
        out.write_char(brackets[1])
    }

    /// A type's name, with the generic arguments where the name has arities.
    fn csharp_name(self, ty: TypeDefOrRef, args: Option<TypeArgs<'_>>, out: &mut dyn Write) -> fmt::Result {
        let mut name = TypeName { printer: self, args, arity: Arity::None, out };
        self.names.type_name(ty, Style::CSharp, &mut name)?;
        name.end()
    }
}

/// What C# calls an element type that needs nothing else: its keyword, and `System.TypedReference`.
///
/// ```
/// use sigparse::ElementType;
/// use sigparse::print::csharp_keyword;
///
/// assert_eq!(csharp_keyword(ElementType::I), Some("nint"));
/// assert_eq!(csharp_keyword(ElementType::PTR), None);
/// ```
#[must_use]
pub fn csharp_keyword(element: ElementType) -> Option<&'static str> {
    Some(match element {
        ElementType::VOID => "void",
        ElementType::BOOLEAN => "bool",
        ElementType::CHAR => "char",
        ElementType::I1 => "sbyte",
        ElementType::U1 => "byte",
        ElementType::I2 => "short",
        ElementType::U2 => "ushort",
        ElementType::I4 => "int",
        ElementType::U4 => "uint",
        ElementType::I8 => "long",
        ElementType::U8 => "ulong",
        ElementType::R4 => "float",
        ElementType::R8 => "double",
        ElementType::I => "nint",
        ElementType::U => "nuint",
        ElementType::STRING => "string",
        ElementType::OBJECT => "object",
        ElementType::TYPEDBYREF => "System.TypedReference",
        _ => return None,
    })
}

fn array_element<'a>(ty: &Type<'a>) -> Option<TypeSig<'a>> {
    match ty {
        Type::SzArray(element) => Some(*element),
        Type::Array(array) => Some(array.element()),
        _ => None,
    }
}

/// Parameters, with those after a SENTINEL in an `__arglist` of their own.
#[derive(Default)]
struct ParamList {
    comma: Comma,
    vararg: bool,
}

impl ParamList {
    fn write(
        &mut self,
        printer: Printer<'_>,
        param: Result<Param<'_>, Error>,
        out: &mut dyn Write,
    ) -> fmt::Result {
        self.comma.write(out)?;
        match param {
            Ok(param) => {
                if param.is_vararg() && !self.vararg {
                    self.vararg = true;
                    out.write_str("__arglist(")?;
                }
                printer.csharp_type(param.sig(), out)
            }
            Err(error) => write!(out, "<{error}>"),
        }
    }

    fn end(&self, out: &mut dyn Write) -> fmt::Result {
        if self.vararg { out.write_char(')') } else { Ok(()) }
    }
}

/// Turns the metadata name of a type, as it is written, into the one of C#.
struct TypeName<'p, 'a, 'o> {
    printer: Printer<'p>,
    /// The arguments that are left, or `None` if the type is open.
    args: Option<TypeArgs<'a>>,
    arity: Arity,
    out: &'o mut dyn Write,
}

/// How much of an arity has been read.
#[derive(Clone, Copy)]
enum Arity {
    None,
    Backtick,
    Digits(u32),
}

impl TypeName<'_, '_, '_> {
    fn char(&mut self, char: char) -> fmt::Result {
        self.arity = match (self.arity, char, char.to_digit(10)) {
            (Arity::Backtick, _, Some(digit)) => Arity::Digits(digit),
            (Arity::Digits(number), _, Some(digit)) => {
                Arity::Digits(number.saturating_mul(10).saturating_add(digit))
            }
            (arity, ..) => {
                self.flush(arity)?;
                match char {
                    '`' => {
                        self.arity = Arity::Backtick;
                        return Ok(());
                    }
                    '/' | '+' => self.out.write_char('.')?,
                    _ => self.out.write_char(char)?,
                }
                Arity::None
            }
        };
        Ok(())
    }

    /// Writes what an arity stands for.
    fn flush(&mut self, arity: Arity) -> fmt::Result {
        match arity {
            Arity::None => Ok(()),
            Arity::Backtick => self.out.write_char('`'),
            Arity::Digits(number @ 1..=limits::MAX_GENERIC_PARAMS) => self.type_args(number as usize),
            Arity::Digits(number) => write!(self.out, "`{number}"),
        }
    }

    /// Writes so many of the arguments, or the commas of an open type.
    fn type_args(&mut self, count: usize) -> fmt::Result {
        match &mut self.args {
            Some(args) if args.len() == 0 => Ok(()),
            Some(args) => {
                self.out.write_char('<')?;
                let mut comma = Comma::default();
                for arg in args.take(count) {
                    comma.write(self.out)?;
                    self.printer.csharp_type(arg, self.out)?;
                }
                self.out.write_char('>')
            }
            None => {
                self.out.write_char('<')?;
                for _ in 1..count {
                    self.out.write_char(',')?;
                }
                self.out.write_char('>')
            }
        }
    }

    /// Writes what is left: an arity at the end, and arguments that the name had no arity for.
    fn end(mut self) -> fmt::Result {
        self.flush(self.arity)?;
        match self.args {
            Some(args) if args.len() > 0 => self.type_args(args.len()),
            _ => Ok(()),
        }
    }
}

impl Write for TypeName<'_, '_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            // Most of a name goes through as it is.
            let plain = match self.arity {
                Arity::None => rest.find(['`', '/', '+']).unwrap_or(rest.len()),
                Arity::Backtick | Arity::Digits(_) => 0,
            };
            let (head, tail) = rest.split_at(plain);
            if head.is_empty() {
                self.char(first)?;
                rest = &rest[first.len_utf8()..];
            } else {
                self.out.write_str(head)?;
                rest = tail;
            }
        }
        Ok(())
    }
}
