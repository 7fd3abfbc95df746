//! The layout of values, strings and arrays in memory.

use alloc::boxed::Box;

/// The most dimensions of an array.
pub const MAX_RANK: usize = 32;

/// A memory range that holds an argument, several adjacent ones, or a return value
/// (`COR_PRF_FUNCTION_ARGUMENT_RANGE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentRange {
    /// The address of the first byte; valid while the hook runs. 0 if the location is unknown.
    pub address: usize,
    /// The length in bytes.
    pub length: u32,
}

impl ArgumentRange {
    /// A range of this length at this address.
    #[must_use]
    pub const fn new(address: usize, length: u32) -> Self {
        Self { address, length }
    }
}

/// The offsets of a string object's length and characters (`ICorProfilerInfo3::GetStringLayout2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringLayout {
    /// The offset in bytes of the length from the object id: a 32-bit count of UTF-16 units.
    pub length_offset: u32,
    /// The offset in bytes of the first UTF-16 unit from the object id.
    pub buffer_offset: u32,
}

/// The bounds of an array object and the address of its elements (`ICorProfilerInfo2::GetArrayObjectInfo`).
///
/// ```
/// # use corprof_types::ArrayInfo;
/// let table = ArrayInfo::new(0x1000, &[2, 3], &[0, 1]).unwrap();
/// assert_eq!(table.length(), Some(6));
/// assert_eq!(ArrayInfo::vector(0x1000, 4).dims(), [4]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    data: usize,
    rank: usize,
    bounds: Bounds,
}

/// The dimensions that are stored without allocating. Hardly an array has more.
const FEW: usize = 3;

/// The lengths and lower bounds. Small, since it is returned through several functions for each array of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bounds {
    Few([u32; FEW], [i32; FEW]),
    Many(Box<[u32]>, Box<[i32]>),
}

impl ArrayInfo {
    /// An array with the length and the lower bound of each dimension, outermost first.
    ///
    /// `None` if the two slices differ in length or are longer than [`MAX_RANK`].
    #[must_use]
    pub fn new(data: usize, dims: &[u32], lower: &[i32]) -> Option<Self> {
        let rank = dims.len();
        if lower.len() != rank || rank > MAX_RANK {
            return None;
        }
        let (mut few_dims, mut few_lower) = ([0; FEW], [0; FEW]);
        let bounds = match (few_dims.get_mut(..rank), few_lower.get_mut(..rank)) {
            (Some(to_dims), Some(to_lower)) => {
                to_dims.copy_from_slice(dims);
                to_lower.copy_from_slice(lower);
                Bounds::Few(few_dims, few_lower)
            }
            _ => Bounds::Many(dims.into(), lower.into()),
        };
        Some(Self { data, rank, bounds })
    }

    /// An array of one dimension with the lower bound 0.
    #[must_use]
    #[inline]
    pub const fn vector(data: usize, length: u32) -> Self {
        Self { data, rank: 1, bounds: Bounds::Few([length, 0, 0], [0; FEW]) }
    }

    /// The address of the first element; the others follow in row order. Valid as long as the object id.
    #[must_use]
    #[inline]
    pub const fn data(&self) -> usize {
        self.data
    }

    /// The length of each dimension, outermost first.
    #[must_use]
    #[inline]
    pub fn dims(&self) -> &[u32] {
        match &self.bounds {
            Bounds::Few(dims, _) => dims.get(..self.rank).unwrap_or_default(),
            Bounds::Many(dims, _) => dims,
        }
    }

    /// The lower bound of each dimension, outermost first.
    #[must_use]
    #[inline]
    pub fn lower(&self) -> &[i32] {
        match &self.bounds {
            Bounds::Few(_, lower) => lower.get(..self.rank).unwrap_or_default(),
            Bounds::Many(_, lower) => lower,
        }
    }

    /// The number of elements; `None` if it exceeds `usize`.
    #[must_use]
    #[inline]
    pub fn length(&self) -> Option<usize> {
        self.dims().iter().try_fold(1_usize, |product, &dim| product.checked_mul(usize::try_from(dim).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_every_rank_are_kept() {
        for rank in 0..=MAX_RANK {
            let dims: alloc::vec::Vec<u32> = (1..).take(rank).collect();
            let lower: alloc::vec::Vec<i32> = (-7..).take(rank).collect();
            let info = ArrayInfo::new(0x1000, &dims, &lower).unwrap();
            assert_eq!((info.data(), info.dims(), info.lower()), (0x1000, &*dims, &*lower));
        }
        assert_eq!(ArrayInfo::new(0, &[0; MAX_RANK + 1], &[0; MAX_RANK + 1]), None);
        assert_eq!(ArrayInfo::new(0, &[1, 2], &[0]), None);
        assert_eq!(ArrayInfo::vector(0x1000, 4), ArrayInfo::new(0x1000, &[4], &[0]).unwrap());
    }
}
