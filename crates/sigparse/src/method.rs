//! Method signatures: MethodDefSig, MethodRefSig and StandAloneMethodSig (II.23.2.1 to 3).

use core::{fmt, iter::FusedIterator};

use crate::bytes::MethodHead;
use crate::element::ElementType;
use crate::error::{Error, ErrorKind};
use crate::grammar::{read_method_head, skip_params};
use crate::header::{CallingConvention, SigHeader};
use crate::modifiers::Modifiers;
use crate::reader::Reader;
use crate::type_sig::TypeSig;

/// The signature of a method, a call site or a function pointer (II.23.2.1 to 3).
///
/// Parsing reads the head and the return type; the parameters are read as [`params`](Self::params) comes to
/// them. [`validate`](Self::validate) reads them all. Two signatures are equal if their bytes are.
///
/// ```
/// use sigparse::{MethodSig, Type};
///
/// // instance string Method(int, ref long)
/// let sig = MethodSig::parse(&[0x20, 0x02, 0x0E, 0x08, 0x10, 0x0A])?;
/// assert!(sig.has_this());
/// assert_eq!(sig.return_type().ty(), Type::String);
/// for param in sig.params() {
///     let param = param?;
///     match param.ty() {
///         Type::I4 => assert_eq!(param.index(), 0),
///         Type::ByRef(target) => assert_eq!(target.ty(), Type::I8),
///         other => panic!("{other:?}"),
///     }
/// }
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct MethodSig<'a> {
    return_type: TypeSig<'a>,
    /// From the first parameter on.
    params: Reader<'a>,
    head: MethodHead,
}

impl<'a> MethodSig<'a> {
    /// `void ()`.
    #[cfg(feature = "alloc")]
    pub(crate) const NOTHING: MethodSig<'static> = MethodSig {
        return_type: TypeSig::VOID,
        params: Reader::new(&[]),
        head: MethodHead { header: SigHeader(0), generic_params: 0, params: 0 },
    };

    /// The bytes of the parameters.
    #[cfg(feature = "alloc")]
    pub(crate) fn param_bytes(&self) -> Result<&'a [u8], Error> {
        Ok(self.params.up_to(&self.end()?).rest())
    }

    /// Reads the head and the return type of a method signature.
    ///
    /// # Errors
    /// If they are malformed, or the header is not a method's.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        Self::read(Reader::new(blob))
    }

    #[inline(always)]
    pub(crate) fn read(mut reader: Reader<'a>) -> Result<Self, Error> {
        let head = read_method_head(&mut reader)?;
        let return_type = reader.read_type()?;
        Ok(Self { return_type, params: reader, head })
    }

    /// The first byte: calling convention and flags.
    #[inline]
    pub const fn header(&self) -> SigHeader {
        self.head.header
    }

    /// Returns the calling convention.
    #[inline]
    pub const fn calling_convention(&self) -> CallingConvention {
        self.head.header.calling_convention()
    }

    /// Returns whether the method has a `this` that is not among its parameters.
    #[inline]
    pub const fn has_this(&self) -> bool {
        self.head.header.has_this()
    }

    /// Returns whether `this` is the first parameter.
    #[inline]
    pub const fn explicit_this(&self) -> bool {
        self.head.header.explicit_this()
    }

    /// The number of generic parameters of the method itself.
    #[inline]
    pub const fn generic_param_count(&self) -> u32 {
        self.head.generic_params
    }

    /// The number of parameters, those after a SENTINEL included, `this` not.
    #[inline]
    pub const fn param_count(&self) -> u32 {
        self.head.params
    }

    /// Returns the return type. [`TypeSig::is_void`] is true for none.
    #[inline]
    pub const fn return_type(&self) -> TypeSig<'a> {
        self.return_type
    }

    /// The parameters, in order.
    #[inline]
    pub fn params(&self) -> Params<'a> {
        Params {
            reader: self.params,
            index: 0,
            count: self.head.params,
            sentinel: if self.calling_convention().allows_sentinel() {
                Sentinel::Possible
            } else {
                Sentinel::Impossible
            },
        }
    }

    /// Reads all parameters and checks that nothing follows them.
    ///
    /// # Errors
    /// If a parameter is malformed, or bytes follow the last one.
    pub fn validate(&self) -> Result<(), Error> {
        no_trailing_bytes(self.end()?)
    }

    /// The bytes after the last parameter.
    ///
    /// # Errors
    /// If a parameter is malformed.
    pub fn trailing_bytes(&self) -> Result<&'a [u8], Error> {
        Ok(self.end()?.rest())
    }

    /// Reads all parameters, and hands back the reader at their end.
    fn end(&self) -> Result<Reader<'a>, Error> {
        let mut end = self.params;
        skip_params(&mut end, self.head.params, self.calling_convention().allows_sentinel())?;
        Ok(end)
    }
}

/// Checks that a reader is at its end.
pub(crate) fn no_trailing_bytes(reader: Reader<'_>) -> Result<(), Error> {
    match reader.remaining() {
        0 => Ok(()),
        count => Err(Error::new(reader.position(), ErrorKind::TrailingBytes(count))),
    }
}

impl PartialEq for MethodSig<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head && self.return_type == other.return_type && self.params == other.params
    }
}

impl Eq for MethodSig<'_> {}

impl core::hash::Hash for MethodSig<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.head.hash(state);
        self.return_type.hash(state);
        self.params.hash(state);
    }
}

impl fmt::Debug for MethodSig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MethodSig")
            .field("header", &self.header())
            .field("generic_param_count", &self.generic_param_count())
            .field("return_type", &self.return_type())
            .field("params", &self.params())
            .finish()
    }
}

/// A parameter of a method or a property (II.23.2.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Param<'a> {
    index: u32,
    vararg: bool,
    sig: TypeSig<'a>,
}

impl<'a> Param<'a> {
    /// The position among the parameters, from 0. `this` is not counted.
    #[inline]
    pub const fn index(&self) -> u32 {
        self.index
    }

    /// Returns whether it stands after a SENTINEL: passed at this call, not declared by the method.
    #[inline]
    pub const fn is_vararg(&self) -> bool {
        self.vararg
    }

    /// The type with its custom modifiers.
    #[inline]
    pub const fn sig(&self) -> TypeSig<'a> {
        self.sig
    }
    /// The custom modifiers before the type.
    #[inline]
    pub fn modifiers(&self) -> Modifiers<'a> {
        self.sig.modifiers()
    }
}

/// Whether a SENTINEL may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sentinel {
    Impossible,
    Possible,
    Seen,
}

/// The parameters of a method or a property: an iterator that reads each as it comes to it, and ends after an
/// error.
#[derive(Clone, Copy)]
pub struct Params<'a> {
    pub(crate) reader: Reader<'a>,
    pub(crate) index: u32,
    pub(crate) count: u32,
    pub(crate) sentinel: Sentinel,
}

impl<'a> Params<'a> {
    /// Reads the parameters that are left, and hands back the reader at their end.
    pub(crate) fn end(mut self) -> Result<Reader<'a>, Error> {
        for param in self.by_ref() {
            param?;
        }
        Ok(self.reader)
    }

    #[inline]
    fn read(&mut self) -> Result<Param<'a>, Error> {
        if self.sentinel == Sentinel::Possible && self.reader.peek_u8() == Some(ElementType::SENTINEL.0) {
            self.reader.advance();
            self.sentinel = Sentinel::Seen;
        }
        let sig = self.reader.read_type()?;
        Ok(Param { index: self.index, vararg: self.sentinel == Sentinel::Seen, sig })
    }
}

impl<'a> Iterator for Params<'a> {
    type Item = Result<Param<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.index >= self.count {
            return None;
        }
        let param = self.read();
        self.index = if param.is_ok() { self.index + 1 } else { self.count };
        Some(param)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An error ends the iteration early.
        let left = (self.count - self.index) as usize;
        (left.min(1), Some(left))
    }
}

impl FusedIterator for Params<'_> {}

impl fmt::Debug for Params<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.map(|param| param.map(|param| param.sig))).finish()
    }
}
