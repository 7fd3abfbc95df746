//! Random payloads: no panic, and no more values than bytes. The fuzz target does the same with bytes of the fuzzer's.

use nettrace::runtime_events::{DecodeError, RundownEvent, RuntimeEvent, Values};

/// Decodes the bytes as an event: two bytes of number, one of version and size of an address, then the payload.
pub(crate) fn event(bytes: &[u8]) {
    let Some(([low, high, version], payload)) = bytes.split_first_chunk() else { return };
    let id = u32::from(u16::from_le_bytes([*low, *high])) % 512;
    let (version, pointer) = (u32::from(version & 7), if version & 8 == 0 { 8 } else { 4 });
    if let Ok(Some(event)) = RundownEvent::decode(id, version, payload, pointer) {
        assert!(!format!("{event:?}").is_empty());
    }
    match RuntimeEvent::decode(id, version, payload, pointer) {
        Ok(Some(event)) => {
            assert_eq!(event.id(), id);
            assert!(!format!("{event:?}").is_empty());
            values(&event, payload.len());
        }
        Ok(None) => {}
        Err(DecodeError { offset, length }) => assert!(offset <= length && length == payload.len()),
    }
}

fn read<T>(values: Values<'_, T>, bytes: usize, mut each: impl FnMut(T))
where
    for<'a> Values<'a, T>: Iterator<Item = Result<T, DecodeError>>,
{
    let mut count = 0;
    for value in values {
        count += 1;
        value.into_iter().for_each(&mut each);
    }
    assert!(count <= bytes + 1, "{count} values of {bytes} bytes");
}

fn values(event: &RuntimeEvent<'_>, bytes: usize) {
    match event {
        RuntimeEvent::BulkTypes(bulk) => {
            for of in bulk.types.flatten() {
                read(of.parameters, bytes, |_| {});
            }
            assert!(bytes >= bulk.types.flatten().count());
        }
        RuntimeEvent::BulkNodes(bulk) => read(bulk.nodes, bytes, |_| {}),
        RuntimeEvent::BulkEdges(bulk) => read(bulk.edges, bytes, |_| {}),
        RuntimeEvent::BulkRootEdges(bulk) => read(bulk.roots, bytes, |_| {}),
        RuntimeEvent::BulkConditionalWeakTableEdges(bulk) => read(bulk.edges, bytes, |_| {}),
        RuntimeEvent::BulkStaticRoots(bulk) => assert!(bulk.roots.flatten().count() <= bytes),
        RuntimeEvent::SurvivingRanges(bulk) => read(bulk.ranges, bytes, |_| {}),
        RuntimeEvent::MovedRanges(bulk) => read(bulk.ranges, bytes, |_| {}),
        RuntimeEvent::GcHeapHistory(history) => read(history.generations, bytes, |_| {}),
        RuntimeEvent::MethodDetails(details) => read(details.parameters, bytes, |_| {}),
        RuntimeEvent::IlToNativeMap(map) => {
            read(map.il_offsets, bytes, |_| {});
            read(map.native_offsets, bytes, |_| {});
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::event;

    #[test]
    fn every_number_with_every_length() {
        let mut bytes = [0; 131];
        let mut state = 1_u32;
        for id in 0..512_u16 {
            for round in 0..8 {
                for byte in &mut bytes[3..] {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // Many zeros, which end texts.
                    *byte = if state >> 31 == 0 { 0 } else { state.to_be_bytes()[round % 4] };
                }
                bytes[..2].copy_from_slice(&id.to_le_bytes());
                bytes[2] = state.to_be_bytes()[1];
                (3..bytes.len()).for_each(|length| event(&bytes[..length]));
            }
        }
    }

    #[test]
    fn the_inputs_that_the_fuzzer_has_kept() {
        let kept = include_str!("../../corpus/events.hex");
        for line in kept.lines() {
            let digits = line
                .as_bytes()
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap());
            event(&digits.collect::<Vec<u8>>());
        }
        assert!(!kept.is_empty());
    }
}
