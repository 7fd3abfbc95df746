//! Random files: no panic, no endless loop, and nothing told that is not balanced. The fuzz target does the same with
//! bytes of the fuzzer's.

use std::collections::BTreeMap;

use argvalues::TextWriter;
use recording::streams::{FieldType, Item, Node, StackSums, StreamReader, Sums};
use recording::{EventKind, Reader};

/// Reads the bytes as a file, and as blocks in a file whose checks hold: a byte of kind and two of length before each.
pub(crate) fn recording(bytes: &[u8]) {
    read(bytes);
    read(&file(bytes));
}

/// The same for the rows of sessions.
pub(crate) fn streams(bytes: &[u8]) {
    read_streams(bytes);
    read_streams(&file(bytes));
}

fn file(bytes: &[u8]) -> Vec<u8> {
    let mut file = b"\x89CLRREC\n\x03\0\0\0\0\0\0\0".to_vec();
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
    file
}

fn read_streams(file: &[u8]) {
    let Ok(mut reader) = StreamReader::new(file) else { return };
    let (mut items, mut json) = (0, String::new());
    let mut sums: BTreeMap<u32, (Sums, StackSums)> = BTreeMap::new();
    loop {
        match reader.next() {
            Ok(Some(item)) => {
                items += 1;
                // A row has at least a byte, which may be compressed: three bytes for 64.
                assert!(items <= 32 * file.len(), "{items} items of {} bytes", file.len());
                let Item::Row(row) = item else { continue };
                let columns = &row.stream().columns;
                assert_eq!(columns.len(), row.values().len());
                // A stack may be as long as the file, and be in each row.
                if items < 100 {
                    json.clear();
                    row.write_json(&mut json);
                    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
                    assert_eq!(value["stream"], *row.stream().name);
                }
                let of = |column: usize| columns.get(column).map_or("", |column| &*column.name);
                let stream = row.stream();
                let (groups, stacks) = sums.entry(stream.number).or_insert_with(|| {
                    let last = of(columns.len() - 1);
                    let stack = columns.iter().find(|column| column.field_type == FieldType::NODE);
                    let stack = stack.map_or(of(0), |column| &*column.name);
                    (Sums::new(stream, &[of(0)], last).unwrap(), StackSums::new(stream, stack, last).unwrap())
                });
                groups.add(&row);
                stacks.add(&row);
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
    for (_, (groups, stacks)) in sums {
        let rows: u64 = groups.into_sorted().iter().map(|(_, sum)| sum.rows).sum();
        assert!(rows <= items as u64);
        let totals = stacks.totals(reader.tables());
        let own: i128 = totals.values().map(|sum| sum.own).sum();
        assert_eq!(totals[&Node::NONE].total, own, "the root has the sum of all");
    }
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
    use super::{recording, streams};

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

    /// The inputs that fuzzing of rows begins with, and those that it has kept.
    #[test]
    fn what_fuzzing_of_rows_has_found_stays_right() {
        let kept = include_str!("../corpus/streams.hex");
        for line in kept.lines() {
            let digits = |at| u8::from_str_radix(&line[at..at + 2], 16).unwrap();
            streams(&(0..line.len()).step_by(2).map(digits).collect::<Vec<_>>());
        }
        assert!(kept.lines().count() >= 4, "only few inputs are kept");
    }

    /// Seeds with bytes replaced, as a fuzzer does it.
    #[test]
    fn seeds_with_bytes_replaced_are_read_or_refused() {
        let mut state = 1_u64;
        let mut next = |most: usize| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            usize::try_from(state >> 33).unwrap() % most
        };
        for line in include_str!("../corpus/streams.hex").lines() {
            let digits = |at| u8::from_str_radix(&line[at..at + 2], 16).unwrap();
            let seed = (0..line.len()).step_by(2).map(digits).collect::<Vec<_>>();
            for _ in 0..3000 {
                let mut bytes = seed.clone();
                for _ in 0..=next(4) {
                    let (at, byte) = (next(bytes.len()), [0, 1, 2, 0x7F, 0x80, 0xFF, next(256)][next(7)]);
                    bytes[at] = u8::try_from(byte).unwrap();
                }
                streams(&bytes);
            }
        }
    }
}
