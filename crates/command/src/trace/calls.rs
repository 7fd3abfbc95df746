//! From events to calls: each call has a beginning and an end, also where events are missing.

use std::collections::HashMap;

use anyhow::Result;
use recording::{Event, EventKind, Thread};

use super::names::FunctionId;
use super::opened::Opened;

/// A visitor of calls. The calls of a thread are nested, and their times never decrease.
pub(super) trait Calls {
    /// A call begins, at this time in nanoseconds.
    fn begin(&mut self, thread: Thread, function: FunctionId, time: u64);

    /// The innermost call of the thread ends.
    fn end(&mut self, thread: Thread, function: FunctionId, time: u64);
}

/// The open calls of a thread.
struct Open {
    thread: Thread,
    /// The open calls, each with the number of levels below it. A [lost](FunctionId::LOST) call stands for all levels up to the
    /// next call, so that a number in the file cannot create that many calls.
    stack: Vec<(FunctionId, usize)>,
    /// The number of open levels.
    depth: usize,
    time: u64,
}

impl Open {
    /// Ends calls until at most so many levels are open, or begins one lost call to reach that depth.
    fn set_depth(&mut self, depth: usize, calls: &mut impl Calls) {
        while let Some((function, _)) = self.stack.pop_if(|(_, below)| *below >= depth) {
            calls.end(self.thread, function, self.time);
        }
        if self.depth < depth {
            self.stack.push((FunctionId::LOST, self.depth));
            calls.begin(self.thread, FunctionId::LOST, self.time);
        }
        self.depth = depth;
    }

    fn begin(&mut self, function: FunctionId, calls: &mut impl Calls) {
        self.stack.push((function, self.depth));
        self.depth = self.depth.saturating_add(1);
        calls.begin(self.thread, function, self.time);
    }

    fn end(&mut self, calls: &mut impl Calls) {
        self.set_depth(self.depth.saturating_sub(1), calls);
    }
}

/// Visits all calls of a recording. Those that are open at its end, or at the end of their thread, end there.
pub(super) fn each(opened: &mut Opened, calls: &mut impl Calls) -> Result<()> {
    let Opened { reader, timeline, functions } = opened;
    let mut threads: HashMap<u32, Open> = HashMap::new();
    while let Some(Event { thread, ticks, depth, kind }) = reader.next()? {
        let open = threads.entry(thread.number).or_insert_with(|| Open {
            thread,
            stack: Vec::new(),
            depth: 0,
            time: 0,
        });
        open.time = open.time.max(timeline.nanoseconds(ticks));
        let depth = usize::try_from(depth)?;
        match kind {
            EventKind::Enter(function, _) => {
                let function = functions.id(function);
                open.set_depth(depth, calls);
                open.begin(function, calls);
            }
            EventKind::Leave(..) | EventKind::Tailcall(_) | EventKind::Unwind(..) => {
                open.set_depth(depth.saturating_add(1), calls);
                open.end(calls);
            }
            EventKind::ThreadEnd(_) => {
                open.set_depth(0, calls);
                threads.remove(&thread.number);
            }
            EventKind::Lost(_) => open.set_depth(depth, calls),
            _ => {}
        }
    }
    let mut left: Vec<_> = threads.into_values().collect();
    left.sort_by_key(|open| open.thread.number);
    left.iter_mut().for_each(|open| open.set_depth(0, calls));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use recording::{Function, Options, Recorder, WhenFull};

    use super::*;
    use crate::trace::Recording;

    /// The beginnings and ends of calls, with their depth.
    #[derive(Default)]
    struct Log {
        stack: Vec<FunctionId>,
        lines: Vec<(usize, FunctionId)>,
        time: u64,
    }

    impl Calls for Log {
        fn begin(&mut self, _: Thread, function: FunctionId, time: u64) {
            assert!(time >= self.time);
            self.time = time;
            self.lines.push((self.stack.len(), function));
            self.stack.push(function);
        }

        fn end(&mut self, _: Thread, function: FunctionId, time: u64) {
            assert!(time >= self.time);
            self.time = time;
            assert_eq!(self.stack.pop(), Some(function));
        }
    }

    /// A file that is not written while another thread holds the lock.
    struct Gate(Arc<Mutex<()>>, File);

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _open = self.0.lock().unwrap();
            self.1.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.1.flush()
        }
    }

    fn read(record: impl FnOnce(&Recorder, &Mutex<()>)) -> (Log, Opened) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("calls.rec");
        let gate = Arc::new(Mutex::new(()));
        let options =
            Options { when_full: WhenFull::Drop, chunks: 2, chunk_bytes: 4096, ..Options::default() };
        let output = Gate(Arc::clone(&gate), File::create(&file).unwrap());
        let recorder = Recorder::start(output, options, |error| panic!("{error}")).unwrap();
        record(&recorder, &gate);
        recorder.finish().unwrap();
        let mut opened = Recording { file, assemblies: Vec::new() }.open().unwrap();
        let mut log = Log::default();
        each(&mut opened, &mut log).unwrap();
        assert!(log.stack.is_empty(), "calls are open at the end");
        (log, opened)
    }

    fn named(name: &str) -> Function {
        Function { name: name.into(), arguments: Some([].into()), ..Function::default() }
    }

    #[test]
    fn each_call_ends_however_it_is_left() {
        let (log, opened) = read(|recorder, _| {
            let [outer, inner] = ["Outer", "Inner"].map(|name| recorder.define(&named(name)).unwrap());
            let mut thread = recorder.thread(1);
            thread.enter(&outer, |_| None);
            for end in 0..3 {
                thread.enter(&inner, |_| None);
                match end {
                    0 => drop(thread.leave(&inner, || None)),
                    1 => thread.tailcall(inner.number()),
                    _ => thread.unwind(inner.number(), "System.Exception"),
                }
            }
            // Both are open when the program ends.
            thread.enter(&inner, |_| None);
        });
        let names: Vec<_> = log
            .lines
            .iter()
            .map(|(depth, id)| (*depth, opened.functions.function(*id).name.as_str()))
            .collect();
        assert_eq!(names, [(0, "Outer"), (1, "Inner"), (1, "Inner"), (1, "Inner"), (1, "Inner")]);
    }

    #[test]
    fn lost_calls_keep_the_depth_of_the_others() {
        const DEPTH: usize = 2000;
        let (log, opened) = read(|recorder, gate| {
            let [deep, last] = ["Deep", "Last"].map(|name| recorder.define(&named(name)).unwrap());
            let mut thread = recorder.thread(1);
            let closed = gate.lock().unwrap();
            for _ in 0..DEPTH {
                thread.enter(&deep, |_| None);
            }
            drop(closed);
            // Until the buffer has free capacity again.
            for _ in 0..100 {
                std::thread::sleep(Duration::from_millis(2));
                thread.enter(&last, |_| None);
                thread.leave(&last, || None);
            }
        });
        let count = |name: &str| {
            let is_named = |id: FunctionId| opened.functions.function(id).name == name;
            log.lines.iter().filter(|(_, id)| is_named(*id)).count()
        };
        let (deep, lost) = (count("Deep"), count("(lost)"));
        assert!(deep < DEPTH && lost == 1, "{deep} calls and {lost} that stand for lost ones");
        let is_last = |id: FunctionId| opened.functions.function(id).name == "Last";
        let last: Vec<usize> =
            log.lines.iter().filter(|(_, id)| is_last(*id)).map(|(depth, _)| *depth).collect();
        // One call stands for all that were lost.
        assert!(!last.is_empty() && last.iter().all(|depth| *depth == deep + lost), "{last:?}");
    }

    #[test]
    fn a_forged_depth_is_one_call() {
        // The depth of `LOST` is a number from the file.
        let mut log = Log::default();
        let mut open = Open { thread: Thread::default(), stack: Vec::new(), depth: 0, time: 0 };
        open.set_depth(usize::MAX, &mut log);
        open.begin(FunctionId::of_test(1), &mut log);
        open.set_depth(7, &mut log);
        open.begin(FunctionId::of_test(2), &mut log);
        open.set_depth(0, &mut log);
        assert_eq!(
            log.lines,
            [(0, FunctionId::LOST), (1, FunctionId::of_test(1)), (1, FunctionId::of_test(2))]
        );
        assert!(log.stack.is_empty());
    }
}
