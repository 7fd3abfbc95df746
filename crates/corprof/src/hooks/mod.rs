//! Enter, leave and tailcall (ELT) hooks: callbacks for every method call.
//!
//! A profiler implements [`FunctionHooks`] and returns [`Hooks::with_info`] or [`Hooks::fast`] from
//! [`Profiler::hooks`]. Before the runtime compiles a method, it calls [`FunctionHooks::map_function`], which decides
//! whether the method is hooked and returns what the profiler keeps with it. Every hook of the method gets a reference to
//! that: no map is looked up.
//!
//! Hooks run on the program's threads, in the middle of the program's code, while the garbage collector cannot run.
//! Objects may be read. A hook must not wait for another managed thread. It must not call anything that lets the
//! collector run, because the collector does not know of the arguments that the hook's stub has saved. The safe methods of
//! this crate may be called; those during which a collection may run return an error in a hook.
//!
//! | file | subject |
//! |---|---|
//! | `function_hooks` | the trait |
//! | `hooked` | the data of a function, behind its client id |
//! | `entry` | the functions that the runtime and the stubs call, for both kinds of hooks |
//! | `fast` | the stubs of fast-path hooks |
//! | `frame`, `arguments` | the call that a hook was called for |
//! | `locations`, `registers` | where fast hooks find values |
//! | `inserted` | the hooks that inserted code calls |
//! | `shared_lifetime` | how long the code of a shared instantiation lives |
//! | `unused_vectors` | which registers a fast hook need not save |
//! | `save_area`, `tail_calls` | guards against defects of the runtime's own stubs |
//! | `saved_registers` | the registers that these stubs save, for tests |

#![cfg_attr(
    not(any(target_arch = "x86_64", all(target_arch = "aarch64", unix))),
    allow(dead_code, unused_imports, reason = "for fast hooks, which do not exist for these targets")
)]

mod arguments;
mod entry;
mod fast;
mod frame;
mod function_hooks;
mod hooked;
mod inserted;
mod locations;
mod registers;
mod save_area;
mod saved_registers;
mod shared_lifetime;
mod tail_calls;
mod unused_vectors;

use std::sync::Arc;

pub use arguments::EnterArguments;
pub use frame::{EnterFrame, LeaveFrame, LeaveValue, ReturnRegisters, TailcallFrame};
pub use function_hooks::FunctionHooks;
pub use inserted::{
    InsertedCalls, InsertedEnter, InsertedHooks, InsertedMethod, InsertedReturn, InsertedThrow,
};
pub use locations::{GenericContext, Location, LocationKind, Locations, Register};
pub use registers::{ArgumentWord, EnterRegisters, LeaveRegisters, ResultWord};

use crate::error::Result;
use crate::running::Running;

/// The ELT hooks of a profiler, as returned by [`Profiler::hooks`](crate::Profiler::hooks).
pub struct Hooks<P> {
    install: Option<Install<P>>,
}

/// Installs hooks for a profiler that has been initialised.
type Install<P> = fn(&Arc<Running<P>>) -> Result<()>;

impl<P> Hooks<P> {
    /// No hooks.
    #[must_use]
    pub const fn none() -> Self {
        Self { install: None }
    }

    /// Returns whether there are hooks.
    pub(crate) fn are_some(&self) -> bool {
        self.install.is_some()
    }

    /// Installs them for a profiler that has been initialised.
    pub(crate) fn install(self, running: &Arc<Running<P>>) -> Result<()> {
        self.install.map_or(Ok(()), |install| install(running))
    }
}

impl<P: FunctionHooks> Hooks<P> {
    /// Whether [`fast`](Self::fast) hooks exist on this platform.
    pub const ARE_FAST_AVAILABLE: bool =
        cfg!(any(target_arch = "x86_64", all(target_arch = "aarch64", unix)));

    /// Slow-path ELT hooks (`ICorProfilerInfo3::SetEnterLeaveFunctionHooks3WithInfo`), which can query the
    /// runtime for arguments and return values.
    ///
    /// The event mask has to contain `ENTER_LEAVE` and at least one of `ENABLE_FUNCTION_ARGS`,
    /// `ENABLE_FUNCTION_RETVAL` and `ENABLE_FRAME_INFO`, for instance
    /// [`EventMask::CALLS_WITH_VALUES`](crate::EventMask::CALLS_WITH_VALUES); otherwise
    /// `Initialize` fails with `CORPROF_E_INCONSISTENT_WITH_FLAGS`.
    ///
    /// On x86-64 other than Windows, the program is compiled without optimisations
    /// ([`EventMask::DISABLE_OPTIMIZATIONS`](crate::EventMask::DISABLE_OPTIMIZATIONS) is added to the mask): when
    /// optimised code makes a tail call, the runtime's stub for these hooks damages vectors of the program's. Elsewhere
    /// tiered compilation is switched off since .NET 7, as with [`fast`](Self::fast) hooks.
    ///
    /// The methods are chosen by the function id mapper (`ICorProfilerInfo3::SetFunctionIDMapper2`).
    #[doc(alias = "SetEnterLeaveFunctionHooks3WithInfo")]
    #[doc(alias = "SetFunctionIDMapper2")]
    #[must_use]
    pub const fn with_info() -> Self {
        Self { install: Some(entry::install_with_info::<P>) }
    }

    /// Fast-path ELT hooks, which the compiled code calls directly (`ICorProfilerInfo3::SetEnterLeaveFunctionHooks3`). A call costs a
    /// few nanoseconds, and the program is compiled with all optimisations.
    ///
    /// Arguments are read from where the calling convention puts them: a profiler passes their locations to
    /// [`EnterFrame::registers`]. The event mask has to contain `ENTER_LEAVE`. Flags that only slow-path hooks need are
    /// removed from it.
    ///
    /// The runtime rejects some methods of its API in these hooks, since it makes no transition before it calls them. A helper
    /// thread calls these methods while the hook waits. This costs microseconds, so results should be cached.
    ///
    /// On a runtime on which the hooks were not measured, such as one that is newer than this crate, they keep every register that
    /// may have an argument or a result, and one message says so.
    ///
    /// There are stubs for x86-64, and for arm64 other than Windows; elsewhere `Initialize` fails.
    #[doc(alias = "SetEnterLeaveFunctionHooks3")]
    #[must_use]
    pub const fn fast() -> Self {
        Self { install: Some(entry::install_fast::<P>) }
    }
}

impl<P> core::fmt::Debug for Hooks<P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(if self.install.is_some() { "Hooks::some()" } else { "Hooks::none()" })
    }
}
