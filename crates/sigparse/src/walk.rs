//! One pass over a signature that tells a [`Visitor`] what it meets: the fastest way to read one.
//!
//! The grammar is written down here, once: whatever finds the end of a type or checks one goes through this
//! module, and the borrowed views open bytes that it has accepted.
//!
//! ```
//! use sigparse::{TypeDefOrRef, Visitor, walk};
//!
//! /// Collects the types that a signature names.
//! struct Named(Vec<TypeDefOrRef>);
//!
//! impl Visitor<'_> for Named {
//!     fn class(&mut self, ty: TypeDefOrRef) {
//!         self.0.push(ty);
//!     }
//!
//!     fn value_type(&mut self, ty: TypeDefOrRef) {
//!         self.0.push(ty);
//!     }
//! }
//!
//! let mut named = Named(Vec::new());
//! // void M(class 0x01000002<valuetype 0x02000001>)
//! let blob = [0x00, 0x01, 0x01, 0x15, 0x12, 0x09, 0x01, 0x11, 0x04];
//! assert_eq!(walk::method(&blob, &mut named)?, blob.len());
//! assert_eq!(named.0.len(), 2);
//! # Ok::<(), sigparse::Error>(())
//! ```

use crate::{
    ArrayShape, ElementType, Error, Modifier, Reader, SigHeader, SigKind, TypeDefOrRef, bytes,
    grammar::{walk_method, walk_type},
};

/// What a walk tells as it meets it, in the order of the blob. Every method does nothing by default.
///
/// A prefix ([`ptr`](Self::ptr), [`by_ref`](Self::by_ref), [`sz_array`](Self::sz_array),
/// [`pinned`](Self::pinned), [`modifier`](Self::modifier)) is followed by the events of the one type it applies
/// to.
#[allow(unused_variables, reason = "the names are for whoever implements one")]
pub trait Visitor<'a> {
    /// A type that is whole in itself: [`ElementType::is_leaf`].
    #[inline]
    fn leaf(&mut self, element: ElementType) {}

    /// CLASS.
    #[inline]
    fn class(&mut self, ty: TypeDefOrRef) {}

    /// VALUETYPE.
    #[inline]
    fn value_type(&mut self, ty: TypeDefOrRef) {}

    /// VAR: the parameter of a generic type.
    #[inline]
    fn var(&mut self, number: u32) {}

    /// MVAR: the parameter of a generic method.
    #[inline]
    fn mvar(&mut self, number: u32) {}

    /// INTERNAL: a type of the running process.
    #[inline]
    fn internal(&mut self, handle: usize) {}

    /// A custom modifier.
    #[inline]
    fn modifier(&mut self, modifier: Modifier) {}

    /// PTR.
    #[inline]
    fn ptr(&mut self) {}

    /// BYREF.
    #[inline]
    fn by_ref(&mut self) {}

    /// SZARRAY.
    #[inline]
    fn sz_array(&mut self) {}

    /// PINNED.
    #[inline]
    fn pinned(&mut self) {}

    /// ARRAY; the events of the element type follow, and then [`end_array`](Self::end_array).
    #[inline]
    fn begin_array(&mut self) {}

    /// The shape of the innermost ARRAY.
    #[inline]
    fn end_array(&mut self, shape: ArrayShape<'a>) {}

    /// GENERICINST; one of [`class`](Self::class), [`value_type`](Self::value_type) and
    /// [`internal`](Self::internal) follows, and then [`generic_args`](Self::generic_args).
    #[inline]
    fn begin_generic_inst(&mut self) {}

    /// The count of arguments of the innermost GENERICINST or of a method instantiation, before their events.
    #[inline]
    fn generic_args(&mut self, count: u32) {}

    /// The end of the innermost GENERICINST.
    #[inline]
    fn end_generic_inst(&mut self) {}

    /// FNPTR; the events of a method follow.
    #[inline]
    fn fn_ptr(&mut self) {}

    /// The head of a method signature; the events of the return type follow, then those of the parameters.
    #[inline]
    fn begin_method(&mut self, header: SigHeader, generic_params: u32, params: u32) {}

    /// The next parameter of the innermost method, from 0; its events follow.
    #[inline]
    fn param(&mut self, index: u32) {}

    /// SENTINEL: the parameters after it are not declared by the method.
    #[inline]
    fn sentinel(&mut self) {}

    /// The end of the innermost method signature.
    #[inline]
    fn end_method(&mut self) {}

    /// The head of a field signature; the events of its type follow.
    #[inline]
    fn begin_field(&mut self, header: SigHeader) {}

    /// The head of a method instantiation; [`generic_args`](Self::generic_args) follows, then the events of the
    /// arguments.
    #[inline]
    fn begin_method_spec(&mut self, header: SigHeader) {}

    /// The head of a property signature; the events of its type follow, then those of the parameters, each
    /// after a [`param`](Self::param).
    #[inline]
    fn begin_property(&mut self, header: SigHeader, params: u32) {}

    /// The head of a local variable signature; each variable is a [`local`](Self::local).
    #[inline]
    fn begin_locals(&mut self, header: SigHeader, count: u32) {}

    /// The next local variable, from 0; its events follow.
    #[inline]
    fn local(&mut self, index: u32) {}
}

/// Walks one type, custom modifiers included, and tells how many bytes it has (II.23.2.12).
///
/// ```
/// use sigparse::{ElementType, Visitor, walk};
///
/// #[derive(Default)]
/// struct Leaves(Vec<ElementType>);
///
/// impl Visitor<'_> for Leaves {
///     fn leaf(&mut self, element: ElementType) {
///         self.0.push(element);
///     }
/// }
///
/// // int[], and a byte that is none of it
/// let mut leaves = Leaves::default();
/// assert_eq!(walk::ty(&[0x1D, 0x08, 0x00], &mut leaves)?, 2);
/// assert_eq!(leaves.0, [ElementType::I4]);
/// # Ok::<(), sigparse::Error>(())
/// ```
///
/// # Errors
/// If the bytes are no well-formed type. What came before the error has been told.
pub fn ty<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    walk_type(&mut reader, visitor)?;
    Ok(reader.position())
}

/// Walks the signature of a method and tells how many bytes it has (II.23.2.1 to 3).
///
/// ```
/// use sigparse::{ElementType, Visitor, walk};
///
/// # #[derive(Default)]
/// # struct Leaves(Vec<ElementType>);
/// #
/// # impl Visitor<'_> for Leaves {
/// #     fn leaf(&mut self, element: ElementType) {
/// #         self.0.push(element);
/// #     }
/// # }
/// // void M(string)
/// let mut leaves = Leaves::default();
/// assert_eq!(walk::method(&[0x00, 0x01, 0x01, 0x0E], &mut leaves)?, 4);
/// assert_eq!(leaves.0, [ElementType::VOID, ElementType::STRING]);
/// # Ok::<(), sigparse::Error>(())
/// ```
///
/// # Errors
/// If the signature is malformed or of another kind. What came before the error has been told.
pub fn method<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    walk_method(&mut reader, visitor)?;
    Ok(reader.position())
}

/// Walks the signature of a field and tells how many bytes it has (II.23.2.4).
///
/// ```
/// use sigparse::{ElementType, Visitor, walk};
///
/// # #[derive(Default)]
/// # struct Leaves(Vec<ElementType>);
/// #
/// # impl Visitor<'_> for Leaves {
/// #     fn leaf(&mut self, element: ElementType) {
/// #         self.0.push(element);
/// #     }
/// # }
/// // volatile int
/// let mut leaves = Leaves::default();
/// assert_eq!(walk::field(&[0x06, 0x1F, 0x0D, 0x08], &mut leaves)?, 4);
/// assert_eq!(leaves.0, [ElementType::I4]);
/// # Ok::<(), sigparse::Error>(())
/// ```
///
/// # Errors
/// If the signature is malformed or of another kind. What came before the error has been told.
pub fn field<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    visitor.begin_field(reader.read_header(SigKind::Field)?);
    walk_type(&mut reader, visitor)?;
    Ok(reader.position())
}

/// Walks the signature of a property and tells how many bytes it has (II.23.2.5).
///
/// ```
/// use sigparse::{ElementType, Visitor, walk};
///
/// # #[derive(Default)]
/// # struct Leaves(Vec<ElementType>);
/// #
/// # impl Visitor<'_> for Leaves {
/// #     fn leaf(&mut self, element: ElementType) {
/// #         self.0.push(element);
/// #     }
/// # }
/// // string this[int]
/// let mut leaves = Leaves::default();
/// assert_eq!(walk::property(&[0x28, 0x01, 0x0E, 0x08], &mut leaves)?, 4);
/// assert_eq!(leaves.0, [ElementType::STRING, ElementType::I4]);
/// # Ok::<(), sigparse::Error>(())
/// ```
///
/// # Errors
/// If the signature is malformed or of another kind. What came before the error has been told.
pub fn property<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    let header = reader.read_header(SigKind::Property)?;
    let params = reader.read_count()?;
    visitor.begin_property(header, params);
    walk_type(&mut reader, visitor)?;
    for index in 0..params {
        visitor.param(index);
        walk_type(&mut reader, visitor)?;
    }
    Ok(reader.position())
}

/// Walks the signature of local variables and tells how many bytes it has (II.23.2.6).
///
/// ```
/// use sigparse::{ElementType, Visitor, walk};
///
/// # #[derive(Default)]
/// # struct Leaves(Vec<ElementType>);
/// #
/// # impl Visitor<'_> for Leaves {
/// #     fn leaf(&mut self, element: ElementType) {
/// #         self.0.push(element);
/// #     }
/// # }
/// // pinned ref byte; object
/// let mut leaves = Leaves::default();
/// assert_eq!(walk::locals(&[0x07, 0x02, 0x45, 0x10, 0x05, 0x1C], &mut leaves)?, 6);
/// assert_eq!(leaves.0, [ElementType::U1, ElementType::OBJECT]);
/// # Ok::<(), sigparse::Error>(())
/// ```
///
/// # Errors
/// If the signature is malformed or of another kind. What came before the error has been told.
pub fn locals<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    let header = reader.read_header(SigKind::LocalVar)?;
    let count = reader.read_count()?;
    visitor.begin_locals(header, count);
    for index in 0..count {
        visitor.local(index);
        walk_type(&mut reader, visitor)?;
    }
    Ok(reader.position())
}

/// Walks the arguments of a generic method and tells how many bytes they have (II.23.2.15).
///
/// ```
/// use sigparse::{ElementType, Visitor, walk};
///
/// # #[derive(Default)]
/// # struct Leaves(Vec<ElementType>);
/// #
/// # impl Visitor<'_> for Leaves {
/// #     fn leaf(&mut self, element: ElementType) {
/// #         self.0.push(element);
/// #     }
/// # }
/// // <int, bool>
/// let mut leaves = Leaves::default();
/// assert_eq!(walk::method_spec(&[0x0A, 0x02, 0x08, 0x02], &mut leaves)?, 4);
/// assert_eq!(leaves.0, [ElementType::I4, ElementType::BOOLEAN]);
/// # Ok::<(), sigparse::Error>(())
/// ```
///
/// # Errors
/// If the signature is malformed or of another kind. What came before the error has been told.
pub fn method_spec<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    visitor.begin_method_spec(reader.read_header(SigKind::MethodSpec)?);
    let count = reader.take(bytes::generic_arg_count)?;
    visitor.generic_args(count);
    for _ in 0..count {
        walk_type(&mut reader, visitor)?;
    }
    Ok(reader.position())
}

/// Walks a signature of the kind that its first byte names, and tells how many bytes it has.
///
/// ```
/// use sigparse::{ElementType, Visitor, walk};
///
/// # #[derive(Default)]
/// # struct Leaves(Vec<ElementType>);
/// #
/// # impl Visitor<'_> for Leaves {
/// #     fn leaf(&mut self, element: ElementType) {
/// #         self.0.push(element);
/// #     }
/// # }
/// // a field
/// let mut leaves = Leaves::default();
/// assert_eq!(walk::signature(&[0x06, 0x08], &mut leaves)?, 2);
/// assert_eq!(leaves.0, [ElementType::I4]);
/// # Ok::<(), sigparse::Error>(())
/// ```
///
/// # Errors
/// If the signature is malformed or of no kind. What came before the error has been told.
pub fn signature<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    match SigKind::of(SigHeader(Reader::new(blob).read_u8()?)) {
        Some(SigKind::Field) => field(blob, visitor),
        Some(SigKind::Property) => property(blob, visitor),
        Some(SigKind::LocalVar) => locals(blob, visitor),
        Some(SigKind::MethodSpec) => method_spec(blob, visitor),
        Some(SigKind::Method) | None => method(blob, visitor),
    }
}
