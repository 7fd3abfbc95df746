//! The `Display` of signatures.

use core::fmt;

use super::names::{Names, Tokens};
use super::types::Printer;
use crate::field::FieldSig;
use crate::locals::LocalVarSig;
use crate::method::MethodSig;
use crate::property::PropertySig;
use crate::signature::Signature;
use crate::spec::{MethodSpecSig, TypeSpecSig};
use crate::type_sig::TypeSig;

/// A signature, custom attribute or marshalling descriptor with the names to print it with.
#[derive(Clone, Copy)]
pub struct Printed<'n, S> {
    pub(super) sig: S,
    pub(super) printer: Printer<'n>,
    pub(super) name: Option<&'n str>,
}

impl<'n, S> Printed<'n, S> {
    pub(super) fn new(sig: S, names: &'n dyn Names) -> Self {
        Self { sig, printer: Printer { names }, name: None }
    }

    /// Adds the member's name where ILAsm has one: after the type of a field, before the parameters of a method.
    ///
    /// Has no effect on signatures without a place for a name.
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

macro_rules! printed {
    ($( $sig:ident |$self:ident, $out:ident| $print:expr; )+) => { $(
        impl<'a> $sig<'a> {
            /// Returns the signature for printing as ILAsm writes it. See [`ilasm`](crate::ilasm).
            pub fn ilasm<'n>(&self, names: &'n dyn Names) -> Printed<'n, $sig<'a>> {
                Printed::new(*self, names)
            }
        }

        impl fmt::Display for Printed<'_, $sig<'_>> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let ($self, $out) = (self, f);
                $print
            }
        }

        impl fmt::Display for $sig<'_> {
            /// Writes ILAsm with tokens for names.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.ilasm(&Tokens), f)
            }
        }
    )+ };
}

printed! {
    TypeSig |printed, out| printed.printer.ty(printed.sig, out);
    TypeSpecSig |printed, out| printed.printer.ty(printed.sig.sig(), out);
    FieldSig |printed, out| printed.printer.field(printed.sig, printed.name, out);
    MethodSig |printed, out| printed.printer.method(printed.sig, format_args!("{}", printed.name.unwrap_or_default()), out);
    PropertySig |printed, out| printed.printer.property(printed.sig, printed.name, out);
    LocalVarSig |printed, out| printed.printer.locals(printed.sig, out);
    MethodSpecSig |printed, out| printed.printer.args(printed.sig.args(), out);
    Signature |printed, out| match printed.sig {
        Signature::Method(sig) => printed.printer.method(sig, format_args!("{}", printed.name.unwrap_or_default()), out),
        Signature::Field(sig) => printed.printer.field(sig, printed.name, out),
        Signature::Property(sig) => printed.printer.property(sig, printed.name, out),
        Signature::LocalVar(sig) => printed.printer.locals(sig, out),
        Signature::MethodSpec(sig) => printed.printer.args(sig.args(), out),
    };
}
