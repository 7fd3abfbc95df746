//! The frames of hooks: arguments, results, registers.

use corprof::{EnterFrame, GenericContext, LeaveFrame, Location, LocationKind, Locations, Register};

use super::Calls;
use crate::at::{At, Done, shown, value};

fn kind(it: &At<'_>) -> LocationKind {
    let register = |it: &At<'_>| {
        let number = it.u32().to_le_bytes()[0];
        if it.is() { Register::Integer(number) } else { Register::Float(number) }
    };
    match it.random.below(7) {
        0 => LocationKind::Register(register(it)),
        1 => LocationKind::Pair(register(it), register(it)),
        2 => {
            let [first, count, size, _] = it.u32().to_le_bytes();
            LocationKind::Vectors { first, count, size }
        }
        3 => LocationKind::Stack(it.u32()),
        4 => LocationKind::At(register(it)),
        5 => LocationKind::AtStack(it.u32()),
        _ => LocationKind::Unknown,
    }
}

fn location(it: &At<'_>) -> Location {
    Location { kind: kind(it), length: it.u32() }
}

/// Locations of any function, or of none.
fn locations(it: &At<'_>) -> Locations {
    let number = it.u32().to_le_bytes()[0];
    let context = match it.random.below(4) {
        0 => GenericContext::Class(number),
        1 => GenericContext::Method(number),
        2 => GenericContext::None,
        _ => GenericContext::Unknown,
    };
    Locations { context, arguments: it.some(|it| Some(location(it))).into(), result: location(it) }
}

/// Reads what the runtime, or the stub, has located.
fn read_arguments(frame: &EnterFrame<'_>, it: &At<'_>) -> Done {
    shown(frame.arguments(|arguments| {
        let count = arguments.ranges().len();
        let words: Vec<_> =
            (0..count + 2).map(|at| [arguments.word(at), arguments.word_of(at, count)]).collect();
        value((arguments.frame().as_raw(), arguments.ranges().collect::<Vec<_>>(), words, it.u32()));
    }))
}

fn read_result(frame: &LeaveFrame<'_>) -> Done {
    shown(frame.return_value(|result| {
        value((result.frame().as_raw(), result.range(), result.word(), result.registers()));
    }))
}

pub(super) const CALLS: Calls = &[
    ("EnterFrame::function", |it| value(it.given.enter?.function())),
    ("EnterFrame::caller_stack_pointer", |it| value(it.given.enter?.caller_stack_pointer())),
    ("EnterFrame::registers", |it| value(it.given.enter?.registers().is_some())),
    ("EnterFrame::integer_register", |it| value(it.given.enter?.integer_register(it.u32().to_le_bytes()[0]))),
    ("EnterFrame::arguments", |it| read_arguments(it.given.enter?, it)),
    ("EnterArguments::frame", |it| read_arguments(it.given.enter?, it)),
    ("EnterArguments::ranges", |it| read_arguments(it.given.enter?, it)),
    ("EnterArguments::word", |it| read_arguments(it.given.enter?, it)),
    ("EnterArguments::word_of", |it| read_arguments(it.given.enter?, it)),
    ("EnterRegisters::integer", |it| value(it.given.enter?.registers()?.integer(it.u32().to_le_bytes()[0]))),
    ("LeaveFrame::function", |it| value(it.given.leave?.function())),
    ("LeaveFrame::caller_stack_pointer", |it| value(it.given.leave?.caller_stack_pointer())),
    ("LeaveFrame::registers", |it| value(it.given.leave?.registers().is_some())),
    ("LeaveFrame::return_value", |it| read_result(it.given.leave?)),
    ("LeaveValue::frame", |it| read_result(it.given.leave?)),
    ("LeaveValue::range", |it| read_result(it.given.leave?)),
    ("LeaveValue::word", |it| read_result(it.given.leave?)),
    ("LeaveValue::registers", |it| read_result(it.given.leave?)),
    ("LeaveRegisters::word", |it| value(it.given.leave?.registers()?.word(locations(it).result_word()?))),
    ("LeaveRegisters::result", |it| value(it.given.leave?.registers()?.result(&locations(it)))),
    ("TailcallFrame::function", |it| value(it.given.tailcall?.function())),
    ("TailcallFrame::caller_stack_pointer", |it| value(it.given.tailcall?.caller_stack_pointer())),
    ("TailcallFrame::frame", |it| shown(it.given.tailcall?.frame())),
    ("FrameInfo::as_raw", |it| value(it.given.frame?.as_raw())),
    ("FrameInfo::key", |it| value(it.given.frame?.key())),
    ("Locations::is_complete", |it| value(locations(it).is_complete())),
    ("Locations::argument_word", |it| value(locations(it).argument_word(it.address()))),
    ("Locations::result_word", |it| value(locations(it).result_word())),
];
