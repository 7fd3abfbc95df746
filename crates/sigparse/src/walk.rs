//! One pass over a signature that calls a [`Visitor`] for each part: the fastest way to read every type.
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

use crate::bytes;
use crate::error::Error;
use crate::grammar::{walk_method, walk_type};
use crate::header::{SigHeader, SigKind};
use crate::reader::Reader;
use crate::visitor::Visitor;

/// Walks one type, custom modifiers included, and returns its length in bytes (II.23.2.12).
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
/// If the bytes are no well-formed type. The visitor has been called for what comes before the error.
pub fn ty<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    walk_type(&mut reader, visitor)?;
    Ok(reader.position())
}

/// Walks the signature of a method and returns its length in bytes (II.23.2.1 to 3).
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
/// If the signature is malformed or of another kind. The visitor has been called for what comes before the error.
pub fn method<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    walk_method(&mut reader, visitor)?;
    Ok(reader.position())
}

/// Walks the signature of a field and returns its length in bytes (II.23.2.4).
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
/// If the signature is malformed or of another kind. The visitor has been called for what comes before the error.
pub fn field<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    let mut reader = Reader::new(blob);
    visitor.begin_field(reader.read_header(SigKind::Field)?);
    walk_type(&mut reader, visitor)?;
    Ok(reader.position())
}

/// Walks the signature of a property and returns its length in bytes (II.23.2.5).
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
/// If the signature is malformed or of another kind. The visitor has been called for what comes before the error.
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

/// Walks the signature of local variables and returns its length in bytes (II.23.2.6).
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
/// If the signature is malformed or of another kind. The visitor has been called for what comes before the error.
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

/// Walks the arguments of a generic method and returns their length in bytes (II.23.2.15).
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
/// If the signature is malformed or of another kind. The visitor has been called for what comes before the error.
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

/// Walks a signature of the kind that its first byte names and returns its length in bytes.
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
/// If the signature is malformed or of no kind. The visitor has been called for what comes before the error.
pub fn signature<'a, V: Visitor<'a>>(blob: &'a [u8], visitor: &mut V) -> Result<usize, Error> {
    match SigKind::of(SigHeader(Reader::new(blob).read_u8()?)) {
        Some(SigKind::Field) => field(blob, visitor),
        Some(SigKind::Property) => property(blob, visitor),
        Some(SigKind::LocalVar) => locals(blob, visitor),
        Some(SigKind::MethodSpec) => method_spec(blob, visitor),
        Some(SigKind::Method) | None => method(blob, visitor),
    }
}
