//! The work of the hooks.
//!
//! Contract of the unsafe code here: words and locations are kept with the function for which they were computed, at a
//! call of it, and are used in hooks of that function.
#![allow(unsafe_code)]

use argvalues::{Decoder, Limits, RecordWriter};
use corprof::{ArgumentRange, EnterArguments, EnterFrame, Error, LeaveFrame, LeaveRegisters};

use crate::Tools;
use crate::function::{Function, Words};
use crate::thread::{Buffers, Thread, time};

/// The work of a profiler's hooks.
pub(crate) trait Way: Send + Sync + 'static {
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>);
    fn leave(tools: &Tools, function: &Function, frame: &LeaveFrame<'_>);

    #[inline(always)]
    fn tailcall(_: &Function) {
        Thread::with(Thread::count_leave);
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
        Thread::with(Thread::count_enter);
    }

    #[inline(always)]
    fn leave(_: &Tools, _: &Function, _: &LeaveFrame<'_>) {
        Thread::with(Thread::count_leave);
    }
}

/// They write raw values to the thread's ring: up to two arguments, or the result, of 8 bytes at most; and the time when
/// the method is entered, or with `BOTH` also when it is left.
pub(crate) struct Captured<const BOTH: bool>;

impl<const BOTH: bool> Way for Captured<BOTH> {
    #[inline(always)]
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>) {
        let Some(registers) = frame.registers() else {
            let noted = frame.arguments(
                #[inline(always)]
                |arguments| {
                    let values = [arguments.word(0).unwrap_or(0), arguments.word(1).unwrap_or(0)];
                    Thread::with(|thread| note_enter(thread, function, values));
                },
            );
            return noted.unwrap_or_else(forget);
        };
        match (Thread::known(), function.known_words()) {
            (Some(thread), Some(words)) => {
                // SAFETY: the words are the function's.
                let values = words.arguments.map(|word| unsafe { registers.word(word) });
                note_enter(thread, function, values);
            }
            _ => Self::first_enter(tools, function, *frame),
        }
    }

    #[inline(always)]
    fn leave(_: &Tools, function: &Function, frame: &LeaveFrame<'_>) {
        let Some(registers) = frame.registers() else {
            let value = frame.return_value(|value| value.word()).ok().flatten().unwrap_or(0);
            return Thread::with(|thread| note_leave::<BOTH>(thread, function, value));
        };
        match (Thread::known(), function.known_words()) {
            (Some(thread), Some(words)) => {
                note_leave::<BOTH>(thread, function, registers.word(words.result));
            }
            _ => Self::first_leave(function, registers),
        }
    }
}

impl<const BOTH: bool> Captured<BOTH> {
    #[cold]
    #[inline(never)]
    fn first_enter(tools: &Tools, function: &Function, frame: EnterFrame<'_>) {
        let Some(registers) = frame.registers() else { return };
        let words = function.words(&tools.runtime, &frame);
        // SAFETY: the words are the function's.
        let values = words.arguments.map(|word| unsafe { registers.word(word) });
        Thread::with(|thread| note_enter(thread, function, values));
    }

    #[cold]
    #[inline(never)]
    fn first_leave(function: &Function, registers: LeaveRegisters<'_>) {
        let words = function.known_words().unwrap_or(Words::NONE);
        Thread::with(|thread| note_leave::<BOTH>(thread, function, registers.word(words.result)));
    }
}

/// A call whose values are not located is not recorded. Out of line, because that does not happen.
#[cold]
#[inline(never)]
fn forget(_: Error) {}

#[inline(always)]
fn note_enter(thread: &Thread, function: &Function, values: [u64; 2]) {
    let number = thread.number();
    thread.count_enter();
    thread.note(number, function.id().as_raw(), time(), values);
}

#[inline(always)]
fn note_leave<const BOTH: bool>(thread: &Thread, function: &Function, value: u64) {
    let number = thread.number();
    thread.count_leave();
    let time = if BOTH { time() } else { 0 };
    thread.note(number, function.id().as_raw(), time, [value, 0]);
}

/// Hooks that decode the values to a record, strings and objects included. The record is discarded at
/// 64 KiB.
pub(crate) struct Decoded;

const FULL: usize = 64 << 10;

impl Way for Decoded {
    fn enter(tools: &Tools, function: &Function, frame: &EnterFrame<'_>) {
        Thread::with(|thread| {
            thread.count_enter();
            thread.with_buffers(|buffers| {
                let _ = function.locations().arguments(&tools.runtime, frame, |arguments| {
                    decode(tools, function, arguments, buffers);
                });
            });
        });
    }

    fn leave(tools: &Tools, function: &Function, frame: &LeaveFrame<'_>) {
        Thread::with(|thread| {
            thread.count_leave();
            thread.with_buffers(|buffers| {
                let _ = function
                    .locations()
                    .result(frame, |range| decode_result(tools, function, range, buffers));
            });
        });
    }
}

#[inline(always)]
fn decode(tools: &Tools, function: &Function, arguments: EnterArguments<'_>, buffers: &mut Buffers) {
    let Buffers { scratch, names, bytes } = buffers;
    head(bytes, function);
    let Some(plan) = function.plan(&tools.runtime) else { return };
    let mut decoder = Decoder::new(&tools.memory, &tools.runtime, Limits::DEFAULT, scratch);
    plan.decode(arguments.ranges(), &mut decoder, &mut RecordWriter::new(bytes, names));
}

#[inline(always)]
fn decode_result(tools: &Tools, function: &Function, range: ArgumentRange, buffers: &mut Buffers) {
    let Buffers { scratch, names, bytes } = buffers;
    head(bytes, function);
    let Some(result) = function.plan(&tools.runtime).and_then(|plan| plan.result(range)) else { return };
    let mut decoder = Decoder::new(&tools.memory, &tools.runtime, Limits::DEFAULT, scratch);
    result.decode(&mut decoder, &mut RecordWriter::new(bytes, names));
}

/// The header of a record.
fn head(bytes: &mut Vec<u8>, function: &Function) {
    if bytes.len() > FULL {
        bytes.clear();
    }
    bytes.extend_from_slice(&function.id().as_raw().to_le_bytes());
    bytes.extend_from_slice(&time().to_le_bytes());
}
