//! Signatures that name their kind.

use crate::error::Error;
use crate::field::FieldSig;
use crate::header::{SigHeader, SigKind};
use crate::locals::LocalVarSig;
use crate::method::MethodSig;
use crate::property::PropertySig;
use crate::reader::Reader;
use crate::spec::MethodSpecSig;

/// Any signature that names its kind in the first byte: what a `MemberRef`, a `StandAloneSig` or a blob of
/// unknown origin can hold.
///
/// ```
/// use sigparse::Signature;
///
/// assert!(matches!(Signature::parse(&[0x07, 0x01, 0x08])?, Signature::LocalVar(_)));
/// assert!(matches!(Signature::parse(&[0x06, 0x08])?, Signature::Field(_)));
/// assert!(matches!(Signature::parse(&[0x00, 0x00, 0x01])?, Signature::Method(_)));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Signature<'a> {
    /// A method (II.23.2.1 to 3).
    Method(MethodSig<'a>),
    /// A field (II.23.2.4).
    Field(FieldSig<'a>),
    /// A property (II.23.2.5).
    Property(PropertySig<'a>),
    /// Local variables (II.23.2.6).
    LocalVar(LocalVarSig<'a>),
    /// The arguments of a generic method (II.23.2.15).
    MethodSpec(MethodSpecSig<'a>),
}

impl<'a> Signature<'a> {
    /// Reads a signature of the kind that the first byte names.
    ///
    /// # Errors
    /// If it is malformed, or the first byte names no kind.
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let header = SigHeader(Reader::new(blob).read_u8()?);
        Ok(match SigKind::of(header) {
            Some(SigKind::Field) => Self::Field(FieldSig::parse(blob)?),
            Some(SigKind::Property) => Self::Property(PropertySig::parse(blob)?),
            Some(SigKind::LocalVar) => Self::LocalVar(LocalVarSig::parse(blob)?),
            Some(SigKind::MethodSpec) => Self::MethodSpec(MethodSpecSig::parse(blob)?),
            Some(SigKind::Method) | None => Self::Method(MethodSig::parse(blob)?),
        })
    }

    /// The kind of the signature.
    pub const fn kind(&self) -> SigKind {
        match self {
            Self::Method(_) => SigKind::Method,
            Self::Field(_) => SigKind::Field,
            Self::Property(_) => SigKind::Property,
            Self::LocalVar(_) => SigKind::LocalVar,
            Self::MethodSpec(_) => SigKind::MethodSpec,
        }
    }

    /// Reads the whole signature and checks that nothing follows it.
    ///
    /// # Errors
    /// If it is malformed, or bytes follow it.
    pub fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Method(sig) => sig.validate(),
            Self::Field(sig) => sig.validate(),
            Self::Property(sig) => sig.validate(),
            Self::LocalVar(sig) => sig.validate(),
            Self::MethodSpec(sig) => sig.validate(),
        }
    }
}
