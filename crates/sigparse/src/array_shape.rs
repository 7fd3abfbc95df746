//! The shapes of arrays (II.23.2.13).

use core::{fmt, iter::FusedIterator};

use crate::bytes::{self, Bytes, Cause};
use crate::error::ErrorKind;
use crate::limits;
use crate::reader::Reader;

/// The shape of an ARRAY: the rank, and the sizes and lower bounds of its first dimensions (II.23.2.13).
///
/// ```
/// use sigparse::{Type, TypeSig};
///
/// // int[-3...1, 4...]: rank 2, one size (5), two lower bounds (-3 and 4)
/// let sig = TypeSig::parse(&[0x14, 0x08, 0x02, 0x01, 0x05, 0x02, 0x7B, 0x08])?;
/// let Type::Array(array) = sig.ty() else { panic!() };
/// let shape = array.shape();
/// assert_eq!(shape.rank(), 2);
/// assert!(shape.sizes().eq([5]));
/// assert!(shape.lower_bounds().eq([-3, 4]));
/// # Ok::<(), sigparse::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArrayShape<'a> {
    /// The sizes, their count, the lower bounds. They end the bytes.
    bounds: Reader<'a>,
    // At most the rank, which is at most `limits::MAX_ARRAY_RANK`.
    size_count: u8,
    lower_bound_count: u8,
    rank: u8,
}

impl<'a> ArrayShape<'a> {
    /// Reads a shape.
    pub(crate) fn read<E: Cause>(bytes: &mut Bytes<'a>) -> Result<Self, E> {
        let at = bytes.len();
        let rank = bytes::unsigned(bytes)?;
        if rank == 0 || rank > limits::MAX_ARRAY_RANK {
            return Err(E::at(at, ErrorKind::InvalidRank(rank)));
        }
        let size_count = read_bound_count(bytes, rank)?;
        let mut bounds = Reader::new(bytes.as_slice());
        for _ in 0..size_count {
            bytes::unsigned(bytes)?;
        }
        let lower_bound_count = read_bound_count(bytes, rank)?;
        for _ in 0..lower_bound_count {
            bytes::unsigned(bytes)?;
        }
        let bounds = bounds.split_before(bytes.as_slice());
        // MAX_ARRAY_RANK fits a byte.
        Ok(Self { bounds, size_count, lower_bound_count, rank: (rank & 0xFF) as u8 })
    }

    /// The number of dimensions, from 1 to [`limits::MAX_ARRAY_RANK`].
    #[inline]
    pub const fn rank(&self) -> u32 {
        self.rank as u32
    }

    /// The sizes of the first dimensions, at most as many as the rank. The size of the others is not fixed.
    #[inline]
    pub const fn sizes(&self) -> Sizes<'a> {
        Sizes { reader: self.bounds, left: self.size_count }
    }

    /// The lower bounds of the first dimensions, at most as many as the rank. That of the others is 0.
    #[inline]
    pub fn lower_bounds(&self) -> LowerBounds<'a> {
        let mut sizes = self.sizes();
        sizes.by_ref().for_each(drop);
        let mut reader = sizes.reader;
        // The count was read when this was made.
        let left = if reader.read_compressed_u32().is_ok() { self.lower_bound_count } else { 0 };
        LowerBounds { reader, left }
    }
}

/// Reads NumSizes or NumLoBounds.
fn read_bound_count<E: Cause>(bytes: &mut Bytes<'_>, rank: u32) -> Result<u8, E> {
    let at = bytes.len();
    let count = bytes::unsigned(bytes)?;
    if count > rank {
        return Err(E::at(at, ErrorKind::InvalidShape { count, rank }));
    }
    // Not above the rank, which fits a byte.
    Ok((count & 0xFF) as u8)
}

impl fmt::Debug for ArrayShape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrayShape")
            .field("rank", &self.rank)
            .field("sizes", &self.sizes())
            .field("lower_bounds", &self.lower_bounds())
            .finish()
    }
}

macro_rules! bounds {
    ($( $(#[$meta:meta])* $name:ident: $item:ty = $read:ident, )+) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub struct $name<'a> {
            reader: Reader<'a>,
            left: u8,
        }

        impl Iterator for $name<'_> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.left = self.left.checked_sub(1)?;
                self.reader.$read().ok()
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (usize::from(self.left), Some(usize::from(self.left)))
            }
        }

        impl ExactSizeIterator for $name<'_> {}

        impl FusedIterator for $name<'_> {}

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(*self).finish()
            }
        }
    )+ };
}

bounds! {
    /// The sizes of an array's first dimensions.
    Sizes: u32 = read_compressed_u32,
    /// The lower bounds of an array's first dimensions.
    LowerBounds: i32 = read_compressed_i32,
}
