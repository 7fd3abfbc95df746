//! Field signatures (II.23.2.4).

use crate::error::Error;
use crate::header::SigKind;
use crate::method::no_trailing_bytes;
use crate::modifiers::Modifiers;
use crate::reader::Reader;
use crate::ty::Type;
use crate::type_sig::TypeSig;

/// The type of a field (II.23.2.4).
///
/// The type of a `ref` field is a [`Type::ByRef`].
///
/// ```
/// use sigparse::{FieldSig, Modifier, Type};
///
/// // volatile int: modreq(0x01000003) int
/// let sig = FieldSig::parse(&[0x06, 0x1F, 0x0D, 0x08])?;
/// assert_eq!(sig.ty(), Type::I4);
/// assert!(sig.modifiers().all(|modifier| modifier.is_required()));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldSig<'a> {
    sig: TypeSig<'a>,
    trailing: Reader<'a>,
}

impl<'a> FieldSig<'a> {
    /// `void`.
    #[cfg(feature = "alloc")]
    pub(crate) const VOID: FieldSig<'static> = FieldSig { sig: TypeSig::VOID, trailing: Reader::new(&[]) };

    /// Reads a field signature, whole.
    ///
    /// # Errors
    /// If it is malformed or of another kind.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        reader.read_header(SigKind::Field)?;
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

    /// The custom modifiers before the type.
    #[inline]
    pub fn modifiers(&self) -> Modifiers<'a> {
        self.sig.modifiers()
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
