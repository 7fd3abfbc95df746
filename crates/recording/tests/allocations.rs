//! Emitting a row allocates nothing, whatever the writing thread does meanwhile.
//!
//! # Safety contract of this file
//!
//! The one unsafe act is a global allocator that forwards every call unchanged to the system's and counts it.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use recording::streams::{Emitted, Field, FieldType, Schema, SessionStart, Value};
use recording::{Journal, Options, Recorder};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: each call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ROWS: Schema =
    Schema::new("rows", &[Field::plain("time", FieldType::TIME), Field::sum("size", FieldType::BYTES, "B")]);

#[test]
fn emitting_allocates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, has_journal) in [("plain", false), ("journal", true)] {
        let path = folder.path().join(name);
        let file = std::fs::File::create(&path).unwrap();
        let journal = has_journal.then(|| Journal::create(&path, "complete it").unwrap());
        // The writing thread often takes chunks that are filled in part, after which it frees memory elsewhere.
        let options = Options { interval: Duration::from_millis(1), ..Options::default() };
        let recorder = Recorder::start_with(file, journal, options, |_| {}).unwrap();
        let session =
            recorder.session(&SessionStart { memory: 256 << 10, ..SessionStart::default() }).unwrap();
        let rows = session.stream(&ROWS).unwrap();
        let before = COUNT.get();
        let mut kept = 0;
        while kept < 100_000 {
            let row = [Value::Time(recorder.ticks()), Value::Bytes(kept)];
            match rows.emit(&row) {
                Emitted::Kept => kept += 1,
                _ => std::thread::yield_now(),
            }
            if kept % 1000 == 0 {
                std::thread::sleep(Duration::from_micros(300));
            }
        }
        assert_eq!(COUNT.get() - before, 0, "{name}");
        session.end("");
        recorder.finish().unwrap();
    }
}
