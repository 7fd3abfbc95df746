//! Signatures as text, as C# or ILAsm would write them.
//!
//! Names come from the caller, through [`Names`]. `Display` of a signature is C# with tokens for names.
//!
//! ```
//! use core::fmt;
//! use sigparse::{MethodSig, TypeDefOrRef, print::{Names, Style}};
//!
//! struct Module;
//!
//! impl Names for Module {
//!     fn type_name(&self, ty: TypeDefOrRef, style: Style, out: &mut dyn fmt::Write) -> fmt::Result {
//!         match (ty.token(), style) {
//!             (0x0100_0002, Style::CSharp) => out.write_str("Dictionary`2/Entry"),
//!             (0x0100_0002, Style::IlAsm) => out.write_str("[lib]Dictionary`2/Entry"),
//!             (token, _) => write!(out, "0x{token:08X}"),
//!         }
//!     }
//! }
//!
//! let blob = [0x20, 0x02, 0x1D, 0x08, 0x15, 0x11, 0x09, 0x02, 0x0E, 0x13, 0x00, 0x10, 0x0A];
//! let sig = MethodSig::parse(&blob)?;
//! assert_eq!(sig.csharp(&Module).to_string(), "int[] (Dictionary<string, !0>.Entry, ref long)");
//! assert_eq!(
//!     sig.ilasm(&Module).named("M").to_string(),
//!     "instance int32[] M(valuetype [lib]Dictionary`2/Entry<string, !0>, int64&)"
//! );
//! # Ok::<(), sigparse::Error>(())
//! ```
//!
//! Printing does not allocate. A malformed parameter, met when the list of them comes to it, is printed as its
//! error in angle brackets, and ends the list.

mod attribute;
mod csharp;
mod ilasm;
mod marshal;
mod text;

pub use csharp::csharp_keyword;

use core::fmt::{self, Write};

use crate::{
    FieldSig, LocalVarSig, MethodSig, MethodSpecSig, PropertySig, Signature, TypeArgs, TypeDefOrRef, TypeSig,
    TypeSpecSig,
};

/// The language that a signature is printed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// Like C#: `ref int`, `List<string>[]`, `delegate*<int, void>`. Custom modifiers are left out.
    CSharp,
    /// Like ILAsm (II.7.1): `int32&`, ``class List`1<string>[]``, `method void *(int32)`. Custom modifiers
    /// and array bounds are kept.
    IlAsm,
}

/// What a signature refers to and does not hold: the names.
pub trait Names {
    /// Writes the name of a type.
    ///
    /// In the C# style, the arity after a backtick is replaced by the generic arguments, and `/` and `+`
    /// between nested types by `.`: ``Dictionary`2/Entry`` becomes `Dictionary<int, string>.Entry`.
    ///
    /// # Errors
    /// If `out` gives one.
    fn type_name(&self, ty: TypeDefOrRef, style: Style, out: &mut dyn Write) -> fmt::Result;

    /// Writes a parameter of the generic type (VAR). `!0` by default.
    ///
    /// # Errors
    /// If `out` gives one.
    fn var(&self, number: u32, style: Style, out: &mut dyn Write) -> fmt::Result {
        let _ = style;
        write!(out, "!{number}")
    }

    /// Writes a parameter of the generic method (MVAR). `!!0` by default.
    ///
    /// # Errors
    /// If `out` gives one.
    fn mvar(&self, number: u32, style: Style, out: &mut dyn Write) -> fmt::Result {
        let _ = style;
        write!(out, "!!{number}")
    }

    /// Writes a type of the running process (INTERNAL). `internal(0x7F0012345678)` by default.
    ///
    /// # Errors
    /// If `out` gives one.
    fn internal(&self, handle: usize, style: Style, out: &mut dyn Write) -> fmt::Result {
        let _ = style;
        write!(out, "internal(0x{handle:X})")
    }
}

impl<N: Names + ?Sized> Names for &N {
    fn type_name(&self, ty: TypeDefOrRef, style: Style, out: &mut dyn Write) -> fmt::Result {
        (**self).type_name(ty, style, out)
    }

    fn var(&self, number: u32, style: Style, out: &mut dyn Write) -> fmt::Result {
        (**self).var(number, style, out)
    }

    fn mvar(&self, number: u32, style: Style, out: &mut dyn Write) -> fmt::Result {
        (**self).mvar(number, style, out)
    }

    fn internal(&self, handle: usize, style: Style, out: &mut dyn Write) -> fmt::Result {
        (**self).internal(handle, style, out)
    }
}

/// Names when there are none: types by their tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokens;

impl Names for Tokens {
    fn type_name(&self, ty: TypeDefOrRef, _style: Style, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{ty}")
    }
}

/// Names with generic arguments in the place of generic parameters.
///
/// The arguments come from another signature (a TypeSpec, a MethodSpec), perhaps of another module, so they
/// bring names of their own. Generic parameters among the arguments are those of that other place, and are not
/// replaced again.
///
/// ```
/// use sigparse::{MethodSig, MethodSpecSig, Type, TypeSig, print::{Substitute, Tokens}};
///
/// // !0 M<1>(!!0[]), of a type with <string> and with <int> for its own
/// let sig = MethodSig::parse(&[0x10, 0x01, 0x01, 0x13, 0x00, 0x1D, 0x1E, 0x00])?;
/// let spec = TypeSig::parse(&[0x15, 0x12, 0x09, 0x01, 0x0E])?;
/// let Type::GenericInst(inst) = spec.ty() else { panic!() };
/// let args = MethodSpecSig::parse(&[0x0A, 0x01, 0x08])?.args();
///
/// let names = Substitute::new(&Tokens).type_args(inst.args(), &Tokens).method_args(args, &Tokens);
/// assert_eq!(sig.csharp(&names).named("M").to_string(), "string M<int>(int[])");
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Substitute<'a> {
    names: &'a dyn Names,
    type_args: Option<(TypeArgs<'a>, &'a dyn Names)>,
    method_args: Option<(TypeArgs<'a>, &'a dyn Names)>,
}

impl<'a> Substitute<'a> {
    /// The names of the signature that is printed, with nothing replaced yet.
    pub const fn new(names: &'a dyn Names) -> Self {
        Self { names, type_args: None, method_args: None }
    }

    /// What replaces VAR, and the names in it.
    #[must_use]
    pub const fn type_args(self, args: TypeArgs<'a>, names: &'a dyn Names) -> Self {
        Self { type_args: Some((args, names)), ..self }
    }

    /// What replaces MVAR, and the names in it.
    #[must_use]
    pub const fn method_args(self, args: TypeArgs<'a>, names: &'a dyn Names) -> Self {
        Self { method_args: Some((args, names)), ..self }
    }
}

impl fmt::Debug for Substitute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Substitute")
            .field("type_args", &self.type_args.map(|(args, _)| args))
            .field("method_args", &self.method_args.map(|(args, _)| args))
            .finish_non_exhaustive()
    }
}

/// The argument with a number, and the names in it.
fn nth<'a>(args: Option<(TypeArgs<'a>, &'a dyn Names)>, number: u32) -> Option<(TypeSig<'a>, &'a dyn Names)> {
    let (mut args, names) = args?;
    Some((args.nth(usize::try_from(number).ok()?)?, names))
}

impl Names for Substitute<'_> {
    fn type_name(&self, ty: TypeDefOrRef, style: Style, out: &mut dyn Write) -> fmt::Result {
        self.names.type_name(ty, style, out)
    }

    fn var(&self, number: u32, style: Style, out: &mut dyn Write) -> fmt::Result {
        match nth(self.type_args, number) {
            Some((arg, names)) => Printer { names, style }.ty(arg, out),
            None => self.names.var(number, style, out),
        }
    }

    fn mvar(&self, number: u32, style: Style, out: &mut dyn Write) -> fmt::Result {
        match nth(self.method_args, number) {
            Some((arg, names)) => Printer { names, style }.ty(arg, out),
            None => self.names.mvar(number, style, out),
        }
    }

    fn internal(&self, handle: usize, style: Style, out: &mut dyn Write) -> fmt::Result {
        self.names.internal(handle, style, out)
    }
}

/// Something to be printed: what `csharp` and `ilasm` of every kind of signature, of custom attributes and of marshalling
/// descriptors return.
#[derive(Clone, Copy)]
pub struct Printed<'n, S> {
    sig: S,
    printer: Printer<'n>,
    name: Option<&'n str>,
}

impl<'n, S> Printed<'n, S> {
    /// Puts a name where the language has one: after the type of a field, before the parameters of a method.
    ///
    /// In signatures without a place for a name it changes nothing.
    #[must_use]
    pub fn named(self, name: &'n str) -> Self {
        Self { name: Some(name), ..self }
    }
}

impl<S> fmt::Debug for Printed<'_, S>
where
    Self: fmt::Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A style and the names.
#[derive(Clone, Copy)]
struct Printer<'n> {
    names: &'n dyn Names,
    style: Style,
}

impl Printer<'_> {
    fn ty(self, sig: TypeSig<'_>, out: &mut dyn Write) -> fmt::Result {
        match self.style {
            Style::CSharp => self.csharp_type(sig, out),
            Style::IlAsm => self.ilasm_type(sig, out),
        }
    }

    fn method(self, sig: MethodSig<'_>, name: Option<&str>, out: &mut dyn Write) -> fmt::Result {
        match self.style {
            Style::CSharp => self.csharp_method(sig, name, out),
            Style::IlAsm => match name {
                Some(name) => self.ilasm_method(sig, Some(&name), out),
                None => self.ilasm_method(sig, None, out),
            },
        }
    }

    fn property(self, sig: PropertySig<'_>, name: Option<&str>, out: &mut dyn Write) -> fmt::Result {
        match self.style {
            Style::CSharp => self.csharp_property(sig, name, out),
            Style::IlAsm => self.ilasm_property(sig, name, out),
        }
    }

    fn field(self, sig: TypeSig<'_>, name: Option<&str>, out: &mut dyn Write) -> fmt::Result {
        self.ty(sig, out)?;
        match name {
            Some(name) => write!(out, " {name}"),
            None => Ok(()),
        }
    }

    fn locals(self, sig: LocalVarSig<'_>, out: &mut dyn Write) -> fmt::Result {
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

    /// Generic arguments in their angle brackets.
    fn args(self, args: TypeArgs<'_>, out: &mut dyn Write) -> fmt::Result {
        out.write_char('<')?;
        let mut comma = Comma::default();
        for arg in args {
            comma.write(out)?;
            self.ty(arg, out)?;
        }
        out.write_char('>')
    }

    /// The generic parameters of a method in their angle brackets, or nothing if there are none.
    fn generic_params(self, count: u32, out: &mut dyn Write) -> fmt::Result {
        if count == 0 {
            return Ok(());
        }
        out.write_char('<')?;
        let mut comma = Comma::default();
        for number in 0..count {
            comma.write(out)?;
            self.names.mvar(number, self.style, out)?;
        }
        out.write_char('>')
    }
}

/// Writes what separates the items of a list: nothing before the first.
#[derive(Default)]
struct Comma(bool);

impl Comma {
    fn write(&mut self, out: &mut dyn Write) -> fmt::Result {
        if core::mem::replace(&mut self.0, true) { out.write_str(", ") } else { Ok(()) }
    }
}

macro_rules! printed {
    ($( $sig:ident |$self:ident, $out:ident| $print:expr; )+) => { $(
        impl<'a> $sig<'a> {
            /// The signature as C# would write it. See [`print`](crate::print).
            pub fn csharp<'n>(&self, names: &'n dyn Names) -> Printed<'n, $sig<'a>> {
                Printed { sig: *self, printer: Printer { names, style: Style::CSharp }, name: None }
            }

            /// The signature as ILAsm would write it. See [`print`](crate::print).
            pub fn ilasm<'n>(&self, names: &'n dyn Names) -> Printed<'n, $sig<'a>> {
                Printed { sig: *self, printer: Printer { names, style: Style::IlAsm }, name: None }
            }
        }

        impl fmt::Display for Printed<'_, $sig<'_>> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let ($self, $out) = (self, f);
                $print
            }
        }

        impl fmt::Display for $sig<'_> {
            /// C# with tokens for names.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.csharp(&Tokens), f)
            }
        }
    )+ };
}

printed! {
    TypeSig |printed, out| printed.printer.ty(printed.sig, out);
    TypeSpecSig |printed, out| printed.printer.ty(printed.sig.sig(), out);
    FieldSig |printed, out| printed.printer.field(printed.sig.sig(), printed.name, out);
    MethodSig |printed, out| printed.printer.method(printed.sig, printed.name, out);
    PropertySig |printed, out| printed.printer.property(printed.sig, printed.name, out);
    LocalVarSig |printed, out| printed.printer.locals(printed.sig, out);
    MethodSpecSig |printed, out| printed.printer.args(printed.sig.args(), out);
    Signature |printed, out| match printed.sig {
        Signature::Method(sig) => printed.printer.method(sig, printed.name, out),
        Signature::Field(sig) => printed.printer.field(sig.sig(), printed.name, out),
        Signature::Property(sig) => printed.printer.property(sig, printed.name, out),
        Signature::LocalVar(sig) => printed.printer.locals(sig, out),
        Signature::MethodSpec(sig) => printed.printer.args(sig.args(), out),
    };
}
