//! Arrays (II.23.2.13).

use crate::array_shape::ArrayShape;
use crate::error::Error;
use crate::reader::Reader;
use crate::type_sig::TypeSig;

/// An ARRAY: the element type and the shape (II.23.2.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Array<'a> {
    element: TypeSig<'a>,
    shape: ArrayShape<'a>,
}

impl<'a> Array<'a> {
    #[inline]
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, Error> {
        Ok(Self { element: reader.read_type()?, shape: reader.take(ArrayShape::read)? })
    }

    /// The type of the elements.
    #[inline]
    pub const fn element(&self) -> TypeSig<'a> {
        self.element
    }

    /// Rank, sizes and lower bounds.
    #[inline]
    pub const fn shape(&self) -> ArrayShape<'a> {
        self.shape
    }

    /// The number of dimensions, from 1.
    #[inline]
    pub const fn rank(&self) -> u32 {
        self.shape.rank()
    }
}
