//! The bytes of one type (II.23.2.12).

use crate::element::ElementType;
use crate::error::Error;
use crate::grammar::skip_type;
use crate::modifiers::Modifiers;
use crate::reader::Reader;

/// The bytes of one type, custom modifiers included, known to be well formed.
///
/// Reading a `TypeSig` walks its bytes to the end, so that everything inside can be opened without a further
/// error. [`ty`](Self::ty) opens the outermost level. Two of them are equal if their bytes are.
///
/// ```
/// use sigparse::{Type, TypeSig};
///
/// // int[][]
/// let sig = TypeSig::parse(&[0x1D, 0x1D, 0x08])?;
/// let mut depth = 0;
/// let mut ty = sig.ty();
/// while let Type::SzArray(element) = ty {
///     depth += 1;
///     ty = element.ty();
/// }
/// assert_eq!((depth, ty), (2, Type::I4));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeSig<'a>(pub(crate) Reader<'a>);

impl<'a> TypeSig<'a> {
    /// `void`.
    #[cfg(feature = "alloc")]
    pub(crate) const VOID: TypeSig<'static> = TypeSig(Reader::new(&[ElementType::VOID.0]));

    /// Reads a type from the start of a blob. Bytes after it are ignored; [`Reader::read_type`] moves to
    /// its end.
    ///
    /// # Errors
    /// If the bytes are no well-formed type.
    #[inline]
    pub fn parse(blob: &'a [u8]) -> Result<Self, Error> {
        Reader::new(blob).read_type()
    }

    /// The custom modifiers before the type.
    #[inline]
    pub fn modifiers(&self) -> Modifiers<'a> {
        Modifiers(self.0)
    }

    /// The element type of the outermost level, after the custom modifiers.
    #[inline]
    pub fn element_type(&self) -> ElementType {
        let mut modifiers = self.modifiers();
        modifiers.by_ref().for_each(drop);
        ElementType(modifiers.0.peek_u8().unwrap_or_default())
    }

    /// Returns whether this is `void`, modified or not: a method that returns it returns nothing.
    #[inline]
    pub fn is_void(&self) -> bool {
        self.element_type() == ElementType::VOID
    }

    /// The bytes of the type, custom modifiers included.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.0.rest()
    }

    /// Returns the offset of the type in the blob.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.0.position()
    }

    /// The type in bytes that have been walked as one.
    #[inline]
    pub(crate) const fn walked(bytes: Reader<'a>) -> Self {
        Self(bytes)
    }
}

impl<'a> Reader<'a> {
    /// Reads one type, with the custom modifiers before it.
    ///
    /// # Errors
    /// If the bytes are no well-formed type.
    #[inline]
    pub fn read_type(&mut self) -> Result<TypeSig<'a>, Error> {
        skip_type(self).map(TypeSig)
    }
}
