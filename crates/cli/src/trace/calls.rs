//! The selected part of the calls: each has a beginning and an end, at the bounds of the selected time at the latest.

use std::io;

use anyhow::Result;

use super::follow::{At, Beginning, Call, End, Follower, Lane, Open, follow};
use super::names::{FunctionId, Functions};
use super::opened::Opened;
use super::selection::Selection;
use super::top::item;

/// A visitor of calls. The calls of a thread are nested, and their times never decrease.
pub(super) trait Calls {
    /// A call begins.
    fn begin(&mut self, functions: &Functions, lane: Lane, begun: Begun) -> io::Result<()>;

    /// The innermost call of the thread ends, or is suspended, at this time in nanoseconds.
    fn end(&mut self, lane: Lane, function: FunctionId, time: u64) -> io::Result<()>;

    /// The thread has ended, without open calls. Its lane may be another thread's from now on.
    fn end_thread(&mut self, _lane: Lane) -> io::Result<()> {
        Ok(())
    }
}

/// The beginning of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    pub(super) function: FunctionId,
    /// In nanoseconds.
    pub(super) time: u64,
    /// Whether the call was suspended, and goes on on this thread: it is not one more call.
    pub(super) is_resumed: bool,
}

/// What is kept of an open call.
#[derive(Clone, Copy)]
struct Level {
    /// Whether it is a selected call, or called by one.
    is_selected: bool,
    is_resumed: bool,
}

/// The time of a thread.
#[derive(Clone, Copy)]
struct Clock {
    time: u64,
    phase: Phase,
}

/// The time of a thread, beside the selected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Before,
    Within,
    /// It is over, or the thread is not selected.
    Over,
}

/// Passes the selected calls on to a visitor.
struct Selected<'c, C> {
    calls: &'c mut C,
    /// By the index of the lane.
    clocks: Vec<Option<Clock>>,
}

impl<C> Selected<'_, C> {
    #[inline]
    fn clock(&mut self, lane: Lane, selection: &Selection) -> &mut Clock {
        item(&mut self.clocks, lane.index).get_or_insert_with(|| {
            let phase = if selection.has_thread(lane.thread.id) { Phase::Before } else { Phase::Over };
            Clock { time: 0, phase }
        })
    }
}

impl<C: Calls> Follower for Selected<'_, C> {
    type Kept = Level;

    const WHOLE: bool = false;

    fn is_inside(&self, open: &[Open<Level>]) -> bool {
        open.last().is_some_and(|open| open.kept.is_selected)
    }

    #[inline]
    fn is_over(&self, lane: Lane) -> bool {
        matches!(self.clocks.get(lane.index), Some(Some(Clock { phase: Phase::Over, .. })))
    }

    /// Calls that are open at a bound of the selected time begin or end there.
    #[inline]
    fn pass(&mut self, at: &At<'_>, open: &[Open<Level>]) -> Result<()> {
        let (lane, Selection { from, to, .. }) = (at.lane, at.selection);
        let clock = self.clock(lane, at.selection);
        clock.time = clock.time.max(at.time);
        let time = clock.time;
        if clock.phase == Phase::Before && time >= *from {
            clock.phase = Phase::Within;
            for Open { call, kept } in open.iter().filter(|open| open.kept.is_selected) {
                let (function, time, is_resumed) = (call.function, call.begun.max(*from), kept.is_resumed);
                self.calls.begin(at.functions, lane, Begun { function, time, is_resumed })?;
            }
        }
        let clock = self.clock(lane, at.selection);
        if clock.phase == Phase::Within && time > *to {
            clock.phase = Phase::Over;
            for open in open.iter().rev().filter(|open| open.kept.is_selected) {
                self.calls.end(lane, open.call.function, *to)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn begin(
        &mut self,
        at: &mut At<'_>,
        open: &[Open<Level>],
        Call { function, .. }: Call,
        beginning: Beginning,
    ) -> Result<Option<Level>> {
        let has_all_methods = !at.selection.has_methods;
        let is_selected = has_all_methods || at.functions.is_selected(function) || self.is_inside(open);
        let is_resumed = beginning == Beginning::Resume;
        let clock = self.clock(at.lane, at.selection);
        clock.time = clock.time.max(at.time);
        let Clock { time, phase } = *clock;
        if is_selected && phase == Phase::Within {
            self.calls.begin(at.functions, at.lane, Begun { function, time, is_resumed })?;
        }
        Ok(Some(Level { is_selected, is_resumed }))
    }

    #[inline]
    fn end(&mut self, at: &mut At<'_>, Open { call, kept }: Open<Level>, _: End) -> Result<()> {
        let Clock { time, phase } = *self.clock(at.lane, at.selection);
        if kept.is_selected && phase == Phase::Within {
            self.calls.end(at.lane, call.function, time)?;
        }
        Ok(())
    }

    fn end_thread(&mut self, lane: Lane) -> Result<()> {
        *item(&mut self.clocks, lane.index) = None;
        Ok(self.calls.end_thread(lane)?)
    }
}

/// Visits the selected calls of a recording. Those that are open at its end, or at the end of their thread, end there.
pub(super) fn each(opened: &mut Opened, calls: &mut impl Calls) -> Result<()> {
    follow(opened, &mut Selected { calls, clocks: Vec::new() })
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
    use crate::trace::selection::Select;

    /// The beginnings and ends of calls, with their depth.
    #[derive(Default)]
    struct Log {
        stack: Vec<FunctionId>,
        lines: Vec<(usize, FunctionId)>,
        time: u64,
        resumed: Vec<FunctionId>,
    }

    impl Calls for Log {
        fn begin(&mut self, _: &Functions, _: Lane, begun: Begun) -> io::Result<()> {
            let Begun { function, time, is_resumed } = begun;
            assert!(time >= self.time);
            self.time = time;
            if is_resumed {
                self.resumed.push(function);
            } else {
                self.lines.push((self.stack.len(), function));
            }
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
}
