#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod allocation;
mod payload;

pub use allocation::{AllocationKind, AllocationSampled, AllocationTick};
pub use payload::{DecodeError, Utf16};

/// The name of the provider.
pub const PROVIDER: &str = "Microsoft-Windows-DotNETRuntime";

/// Groups of events.
pub mod keywords {
    /// Collections and allocation ticks.
    pub const GC: u64 = 0x1;
    /// Randomly sampled allocations, since .NET 10.
    pub const ALLOCATION_SAMPLING: u64 = 0x800_0000_0000;
}

/// The level of an event.
pub mod levels {
    /// For most events.
    pub const INFORMATIONAL: u32 = 4;
    /// For the frequent ones, such as allocation ticks.
    pub const VERBOSE: u32 = 5;
}

/// A decoded event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeEvent<'p> {
    /// An allocation, after each 100 KB or so.
    AllocationTick(AllocationTick<'p>),
    /// A randomly sampled allocation.
    AllocationSampled(AllocationSampled<'p>),
}

impl<'p> RuntimeEvent<'p> {
    /// Decodes the payload of an event of this provider. `pointer` is the size of an address in bytes, 4 or 8. Returns
    /// `None` for an event that is not decoded.
    ///
    /// # Errors
    /// [`DecodeError`]: the payload is too short for the version.
    pub fn decode(
        id: u32,
        version: u32,
        payload: &'p [u8],
        pointer: usize,
    ) -> Result<Option<Self>, DecodeError> {
        let reader = payload::Reader::new(payload, pointer);
        match id {
            AllocationTick::ID => AllocationTick::read(reader, version).map(Self::AllocationTick).map(Some),
            AllocationSampled::ID => AllocationSampled::read(reader).map(Self::AllocationSampled).map(Some),
            _ => Ok(None),
        }
    }
}
