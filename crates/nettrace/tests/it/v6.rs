//! Version 6.

use nettrace::{Reader, Value};

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
