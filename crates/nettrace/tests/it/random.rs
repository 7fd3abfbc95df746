//! Random traces: no panic, and no more events than bytes. The fuzz target does the same with bytes of the fuzzer's.

use nettrace::{Error, Reader};

/// Reads the bytes as a trace, and as what follows the description of a trace in both framings.
pub(crate) fn trace(bytes: &[u8]) {
    read(bytes);
    let mut objects =
        b"Nettrace\x14\0\0\0!FastSerialization.1\x05\x05\x01\x04\0\0\0\x04\0\0\0\x05\0\0\0Trace\x06".to_vec();
    objects.extend([0; 32]);
    objects.extend(b"\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x06");
    // A byte of kind and two of length before each block.
    let mut rest = bytes;
    let mut blocks = b"Nettrace\0\0\0\0\x06\0\0\0\0\0\0\0\x28\0\0\x01".to_vec();
    blocks.extend([0; 32]);
    blocks.extend(b"\x08\0\0\0\0\0\0\0");
    while let Some(([kind, low, high], behind)) = rest.split_first_chunk() {
        let length = behind.len().min(usize::from(u16::from_le_bytes([*low, *high])));
        let (content, next) = behind.split_at(length);
        rest = next;
        let name = ["EventBlock", "MetadataBlock", "StackBlock", "SPBlock"][usize::from(kind & 3)];
        objects.extend(b"\x05\x05\x01\x02\0\0\0\x02\0\0\0");
        objects.extend(u32::try_from(name.len()).unwrap().to_le_bytes());
        objects.extend(name.as_bytes());
        objects.push(6);
        objects.extend(u32::try_from(length).unwrap().to_le_bytes());
        while !objects.len().is_multiple_of(4) {
            objects.push(0);
        }
        objects.extend(content);
        objects.push(6);
        let head = u32::try_from(length).unwrap() | u32::from(kind % 9) << 24;
        blocks.extend(head.to_le_bytes());
        blocks.extend(content);
    }
    read(&objects);
    read(&blocks);
}

fn read(trace: &[u8]) {
    let Ok(mut reader) = Reader::new(trace) else { return };
    let mut events = 0;
    loop {
        match reader.next_event() {
            Ok(Some(event)) => {
                events += 1;
                assert!(events <= trace.len(), "more events than bytes");
                let _ = (event.fields(), event.runtime_event(), event.rundown_event());
                let addresses = event.stack.map_or(0, |stack| stack.addresses().len());
                assert!(addresses * 4 <= trace.len());
            }
            Ok(None) => break,
            Err(Error::Truncated { offset }) => {
                assert_eq!(offset, trace.len() as u64);
                break;
            }
            Err(_) => break,
        }
    }
    assert!(matches!(reader.next_event(), Ok(None)));
}

#[cfg(test)]
mod tests {
    use super::trace;

    #[test]
    fn random_blocks() {
        let mut state = 1_u32;
        let mut bytes = Vec::new();
        for _ in 0..3_000 {
            bytes.clear();
            for _ in 0..1 + state % 200 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                bytes.push(if state >> 30 == 0 { 0 } else { state.to_be_bytes()[0] & 0x1F });
            }
            trace(&bytes);
        }
    }

    #[test]
    fn the_inputs_that_the_fuzzer_has_kept() {
        let kept = include_str!("../corpus/nettrace.hex");
        for line in kept.lines() {
            let digits = line.as_bytes().chunks(2);
            let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            trace(&digits.map(byte).collect::<Vec<u8>>());
        }
        assert!(!kept.is_empty());
    }
}
