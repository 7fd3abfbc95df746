//! Builders: signatures, custom attribute values and marshalling descriptors from nothing, none of them ill-formed.
//!
//! A type is written by a closure that is given a [`TypeEncoder`] and has to return the [`Done`] that comes of
//! finishing it: one type, no more and no less. The same holds for the values of a custom attribute and a
//! [`ValueEncoder`]. What the types of Rust cannot rule out (nesting too deep, a rank of 0, a number too large, an
//! argument that is not the parameter's) is an error when the signature is finished.
//!
//! A type that is not finished does not compile:
//!
//! ```compile_fail,E0308
//! # use sigparse::TypeSigBuf;
//! let vector_of_nothing = TypeSigBuf::build(|ty| ty.sz_array());
//! ```
//!
//! Nor do two in the place of one:
//!
//! ```compile_fail,E0382
//! # use sigparse::TypeSigBuf;
//! let two = TypeSigBuf::build(|ty| {
//!     ty.i4();
//!     ty.string()
//! });
//! ```

mod attribute;
mod marshal;
mod types;

pub use attribute::{AttributeBuilder, ValueEncoder, ValueList};
pub use marshal::{ArraySize, MarshalSpecBuf};
pub use types::{Done, TypeEncoder, TypeList};

use crate::element::ElementType;
use crate::encoder::Bytes;
use crate::error::Error;
use crate::header::CallingConvention;
use crate::header::SigHeader;
use crate::owned::method_head;
use crate::owned::{FieldSigBuf, LocalVarSigBuf, MethodSigBuf, MethodSpecSigBuf, PropertySigBuf, TypeSigBuf};

impl TypeSigBuf {
    /// Builds a type, or the signature of a TypeSpec.
    ///
    /// # Errors
    /// If it nests too deep or holds a number that is out of range.
    pub fn build(ty: impl for<'b> FnOnce(TypeEncoder<'b>) -> Done<'b>) -> Result<Self, Error> {
        let mut out = Bytes::default();
        ty(TypeEncoder::new(&mut out));
        Self::from_bytes(out.finish()?)
    }
}

impl FieldSigBuf {
    /// Builds the signature of a field (II.23.2.4).
    ///
    /// ```
    /// use sigparse::FieldSigBuf;
    ///
    /// let sig = FieldSigBuf::build(|ty| ty.sz_array().u1())?;
    /// assert_eq!(sig.as_bytes(), [0x06, 0x1D, 0x05]);
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the type nests too deep or holds a number that is out of range.
    pub fn build(ty: impl for<'b> FnOnce(TypeEncoder<'b>) -> Done<'b>) -> Result<Self, Error> {
        let mut out = Bytes::default();
        out.bytes.push(CallingConvention::FIELD.0);
        ty(TypeEncoder::new(&mut out));
        Self::from_bytes(out.finish()?)
    }
}

impl MethodSpecSigBuf {
    /// Builds the arguments of a generic method (II.23.2.15).
    ///
    /// ```
    /// use sigparse::MethodSpecSigBuf;
    ///
    /// let sig = MethodSpecSigBuf::build(|args| args.arg(|ty| ty.i4()))?;
    /// assert_eq!(sig.as_bytes(), [0x0A, 0x01, 0x08]);
    /// # Ok::<(), sigparse::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no argument, or one nests too deep or holds a number that is out of range.
    pub fn build(args: impl FnOnce(&mut TypeList)) -> Result<Self, Error> {
        let mut out = Bytes::default();
        out.bytes.push(CallingConvention::GENERICINST.0);
        TypeList::write(&mut out, args);
        Self::from_bytes(out.finish()?)
    }
}

/// Builds the signature of a method (II.23.2.1 to 3).
///
/// ```
/// use sigparse::MethodSigBuilder;
///
/// // instance int M<T>(ref T, string)
/// let sig = MethodSigBuilder::new(|ty| ty.i4())
///     .has_this()
///     .generic_params(1)
///     .param(|ty| ty.by_ref().mvar(0))
///     .param(|ty| ty.string())
///     .finish()?;
/// assert_eq!(sig.as_bytes(), [0x30, 0x01, 0x02, 0x08, 0x10, 0x1E, 0x00, 0x0E]);
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Debug)]
pub struct MethodSigBuilder {
    header: SigHeader,
    generic_params: u32,
    /// The return type, then the parameters.
    types: TypeList,
    sentinel: bool,
}

impl MethodSigBuilder {
    /// Begins with the return type.
    pub fn new(return_type: impl for<'b> FnOnce(TypeEncoder<'b>) -> Done<'b>) -> Self {
        let mut types = TypeList::default();
        return_type(TypeEncoder::new(&mut types.out));
        Self { header: SigHeader(0), generic_params: 0, types, sentinel: false }
    }

    /// Sets how the method is called.
    #[must_use]
    pub fn calling_convention(self, convention: CallingConvention) -> Self {
        let flags = self.header.0 & !SigHeader::CALLING_CONVENTION_MASK;
        Self { header: SigHeader(flags | convention.0 & SigHeader::CALLING_CONVENTION_MASK), ..self }
    }

    /// The method has a `this` that is not among its parameters.
    #[must_use]
    pub fn has_this(self) -> Self {
        Self { header: SigHeader(self.header.0 | SigHeader::HASTHIS), ..self }
    }

    /// `this` is the first of the parameters (II.15.3: in function pointers only).
    #[must_use]
    pub fn explicit_this(self) -> Self {
        Self { header: SigHeader(self.header.0 | SigHeader::HASTHIS | SigHeader::EXPLICITTHIS), ..self }
    }

    /// Sets the number of generic parameters; 0 for a method that is not generic.
    #[must_use]
    pub fn generic_params(self, count: u32) -> Self {
        let others = self.header.0 & !SigHeader::GENERIC;
        let header = SigHeader(if count > 0 { others | SigHeader::GENERIC } else { others });
        Self { header, generic_params: count, ..self }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn param(mut self, ty: impl for<'b> FnOnce(TypeEncoder<'b>) -> Done<'b>) -> Self {
        if core::mem::take(&mut self.sentinel) {
            self.types.out.element(ElementType::SENTINEL);
        }
        self.types.arg(ty);
        self
    }

    /// The parameters that follow are not declared by the method (II.23.2.2). Without one, there is no SENTINEL.
    #[must_use]
    pub fn sentinel(self) -> Self {
        Self { sentinel: true, ..self }
    }

    /// Puts the signature together.
    ///
    /// # Errors
    /// If the calling convention is none of a method, or allows no sentinel and there is one; if there are two;
    /// if a type nests too deep or holds a number that is out of range.
    pub fn finish(self) -> Result<MethodSigBuf, Error> {
        let mut out = Bytes::default();
        method_head(&mut out, self.header, self.generic_params, self.types.count());
        out.append(self.types.out);
        MethodSigBuf::from_bytes(out.finish()?)
    }
}

/// Builds the signature of a property (II.23.2.5).
///
/// ```
/// use sigparse::PropertySigBuilder;
///
/// // string this[int]
/// let sig = PropertySigBuilder::new(|ty| ty.string()).has_this().param(|ty| ty.i4()).finish()?;
/// assert_eq!(sig.as_bytes(), [0x28, 0x01, 0x0E, 0x08]);
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Debug)]
pub struct PropertySigBuilder {
    header: SigHeader,
    types: TypeList,
}

impl PropertySigBuilder {
    /// Begins with the type of the property.
    pub fn new(property_type: impl for<'b> FnOnce(TypeEncoder<'b>) -> Done<'b>) -> Self {
        let mut types = TypeList::default();
        property_type(TypeEncoder::new(&mut types.out));
        Self { header: SigHeader(CallingConvention::PROPERTY.0), types }
    }

    /// The property is an instance's.
    #[must_use]
    pub fn has_this(self) -> Self {
        Self { header: SigHeader(self.header.0 | SigHeader::HASTHIS), ..self }
    }

    /// Adds a parameter of the indexer.
    #[must_use]
    pub fn param(mut self, ty: impl for<'b> FnOnce(TypeEncoder<'b>) -> Done<'b>) -> Self {
        self.types.arg(ty);
        self
    }

    /// Puts the signature together.
    ///
    /// # Errors
    /// If a type nests too deep or holds a number that is out of range.
    pub fn finish(self) -> Result<PropertySigBuf, Error> {
        let mut out = Bytes::default();
        method_head(&mut out, self.header, 0, self.types.count());
        out.append(self.types.out);
        PropertySigBuf::from_bytes(out.finish()?)
    }
}

/// Builds the signature of local variables (II.23.2.6).
///
/// ```
/// use sigparse::LocalVarSigBuilder;
///
/// // int; pinned ref byte
/// let sig = LocalVarSigBuilder::new().local(|ty| ty.i4()).local(|ty| ty.pinned().by_ref().u1()).finish()?;
/// assert_eq!(sig.as_bytes(), [0x07, 0x02, 0x08, 0x45, 0x10, 0x05]);
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct LocalVarSigBuilder {
    types: TypeList,
}

impl LocalVarSigBuilder {
    /// Begins without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable.
    #[must_use]
    pub fn local(mut self, ty: impl for<'b> FnOnce(TypeEncoder<'b>) -> Done<'b>) -> Self {
        self.types.arg(ty);
        self
    }

    /// Puts the signature together.
    ///
    /// # Errors
    /// If a type nests too deep or holds a number that is out of range.
    pub fn finish(self) -> Result<LocalVarSigBuf, Error> {
        let mut out = Bytes::default();
        method_head(&mut out, SigHeader(CallingConvention::LOCAL_SIG.0), 0, self.types.count());
        out.append(self.types.out);
        LocalVarSigBuf::from_bytes(out.finish()?)
    }
}
