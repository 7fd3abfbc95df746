//! What the hooks do.

use argvalues::{ArgumentRange, Decoder, Limits, RecordWriter};
use corprof::{EnterFrame, LeaveFrame};

use crate::Tools;
use crate::function::Function;
use crate::thread::{Thread, time};

/// What the hooks of a profiler do.
pub(crate) trait Way: Send + Sync + 'static {
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>);
    fn leave(tools: &Tools, function: &Function, frame: &LeaveFrame<'_>);
    fn tailcall(function: &Function);
}

/// Nothing.
pub(crate) struct Empty;

impl Way for Empty {
    fn enter(_: &Tools, _: &Function, _: &EnterFrame<'_>) {}
    fn leave(_: &Tools, _: &Function, _: &LeaveFrame<'_>) {}
    fn tailcall(_: &Function) {}
}

/// They count the thread's calls.
pub(crate) struct Counted;

impl Way for Counted {
    #[inline(always)]
    fn enter(_: &Tools, _: &Function, _: &EnterFrame<'_>) {
        Thread::with(|thread| thread.count_enter());
    }

    #[inline(always)]
    fn leave(_: &Tools, _: &Function, _: &LeaveFrame<'_>) {
        Thread::with(|thread| thread.count_leave());
    }

    #[inline(always)]
    fn tailcall(_: &Function) {
        Thread::with(|thread| thread.count_leave());
    }
}

/// They write raw values to the thread's ring: up to two arguments, or the result, of 8 bytes at most; and the time when
/// the method is entered, or with `BOTH` also when it is left.
pub(crate) struct Captured<const BOTH: bool>;

impl<const BOTH: bool> Way for Captured<BOTH> {
    #[inline(always)]
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>) {
        Thread::with(|thread| {
            thread.count_enter();
            let _ = frame.arguments_by(
                |registers| function.locations(&tools.runtime, registers),
                |arguments| {
                    let words = [0, 1].map(|index| arguments.word(index).unwrap_or(0));
                    thread.note(function.id().as_raw(), time(), words);
                },
            );
        });
    }

    #[inline(always)]
    fn leave(_: &Tools, function: &Function, frame: &LeaveFrame<'_>) {
        Thread::with(|thread| {
            thread.count_leave();
            let word = frame.return_word(|| function.known_locations());
            let time = if BOTH { time() } else { 0 };
            thread.note(function.id().as_raw(), time, [word.ok().flatten().unwrap_or(0), 0]);
        });
    }

    #[inline(always)]
    fn tailcall(_: &Function) {
        Thread::with(|thread| thread.count_leave());
    }
}

/// They decode the values to a record, strings and objects included. Nobody takes it: it is thrown away when there are
/// 64 KiB.
pub(crate) struct Decoded;

const FULL: usize = 64 << 10;

impl Way for Decoded {
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>) {
        Thread::with(|thread| {
            thread.count_enter();
            let _ = frame.arguments_by(
                |registers| function.locations(&tools.runtime, registers),
                |arguments| {
                    thread.ranges.clear();
                    thread.ranges.extend(arguments.ranges().map(ArgumentRange::from));
                    head(&mut thread.bytes, function);
                    let Some(plan) = function.plan(&tools.runtime) else { return };
                    let mut decoder =
                        Decoder::new(&tools.memory, &tools.runtime, Limits::DEFAULT, &mut thread.scratch);
                    let mut record = RecordWriter::new(&mut thread.bytes, &mut thread.names);
                    plan.decode(&thread.ranges, &mut decoder, &mut record);
                },
            );
        });
    }

    fn leave(tools: &Tools, function: &Function, frame: &LeaveFrame<'_>) {
        Thread::with(|thread| {
            thread.count_leave();
            let _ = frame.return_value_by(
                || function.known_locations(),
                |value| {
                    head(&mut thread.bytes, function);
                    let result =
                        function.plan(&tools.runtime).and_then(|plan| plan.result(value.range.into()));
                    let Some(result) = result else { return };
                    let mut decoder =
                        Decoder::new(&tools.memory, &tools.runtime, Limits::DEFAULT, &mut thread.scratch);
                    result.decode(&mut decoder, &mut RecordWriter::new(&mut thread.bytes, &mut thread.names));
                },
            );
        });
    }

    fn tailcall(_: &Function) {
        Thread::with(|thread| thread.count_leave());
    }
}

/// What a record begins with.
fn head(bytes: &mut Vec<u8>, function: &Function) {
    if bytes.len() > FULL {
        bytes.clear();
    }
    bytes.extend_from_slice(&function.id().as_raw().to_le_bytes());
    bytes.extend_from_slice(&time().to_le_bytes());
}
