//! The trait of a profiler that is called for method calls.

use corprof_types::FunctionId;

use super::frame::{EnterFrame, LeaveFrame, TailcallFrame};

/// A profiler with ELT hooks: enter, leave and tailcall.
#[allow(unused_variables, reason = "the defaults ignore their arguments")]
pub trait FunctionHooks: Sized + Send + Sync + 'static {
    /// The profiler's data for each hooked method, one for all versions of its code. Dropped when the method's module is unloaded, on the thread
    /// of that callback; not before the process ends for a method that is never unloaded, as frames of it may be
    /// running until then.
    type Function: Send + Sync + 'static;

    /// The runtime is about to compile a method (`FunctionIDMapper2`): what to keep with it, or `None` not to
    /// hook it, in which case it runs at full speed.
    ///
    /// Called each time that the method is compiled until it is hooked, on a thread that may wait; calls of
    /// [`ProfilerInfo`](crate::ProfilerInfo) are allowed.
    fn map_function(&self, function: FunctionId) -> Option<Self::Function>;

    /// The runtime is about to compile a hooked method again (`FunctionIDMapper2`): in another tier, after
    /// [`request_rejit`](crate::ProfilerInfo::request_rejit), or to replace the code of a call that is running (on-stack replacement).
    /// Returns whether the new code is hooked too; with the same data.
    ///
    /// Calls of the code before go on to be reported. On-stack replacement compiles on the thread of the call: if that code is not
    /// hooked, the end of the call is not reported.
    fn map_again(&self, function: FunctionId, data: &Self::Function) -> bool {
        true
    }

    /// A method has been called and is about to run.
    fn enter(&self, function: &Self::Function, frame: &EnterFrame<'_>) {}

    /// A method is about to return. Not called for a frame that an exception leaves: see
    /// [`Profiler::exception_unwind_function_leave`](crate::Profiler::exception_unwind_function_leave).
    fn leave(&self, function: &Self::Function, frame: &LeaveFrame<'_>) {}

    /// A method is about to end with a tail call: its frame no longer exists when the called method is entered.
    fn tailcall(&self, function: &Self::Function, frame: &TailcallFrame<'_>) {}
}
