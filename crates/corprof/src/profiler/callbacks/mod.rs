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
use super::parts::Parts;
use crate::error::Result;
use crate::event_mask::Callback;
use crate::profiler::Profiler;
use crate::raw::alive::Held;
use crate::runtime::ProfilerInfo;
use corprof_in_process::LastError;
use corprof_types::HResult;
use corprof_types::{AppDomainId, AssemblyId, ClassId, FunctionId, ModuleId, ThreadId};

/// Converts the status of a finished load or compilation.
fn status(code: sys::HRESULT) -> Result<(), HResult> {
    HResult(code).ok()
}

/// Delivers one callback to the parts that take it: `S_OK`, unless one panicked. `given` takes the ids that the runtime passes,
/// once, and returns the call of a part.
fn deliver<'o, C: FnMut(&dyn Profiler)>(
    object: &'o CallbackObject,
    callback: Callback,
    given: impl FnOnce(Given<'o, '_>) -> Option<C>,
) -> HResult {
    let Some(parts) = object.parts().filter(|parts| !parts.have_ended()) else { return HResult::S_OK };
    // The calls before the profiler's method may change it too.
    let _kept = LastError::keep();
    let held = HeldFunctions::default();
    each(parts, callback, given(Given(&parts.info, &held)))
}

/// Calls each part that takes a callback. Without a call, an argument is null against the contract, which is logged.
fn each<C: FnMut(&dyn Profiler)>(parts: &Parts, callback: Callback, call: Option<C>) -> HResult {
    let Some(mut call) = call else {
        tracing::warn!("{} came with a null id and was not delivered", callback.name());
        return HResult::S_OK;
    };
    parts.each(callback, |_, profiler| call(profiler))
}

/// Lets the crate do its own part of a callback, whatever the parts do, and delivers the callback. What `own` returns ends with it.
fn note_and_deliver<'o, T, C: FnMut(&dyn Profiler)>(
    object: &'o CallbackObject,
    callback: Callback,
    own: impl FnOnce(&'o ProfilerInfo) -> T,
    given: impl FnOnce(Given<'o, '_>) -> Option<C>,
) -> HResult {
    let Some(parts) = object.parts() else { return HResult::S_OK };
    let _kept = LastError::keep();
    let mut _owned = None;
    parts.note(callback.name(), || _owned = Some(own(&parts.info)));
    deliver(object, callback, given)
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

    fn classes(self, classes: &[Option<ClassId>]) -> &[Option<ClassId>] {
        for class in classes {
            self.class(*class);
        }
        classes
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

    /// A thread that is there.
    fn thread(self, thread: Option<ThreadId>) -> Option<ThreadId> {
        let thread = thread?;
        self.0.raw().alive().reported(thread.into());
        Some(thread)
    }

    fn app_domain(self, app_domain: Option<AppDomainId>) -> Option<AppDomainId> {
        self.0.given(app_domain)
    }
}

/// Writes the profiler's answer where the runtime reads it. It stays as it is if the profiler panicked.
fn set(place: Option<&mut MaybeUninit<sys::BOOL>>, answer: bool) {
    if let Some(place) = place {
        place.write(answer.into());
    }
}

/// Declares callbacks: the COM name, the arguments, and the profiler's method with its arguments, each computed once. A `?`
/// on a null id ends the delivery.
macro_rules! callbacks {
    ($($callback:ident($($arg:ident: $ty:ty),* $(,)?) => |$given:pat_param|
        $method:ident($($name:ident $(= $value:expr)?),* $(,)?);)*) => {$(
        pub(super) fn $callback(
            object: &$crate::profiler::object::CallbackObject,
            $($arg: $ty),*
        ) -> corprof_types::HResult {
            use $crate::event_mask::Callback;
            super::deliver(object, Callback::$callback, |$given| {
                $($(let $name = $value;)?)*
                Some(move |profiler: &dyn $crate::profiler::Profiler| profiler.$method($($name),*))
            })
        }
    )*};
}
use callbacks;
