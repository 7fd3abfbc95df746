//! Stacks: of the querying thread, of another one, and from a frame in the middle.
//!
//! Contract of the unsafe code here: the IL and registers are valid for the methods and threads of the test.
#![allow(unsafe_code)]

use core::ops::ControlFlow;

use corprof::{Error, FunctionId, IlOffset, Result, StackFrame, StackWalk, ThreadId};

use crate::State;
use crate::facts::Facts;

/// A frame of the program.
struct Frame {
    function: FunctionId,
    ip: usize,
    registers: Vec<u8>,
}

/// Adds a managed frame unchanged: no other query may be made meanwhile.
fn add(frames: &mut Vec<Frame>, frame: StackFrame<'_>) -> ControlFlow<()> {
    if let Some(function) = frame.function {
        frames.push(Frame { function, ip: frame.ip, registers: frame.registers.to_vec() });
    }
    ControlFlow::Continue(())
}

/// The stack of a waiting thread.
fn walk_suspended(state: &State, thread: ThreadId, how: StackWalk<'_>) -> Result<Vec<Frame>> {
    let mut frames = Vec::new();
    let suspension = state.info.suspend_runtime()?;
    let walked = suspension.walk_stack(thread, how, |frame| add(&mut frames, frame));
    drop(suspension);
    walked.map(|_| frames)
}

/// `Stacks.Inner` for a method of the program; `None` for others, and for the querying method.
fn name(state: &State, function: FunctionId) -> Option<String> {
    let info = state.info.function_info(function).ok()?;
    let its_module = state.info.module_info(info.module).ok()?;
    if its_module.file_name() != "live.dll" {
        return None;
    }
    let metadata = state.info.module_metadata(info.module).ok()?;
    let method = metadata.method(info.token?).ok()?;
    let ty = metadata.type_def(method.declaring_type?).ok()?.name;
    (ty != "Live").then(|| format!("{ty}.{}", method.name))
}

fn names(state: &State, frames: &[Frame]) -> String {
    let names: Vec<String> = frames.iter().filter_map(|frame| name(state, frame.function)).collect();
    names.join(" ")
}

/// The stack of this thread.
pub(crate) fn own(state: &State) -> Result<String> {
    let mut frames = Vec::new();
    let _ = state.info.walk_stack(StackWalk::default(), |frame| add(&mut frames, frame))?;
    // The functions are queried on another thread: this one is in no callback.
    let names = std::thread::scope(|scope| scope.spawn(|| names(state, &frames)).join());
    let mut facts = Facts::of("stack");
    facts.say("own", names.unwrap_or_default());
    Ok(facts.finish())
}

/// The stack of another thread, which waits.
pub(crate) fn other(state: &State, thread: Option<ThreadId>) -> Result<String> {
    let info = &state.info;
    let mut facts = Facts::of("stack");
    let thread = thread.ok_or_else(|| Error::other("the program's thread is not managed"))?;
    let mut frames = walk_suspended(state, thread, StackWalk::default().with_registers())?;
    frames.retain(|frame| name(state, frame.function).is_some());
    facts.say("other", names(state, &frames));

    // With the registers of the second frame, which only x86 uses.
    let seed = frames.get(1).map(|frame| frame.registers.clone()).unwrap_or_default();
    // SAFETY: the thread has not moved.
    let seeded = walk_suspended(state, thread, unsafe { StackWalk::default().with_seed(&seed) })?;
    facts.say("seeded", names(state, &seeded));

    // A walk ends when the visitor stops it.
    let mut seen = 0;
    let suspension = info.suspend_runtime()?;
    let broken = suspension.walk_stack(thread, StackWalk::default(), |_| {
        seen += 1;
        if seen == 2 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    drop(suspension);
    facts.say("broken", format_args!("{seen} {:?}", broken?));

    for frame in &frames {
        code(state, frame)?;
    }
    facts.say("code", format_args!("{} frames", frames.len()));
    Ok(facts.finish())
}

/// Checks that the address of a frame is in the code of its function, and that the code's map has the method's IL.
fn code(state: &State, frame: &Frame) -> Result<()> {
    let info = &state.info;
    // SAFETY: the runtime has reported the frame.
    if unsafe { info.function_from_ip(frame.ip) }? != Some(frame.function) {
        return Err(Error::other("the address of a frame is in another function"));
    }
    // SAFETY: as above.
    let version = unsafe { info.function_version_from_ip(frame.ip) }?;
    if version.is_none_or(|version| version.function != frame.function) {
        return Err(Error::other("the address of a frame is in another version"));
    }
    let holds = |start: usize, size: usize| frame.ip.checked_sub(start).is_some_and(|at| at < size);
    let starts = info.native_code_start_addresses(frame.function, None)?;
    let mut in_code = false;
    for start in starts {
        let regions = info.code_regions_at(start)?;
        in_code |= regions.iter().any(|region| holds(region.start, region.size));
        let size: usize = regions.iter().map(|region| region.size).sum();
        let map = info.il_to_native_map_at(start)?;
        let body = info.function_info(frame.function)?;
        let method = body.token.ok_or_else(|| Error::other("a method without a token"))?;
        let il = info.il_function_body(body.module, method)?.len();
        for entry in &map {
            let special =
                [IlOffset::PROLOG, IlOffset::EPILOG, IlOffset::NO_MAPPING].contains(&entry.il_offset);
            if entry.native_end as usize > size || (!special && entry.il_offset.0 as usize >= il) {
                return Err(Error::other(format!(
                    "{entry:?} is beyond {size} bytes of code from {il} of IL"
                )));
            }
        }
        if map.is_empty() || !map.iter().any(|entry| entry.il_offset.0 == 0) {
            return Err(Error::other("the map does not begin where the IL does"));
        }
    }
    if in_code { Ok(()) } else { Err(Error::other("the address of a frame is in none of the code")) }
}
