//! Events of allocations.

use crate::runtime_events::layout::{Layout, layout, values};
use crate::runtime_events::payload::{DecodeError, Reader, Utf16};

values! {
    /// The heap of an allocation.
    AllocationKind(u32) {
        /// Small objects.
        SMALL = 0,
        /// The large object heap.
        LARGE = 1,
        /// The pinned object heap.
        PINNED = 2,
    }
}

/// `GCAllocationTick`: the allocation that has exceeded the next 100 KB or so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocationTick<'p> {
    /// The bytes that were allocated since the last tick of the heap.
    pub amount: u64,
    /// The heap.
    pub kind: AllocationKind,
    /// The class of the object that was allocated, an address in the runtime. Since version 2.
    pub type_id: Option<u64>,
    /// The name of the class. Since version 2.
    pub type_name: Option<Utf16<'p>>,
    /// The address of the object. Since version 3.
    pub address: Option<u64>,
    /// The size of the object. Since version 4.
    pub object_size: Option<u64>,
}

impl<'p> Layout<'p> for AllocationTick<'p> {
    fn read(from: &mut Reader<'p>, version: u32) -> Result<Self, DecodeError> {
        let (amount, kind) = (from.u32()?, AllocationKind(from.u32()?));
        let mut tick = Self {
            amount: amount.into(),
            kind,
            type_id: None,
            type_name: None,
            address: None,
            object_size: None,
        };
        if version >= 1 {
            // The number of the runtime in the process.
            from.u16()?;
        }
        if version >= 2 {
            tick.amount = from.u64()?;
            tick.type_id = Some(from.pointer()?);
            tick.type_name = Some(from.text()?);
            // The heap of the processor.
            from.u32()?;
        }
        if version >= 3 {
            tick.address = Some(from.pointer()?);
        }
        if version >= 4 {
            tick.object_size = Some(from.u64()?);
        }
        Ok(tick)
    }
}

impl AllocationTick<'_> {
    /// Returns the name of the class, as the runtime writes it; empty if the event has none.
    #[must_use]
    pub fn type_name(&self) -> String {
        self.type_name.map_or_else(String::new, |name| name.to_string())
    }
}

layout! {
    /// `AllocationSampled`: an allocation that was sampled at random, with the same probability for each byte. Since .NET 10.
    AllocationSampled<'p> {
        /// The heap.
        kind: AllocationKind = u32;
        skip u16;
        /// The class of the object, an address in the runtime.
        type_id: u64 = pointer;
        /// The name of the class.
        type_name: Utf16<'p> = text;
        /// The address of the object.
        address: u64 = pointer;
        /// The size of the object.
        object_size: u64 = u64;
        /// The offset of the sampled byte in the object.
        sampled_byte_offset: u64 = u64;
    }
}

impl AllocationSampled<'_> {
    /// The mean number of bytes between two sampled ones.
    pub const MEAN: u64 = 102_400;
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::runtime_events::RuntimeEvent;

    fn text(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    /// The fields of an allocation tick of version 4.
    fn tick() -> Vec<u8> {
        let mut payload = Vec::new();
        payload.extend(7_u32.to_le_bytes());
        payload.extend(1_u32.to_le_bytes());
        payload.extend(9_u16.to_le_bytes());
        payload.extend((1_u64 << 40).to_le_bytes());
        payload.extend(0x11_u64.to_le_bytes());
        payload.extend(text("Shop.Cart[]"));
        payload.extend(3_u32.to_le_bytes());
        payload.extend(0x22_u64.to_le_bytes());
        payload.extend(96_u64.to_le_bytes());
        payload
    }

    fn decoded(version: u32, payload: &[u8]) -> Result<AllocationTick<'_>, DecodeError> {
        match RuntimeEvent::decode(10, version, payload, 8)? {
            Some(RuntimeEvent::AllocationTick(tick)) => Ok(tick),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_version_has_its_fields() {
        let payload = tick();
        let newest = decoded(4, &payload).unwrap();
        assert_eq!((newest.amount, newest.kind), (1 << 40, AllocationKind::LARGE));
        assert_eq!((newest.type_name(), newest.type_id), ("Shop.Cart[]".into(), Some(0x11)));
        assert_eq!((newest.address, newest.object_size), (Some(0x22), Some(96)));
        // What a future version adds is ignored.
        assert_eq!(decoded(9, &[payload.as_slice(), &[1; 33]].concat()), Ok(newest));
        let before = decoded(3, &payload[..payload.len() - 8]).unwrap();
        assert_eq!((before.address, before.object_size), (Some(0x22), None));
        assert_eq!(decoded(0, &payload[..8]).unwrap().amount, 7);
    }

    #[test]
    fn addresses_have_the_size_of_the_process() {
        let mut payload = Vec::new();
        payload.extend(2_u32.to_le_bytes());
        payload.extend(9_u16.to_le_bytes());
        payload.extend(0x11_u32.to_le_bytes());
        payload.extend(text("A"));
        payload.extend(0x22_u32.to_le_bytes());
        payload.extend(24_u64.to_le_bytes());
        payload.extend(5_u64.to_le_bytes());
        let event = RuntimeEvent::decode(303, 0, &payload, 4).unwrap();
        let Some(RuntimeEvent::AllocationSampled(sampled)) = event else { panic!("{event:?}") };
        assert_eq!((sampled.kind, sampled.type_id, sampled.address), (AllocationKind::PINNED, 0x11, 0x22));
        assert_eq!((sampled.object_size, sampled.sampled_byte_offset), (24, 5));
    }

    #[test]
    fn a_short_payload_is_an_error() {
        let payload = tick();
        for length in 0..payload.len() {
            let error = decoded(4, &payload[..length]).unwrap_err();
            assert!(error.length == length && error.offset <= length, "{error:?}");
        }
        assert_eq!(RuntimeEvent::decode(9_999, 0, &[], 8), Ok(None));
    }
}

layout! {
    /// `GCSampledObjectAllocation`: objects of a type that were allocated since its last sample.
    SampledAllocation {
        /// The address of the last object.
        object: u64 = pointer;
        /// The class of the objects, an address in the runtime.
        type_id: u64 = pointer;
        /// The number of objects.
        count: u32 = u32;
        /// Their bytes.
        bytes: u64 = u64;
    }
}
