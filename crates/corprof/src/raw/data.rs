//! Structures that the runtime fills in, with names for their fields: each has the layout of the ABI's own.
#![forbid(unsafe_code)]

use core::fmt;

use corprof_sys as sys;
use corprof_types::FunctionId;

/// The start of one compilation of a method, as the runtime has reported it for the method.
///
/// Other addresses are not passed to the runtime: of one in a precompiled image that belongs to no method it looks for the
/// method beyond its tables. The function is remembered, because its code and the address end with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NativeCodeStart {
    pub(crate) function: FunctionId,
    pub(crate) address: usize,
}

impl NativeCodeStart {
    /// The method.
    #[must_use]
    pub const fn function(self) -> FunctionId {
        self.function
    }

    /// The address of the first instruction.
    #[must_use]
    pub const fn address(self) -> usize {
        self.address
    }
}

/// A generation of the collector (`COR_PRF_GC_GENERATION`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct GcGeneration(pub u32);

impl GcGeneration {
    /// Objects that have survived no collection yet.
    pub const GEN_0: Self = Self(0);
    /// Objects that have survived one.
    pub const GEN_1: Self = Self(1);
    /// Objects that have survived two or more.
    pub const GEN_2: Self = Self(2);
    /// Objects of 85,000 bytes or more.
    pub const LARGE_OBJECT_HEAP: Self = Self(3);
    /// Objects that were allocated as pinned.
    pub const PINNED_OBJECT_HEAP: Self = Self(4);
}

impl fmt::Debug for GcGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LARGE_OBJECT_HEAP => f.write_str("LARGE_OBJECT_HEAP"),
            Self::PINNED_OBJECT_HEAP => f.write_str("PINNED_OBJECT_HEAP"),
            Self(number) => write!(f, "GEN_{number}"),
        }
    }
}

/// A stretch of the heap that belongs to one generation (`COR_PRF_GC_GENERATION_RANGE`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct GenerationRange {
    /// The generation.
    pub generation: GcGeneration,
    /// The address at which it begins.
    pub start: usize,
    /// How many bytes of it are in use.
    pub length: usize,
    /// How many bytes it may grow to.
    pub reserved: usize,
}

impl GenerationRange {
    /// Whether an address lies in the part that is in use.
    #[must_use]
    pub fn contains(&self, address: usize) -> bool {
        address.checked_sub(self.start).is_some_and(|distance| distance < self.length)
    }
}

/// A stretch of memory with objects that are never collected (`COR_PRF_NONGC_HEAP_RANGE`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct NonGcHeapRange {
    /// The address at which it begins.
    pub start: usize,
    /// How many bytes of it are in use.
    pub length: usize,
    /// How many bytes it may grow to.
    pub reserved: usize,
}

// The runtime writes them.
const _: () = assert!(size_of::<GenerationRange>() == size_of::<sys::COR_PRF_GC_GENERATION_RANGE>());
const _: () = assert!(size_of::<NonGcHeapRange>() == size_of::<sys::COR_PRF_NONGC_HEAP_RANGE>());

/// A stretch of machine code (`COR_PRF_CODE_INFO`). A method may have several: the hot part comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct CodeRegion {
    /// The address of its first byte.
    pub start: usize,
    /// Its length in bytes.
    pub size: usize,
}

/// An offset in the IL of a method, or one of the marks of code that came from none.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct IlOffset(pub u32);

impl IlOffset {
    /// Code that the compiler has added.
    pub const NO_MAPPING: Self = Self(u32::MAX);
    /// The code that builds the frame.
    pub const PROLOG: Self = Self(u32::MAX - 1);
    /// The code that leaves the frame.
    pub const EPILOG: Self = Self(u32::MAX - 2);
}

impl fmt::Debug for IlOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NO_MAPPING => f.write_str("NO_MAPPING"),
            Self::PROLOG => f.write_str("PROLOG"),
            Self::EPILOG => f.write_str("EPILOG"),
            Self(offset) => write!(f, "IlOffset({offset:#x})"),
        }
    }
}

/// Which machine code came from which IL (`COR_DEBUG_IL_TO_NATIVE_MAP`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct IlToNativeMapEntry {
    /// Where in the IL.
    pub il_offset: IlOffset,
    /// Where it begins, in bytes from the start of the machine code.
    pub native_start: u32,
    /// Where it ends, exclusive.
    pub native_end: u32,
}

// The runtime writes them.
const _: () = assert!(size_of::<CodeRegion>() == size_of::<sys::COR_PRF_CODE_INFO>());
const _: () = assert!(size_of::<IlToNativeMapEntry>() == size_of::<sys::COR_DEBUG_IL_TO_NATIVE_MAP>());
