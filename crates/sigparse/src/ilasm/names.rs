//! The names that a signature refers to and does not hold.

use core::fmt::{self, Write};

use crate::token::TypeDefOrRef;

/// A source of type names for printing.
pub trait Names {
    /// Writes the name of a type, with its assembly if wanted: ``[lib]Dictionary`2/Entry``.
    ///
    /// # Errors
    /// Only those of `out`.
    fn type_name(&self, ty: TypeDefOrRef, out: &mut dyn Write) -> fmt::Result;

    /// Writes a parameter of the generic type (VAR). `!0` by default.
    ///
    /// # Errors
    /// Only those of `out`.
    fn var(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "!{number}")
    }

    /// Writes a parameter of the generic method (MVAR). `!!0` by default.
    ///
    /// # Errors
    /// Only those of `out`.
    fn mvar(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "!!{number}")
    }

    /// Writes a type of the running process (INTERNAL). `internal(0x7F0012345678)` by default.
    ///
    /// # Errors
    /// Only those of `out`.
    fn internal(&self, handle: usize, out: &mut dyn Write) -> fmt::Result {
        write!(out, "internal(0x{handle:X})")
    }
}

impl<N: Names + ?Sized> Names for &N {
    fn type_name(&self, ty: TypeDefOrRef, out: &mut dyn Write) -> fmt::Result {
        (**self).type_name(ty, out)
    }

    fn var(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        (**self).var(number, out)
    }

    fn mvar(&self, number: u32, out: &mut dyn Write) -> fmt::Result {
        (**self).mvar(number, out)
    }

    fn internal(&self, handle: usize, out: &mut dyn Write) -> fmt::Result {
        (**self).internal(handle, out)
    }
}

/// The tokens of types in place of their names.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tokens;

impl Names for Tokens {
    fn type_name(&self, ty: TypeDefOrRef, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{ty}")
    }
}
