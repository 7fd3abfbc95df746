//! Where records are made faster than they are written, or cannot be written at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use argvalues::{Primitive, StringUnits, Visitor};
use recording::{ClockKind, Ending, Function, Options, Recorder, WhenFull};

use crate::program::{Functions, call, options, read};
use crate::sink::Sink;

const CALLS: u32 = 4000;

fn slow(when_full: WhenFull) -> (Vec<u8>, recording::Summary, Vec<String>) {
    let sink = Sink { nap: Duration::from_millis(1), ..Sink::new() };
    let options = Options { when_full, ..options() };
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    let functions = Functions::define(&recorder);
    let (mut thread, mut lines) = (recorder.thread(1), Vec::new());
    for number in 0..CALLS {
        call(&mut thread, &functions, number, &mut lines);
    }
    drop(thread);
    let summary = recorder.finish().unwrap();
    (sink.taken(), summary, lines)
}

#[test]
fn a_thread_that_waits_loses_nothing() {
    let (bytes, summary, lines) = slow(WhenFull::Wait);
    let found = read(&bytes).unwrap();
    assert_eq!((summary.lost, found.lost), (0, 0));
    assert!(found.lines.iter().map(|line| &line.1).eq(&lines));
}

#[test]
fn what_is_dropped_is_counted_and_the_rest_is_right() {
    let (bytes, summary, lines) = slow(WhenFull::Drop);
    let found = read(&bytes).unwrap();
    assert!(summary.lost > 0 && found.lost > 0);
    assert_eq!(found.ending, Some(Ending::Finished { lost: summary.lost }));
    // Every record was either written or counted; the last ones that were not may have nothing behind them.
    assert_eq!(found.lines.len() as u64 + summary.lost, lines.len() as u64);
    assert!(found.lost <= summary.lost);
    // What is there is what was recorded, in order, and at the same depth.
    let mut expected = lines.iter();
    for (_, line) in &found.lines {
        assert!(expected.any(|other| other == line), "{line} was not recorded, or not there");
    }
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let sink = Sink { room: 3000, ..Sink::new() };
    let told = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&told);
    let recorder = Recorder::start(sink.clone(), options(), move |error| {
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
        count.fetch_add(1, Ordering::Relaxed);
    })
    .unwrap();
    let functions = Functions::define(&recorder);
    let mut thread = recorder.thread(1);
    for number in 0..CALLS {
        call(&mut thread, &functions, number, &mut Vec::new());
    }
    while told.load(Ordering::Relaxed) == 0 {
        std::thread::yield_now();
    }
    // Nobody waits for this to be written.
    for number in 0..CALLS {
        call(&mut thread, &functions, number, &mut Vec::new());
    }
    let error = recorder.finish().unwrap_err();
    assert_eq!(error.source.kind(), std::io::ErrorKind::StorageFull);
    assert!(error.bytes > 0, "{error}");
    assert_eq!(told.load(Ordering::Relaxed), 1);
    assert!(matches!(read(&sink.taken()).unwrap().ending, Some(Ending::Cut { .. })));
    assert!(recorder.finish().is_ok());
}

#[test]
fn values_that_no_chunk_can_hold_are_named_in_their_place() {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
    let put = recorder.define(&Function { name: "Shop.Put".into(), ..Function::default() }).unwrap();
    let flat = Function {
        name: "Shop.Wide".into(),
        arguments: Some(vec![Primitive::I64; 600].into()),
        ..Function::default()
    };
    let wide = recorder.define(&flat).unwrap();
    let mut thread = recorder.thread(1);
    let units = vec![0x61; 5000];
    thread.enter_values(&put, |values| {
        values.writer().string(&StringUnits { units: &units, length: units.len() });
    });
    thread.leave_values(&put, |_| {});
    // More primitives than a chunk has room for.
    assert!(thread.enter(&wide, |_| Some(1)));
    thread.leave(&wide, || None);
    drop(thread);
    let summary = recorder.finish().unwrap();
    let found = read(&sink.taken()).unwrap();
    assert_eq!(found.lines[0].1, "0 > Shop.Put failed: the 10004 bytes of values do not fit into a chunk");
    assert_eq!(found.lines[1].1, "0 < Shop.Put");
    assert_eq!((summary.lost, found.lost), (1, 1));
    assert_eq!(found.lines[2].1, "0 < Shop.Wide");
}

#[test]
fn what_cannot_be_recorded_at_once_is_not_recorded() {
    let sink = Sink::new();
    let options = Options { when_full: WhenFull::Wait, ..options() };
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    let Functions { add, sell, .. } = Functions::define(&recorder);
    let (mut thread, mut refused, mut lines) = (recorder.thread(1), 0, Vec::new());
    assert!(!thread.enter_at_once(&sell, |_| Some(0)) && !thread.enter_at_once(&add, |_| None));
    for number in 0..CALLS {
        let words = [u64::from(number), 1, 1.5_f64.to_bits()];
        let word = |index: usize| words.get(index).copied();
        if !thread.enter_at_once(&add, word) {
            refused += 1;
            assert!(thread.enter(&add, word));
        }
        assert_eq!(thread.depth(), 1);
        if !thread.leave_at_once(&add, number.into()) {
            refused += 1;
            assert!(thread.leave(&add, || Some(number.into())));
        }
        lines.extend([format!("0 > Shop.Add {number} true 1.5"), format!("0 < Shop.Add {number}")]);
    }
    assert_eq!(thread.depth(), 0);
    drop(thread);
    recorder.finish().unwrap();
    let found = read(&sink.taken()).unwrap();
    assert!(found.lines.iter().map(|line| &line.1).eq(&lines));
    if ClockKind::best() != ClockKind::TimeStampCounter {
        assert_eq!(refused, 2 * CALLS);
        return;
    }
    // Once for each chunk: a call has 21 bytes, and its end 16.
    let chunks = CALLS * (8 + 13 + 16) / 4096;
    assert!((chunks..chunks + chunks / 4).contains(&refused), "{refused} of {chunks} chunks");
}
