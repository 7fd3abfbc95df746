//! Random files: no panic, no endless loop, and nothing told that is not balanced. The fuzz target does the same with
//! bytes of the fuzzer's.

use argvalues::TextWriter;
use recording::{EventKind, Reader};

/// Reads the bytes as a file, and as blocks in a file whose checks hold: a byte of kind and two of length before each.
pub(crate) fn recording(bytes: &[u8]) {
    read(bytes);
    let mut file = b"\x89CLRREC\n\x02\0\0\0\0\0\0\0".to_vec();
    let mut rest = bytes;
    while let Some(([kind, low, high], behind)) = rest.split_first_chunk() {
        let length = behind.len().min(usize::from(u16::from_le_bytes([*low, *high])));
        let (content, next) = behind.split_at(length);
        rest = next;
        let head = [u32::from(*kind).to_le_bytes(), u32::try_from(length).unwrap().to_le_bytes()];
        let mut check = crc32fast::Hasher::new();
        check.update(head.as_flattened());
        check.update(content);
        file.extend_from_slice(head.as_flattened());
        file.extend_from_slice(&check.finalize().to_le_bytes());
        file.extend_from_slice(content);
    }
    read(&file);
}

fn read(file: &[u8]) {
    let Ok(mut reader) = Reader::new(file) else { return };
    let mut events = 0;
    let mut text = String::new();
    loop {
        match reader.next() {
            Ok(Some(event)) => {
                events += 1;
                // A record has eight bytes, which may be compressed to a fourth of a byte; an end of a thread is a block.
                assert!(events <= 4 * file.len(), "{events} events of {} bytes", file.len());
                if let EventKind::Enter(_, mut values) | EventKind::Leave(_, mut values) = event.kind {
                    text.clear();
                    while matches!(values.visit_next(&mut TextWriter::new(&mut text)), Ok(true)) {
                        if values.parameter().is_err() {
                            break;
                        }
                    }
                }
            }
            Ok(None) => break,
            Err(_) => {
                // Nothing is read behind what is damaged.
                assert!(matches!(reader.next(), Ok(None)));
                break;
            }
        }
    }
    assert!(reader.ending().is_some());
}

#[cfg(test)]
mod tests {
    use super::recording;

    /// The inputs that fuzzing has kept.
    #[test]
    fn what_fuzzing_has_found_stays_right() {
        let kept = include_str!("../corpus/recording.hex");
        let mut count = 0;
        for line in kept.lines() {
            let digits = |at| u8::from_str_radix(&line[at..at + 2], 16).unwrap();
            recording(&(0..line.len()).step_by(2).map(digits).collect::<Vec<_>>());
            count += 1;
        }
        assert!(count > 20, "only {count} inputs are kept");
    }
}
