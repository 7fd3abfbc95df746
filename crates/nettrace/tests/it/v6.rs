//! Version 6.

use nettrace::{Field, FieldType, LabelValue, Labels, Reader, Value};

use crate::trace::{Blocks, Bytes, events, listed};

fn metadata() -> Bytes {
    let field = |name: &str, of: &[u8]| {
        let field = Bytes::default().utf8(name).raw(of);
        Bytes::default().u16(u16::try_from(field.0.len()).unwrap()).raw(&field.0).0
    };
    let fields = Bytes::default()
        .u16(5)
        .raw(&field("signed", &[20]))
        .raw(&field("bytes", &[25, 23]))
        .raw(&field("pair", &[22, 7, 2, 0]))
        .raw(&field("later", &[24, 8]))
        .raw(&field("is", &[26]));
    let options = Bytes::default().u8(3).u64(5).u8(8).u8(4).u8(9).u8(2).u8(1).u8(1).u8(4).utf8("{signed}");
    let row = Bytes::default().varuint(300).utf8("Shop").varuint(3).utf8("Sold").raw(&fields.0);
    let row = row.u16(u16::try_from(options.0.len()).unwrap()).raw(&options.0).u8(0xFF);
    Bytes::default().u16(1).u8(0xEE).u16(u16::try_from(row.0.len()).unwrap()).raw(&row.0)
}

fn trace() -> Blocks {
    let thread = Bytes::default().varuint(5).u8(1).utf8("main").u8(2).varuint(4711).u8(3).varuint(4712);
    let threads = Bytes::default().u16(u16::try_from(thread.0.len()).unwrap()).raw(&thread.0);
    let labels = Bytes::default().u32(1).u32(1).u8(4).u64(9).u8(0x81).raw(&[2; 16]);
    // -3; "ö" at 14; 1 and -1; 258 at 2 behind its place; true.
    let payload = Bytes::default().varuint(5).u32(2 << 16 | 16).u16(1).u16(0xFFFF);
    let payload = payload.u32(2 << 16 | 3).u8(1).u16(0xEEEE).raw("ö".as_bytes()).0;
    let mut payload = payload;
    payload.splice(16..16, 258_u16.to_le_bytes());
    payload[1..5].copy_from_slice(&(2_u32 << 16 | 18).to_le_bytes());
    let block = events(true)
        .u8(0x9F)
        .varuint(300)
        .varuint(0)
        .varuint(5)
        .varuint(1)
        .varuint(5)
        .varuint(0)
        .varuint(2_000)
        .varuint(1)
        .varuint(payload.len() as u64)
        .raw(&payload);
    let removed = Bytes::default().varuint(5).varuint(4);
    Blocks::new()
        .block(3, &metadata())
        .block(6, &threads)
        .block(8, &labels)
        .block(200, &Bytes::default().u32(1))
        .block(2, &block)
        .block(7, &removed)
}

#[test]
fn a_trace_is_read() {
    let trace = trace().block(0, &Bytes::default()).0;
    let mut reader = Reader::new(trace.as_slice()).unwrap();
    assert_eq!((reader.trace().version, reader.trace().process_id), (6, 4711));
    assert_eq!(reader.trace().properties, [("host".to_owned(), "ö".to_owned())]);
    let event = reader.next_event().unwrap().unwrap();
    assert_eq!((event.thread, event.process, event.sequence, event.time), (4712, 4711, 1, 2_000));
    assert_eq!(event.activity, Some([2; 16]));
    let metadata = event.metadata;
    assert_eq!((metadata.level, metadata.version, metadata.opcode, metadata.keywords), (4, 2, 1, 5));
    let fields = event.fields().unwrap();
    assert_eq!(fields[0], ("signed", Value::Int(-3)));
    assert_eq!(fields[1], ("bytes", Value::Bytes("ö".as_bytes())));
    assert_eq!(fields[2], ("pair", Value::Array(vec![Value::Int(1), Value::Int(-1)])));
    assert_eq!(fields[3], ("later", Value::Array(vec![Value::UInt(258)])));
    assert_eq!(fields[4], ("is", Value::Boolean(true)));
    assert!(reader.next_event().unwrap().is_none());
    // The thread says that it has written four.
    assert_eq!(reader.dropped(), 3);
}

#[test]
fn a_cut_trace_is_read_up_to_the_cut() {
    let whole = trace().0;
    for length in 20..=whole.len() {
        let (events, error, _) = listed(&whole[..length]);
        assert!(matches!(error, Some(nettrace::Error::Truncated { .. })), "{length}: {error:?}");
        assert!(events.len() <= 1);
    }
    assert_eq!(listed(&whole).0.len(), 1);
}

/// A text of the format after its length in 16 bits.
fn row(content: &Bytes) -> Bytes {
    Bytes::default().u16(u16::try_from(content.0.len()).unwrap()).raw(&content.0)
}

/// A row of metadata: the id, the fields as their number and descriptions, and the options.
fn described(id: u64, provider: &str, event: u64, fields: &Bytes, options: &Bytes) -> Bytes {
    let head = Bytes::default().varuint(id).utf8(provider).varuint(event).utf8("Event");
    row(&head.raw(&fields.0).raw(&row(options).0))
}

/// What an event has in front of its payload.
#[derive(Clone, Copy, Default)]
struct Head {
    metadata: u32,
    sequence: u32,
    thread: u64,
    capture: u64,
    processor: u32,
    stack: u32,
    time: u64,
    labels: u32,
}

impl Head {
    /// The event with each number of the header written in full, as far as a compressed header can.
    fn event(self, is_compressed: bool, before: Self, payload: &[u8]) -> Bytes {
        let size = u32::try_from(payload.len()).unwrap();
        if is_compressed {
            let sequence = self.sequence.wrapping_sub(before.sequence).wrapping_sub(1);
            return Bytes::default()
                .u8(0x1F | 0x80)
                .varuint(self.metadata.into())
                .varuint(sequence.into())
                .varuint(self.capture)
                .varuint(self.processor.into())
                .varuint(self.thread)
                .varuint(self.stack.into())
                .varuint(self.time - before.time)
                .varuint(self.labels.into())
                .varuint(size.into())
                .raw(payload);
        }
        let head = Bytes::default().u32(self.metadata).u32(self.sequence).u64(self.thread).u64(self.capture);
        let head = head.u32(self.processor).u32(self.stack).u64(self.time).u32(self.labels).u32(size);
        Bytes::default().u32(u32::try_from(head.0.len()).unwrap() + size).raw(&head.0).raw(payload)
    }
}

/// A block of events.
fn block(is_compressed: bool, heads: &[Head], payload: &[u8]) -> Bytes {
    let (mut all, mut before) = (events(is_compressed), Head::default());
    for head in heads {
        all = all.raw(&head.event(is_compressed, before, payload).0);
        before = *head;
    }
    all
}

/// A thread of the table, with its number in the operating system and its name.
fn thread(index: u64, process: u64, thread: u64, name: &str) -> Bytes {
    let entries = Bytes::default().varuint(index).u8(4).utf8("key").utf8("value").u8(2).varuint(process);
    row(&entries.u8(3).varuint(thread).u8(1).utf8(name))
}

const GUID: [u8; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
const IN_ORDER: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The types of the specification: the code and what follows it, a payload, and the value.
fn types() -> Vec<(Vec<u8>, Vec<u8>, FieldType, Value<'static>)> {
    let plain = |code: u8, payload: &[u8], of: FieldType, value: Value<'static>| {
        (vec![code], payload.to_vec(), of, value)
    };
    let object = Bytes::default().u8(1).u16(1).raw(&row(&Bytes::default().utf8("in").u8(6)).0).0;
    let inner = vec![Field { name: "in".to_owned(), field_type: FieldType::Byte }];
    let calendar = [2026, 11, 3, 25, 14, 45, 1, 250];
    let date = calendar.into_iter().fold(Bytes::default(), Bytes::u16).0;
    let text = Bytes::default().utf16("Ä").0;
    vec![
        (object, vec![9], FieldType::Object(inner), Value::Object(vec![("in", Value::UInt(9))])),
        plain(3, &[1, 0, 0, 0], FieldType::Boolean, Value::Boolean(true)),
        plain(4, &[0xC4, 0], FieldType::Char, Value::Char(0xC4)),
        plain(5, &[0xFE], FieldType::SByte, Value::Int(-2)),
        plain(6, &[0xFE], FieldType::Byte, Value::UInt(254)),
        plain(7, &(-300_i16).to_le_bytes(), FieldType::Int16, Value::Int(-300)),
        plain(8, &65_000_u16.to_le_bytes(), FieldType::UInt16, Value::UInt(65_000)),
        plain(9, &(-70_000_i32).to_le_bytes(), FieldType::Int32, Value::Int(-70_000)),
        plain(10, &u32::MAX.to_le_bytes(), FieldType::UInt32, Value::UInt(u32::MAX.into())),
        plain(11, &i64::MIN.to_le_bytes(), FieldType::Int64, Value::Int(i64::MIN)),
        plain(12, &u64::MAX.to_le_bytes(), FieldType::UInt64, Value::UInt(u64::MAX)),
        plain(13, &1.5_f32.to_le_bytes(), FieldType::Single, Value::Single(1.5)),
        plain(14, &(-2.5_f64).to_le_bytes(), FieldType::Double, Value::Double(-2.5)),
        plain(16, &date, FieldType::DateTime, Value::CalendarTime(calendar)),
        plain(17, &GUID, FieldType::Guid, Value::Guid(IN_ORDER)),
        (
            vec![19, 7],
            vec![2, 0, 1, 0, 0xFF, 0xFF],
            FieldType::Array(Box::new(FieldType::Int16)),
            Value::Array(vec![Value::Int(1), Value::Int(-1)]),
        ),
        plain(
            20,
            &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
            FieldType::VarInt,
            Value::Int(i64::MIN),
        ),
        plain(21, &[0x80, 1], FieldType::VarUInt, Value::UInt(128)),
        (
            vec![22, 6, 3, 0],
            vec![1, 2, 3],
            FieldType::FixedArray(Box::new(FieldType::Byte), 3),
            Value::Bytes(&[1, 2, 3]),
        ),
        plain(23, b"x", FieldType::Utf8, Value::UInt(u64::from(b'x'))),
        // A text last: what follows would have another place with another text.
        (vec![18], text, FieldType::String, Value::Int(0)),
    ]
}

#[test]
fn every_field_of_the_specification_is_read_from_both_kinds_of_headers() {
    let types = types();
    let mut fields = Bytes::default().u16(u16::try_from(types.len()).unwrap());
    for (index, (code, ..)) in types.iter().enumerate() {
        fields = fields.raw(&row(&Bytes::default().utf8(&format!("field{index}")).raw(code).raw(&[0xEE])).0);
    }
    // Opcode, keywords, message, description, a pair, the provider's GUID, level, version.
    let options = Bytes::default().u8(1).u8(7).u8(3).u64(1 << 63).u8(4).utf8("{field1}").u8(5).utf8("what");
    let options = options.u8(6).utf8("key").utf8("value").u8(7).raw(&GUID).u8(8).u8(4).u8(9).u8(255);
    let metadata = Bytes::default().u16(0).raw(&described(1, "Shop", 77, &fields, &options).0);
    let payload: Vec<u8> = types.iter().flat_map(|(_, payload, ..)| payload.iter().copied()).collect();

    let threads =
        Bytes::default().raw(&thread(1 << 40, 4711, u64::MAX, "näme").0).raw(&thread(2, 1, 99, "").0);
    let stacks = Bytes::default().u32(5).u32(2).u32(0).u32(16).u64(0x10).u64(u64::MAX);
    // List 3: activities and W3C's ids. List 4: what replaces the metadata, and labels with keys.
    let labels = Bytes::default().u32(3).u32(2);
    let labels = labels.u8(1).raw(&GUID).u8(2).raw(&[9; 16]).u8(3).raw(&IN_ORDER).u8(0x84).u64(1 << 60);
    let labels = labels.u8(5).utf8("user").utf8("Jörg").u8(6).utf8("delta").varuint(3).u8(7).u8(9);
    let labels = labels.u8(8).u64(6).u8(9).u8(2).u8(0x8A).u8(3);
    for is_compressed in [false, true] {
        let first = Head {
            metadata: 1,
            sequence: 1,
            thread: 1 << 40,
            capture: 2,
            processor: 300,
            stack: 6,
            time: 1 << 50,
            labels: 3,
        };
        let second = Head { sequence: 2, thread: 2, stack: 5, time: (1 << 50) + 9, labels: 4, ..first };
        let third = Head { sequence: 3, stack: 0, labels: 0, ..second };
        let trace = Blocks::new()
            .block(3, &metadata)
            .block(5, &stacks)
            .block(6, &threads)
            .block(8, &labels)
            .block(2, &block(is_compressed, &[first, second, third], &payload))
            .block(0, &Bytes::default())
            .0;
        let mut reader = Reader::new(trace.as_slice()).unwrap();
        let event = reader.next_event().unwrap().unwrap();
        assert_eq!((event.thread, event.process, event.thread_name), (u64::MAX, 4711, Some("näme")));
        assert_eq!((event.capture_thread, event.processor, event.sequence), (99, 300, 1));
        assert_eq!((event.time, event.is_sorted), (1 << 50, false));
        assert!(event.stack.unwrap().addresses().eq([0x10, u64::MAX]));
        assert_eq!((event.activity, event.related_activity), (Some(IN_ORDER), Some([9; 16])));
        let list = event.labels.unwrap();
        assert_eq!((list.trace_id, list.span_id), (Some(IN_ORDER), Some(1 << 60)));
        let of = event.metadata;
        assert_eq!((of.provider.as_str(), of.event_id, of.name.as_str()), ("Shop", 77, "Event"));
        let own = (event.opcode(), event.keywords(), event.level(), event.version());
        assert_eq!(own, (7, 1 << 63, 4, 255));
        let values = event.fields().unwrap();
        assert_eq!((of.fields.len(), values.len()), (types.len(), types.len()));
        for (((field, (_, value)), index), (_, _, expected_type, expected)) in
            of.fields.iter().zip(&values).zip(0..).zip(&types)
        {
            assert_eq!(field.name, format!("field{index}"));
            assert_eq!(&field.field_type, expected_type);
            match value {
                Value::String(text) => assert_eq!(text.to_string(), "Ä"),
                value => assert_eq!(value, expected, "{}", field.name),
            }
        }

        let event = reader.next_event().unwrap().unwrap();
        assert_eq!((event.thread, event.thread_name, event.sequence), (99, Some(""), 2));
        assert!(event.stack.unwrap().is_empty());
        assert_eq!((event.activity, event.related_activity), (None, None));
        let own = (event.opcode(), event.keywords(), event.level(), event.version());
        assert_eq!(own, (9, 6, 2, 3));
        let others = [
            ("user".to_owned(), LabelValue::Text("Jörg".to_owned())),
            // Three is the code of -2.
            ("delta".to_owned(), LabelValue::Number(-2)),
        ];
        assert_eq!(event.labels.unwrap().others, others);

        let event = reader.next_event().unwrap().unwrap();
        assert_eq!((event.stack, event.labels), (None, None::<&Labels>));
        assert!(reader.next_event().unwrap().is_none());
        assert_eq!(reader.dropped(), 0);
    }
}

/// As machine-wide traces are written: each block of events follows a sequence point that removes all threads, so the numbers
/// begin again; what was lost is said by the last one.
#[test]
fn numbers_begin_again_when_threads_are_removed() {
    let none = Bytes::default().u16(0);
    let metadata = Bytes::default().u16(0).raw(&described(1, "Shop", 1, &none, &Bytes::default()).0);
    let head = |sequence| Head { metadata: 1, sequence, time: 10, ..Head::default() };
    let point = |flags: u32, reached: Option<u64>| {
        let head = Bytes::default().u64(10).u32(flags).u32(reached.is_some().into());
        reached.into_iter().fold(head, |head, reached| head.varuint(0).varuint(reached))
    };
    let threads = thread(0, 7, 8, "all");
    let read = |trace: &[u8]| {
        let (events, error, dropped) = listed(trace);
        (events.len(), error.map(|error| error.to_string()), dropped)
    };
    let pieces = |last: Option<u64>| {
        Blocks::new()
            .block(3, &metadata)
            .block(4, &point(1, None))
            .block(6, &threads)
            .block(2, &block(true, &[head(1), head(2), head(3)], &[]))
            .block(4, &point(1, None))
            .block(6, &threads)
            .block(2, &block(true, &[head(1), head(2)], &[]))
            .block(4, &point(1, last))
            .block(0, &Bytes::default())
            .0
    };
    assert_eq!(read(&pieces(None)), (5, None, 0));
    assert_eq!(read(&pieces(Some(2 + 9))), (5, None, 9));
    // Nothing but losses.
    let lost = Blocks::new().block(6, &threads).block(4, &point(1, Some(11))).block(0, &Bytes::default()).0;
    assert_eq!(read(&lost), (0, None, 11));
    // The first three of a thread are missing.
    let late = Blocks::new().block(3, &metadata).block(6, &threads);
    let late = late.block(2, &block(true, &[head(4)], &[])).block(0, &Bytes::default()).0;
    assert_eq!(read(&late), (1, None, 3));
    // A sequence point may remove the metadata.
    let gone = Blocks::new().block(3, &metadata).block(6, &threads).block(4, &point(2, None));
    let gone = gone.block(2, &block(true, &[head(1)], &[])).block(0, &Bytes::default()).0;
    assert!(read(&gone).1.is_some_and(|error| error.ends_with("an event without metadata")));
}
