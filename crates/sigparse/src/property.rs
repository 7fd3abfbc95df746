//! Property signatures (II.23.2.5).

use crate::error::Error;
use crate::header::{SigHeader, SigKind};
use crate::method::Params;
use crate::method::{Sentinel, no_trailing_bytes};
use crate::reader::Reader;
use crate::type_sig::TypeSig;

/// The type of a property, and the parameters of an indexer (II.23.2.5).
///
/// ```
/// use sigparse::{PropertySig, Type};
///
/// // instance string this[int]
/// let sig = PropertySig::parse(&[0x28, 0x01, 0x0E, 0x08])?;
/// assert!(sig.has_this());
/// assert_eq!(sig.property_type().ty(), Type::String);
/// assert_eq!(sig.param_count(), 1);
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PropertySig<'a> {
    header: SigHeader,
    property_type: TypeSig<'a>,
    params: Params<'a>,
}

impl<'a> PropertySig<'a> {
    /// `void`.
    #[cfg(feature = "alloc")]
    pub(crate) const VOID: PropertySig<'static> = PropertySig {
        header: SigHeader(8),
        property_type: TypeSig::VOID,
        params: Params { reader: Reader::new(&[]), index: 0, count: 0, sentinel: Sentinel::Impossible },
    };

    /// Reads the head and the type of a property signature.
    ///
    /// # Errors
    /// If they are malformed, or the header is of another kind.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(blob);
        let header = reader.read_header(SigKind::Property)?;
        let count = reader.read_count()?;
        let property_type = reader.read_type()?;
        Ok(Self {
            header,
            property_type,
            params: Params { reader, index: 0, count, sentinel: Sentinel::Impossible },
        })
    }

    /// The first byte.
    #[inline]
    pub const fn header(&self) -> SigHeader {
        self.header
    }

    /// Returns whether the property is an instance's.
    #[inline]
    pub const fn has_this(&self) -> bool {
        self.header.has_this()
    }

    /// The number of parameters of an indexer.
    #[inline]
    pub const fn param_count(&self) -> u32 {
        self.params.count
    }

    /// The type of the property.
    #[inline]
    pub const fn property_type(&self) -> TypeSig<'a> {
        self.property_type
    }

    /// The parameters of an indexer.
    #[inline]
    pub const fn params(&self) -> Params<'a> {
        self.params
    }

    /// Reads all parameters and checks that nothing follows them.
    ///
    /// # Errors
    /// If a parameter is malformed, or bytes follow the last one.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.params.end()?)
    }

    /// The bytes after the last parameter.
    ///
    /// # Errors
    /// If a parameter is malformed.
    pub fn trailing_bytes(&self) -> Result<&'a [u8], Error> {
        Ok(self.params.end()?.rest())
    }
}
