//! What the hooks do.

use argvalues::{Decoder, Limits, RecordWriter};
use corprof::{EnterFrame, LeaveFrame};

use crate::Tools;
use crate::function::Function;
use crate::thread::{Buffers, Thread, time};

/// What the hooks of a profiler do.
pub(crate) trait Way: Send + Sync + 'static {
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>);
    fn leave(tools: &Tools, function: &Function, frame: &LeaveFrame<'_>);

    #[inline(always)]
    fn tailcall(_: &Function) {
        Thread::current().count_leave();
    }
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
        Thread::current().count_enter();
    }

    #[inline(always)]
    fn leave(_: &Tools, _: &Function, _: &LeaveFrame<'_>) {
        Thread::current().count_leave();
    }
}

/// They write raw values to the thread's ring: up to two arguments, or the result, of 8 bytes at most; and the time when
/// the method is entered, or with `BOTH` also when it is left.
pub(crate) struct Captured<const BOTH: bool>;

impl<const BOTH: bool> Way for Captured<BOTH> {
    #[inline(always)]
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>) {
        let thread = Thread::current();
        let note = |values| {
            let number = thread.number();
            thread.count_enter();
            thread.note(number, frame.function().as_raw(), time(), values);
        };
        match frame.registers() {
            Some(registers) => {
                let words = function.words(&tools.runtime, registers);
                note(words.arguments.map(|word| registers.word(word)));
            }
            None => {
                let _ =
                    frame.arguments(|arguments| note([0, 1].map(|index| arguments.word(index).unwrap_or(0))));
            }
        }
    }

    #[inline(always)]
    fn leave(_: &Tools, function: &Function, frame: &LeaveFrame<'_>) {
        let thread = Thread::current();
        let value = match frame.registers() {
            Some(registers) => registers.word(function.known_words().result),
            None => frame.return_word(|| function.known_locations()).ok().flatten().unwrap_or(0),
        };
        let number = thread.number();
        thread.count_leave();
        let time = if BOTH { time() } else { 0 };
        thread.note(number, frame.function().as_raw(), time, [value, 0]);
    }
}

/// They decode the values to a record, strings and objects included. Nobody takes it: it is thrown away when there are
/// 64 KiB.
pub(crate) struct Decoded;

const FULL: usize = 64 << 10;

impl Way for Decoded {
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>) {
        let thread = Thread::current();
        thread.count_enter();
        thread.with_buffers(|Buffers { scratch, names, bytes }| {
            let _ = frame.arguments_by(
                |registers| function.locations(&tools.runtime, registers),
                |arguments| {
                    head(bytes, function);
                    let Some(plan) = function.plan(&tools.runtime) else { return };
                    let mut decoder = Decoder::new(&tools.memory, &tools.runtime, Limits::DEFAULT, scratch);
                    plan.decode(arguments.ranges(), &mut decoder, &mut RecordWriter::new(bytes, names));
                },
            );
        });
    }

    fn leave(tools: &Tools, function: &Function, frame: &LeaveFrame<'_>) {
        let thread = Thread::current();
        thread.count_leave();
        thread.with_buffers(|Buffers { scratch, names, bytes }| {
            let _ = frame.return_value_by(
                || function.known_locations(),
                |value| {
                    head(bytes, function);
                    let result =
                        function.plan(&tools.runtime).and_then(|plan| plan.result(value.range.into()));
                    let Some(result) = result else { return };
                    let mut decoder = Decoder::new(&tools.memory, &tools.runtime, Limits::DEFAULT, scratch);
                    result.decode(&mut decoder, &mut RecordWriter::new(bytes, names));
                },
            );
        });
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
