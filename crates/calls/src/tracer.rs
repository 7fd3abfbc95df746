//! The trait that a tracer implements.

use corprof::{DeclaredMethod, Error, FunctionId, ModuleInfo, ProfilerInfo, Result};

use crate::OmittedCalls;
use crate::call::EnteredCall;
use crate::ended::EndedCall;
use crate::method::CalledMethod;
use crate::options::Options;

/// A tracer of method calls.
///
/// [`Calls<T>`](crate::Calls) turns it into a profiler for [`export_profiler!`](corprof::export_profiler).
///
/// `enter` and `leave` run on the program's threads, inside the called method, while the garbage collector cannot run.
/// They may read values and must not wait for another managed thread. For each `enter` there is one `leave` on the same
/// thread, unless the thread or the process ends first, or memory is low ([`has_memory`](Self::has_memory)).
///
/// Calls near the end of a thread's stack, in the last 64 KiB and at most a quarter of it, are [skipped](Self::skipped): the stack
/// must not end in a tracer that allocates, because the runtime reports a stack overflow with the same allocator.
pub trait CallTracer: Sized + Send + Sync + 'static {
    /// The data kept with each traced method, one value for each combination of type arguments.
    type Method: Send + Sync + 'static;
    /// The data kept for each thread, passed to every `enter` and `leave` on it.
    type Thread: Default + 'static;
    /// The data attached to a call by `enter` and passed to its `leave`.
    type Attached: 'static;

    /// Whether `enter` and `leave` keep the thread's last error (`errno`, `GetLastError`) themselves.
    ///
    /// The program may read it right after a call. It is restored around `enter` and `leave`, which costs a nanosecond,
    /// unless a tracer that seldom makes a system call does so where it makes one, with
    /// [`LastError`](corprof::LastError).
    const KEEPS_LAST_ERROR: bool = false;

    /// Creates the tracer when the runtime starts.
    ///
    /// [`Calls`](crate::Calls) adds the event flags that it needs ([`Calls::EVENTS`](crate::Calls::EVENTS)) to those set
    /// here.
    ///
    /// # Errors
    /// The tracer's reason not to run. It is reported once, and the program runs without the profiler.
    fn initialize(info: &ProfilerInfo) -> Result<Self>;

    /// Creates the tracer when it is attached to a running program, with the data that the client has sent.
    ///
    /// Its [options](Self::options) must have [`HookKind::Inserted`](crate::HookKind::Inserted).
    ///
    /// # Errors
    /// As for [`initialize`](Self::initialize); always unless it is overridden.
    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        let _ = (info, client_data);
        Err(Error::NotAttachable(
            "an attached profiler cannot install enter and leave hooks, and this tracer has no others",
        ))
    }

    /// Returns the options. Called once, after `initialize`.
    fn options(&mut self) -> Options {
        Options::default()
    }

    /// Returns whether the calls of a method are traced.
    ///
    /// Called when the method is about to be compiled, with [inserted](crate::HookKind::Inserted) hooks when its module has been loaded. A
    /// method that is not selected runs at full speed.
    fn select(&self, method: &DeclaredMethod<'_>) -> bool;

    /// Returns whether methods of a module may be selected, with [inserted](crate::HookKind::Inserted) hooks: those of others are not
    /// looked at.
    fn select_module(&self, module: &ModuleInfo) -> bool {
        let _ = module;
        true
    }

    /// Called when a selected method keeps its code, with [inserted](crate::HookKind::Inserted) hooks: its calls are not reported.
    ///
    /// `method` is its name without type arguments, after the file name of its module.
    fn refused(&self, method: &str, reason: &dyn core::fmt::Display) {
        let _ = (method, reason);
    }

    /// Called when a method has inserted code, and some of its calls are not reported nevertheless, with [inserted](crate::HookKind::Inserted)
    /// hooks. `method` is its name as in [`refused`](Self::refused).
    fn missed(&self, method: &str, reason: &dyn core::fmt::Display) {
        let _ = (method, reason);
    }

    /// Returns the data to keep with a method.
    ///
    /// Called at the first call of each combination of type arguments. Look up here whatever `enter` and `leave` need.
    fn prepare(&self, method: &CalledMethod) -> Self::Method;

    /// Called when a call begins, or is [resumed](EnteredCall::is_resumed).
    fn enter(&self, call: &EnteredCall<'_, Self>, thread: &mut Self::Thread) -> Self::Attached;

    /// Called when a call has ended: by a return, an exception or a tail call, or is [suspended](crate::Outcome::Suspended).
    fn leave(&self, call: &EndedCall<'_, Self>, attached: Self::Attached, thread: &mut Self::Thread);

    /// Whether [`enter_at_once`](Self::enter_at_once) and [`leave_at_once`](Self::leave_at_once) are called first.
    const AT_ONCE: bool = false;

    /// Called when a call begins about which everything is known, with fast hooks. Returns `None`, without effect, if there
    /// is more to do: then [`enter`](Self::enter) is called for it.
    ///
    /// For tracers whose common call is some stores: inlined into the hook, which keeps the call in registers because
    /// it does not pass it on. Marked as `#[inline(always)]`, without calls of other functions.
    #[inline(always)]
    fn enter_at_once(
        &self,
        call: &EnteredCall<'_, Self>,
        thread: &mut Self::Thread,
    ) -> Option<Self::Attached> {
        let _ = (call, thread);
        None
    }

    /// Called when such a call returns. Returns `false`, without effect, if there is more to do: then
    /// [`leave`](Self::leave) is called for it. Otherwise what is attached to the call is dropped.
    #[inline(always)]
    fn leave_at_once(&self, call: &EndedCall<'_, Self>, thread: &mut Self::Thread) -> bool {
        let _ = (call, thread);
        false
    }

    /// Called when a method is not traced because its name could not be read.
    fn unnamed(&self, function: FunctionId, error: &Error) {
        let _ = (function, error);
    }

    /// Returns whether there is memory for an event.
    ///
    /// Called before `enter` and `leave` of a call that begins or returns. If it returns `false`, they are not called.
    fn has_memory(&self) -> bool {
        true
    }

    /// Called once when the [self-test](crate::Options::self_test) of fast-path hooks' locations has ended. Before it, and after it unless they `hold`, calls have
    /// no values. A process may end before its self-test has seen enough calls.
    fn self_tested(&self, hold: bool) {
        let _ = hold;
    }

    /// Called in place of [`enter`](Self::enter) for a call near the end of its thread's stack; its end is not reported either.
    fn skipped(&self) {}

    /// Called with the calls of a method that were omitted to keep to the [budget](Options::budget), since the last call of this
    /// for the method.
    ///
    /// Called about every second while calls are omitted, and before [`shutdown`](Self::shutdown), on any thread; with no calls and
    /// [`and_more`](OmittedCalls::and_more) when the method [gets no hooks](crate::CallBudget) any more. Code that is shared by instantiations has one
    /// count, that of the instantiation over `System.__Canon`.
    fn omitted(&self, method: &CalledMethod, kept: &Self::Method, omitted: OmittedCalls) {
        let _ = (method, kept, omitted);
    }

    /// Called when the process ends. Other threads may still be inside `enter` and `leave`.
    fn shutdown(&self) {}
}
