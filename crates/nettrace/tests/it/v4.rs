//! Versions 4 and 5.

use std::io::{self, Read};

use nettrace::runtime_events::RuntimeEvent;
use nettrace::{Error, Reader};

use crate::trace::{Bytes, Objects, events, listed};

const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";

/// Metadata of an event of the runtime without fields, and of an `EventSource`'s with fields of version 5.
fn metadata() -> Bytes {
    let runtime = Bytes::default().u32(1).utf16(RUNTIME).u32(91).utf16("").u64(0x4000).u32(1).u32(4).u32(0);
    let fields = Bytes::default().u32(7).utf16("Shop").u32(3).utf16("Sold").u64(1).u32(0).u32(4).u32(0);
    let count = Bytes::default().utf16("count").u32(9);
    let names = Bytes::default().utf16("names").u32(19).u32(18);
    let sized = |field: Bytes| Bytes::default().u32(u32::try_from(field.0.len() + 4).unwrap()).raw(&field.0);
    let params = Bytes::default().u32(2).raw(&sized(count).0).raw(&sized(names).0);
    let fields = fields.u32(1).u8(1).u8(2).u32(u32::try_from(params.0.len()).unwrap()).u8(2).raw(&params.0);
    let mut block = events(true);
    for blob in [runtime, fields] {
        block = block.u8(0x80).varuint(0).varuint(blob.0.len() as u64).raw(&blob.0);
    }
    block
}

fn stop(nanoseconds: f64) -> Vec<u8> {
    Bytes::default().u8(0).u16(9).raw(&nanoseconds.to_le_bytes()).0
}

fn sold() -> Vec<u8> {
    Bytes::default().u32(2).u16(2).utf16("Äpfel").utf16("").0
}

/// Three events in compressed headers; then a sequence point, and an event of a thread that has dropped four.
fn trace() -> Vec<u8> {
    let stacks = Bytes::default().u32(1).u32(2).u32(16).u64(0x10).u64(0x20).u32(0);
    let (stop, sold) = (stop(1.5), sold());
    let block = events(true)
        // Metadata, capture thread, thread, stack, size.
        .u8(0x8F)
        .varuint(1)
        .varuint(0)
        .varuint(300)
        .varuint(1)
        .varuint(300)
        .varuint(1)
        .varuint(2_000)
        .varuint(stop.len() as u64)
        .raw(&stop)
        // The same again, sorted.
        .u8(0x40)
        .varuint(5)
        .raw(&stop)
        // Another kind, without stack, with an activity.
        .u8(0x99)
        .varuint(7)
        .varuint(0)
        .varuint(5)
        .raw(&[1; 16])
        .varuint(sold.len() as u64)
        .raw(&sold);
    let point = Bytes::default().u64(3_000).u32(1).u64(300).u32(5);
    let late = events(true)
        .u8(0x8F)
        .varuint(1)
        .varuint(7)
        .varuint(300)
        .varuint(0)
        .varuint(301)
        .varuint(1)
        .varuint(4_000)
        .varuint(stop.len() as u64)
        .raw(&stop);
    Objects::new()
        .block("MetadataBlock", &metadata())
        .block("StackBlock", &stacks)
        .block("EventBlock", &block)
        .block("SomeLaterBlock", &Bytes::default().u32(1))
        .block("SPBlock", &point)
        .block("EventBlock", &late)
        .end()
}

#[test]
fn a_trace_is_read() {
    let trace = trace();
    let mut reader = Reader::new(trace.as_slice()).unwrap();
    let of = reader.trace();
    assert_eq!((of.version, of.pointer_size, of.process_id, of.processors), (4, 8, 4711, 2));
    assert_eq!((of.start.year, of.start.day, of.start.millisecond), (2026, 23, 250));
    assert_eq!(of.elapsed(2_500).as_micros(), 1_500);
    let event = reader.next_event().unwrap().unwrap();
    let decoded = event.runtime_event().unwrap().unwrap();
    assert!(
        matches!(decoded, RuntimeEvent::ContentionStop(stop) if stop.duration == Some(1.5)),
        "{decoded:?}"
    );
    assert_eq!((event.capture_thread, event.processor, event.is_sorted), (300, 1, false));
    assert!(reader.next_event().unwrap().unwrap().is_sorted);
    let event = reader.next_event().unwrap().unwrap();
    assert_eq!((event.activity, event.metadata.opcode), (Some([1; 16]), 2));
    assert_eq!(event.runtime_event(), Ok(None));

    let (events, error, dropped) = listed(&trace);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        events,
        [
            "Microsoft-Windows-DotNETRuntime 91 at 2000 thread 300 #1 stack [16, 32] Ok([])",
            "Microsoft-Windows-DotNETRuntime 91 at 2005 thread 300 #2 stack [16, 32] Ok([])",
            "Shop 3 at 2010 thread 300 #3 stack [] Ok([(\"count\", Int(2)), \
             (\"names\", Array([String(\"Äpfel\"), String(\"\")]))])",
            // The stack was forgotten at the sequence point.
            "Microsoft-Windows-DotNETRuntime 91 at 4000 thread 301 #8 stack [] Ok([])",
        ]
    );
    // Two before the sequence point, and two after it.
    assert_eq!(dropped, 4);
}

#[test]
fn a_cut_trace_is_read_up_to_the_cut() {
    let trace = trace();
    let whole = listed(&trace).0;
    let mut most = 0;
    for length in 0..trace.len() {
        let (events, error, _) = listed(&trace[..length]);
        let is_there = matches!(error, Some(Error::Truncated { offset }) if offset == length as u64);
        assert!(is_there, "{length}: {error:?}");
        assert_eq!(events, whole[..events.len()]);
        assert!(events.len() >= most, "{length}");
        most = events.len();
    }
    assert_eq!(most, whole.len());
}

#[test]
fn headers_may_be_uncompressed() {
    let payload = stop(2.5);
    let mut block = events(false);
    for number in 1..=2_u32 {
        let size = 4 + 4 + 8 + 8 + 4 + 4 + 8 + 32 + 4 + u32::try_from(payload.len()).unwrap();
        block = block.u32(size).u32(1 | 1 << 31).u32(number).u64(7).u64(8).u32(0).u32(0).u64(5_000);
        block = block.raw(&[0; 32]).u32(u32::try_from(payload.len()).unwrap()).raw(&payload).u8(0);
    }
    let trace = Objects::new().block("MetadataBlock", &metadata()).block("EventBlock", &block).end();
    let (events, error, dropped) = listed(&trace);
    assert!(error.is_none() && dropped == 0, "{error:?}");
    assert_eq!(events.len(), 2);
    assert!(events[1].contains("at 5000 thread 7 #2"), "{events:?}");
}

/// Returns a few bytes at a time, and an error between.
struct Slow<'t>(&'t [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(3) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let count = self.0.len().min(7).min(buffer.len());
        let (now, later) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

#[test]
fn a_failed_read_loses_nothing() {
    let trace = trace();
    // The description has to arrive at once.
    let (head, rest) = trace.split_at(120);
    let mut reader = Reader::new(head.chain(Slow(rest, 0))).unwrap();
    let (mut events, mut failures) = (0, 0);
    loop {
        match reader.next_event() {
            Ok(Some(_)) => events += 1,
            Ok(None) => break,
            Err(Error::Io { .. }) => failures += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(events == 4 && failures > 20, "{events} {failures}");
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let error = |trace: &[u8]| listed(trace).1.unwrap().to_string();
    assert_eq!(error(b"!FastSerialization.1"), "malformed trace at byte 0: it does not begin with Nettrace");
    let mut later = Bytes::default().raw(b"Nettrace").u32(0).u32(7).u32(0).0;
    assert_eq!(error(&later), "nettrace version 7 is not known; 4, 5 and 6 are read");
    later = Objects::new().block("EventBlock", &events(true).u8(0x80).varuint(0).varuint(0)).end();
    assert!(error(&later).ends_with("an event without metadata"), "{}", error(&later));
    let mut huge = Objects::new().block("EventBlock", &events(true)).end();
    let at = huge.len() - 1 - 1 - 20 - 4 - (huge.len() - 2 - 20 - 4) % 4;
    huge[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    let message = error(&huge);
    assert!(message.contains("a block of 4294967295, and at most 16777216 is read"), "{message}");
}
