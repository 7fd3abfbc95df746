//! The process: event mask, environment, detaching, suspension, stacks, exceptions.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Duration;

use corprof::{EventMask, StackFrame, StackWalk};

use super::Calls;
use crate::at::{At, Done, shown};
use crate::place::{Given, Place};

/// Flags that are set and cleared while the program runs, without which it does the same.
const CHANGED: &[EventMask] = &[
    EventMask::CLASS_LOADS,
    EventMask::MODULE_LOADS,
    EventMask::ASSEMBLY_LOADS,
    EventMask::THREADS,
    EventMask::SUSPENDS,
    EventMask::JIT_COMPILATION,
    EventMask::GC,
    EventMask::BASIC_GC,
    EventMask::DYNAMIC_FUNCTION_UNLOADS,
    EventMask::EXCEPTIONS,
    EventMask::ENTER_LEAVE,
    EventMask::ENABLE_REJIT,
    EventMask::DISABLE_TIERED_COMPILATION,
];

/// A flag to set or clear, unless masks that are set are being checked. A mask without a flag of `initialize` must not be set
/// before the runtime has read it: without `GC`, the collector would be concurrent, and the runtime refuse the flag later.
pub(super) fn changed(it: &At<'_>) -> Option<EventMask> {
    let has_started = it.shared.has_visited(Place::ModuleLoadFinished);
    let is_free =
        has_started && it.shared.is_mask_free.load(Ordering::SeqCst) || it.place == Place::Initialize;
    if is_free { it.drawn(it.random.one_of(CHANGED)) } else { None }
}

fn frame(it: &At<'_>, frame: StackFrame<'_>, visits: &mut usize) -> ControlFlow<&'static str> {
    it.keep_address(frame.ip);
    frame.function.into_iter().for_each(|function| it.keep(&it.shared.known.functions, function));
    let given = Given { frame: Some(frame.frame), ..Given::default() };
    it.shared.attack(Place::VisitOfStack, given);
    *visits += 1;
    if *visits < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break("enough") }
}

fn walk(it: &At<'_>) -> StackWalk<'static> {
    if it.is() { StackWalk::default().with_registers() } else { StackWalk::default() }
}

/// Suspends the runtime and makes calls meanwhile.
fn suspend(it: &At<'_>) -> Done {
    match it.info().suspend_runtime() {
        Ok(suspension) => {
            let given = Given { suspension: Some(&suspension), object: None, ..it.given };
            it.shared.attack(Place::Suspension, given);
            drop(suspension);
            Some(true)
        }
        Err(error) => shown(Err::<(), _>(error)),
    }
}

pub(super) const CALLS: Calls = &[
    ("ProfilerInfo::set_event_mask", |it| {
        let changed = changed(it)?;
        shown(it.info().set_event_mask(if it.is() { it.shared.mask } else { it.shared.mask ^ changed }))
    }),
    ("ProfilerInfo::add_to_event_mask", |it| shown(it.info().add_to_event_mask(changed(it)?))),
    ("ProfilerInfo::remove_from_event_mask", |it| shown(it.info().remove_from_event_mask(changed(it)?))),
    ("ProfilerInfo::event_mask", |it| shown(it.info().event_mask())),
    ("ProfilerInfo::environment_variable", |it| shown(it.info().environment_variable(it.text()))),
    ("ProfilerInfo::set_environment_variable", |it| {
        let name = it.random.one_of(&["ADVERSARY_A", "ADVERSARY_B", "ADVERSARY\0C", ""])?;
        let text = it.text();
        shown(it.info().set_environment_variable(name, if it.is() { Some(text) } else { None }))
    }),
    // Refused, since the hooks cannot be taken out of the code.
    ("ProfilerInfo::request_detach", |it| {
        shown(it.info().request_detach(Duration::from_millis(it.u32().into())))
    }),
    ("ProfilerInfo::suspend_runtime", suspend),
    ("RuntimeSuspension::threads", |it| shown(it.given.suspension?.threads())),
    ("RuntimeSuspension::walk_stack", |it| {
        let mut visits = 0;
        let suspension = it.given.suspension?;
        shown(suspension.walk_stack(it.thread()?, walk(it), |found| frame(it, found, &mut visits)))
    }),
    ("RuntimeSuspension::thread_static_address", |it| {
        let suspension = it.given.suspension?;
        shown(suspension.thread_static_address(it.class()?, it.field_def()?, it.app_domain()?, it.thread()?))
    }),
    ("ProfilerInfo::walk_stack", |it| {
        let mut visits = 0;
        shown(it.info().walk_stack(walk(it), |found| frame(it, found, &mut visits)))
    }),
    ("StackWalk::with_registers", |it| {
        shown(it.info().walk_stack(StackWalk::default().with_registers(), |_| ()))
    }),
    ("ProfilerInfo::exception_clause", |it| shown(it.info().exception_clause())),
];
