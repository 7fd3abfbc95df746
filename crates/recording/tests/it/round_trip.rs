//! What is recorded is read: in order, on each thread, with every value.

use std::collections::BTreeMap;
use std::time::Duration;

use argvalues::Visitor;
use recording::{
    ClockKind, Defined, Ending, EventKind, Function, Omitted, Options, Reader, Recorder, Timeline,
};

use crate::program::{Functions, call, compressing, options, read};
use crate::sink::Sink;

#[test]
fn many_threads_are_read_as_they_ran() {
    let [plain, compressed] = [options(), compressing()].map(are_read_as_they_ran);
    assert!(compressed < plain / 2, "{compressed} bytes compressed, {plain} bytes otherwise");
}

/// Returns the length of the recording.
fn are_read_as_they_ran(options: Options) -> usize {
    const THREADS: u64 = 8;
    const CALLS: u32 = 3000;
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    let functions = Functions::define(&recorder);
    let mut expected = BTreeMap::new();
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..THREADS)
            .map(|id| {
                let (recorder, functions) = (&recorder, &functions);
                scope.spawn(move || {
                    let mut thread = recorder.thread(id);
                    let mut lines = Vec::new();
                    for number in 0..CALLS {
                        call(&mut thread, functions, number, &mut lines);
                    }
                    (id, lines)
                })
            })
            .collect();
        expected.extend(started.into_iter().map(|thread| thread.join().unwrap()));
    });
    let summary = recorder.finish().unwrap();
    let bytes = sink.taken();
    assert_eq!((summary.lost, summary.bytes), (0, bytes.len() as u64));
    let found = read(&bytes).unwrap();
    assert_eq!((found.ending, found.lost), (Some(Ending::Finished { lost: 0 }), 0));
    for (id, lines) in expected {
        let of_thread: Vec<_> = found.lines.iter().filter(|line| line.0 == id).map(|line| &line.1).collect();
        assert_eq!(of_thread.len(), 6 * CALLS as usize);
        assert!(of_thread.into_iter().eq(&lines), "thread {id}");
    }
    bytes.len()
}

/// A tracer defines a function for each version of its code.
#[test]
fn a_function_that_is_defined_again_is_the_same() {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
    let named = |identity: &str, name: &str| {
        let (identity, name) = (identity.to_owned(), name.to_owned());
        recorder.define(&Function { identity, name, ..Function::default() }).unwrap().number()
    };
    let put = named("mvid:06000001", "Shop.Put");
    assert_ne!(named("mvid:06000002", "Shop.Put"), put, "an overload");
    assert_ne!(named("mvid:06000001", "Shop.Put<string>"), put, "another instantiation");
    assert_eq!(named("mvid:06000001", "Shop.Put"), put);
    // Two methods that were made at run time may have all else in common.
    assert_ne!(named("", "Shop.Put"), named("", "Shop.Put"));
    recorder.finish().unwrap();
    let bytes = sink.taken();
    let mut reader = Reader::new(bytes.as_slice()).unwrap();
    while reader.step().unwrap().is_some() {}
    assert_eq!(reader.functions().len(), 5);
}

#[test]
fn omitted_calls_are_summed() {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
    let define =
        |name: &str| recorder.define(&Function { name: name.into(), ..Function::default() }).unwrap();
    let [often, seldom, once, never] = ["Often", "Seldom", "Once", "Never"].map(define);
    let [often, once, never] = [&often, &once, &never].map(Defined::number);
    for (function, calls, and_more) in
        [(often, 1 << 40, false), (once, 1, false), (often, 0, true), (never, 0, true), (often, 7, false)]
    {
        assert!(recorder.omit(function, Omitted { calls, and_more }));
    }
    let mut thread = recorder.thread(1);
    thread.enter_failed(&seldom, "it is not omitted");
    drop(thread);
    recorder.finish().unwrap();
    let bytes = sink.taken();
    let mut reader = Reader::new(&bytes[..]).unwrap();
    while reader.step().unwrap().is_some() {}
    let omitted: Vec<_> = reader.omitted().collect();
    let expected = [(often, (1 << 40) + 7, true), (once, 1, false), (never, 0, true)];
    assert_eq!(omitted, expected.map(|(function, calls, and_more)| (function, Omitted { calls, and_more })));
    assert_eq!(reader.ending(), Some(Ending::Finished { lost: 0 }));
}

#[test]
fn what_a_thread_has_recorded_is_written_before_it_ends() {
    let sink = Sink::new();
    let options = Options { interval: Duration::from_millis(5), ..options() };
    let recorder = Recorder::start(sink.clone(), options, |error| panic!("{error}")).unwrap();
    let functions = Functions::define(&recorder);
    let (mut thread, mut lines) = (recorder.thread(1), Vec::new());
    for number in 0..2 {
        call(&mut thread, &functions, number, &mut lines);
        let begin = std::time::Instant::now();
        // As if the process were killed here: what is in the file by now is what is left.
        let found = loop {
            let found = read(&sink.taken()).unwrap();
            if found.lines.len() == lines.len() || begin.elapsed() > Duration::from_secs(30) {
                break found;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        assert!(found.lines.iter().map(|line| &line.1).eq(&lines));
        assert!(matches!(found.ending, Some(Ending::Cut { .. })), "{:?}", found.ending);
    }
}

#[test]
fn times_are_those_of_the_clock() {
    for kind in [ClockKind::best(), ClockKind::Monotonic] {
        let file = tempfile::tempfile().unwrap();
        let options = Options { clock: kind, ..options() };
        let recorder =
            Recorder::start(file.try_clone().unwrap(), options, |error| panic!("{error}")).unwrap();
        let functions = Functions::define(&recorder);
        let mut thread = recorder.thread(1);
        let begin = std::time::Instant::now();
        thread.enter(&functions.run, |_| None);
        std::thread::sleep(Duration::from_millis(60));
        thread.leave(&functions.run, || None);
        let took = begin.elapsed();
        drop(thread);
        recorder.finish().unwrap();
        let mut file = file;
        let timeline = Timeline::of(&mut file).unwrap();
        let mut reader = Reader::new(file).unwrap();
        assert_eq!(reader.clock(), kind.as_str());
        let mut times = Vec::new();
        while let Some(event) = reader.next().unwrap() {
            if !matches!(event.kind, EventKind::ThreadEnd(_)) {
                times.push(timeline.nanoseconds(event.ticks));
            }
        }
        let [enter, leave] = times[..] else { panic!("{times:?}") };
        let recorded = Duration::from_nanos(leave - enter);
        // The speed of the machine does not matter: the call has slept so long, and was measured around it.
        assert!(
            recorded >= Duration::from_millis(59) && recorded <= took + took / 50,
            "{recorded:?} of {took:?}"
        );
    }
}

#[test]
fn values_that_are_not_known_can_be_recorded_in_another_way() {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
    let functions = Functions::define(&recorder);
    let mut thread = recorder.thread(1);
    assert!(!thread.enter(&functions.add, |index| (index == 0).then_some(1)));
    assert_eq!(thread.depth(), 0);
    thread.enter_failed(&functions.add, "nobody knows");
    assert!(!thread.leave(&functions.add, || None));
    thread.leave_values(&functions.add, |values| values.writer().error(&"nowhere"));
    recorder.finish().unwrap();
    let found = read(&sink.taken()).unwrap();
    let lines: Vec<_> = found.lines.iter().map(|line| line.1.as_str()).collect();
    assert_eq!(lines[0], "0 > Shop.Add failed: nobody knows");
    assert!(lines[1].starts_with("0 < Shop.Add") && lines[1].contains("nowhere"), "{lines:?}");
}

#[test]
fn suspended_calls_are_resumed_on_any_thread() {
    let sink = Sink::new();
    let recorder = Recorder::start(sink.clone(), options(), |error| panic!("{error}")).unwrap();
    let functions = Functions::define(&recorder);
    let mut one = recorder.thread(1);
    one.enter_failed(&functions.add, "");
    one.suspend(functions.add.number());
    assert_eq!(one.depth(), 0);
    drop(one);
    let mut other = recorder.thread(2);
    other.resume(functions.add.number());
    assert_eq!(other.depth(), 1);
    assert!(other.leave(&functions.add, || Some(7)));
    drop(other);
    recorder.finish().unwrap();
    let lines: Vec<_> = read(&sink.taken()).unwrap().lines;
    let of = |id| lines.iter().filter(|line| line.0 == id).map(|line| line.1.as_str()).collect::<Vec<_>>();
    assert_eq!(of(1), ["0 > Shop.Add failed: ", "0 s Shop.Add"]);
    assert_eq!(of(2), ["0 r Shop.Add", "0 < Shop.Add 7"]);
}
