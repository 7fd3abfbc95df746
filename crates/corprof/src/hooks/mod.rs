//! Enter, leave and tailcall hooks: being called for every method call.
//!
//! A profiler implements [`FunctionHooks`] and returns [`Hooks::with_info`] from
//! [`Profiler::hooks`]. When the runtime is about to compile a method it asks once, in
//! [`FunctionHooks::map_function`], whether the method shall be hooked and what the profiler wants to keep
//! with it. What the profiler keeps is handed to every hook of that method: there is no map to look into.
//!
//! Hooks run on the program's threads, in the middle of the program's code, while the garbage collector
//! cannot run: objects may be read, and nothing may block on another managed thread. Nothing may be called
//! that lets the collector run, since it does not know of the arguments that the hook has saved: what this
//! crate offers is right to call, but what has `loading` in its name. Every nanosecond is the program's.

mod arguments;
mod as_fast;
mod doubt;
mod fast;
#[cfg(all(target_arch = "x86_64", unix))]
mod float_registers;
mod frame;
mod hooked;
mod idle;
mod locations;
mod locations_cell;
mod save_area;
mod selection;
mod tail_calls;
mod with_info;
mod words;

use std::sync::Arc;

pub use arguments::{ArgumentRange, EnterArguments};
pub use frame::{
    EnterFrame, EnterRegisters, LeaveFrame, LeaveRegisters, LeaveValue, ReturnRegisters, TailcallFrame,
};
pub(crate) use locations::Context;
pub use locations::{GenericContext, Location, Locations, Place, Register};
pub use locations_cell::LocationsCell;
pub use selection::SelectedCalls;
pub use words::{ArgumentWord, ResultWord};

use crate::com::object::Running;
use crate::ids::FunctionId;
use crate::{Profiler, Result};

/// A profiler that is called for method calls.
#[allow(unused_variables, reason = "the defaults do nothing with what they are told")]
pub trait FunctionHooks: Profiler {
    /// What the profiler keeps for each hooked method. Dropped when the method's module is unloaded, on the thread
    /// of that callback; not before the process ends for a method that is never unloaded, as frames of it may be
    /// running until then.
    type Function: Send + Sync + 'static;

    /// The runtime is about to compile a method (`FunctionIDMapper2`): what to keep with it, or `None` not to
    /// hook it, in which case it runs at full speed.
    ///
    /// Called each time that the method is compiled, on a thread that may wait; calls of
    /// [`ProfilerInfo`](crate::ProfilerInfo) are allowed.
    fn map_function(&self, function: FunctionId) -> Option<Self::Function>;

    /// Which calls of a method the hooks below are called for, if the hooks are [`selective`](Hooks::selective). Asked once,
    /// when the method has been mapped.
    fn selected_calls(&self, function: &Self::Function) -> SelectedCalls {
        SelectedCalls::ALL
    }

    /// A method has been called and is about to run.
    fn enter(&self, function: &Self::Function, frame: &EnterFrame<'_>) {}

    /// A method is about to return. Not called for a frame that an exception leaves: see
    /// [`Profiler::exception_unwind_function_leave`].
    fn leave(&self, function: &Self::Function, frame: &LeaveFrame<'_>) {}

    /// A method is about to end with a tail call: its frame is gone when the called method is entered.
    fn tailcall(&self, function: &Self::Function, frame: &TailcallFrame<'_>) {}
}

/// Which hooks to install; see [`Profiler::hooks`].
pub struct Hooks<P: Profiler> {
    install: Option<Install<P>>,
    /// What installs the same hooks for calls that are selected.
    selective: Option<Install<P>>,
}

/// Installs hooks for a profiler that has been initialised.
type Install<P> = fn(&Arc<Running<P>>) -> Result<()>;

impl<P: Profiler> Hooks<P> {
    /// None.
    #[must_use]
    pub const fn none() -> Self {
        Self { install: None, selective: None }
    }

    /// Installs them for a profiler that has been initialised.
    pub(crate) fn install(self, running: &Arc<Running<P>>) -> Result<()> {
        self.install.map_or(Ok(()), |install| install(running))
    }
}

impl<P: FunctionHooks> Hooks<P> {
    /// The documented hooks (`ICorProfilerInfo3::SetEnterLeaveFunctionHooks3WithInfo`), which can ask the
    /// runtime for arguments and return values.
    ///
    /// The event mask has to contain `ENTER_LEAVE` and at least one of `ENABLE_FUNCTION_ARGS`,
    /// `ENABLE_FUNCTION_RETVAL` and `ENABLE_FRAME_INFO`, for instance
    /// [`EventMask::CALLS_WITH_VALUES`](crate::EventMask::CALLS_WITH_VALUES); otherwise the profiler is
    /// refused with `CORPROF_E_INCONSISTENT_WITH_FLAGS`.
    ///
    /// On x86-64 other than Windows, the program is compiled without optimisations
    /// ([`EventMask::DISABLE_OPTIMIZATIONS`](crate::EventMask::DISABLE_OPTIMIZATIONS) is added to the mask): when
    /// optimised code makes a tail call, the runtime's stub for these hooks damages vectors of the program's.
    ///
    /// The methods are chosen by the function id mapper (`ICorProfilerInfo3::SetFunctionIDMapper2`).
    #[doc(alias = "SetEnterLeaveFunctionHooks3WithInfo")]
    #[doc(alias = "SetFunctionIDMapper2")]
    #[must_use]
    pub const fn with_info() -> Self {
        Self { install: Some(with_info::install::<P, false>), selective: Some(with_info::install::<P, true>) }
    }

    /// Hooks that the compiled code calls directly (`ICorProfilerInfo3::SetEnterLeaveFunctionHooks3`). A call costs a
    /// few nanoseconds, and the program is compiled with all optimisations.
    ///
    /// The hooks look for arguments where the calling convention puts them: they have to be told where that is, see
    /// [`EnterFrame::arguments_by`]. The event mask has to contain `ENTER_LEAVE`. What only hooks with info need is
    /// taken out of it.
    ///
    /// The runtime refuses some questions in these hooks, since it does not know that the profiler is running. One
    /// thread is started that asks them instead while the hook waits. That costs much more than a call, so what was
    /// answered should be kept.
    ///
    /// There are stubs for x86-64 outside of Windows only; elsewhere the profiler is refused.
    #[doc(alias = "SetEnterLeaveFunctionHooks3")]
    #[must_use]
    pub const fn fast() -> Self {
        Self { install: Some(fast::install::<P, false>), selective: Some(fast::install::<P, true>) }
    }

    /// The same hooks for some calls only: those that [`FunctionHooks::selected_calls`] asks for, as long as
    /// [`ProfilerInfo::report_calls`](crate::ProfilerInfo::report_calls) is on.
    ///
    /// Whether a call is reported is decided when it begins, and holds for its end: there is a leave or a tail call for
    /// each enter that was reported and whose frame is not left by an exception, and for no other. What is open when
    /// reporting is switched off is reported when it ends.
    ///
    /// A call that is not reported costs some nanoseconds more than a hook that does nothing, and one of a function that
    /// has a limit for each second the time of looking at the clock, some 20 to 30 ns. Methods that are of no interest at
    /// all are better left to [`FunctionHooks::map_function`], which makes them cost nothing.
    ///
    /// For hooks with info on x86-64 outside of Windows only; elsewhere the profiler is refused.
    #[must_use]
    pub const fn selective(self) -> Self {
        Self { install: self.selective, selective: self.selective }
    }
}

impl<P: Profiler> core::fmt::Debug for Hooks<P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(if self.install.is_some() { "Hooks::some()" } else { "Hooks::none()" })
    }
}
