//! Local variable signatures (II.23.2.6).

use core::{fmt, iter::FusedIterator};

use crate::error::Error;
use crate::header::SigKind;
use crate::method::no_trailing_bytes;
use crate::modifiers::Modifiers;
use crate::reader::Reader;
use crate::ty::Type;
use crate::type_sig::TypeSig;

/// The types of a method's local variables (II.23.2.6).
///
/// ```
/// use sigparse::{LocalVarSig, Type};
///
/// // int; pinned ref byte
/// let sig = LocalVarSig::parse(&[0x07, 0x02, 0x08, 0x45, 0x10, 0x05])?;
/// for local in sig.locals() {
///     let local = local?;
///     assert_eq!(local.is_pinned(), local.index() == 1);
/// }
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LocalVarSig<'a> {
    locals: Locals<'a>,
}

impl<'a> LocalVarSig<'a> {
    /// No variables.
    #[cfg(feature = "alloc")]
    pub(crate) const EMPTY: LocalVarSig<'static> =
        LocalVarSig { locals: Locals { reader: Reader::new(&[]), index: 0, count: 0 } };

    /// Reads the head of a local variable signature. The variables are read as [`locals`](Self::locals) comes
    /// to them.
    ///
    /// # Errors
    /// If it is malformed or of another kind.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        reader.read_header(SigKind::LocalVar)?;
        let count = reader.read_count()?;
        Ok(Self { locals: Locals { reader, index: 0, count } })
    }

    /// The number of variables.
    #[inline]
    pub const fn local_count(&self) -> u32 {
        self.locals.count
    }

    /// The variables, in order.
    #[inline]
    pub const fn locals(&self) -> Locals<'a> {
        self.locals
    }

    /// Reads all variables and checks that nothing follows them.
    ///
    /// # Errors
    /// If a variable is malformed, or bytes follow the last one.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.locals.end()?)
    }

    /// The bytes after the last variable.
    ///
    /// # Errors
    /// If a variable is malformed.
    pub fn trailing_bytes(&self) -> Result<&'a [u8], Error> {
        Ok(self.locals.end()?.rest())
    }
}

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Local<'a> {
    index: u32,
    sig: TypeSig<'a>,
}

impl<'a> Local<'a> {
    /// The number of the variable, from 0.
    #[inline]
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// The type with its custom modifiers.
    #[inline]
    pub const fn sig(&self) -> TypeSig<'a> {
        self.sig
    }

    /// The outermost level of the type.
    #[inline]
    pub fn ty(&self) -> Type<'a> {
        self.sig.ty()
    }

    /// The custom modifiers before the type.
    #[inline]
    pub fn modifiers(&self) -> Modifiers<'a> {
        self.sig.modifiers()
    }

    /// Returns whether the variable keeps its object from being moved (II.23.2.9).
    #[inline]
    pub fn is_pinned(&self) -> bool {
        matches!(self.ty(), Type::Pinned(_))
    }
}

/// The local variables of a method: an iterator that reads each as it comes to it, and ends after an error.
#[derive(Clone, Copy)]
pub struct Locals<'a> {
    reader: Reader<'a>,
    index: u32,
    count: u32,
}

impl<'a> Locals<'a> {
    fn end(mut self) -> Result<Reader<'a>, Error> {
        for local in self.by_ref() {
            local?;
        }
        Ok(self.reader)
    }
}

impl<'a> Iterator for Locals<'a> {
    type Item = Result<Local<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.index >= self.count {
            return None;
        }
        let sig = self.reader.read_type();
        let index = self.index;
        self.index = if sig.is_ok() { index + 1 } else { self.count };
        Some(sig.map(|sig| Local { index, sig }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An error ends the iteration early.
        let left = (self.count - self.index) as usize;
        (left.min(1), Some(left))
    }
}

impl FusedIterator for Locals<'_> {}

impl fmt::Debug for Locals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.map(|local| local.map(|local| local.sig))).finish()
    }
}
