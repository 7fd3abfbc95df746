//! Instantiations: TypeSpec (II.23.2.14) and MethodSpec (II.23.2.15).

use crate::bytes;
use crate::error::Error;
use crate::generic::TypeArgs;
use crate::header::SigKind;
use crate::method::no_trailing_bytes;
use crate::reader::Reader;
use crate::ty::Type;
use crate::type_sig::TypeSig;

/// A constructed type: the signature of a `TypeSpec` row (II.23.2.14).
///
/// ECMA-335 allows PTR, FNPTR, ARRAY, SZARRAY and GENERICINST here; compilers also write VAR, MVAR, custom
/// modifiers and primitives, so any type is accepted.
///
/// ```
/// use sigparse::{Type, TypeSpecSig};
///
/// let sig = TypeSpecSig::parse(&[0x1D, 0x13, 0x00])?;
/// assert!(matches!(sig.ty(), Type::SzArray(element) if element.ty() == Type::Var(0)));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeSpecSig<'a> {
    sig: TypeSig<'a>,
    trailing: Reader<'a>,
}

impl<'a> TypeSpecSig<'a> {
    /// Reads the signature of a constructed type, whole.
    ///
    /// # Errors
    /// If it is malformed.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        Ok(Self { sig: reader.read_type()?, trailing: reader })
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

    /// Checks that nothing follows the signature.
    ///
    /// # Errors
    /// If bytes do.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.trailing)
    }

    /// The bytes after the signature.
    pub fn trailing_bytes(&self) -> &'a [u8] {
        self.trailing.rest()
    }
}

/// The arguments of a generic method: the signature of a `MethodSpec` row (II.23.2.15).
///
/// ```
/// use sigparse::{MethodSpecSig, Type};
///
/// let sig = MethodSpecSig::parse(&[0x0A, 0x02, 0x08, 0x1E, 0x00])?;
/// assert!(sig.args().map(|arg| arg.ty()).eq([Type::I4, Type::MVar(0)]));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MethodSpecSig<'a> {
    args: TypeArgs<'a>,
    trailing: Reader<'a>,
}

impl<'a> MethodSpecSig<'a> {
    /// `<void>`.
    #[cfg(feature = "alloc")]
    pub(crate) const VOID: MethodSpecSig<'static> =
        MethodSpecSig { args: TypeArgs::walked(Reader::new(&[1]), 1), trailing: Reader::new(&[]) };

    /// Reads the arguments of a generic method, whole.
    ///
    /// # Errors
    /// If they are malformed or the header is of another kind.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        reader.read_header(SigKind::MethodSpec)?;
        let count = reader.take(bytes::generic_arg_count)?;
        let args = reader;
        for _ in 0..count {
            reader.read_type()?;
        }
        Ok(Self { args: TypeArgs::walked(args.up_to(&reader), count), trailing: reader })
    }

    /// The arguments, at least one.
    #[inline]
    pub const fn args(&self) -> TypeArgs<'a> {
        self.args
    }

    /// Checks that nothing follows the signature.
    ///
    /// # Errors
    /// If bytes do.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.trailing)
    }

    /// The bytes after the signature.
    pub fn trailing_bytes(&self) -> &'a [u8] {
        self.trailing.rest()
    }
}
