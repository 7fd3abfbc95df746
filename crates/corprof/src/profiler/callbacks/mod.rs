//! The callbacks by subject: one safe function for each, which checks, converts and delivers.
//!
//! The runtime calls the functions of [`thunks`], which make slices and references of its pointers and call these. The table
//! of them is in [`vtable`](super::vtable).

mod collection;
mod compilation;
mod event_pipe;
mod exceptions;
mod lifecycle;
mod loading;
mod threads;
pub(super) mod thunks;

use core::cell::RefCell;
use core::mem::MaybeUninit;

use corprof_sys as sys;

use super::object::CallbackObject;
use crate::error::Result;
use crate::event_mask::EventMask;
use crate::profiler::Profiler;
use crate::raw::alive::Held;
use crate::raw::collecting::Callback;
use crate::running::Running;
use crate::runtime::ProfilerInfo;
use corprof_process::LastError;
use corprof_types::HResult;
use corprof_types::{AppDomainId, AssemblyId, ClassId, FunctionId, ModuleId, ThreadId};

/// Converts the status of a finished load or compilation.
fn status(code: sys::HRESULT) -> Result<(), HResult> {
    HResult(code).ok()
}

/// Delivers one callback to the profiler of the object: `S_OK`, unless the profiler panicked. `begun` ends with it.
fn deliver<P: Profiler>(
    begun: Callback,
    object: &CallbackObject<P>,
    callback: &'static str,
    work: impl FnOnce(&P, Given<'_, '_>) -> Option<()>,
) -> HResult {
    // The calls before the profiler's method may change it too.
    let _kept = LastError::keep();
    match object.running() {
        Some(running) => {
            let held = HeldFunctions::default();
            answer(begun, running, callback, |profiler| work(profiler, Given(&running.info, &held)))
        }
        None => HResult::S_OK,
    }
}

/// The functions that a callback is about: no unload of anything else refuses them until it returns.
type HeldFunctions<'a> = RefCell<Vec<Held<'a>>>;

/// Takes the ids that the runtime passes: what they name is alive, whatever had these numbers before.
#[derive(Clone, Copy)]
struct Given<'a, 'h>(&'a ProfilerInfo, &'h HeldFunctions<'a>);

impl Given<'_, '_> {
    fn function(self, function: Option<FunctionId>) -> Option<FunctionId> {
        let function = function?;
        self.1.borrow_mut().extend(self.0.hold_if_unloadable(function));
        Some(function)
    }

    fn class(self, class: Option<ClassId>) -> Option<ClassId> {
        self.0.given(class)
    }

    fn module(self, module: Option<ModuleId>) -> Option<ModuleId> {
        self.0.given(module)
    }

    fn assembly(self, assembly: Option<AssemblyId>) -> Option<AssemblyId> {
        self.0.given(assembly)
    }

    /// A thread that has just been created: the number names no other any more.
    fn created_thread(self, thread: Option<ThreadId>) -> Option<ThreadId> {
        let thread = thread?;
        self.0.raw().alive().revive(thread.into());
        Some(thread)
    }

    /// Delivers an event that the runtime may send for the library alone.
    fn if_wanted(self, flag: EventMask, deliver: impl FnOnce()) {
        if self.0.wants(flag) {
            deliver();
        }
    }

    fn app_domain(self, app_domain: Option<AppDomainId>) -> Option<AppDomainId> {
        self.0.given(app_domain)
    }
}

/// Delivers to a profiler that runs. An argument that is null against the contract ends `work` early, and is
/// logged. `_begun` ends with the delivery.
fn answer<P>(
    _begun: Callback,
    running: &Running<P>,
    callback: &'static str,
    work: impl FnOnce(&P) -> Option<()>,
) -> HResult {
    if !running.switch.is_on() {
        return HResult::S_OK;
    }
    match running.deliver(callback, work) {
        Some(Some(())) => HResult::S_OK,
        Some(None) => {
            tracing::warn!("{callback} came with a null id and was not delivered");
            HResult::S_OK
        }
        None => HResult::E_FAIL,
    }
}

/// Updates the crate's own records of loads, unloads and collections, whatever the profiler does. Not when
/// the runtime has ended, which nobody asks any more.
fn note<P>(running: &Running<P>, callback: &'static str, work: impl FnOnce()) {
    running.switch.guard_even_if_off(callback, work);
}

/// Lets the library do its own part of a callback, whatever the profiler does, and delivers the callback. What `own` returns ends with it.
fn note_and_deliver<'o, P: Profiler, T>(
    begin: fn() -> Callback,
    object: &'o CallbackObject<P>,
    callback: &'static str,
    own: impl FnOnce(&'o ProfilerInfo) -> T,
    work: impl FnOnce(&P, Given<'_, '_>) -> Option<()>,
) -> HResult {
    let Some(running) = object.running() else { return HResult::S_OK };
    let _kept = LastError::keep();
    let mut _owned = None;
    note(running, callback, || _owned = Some(own(&running.info)));
    deliver(begin(), object, callback, work)
}

/// Writes the profiler's answer where the runtime reads it. It stays as it is if the profiler panicked.
fn set(place: Option<&mut MaybeUninit<sys::BOOL>>, answer: bool) {
    if let Some(place) = place {
        place.write(answer.into());
    }
}

/// Declares callbacks: the COM name, the arguments, and the call of the profiler's method, with the ids that the runtime
/// passed. In the body, `?` on a null id ends the delivery. `without_collection;` precedes
/// those that pass objects, or that may be made inside of a hook.
macro_rules! callbacks {
    (without_collection; $($rest:tt)*) => { callbacks! { @ begin_without_collection $($rest)* } };
    (@ $begin:ident $($method:ident($($arg:ident: $ty:ty),* $(,)?) => |$profiler:ident, $given:pat_param| $body:expr;)*) => {$(
        pub(super) fn $method<P: $crate::profiler::Profiler>(
            object: &$crate::profiler::object::CallbackObject<P>,
            $($arg: $ty),*
        ) -> corprof_types::HResult {
            let begun = super::Callback::$begin();
            super::deliver(begun, object, stringify!($method), |$profiler, $given| { $body; Some(()) })
        }
    )*};
    ($($rest:tt)*) => { callbacks! { @ begin $($rest)* } };
}
use callbacks;
