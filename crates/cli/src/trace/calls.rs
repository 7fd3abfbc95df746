//! From events to calls: each call has a beginning and an end, also where events are missing.

use std::collections::HashMap;
use std::io;

use anyhow::Result;
use recording::{Step, StepKind, Thread};

use super::names::{FunctionId, Functions};
use super::opened::{Opened, next};
use super::selection::Selection;

/// A visitor of calls. The calls of a thread are nested, and their times never decrease.
pub(super) trait Calls {
    /// A call begins, at this time in nanoseconds.
    fn begin(&mut self, functions: &Functions, lane: Lane, function: FunctionId, time: u64)
    -> io::Result<()>;

    /// A call that was suspended goes on: it begins on this thread, and is not one more call.
    fn resume(
        &mut self,
        functions: &Functions,
        lane: Lane,
        function: FunctionId,
        time: u64,
    ) -> io::Result<()> {
        self.begin(functions, lane, function, time)
    }

    /// The innermost call of the thread ends, or is suspended.
    fn end(&mut self, lane: Lane, function: FunctionId, time: u64) -> io::Result<()>;

    /// The thread has ended, without open calls. Its lane may be another thread's from now on.
    fn end_thread(&mut self, _lane: Lane) -> io::Result<()> {
        Ok(())
    }
}

/// A thread, with a number less than the number of threads that run at the same time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    pub(super) index: usize,
    pub(super) thread: Thread,
}

/// An open call.
#[derive(Clone, Copy)]
struct Level {
    function: FunctionId,
    /// The number of levels below it.
    below: usize,
    begun: u64,
    /// Whether it is a selected call, or called by one.
    is_selected: bool,
    is_resumed: bool,
}

/// A call that begins.
#[derive(Clone, Copy)]
struct Begun {
    function: FunctionId,
    time: u64,
    is_selected: bool,
    /// Whether it was suspended before.
    is_resumed: bool,
}

impl Begun {
    const fn new(function: FunctionId, time: u64) -> Self {
        Self { function, time, is_selected: false, is_resumed: false }
    }
}

/// The open calls of a thread.
#[derive(Default)]
struct Open {
    lane: Lane,
    /// The open calls. A [lost](FunctionId::LOST) call stands for all levels up to the next call, so that a number in the file
    /// cannot create that many calls.
    stack: Vec<Level>,
    /// The number of open levels.
    depth: usize,
    time: u64,
    phase: Phase,
    /// Whether all methods are selected.
    has_all_methods: bool,
}

/// The time of a thread, beside the selected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Before,
    Within,
    /// It is over, or the thread is not selected.
    Over,
}

impl Open {
    /// Ends calls until at most so many levels are open, or begins one lost call to reach that depth.
    #[inline]
    fn set_depth(&mut self, depth: usize, functions: &Functions, calls: &mut impl Calls) -> io::Result<()> {
        while let Some(level) = self.stack.pop_if(|level| level.below >= depth) {
            if level.is_selected && self.phase == Phase::Within {
                calls.end(self.lane, level.function, self.time)?;
            }
        }
        if self.depth < depth {
            let begun =
                Begun { is_selected: self.has_all_methods, ..Begun::new(FunctionId::LOST, self.time) };
            self.begin(begun, functions, calls)?;
        }
        self.depth = depth;
        Ok(())
    }

    #[inline]
    fn begin(
        &mut self,
        Begun { function, time: begun, is_selected, is_resumed }: Begun,
        functions: &Functions,
        calls: &mut impl Calls,
    ) -> io::Result<()> {
        let is_selected = is_selected || self.stack.last().is_some_and(|level| level.is_selected);
        self.stack.push(Level { function, below: self.depth, begun, is_selected, is_resumed });
        self.depth = self.depth.saturating_add(1);
        if !is_selected || self.phase != Phase::Within {
            return Ok(());
        }
        match is_resumed {
            true => calls.resume(functions, self.lane, function, self.time),
            false => calls.begin(functions, self.lane, function, self.time),
        }
    }

    fn end(&mut self, functions: &Functions, calls: &mut impl Calls) -> io::Result<()> {
        self.set_depth(self.depth.saturating_sub(1), functions, calls)
    }

    /// Something happens at this time. Calls that are open at a bound of the selected time begin or end there.
    #[inline]
    fn pass(
        &mut self,
        time: u64,
        selection: &Selection,
        functions: &Functions,
        calls: &mut impl Calls,
    ) -> io::Result<()> {
        self.time = self.time.max(time);
        if self.phase == Phase::Before && self.time >= selection.from {
            self.phase = Phase::Within;
            for level in self.stack.iter().filter(|level| level.is_selected) {
                let (function, begun) = (level.function, level.begun.max(selection.from));
                match level.is_resumed {
                    true => calls.resume(functions, self.lane, function, begun)?,
                    false => calls.begin(functions, self.lane, function, begun)?,
                }
            }
        }
        if self.phase == Phase::Within && self.time > selection.to {
            for level in self.stack.iter().rev().filter(|level| level.is_selected) {
                calls.end(self.lane, level.function, selection.to)?;
            }
            self.phase = Phase::Over;
        }
        Ok(())
    }

    /// Whether a selected call is open.
    fn is_inside(&self) -> bool {
        self.stack.last().is_some_and(|level| level.is_selected)
    }
}

/// The threads that run.
#[derive(Default)]
struct Lanes {
    all: Vec<Open>,
    indexes: HashMap<u32, usize>,
    free: Vec<usize>,
    /// The index of the one whose events are read.
    current: usize,
}

impl Lanes {
    #[inline]
    fn get(&mut self, thread: Thread, selection: &Selection) -> &mut Open {
        let is_current = |open: &Open| open.lane.thread.number == thread.number;
        if !self.all.get(self.current).is_some_and(is_current) {
            self.current = self.find(thread, selection);
        }
        &mut self.all[self.current]
    }

    #[cold]
    fn find(&mut self, thread: Thread, selection: &Selection) -> usize {
        if let Some(index) = self.indexes.get(&thread.number) {
            return *index;
        }
        let index = self.free.pop().unwrap_or_else(|| {
            self.all.push(Open::default());
            self.all.len() - 1
        });
        let phase = if selection.has_thread(thread.id) { Phase::Before } else { Phase::Over };
        let has_all_methods = !selection.has_methods;
        self.all[index] = Open { lane: Lane { index, thread }, phase, has_all_methods, ..Open::default() };
        self.indexes.insert(thread.number, index);
        index
    }

    /// Whether a selected call of a thread is open.
    fn is_inside(&self, thread: Thread) -> bool {
        self.indexes.get(&thread.number).is_some_and(|index| self.all[*index].is_inside())
    }

    /// Removes the thread whose events are read.
    fn end(&mut self) {
        let ended = core::mem::take(&mut self.all[self.current]);
        self.indexes.remove(&ended.lane.thread.number);
        self.free.push(self.current);
        self.current = usize::MAX;
    }
}

/// Visits the selected calls of a recording. Those that are open at its end, or at the end of their thread, end there.
pub(super) fn each(opened: &mut Opened, calls: &mut impl Calls) -> Result<()> {
    let Opened { reader, timeline, functions, selection, damage } = opened;
    let mut lanes = Lanes::default();
    let has_methods = selection.has_methods;
    let is_selected = |functions: &Functions, id| !has_methods || functions.is_selected(id);
    while let Some(step) = next(reader, damage, |block| {
        selection.may_have(block, *timeline, functions, || lanes.is_inside(block.thread))
    })? {
        let Step { thread, ticks, depth, kind } = step;
        let open = lanes.get(thread, selection);
        if open.phase == Phase::Over && !matches!(kind, StepKind::ThreadEnd(_)) {
            continue;
        }
        let depth = usize::try_from(depth)?;
        if kind == StepKind::Resumed {
            // Nothing that is selected was skipped.
            open.set_depth(0, functions, calls)?;
            for call in reader.open_calls() {
                let (begun, id) =
                    (timeline.nanoseconds(call.ticks), functions.id(call.function, reader.functions()));
                open.time = open.time.max(begun);
                open.set_depth(usize::try_from(call.depth)?, functions, calls)?;
                let is_selected = is_selected(functions, id);
                open.begin(Begun { is_selected, ..Begun::new(id, begun) }, functions, calls)?;
            }
            open.set_depth(depth, functions, calls)?;
        }
        open.pass(timeline.nanoseconds(ticks), selection, functions, calls)?;
        if open.phase == Phase::Over && !matches!(kind, StepKind::ThreadEnd(_)) {
            continue;
        }
        match kind {
            StepKind::Enter(function) | StepKind::Resume(function) => {
                let function = functions.id(function, reader.functions());
                open.set_depth(depth, functions, calls)?;
                let (is_selected, is_resumed) =
                    (is_selected(functions, function), matches!(kind, StepKind::Resume(_)));
                let begun = Begun { is_selected, is_resumed, ..Begun::new(function, open.time) };
                open.begin(begun, functions, calls)?;
            }
            StepKind::Leave(_) | StepKind::Tailcall(_) | StepKind::Unwind(_) | StepKind::Suspend(_) => {
                open.set_depth(depth.saturating_add(1), functions, calls)?;
                open.end(functions, calls)?;
            }
            StepKind::ThreadEnd(_) => {
                open.set_depth(0, functions, calls)?;
                calls.end_thread(open.lane)?;
                lanes.end();
            }
            StepKind::Lost(_) => open.set_depth(depth, functions, calls)?,
            _ => {}
        }
    }
    lanes.all.sort_by_key(|open| open.lane.thread.number);
    for open in &mut lanes.all {
        open.set_depth(0, functions, calls)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use recording::{Function, Options, Recorder, WhenFull};

    use super::*;
    use crate::trace::Recording;
    use crate::trace::selection::{Methods, Select};

    /// The beginnings and ends of calls, with their depth.
    #[derive(Default)]
    struct Log {
        stack: Vec<FunctionId>,
        lines: Vec<(usize, FunctionId)>,
        time: u64,
        resumed: Vec<FunctionId>,
    }

    impl Calls for Log {
        fn begin(&mut self, _: &Functions, _: Lane, function: FunctionId, time: u64) -> io::Result<()> {
            assert!(time >= self.time);
            self.time = time;
            self.lines.push((self.stack.len(), function));
            self.stack.push(function);
            Ok(())
        }

        fn resume(&mut self, _: &Functions, _: Lane, function: FunctionId, _: u64) -> io::Result<()> {
            self.resumed.push(function);
            self.stack.push(function);
            Ok(())
        }

        fn end(&mut self, _: Lane, function: FunctionId, time: u64) -> io::Result<()> {
            assert!(time >= self.time);
            self.time = time;
            assert_eq!(self.stack.pop(), Some(function));
            Ok(())
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
        let mut opened =
            Recording { file, assemblies: Vec::new(), select: Select::default() }.open().unwrap();
        let mut log = Log::default();
        each(&mut opened, &mut log).unwrap();
        assert!(log.stack.is_empty(), "calls are open at the end");
        (log, opened)
    }

    /// A selected call.
    fn begun(function: usize) -> Begun {
        Begun { is_selected: true, ..Begun::new(FunctionId::of_test(function), 0) }
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
    fn a_suspended_call_is_one_call() {
        let (log, opened) = read(|recorder, _| {
            let [outer, inner] = ["Outer", "Inner"].map(|name| recorder.define(&named(name)).unwrap());
            let mut thread = recorder.thread(1);
            thread.enter(&outer, |_| None);
            thread.suspend(outer.number());
            for _ in 0..2 {
                thread.resume(outer.number());
                thread.enter(&inner, |_| None);
                thread.leave(&inner, || None);
                thread.suspend(outer.number());
            }
            thread.resume(outer.number());
            thread.leave(&outer, || None);
        });
        let name = |id: FunctionId| opened.functions.function(id).name.as_str();
        let names: Vec<_> = log.lines.iter().map(|(depth, id)| (*depth, name(*id))).collect();
        assert_eq!(names, [(0, "Outer"), (1, "Inner"), (1, "Inner")]);
        let resumed: Vec<_> = log.resumed.iter().map(|id| name(*id)).collect();
        assert_eq!(resumed, ["Outer", "Outer", "Outer"]);
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
        let functions = Functions::new(&[], Methods::default()).unwrap();
        let mut log = Log::default();
        let mut open = Open { phase: Phase::Within, has_all_methods: true, ..Open::default() };
        open.set_depth(usize::MAX, &functions, &mut log).unwrap();
        open.begin(begun(1), &functions, &mut log).unwrap();
        open.set_depth(7, &functions, &mut log).unwrap();
        open.begin(begun(2), &functions, &mut log).unwrap();
        open.set_depth(0, &functions, &mut log).unwrap();
        assert_eq!(
            log.lines,
            [(0, FunctionId::LOST), (1, FunctionId::of_test(1)), (1, FunctionId::of_test(2))]
        );
        assert!(log.stack.is_empty());
    }
}
