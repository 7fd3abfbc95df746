//! The layout of values, strings and arrays in memory.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayInfo {
    data: usize,
    rank: usize,
    dims: [u32; MAX_RANK],
    lower: [i32; MAX_RANK],
}

impl ArrayInfo {
    /// An array with the length and the lower bound of each dimension, outermost first.
    ///
    /// `None` if the two slices differ in length or are longer than [`MAX_RANK`].
    #[must_use]
    pub fn new(data: usize, dims: &[u32], lower: &[i32]) -> Option<Self> {
        let rank = dims.len();
        let mut info = Self { data, rank, dims: [0; MAX_RANK], lower: [0; MAX_RANK] };
        if lower.len() != rank {
            return None;
        }
        info.dims.get_mut(..rank)?.copy_from_slice(dims);
        info.lower.get_mut(..rank)?.copy_from_slice(lower);
        Some(info)
    }

    /// An array of one dimension with the lower bound 0.
    #[must_use]
    pub const fn vector(data: usize, length: u32) -> Self {
        let mut info = Self { data, rank: 1, dims: [0; MAX_RANK], lower: [0; MAX_RANK] };
        info.dims[0] = length;
        info
    }

    /// The address of the first element; the others follow in row order. Valid as long as the object id.
    #[must_use]
    pub const fn data(&self) -> usize {
        self.data
    }

    /// The length of each dimension, outermost first.
    #[must_use]
    pub fn dims(&self) -> &[u32] {
        self.dims.get(..self.rank).unwrap_or_default()
    }

    /// The lower bound of each dimension, outermost first.
    #[must_use]
    pub fn lower(&self) -> &[i32] {
        self.lower.get(..self.rank).unwrap_or_default()
    }

    /// The number of elements; `None` if it exceeds `usize`.
    #[must_use]
    pub fn length(&self) -> Option<usize> {
        self.dims().iter().try_fold(1_usize, |product, &dim| product.checked_mul(usize::try_from(dim).ok()?))
    }
}
