//! A profiler made of a tracer: its parts, and the callbacks about collections and exceptions.

use core::cell::RefCell;
use std::sync::Arc;

use corprof::token::MethodDef;
use corprof::values::{GcReason, Generations, MovedRanges, SurvivingRanges};
use corprof::{
    Error, EventMask, FunctionControl, FunctionHooks, FunctionId, HResult, Hooks, InsertedHooks, ModuleId,
    Names, ObjectId, PerThread, Profiler, ProfilerInfo, ReJitId, Result,
};

use crate::budget::{Budget, frequent};
use crate::call::Call;
use crate::decoding::ThreadDecoding;
use crate::function::Function;
use crate::inserted::Methods;
use crate::limits::OLDEST_SUSPENDING;
use crate::options::HookKind;
use crate::program::Program;
use crate::runtime::ClrRuntime;
use crate::selection::{CallSwitch, SelectedCalls};
use crate::thread::Thread;
use crate::traced::{OpenCall, Traced, TracedProgram};
use crate::tracer::CallTracer;

/// A profiler that reports every call to a [`CallTracer`].
///
/// ```
/// # use corprof::{DeclaredMethod, ProfilerInfo, Result};
/// # use corprof_calls::{CallTracer, CalledMethod, Calls, EndedCall, EnteredCall};
/// # struct Print;
/// # impl CallTracer for Print {
/// #     type Method = ();
/// #     type Thread = ();
/// #     type Attached = ();
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Print) }
/// #     fn select(&self, _: &DeclaredMethod<'_>) -> bool { true }
/// #     fn prepare(&self, _: &CalledMethod) {}
/// #     fn enter(&self, _: &EnteredCall<'_, Self>, _: &mut ()) {}
/// #     fn leave(&self, _: &EndedCall<'_, Self>, _: (), _: &mut ()) {}
/// # }
/// corprof::export_profiler!("{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A02}", [Calls<Print>]);
/// # fn main() {}
/// ```
///
/// A profiler with callbacks of its own has a `Calls` as a field and forwards to it: see
/// [`forward_callbacks!`](crate::forward_callbacks).
pub struct Calls<T: CallTracer> {
    pub(crate) traced: TracedProgram<T::Method>,
    pub(crate) tracer: T,
    hooks: HookKind,
    /// The traced calls of a selected method; all of them if absent.
    pub(crate) selected: Option<SelectedCalls>,
    /// The budget for calls beyond the first ones of each method, if there is one.
    pub(crate) budget: Option<Arc<Budget<T::Method>>>,
    switch: CallSwitch,
    /// Whether the runtime itself suspends calls.
    pub(crate) suspends: bool,
    pub(crate) threads: PerThread<RefCell<Thread<T>>>,
    /// With inserted hooks, the methods that have them.
    pub(crate) inserted: Option<Methods<T>>,
}

impl<T: CallTracer> Calls<T> {
    /// The flags that the event mask must have.
    pub const EVENTS: EventMask = EventMask::CALLS_WITH_VALUES
        .union(EventMask::EXCEPTIONS)
        .union(EventMask::BASIC_GC)
        .union(EventMask::GC_MOVED_OBJECTS)
        .union(ClrRuntime::EVENTS);

    /// The flags that the event mask must have with [inserted](HookKind::Inserted) hooks. Before .NET 9, and when a generic method is
    /// selected, [`JIT_COMPILATION`](EventMask::JIT_COMPILATION) is added.
    pub const INSERTED_EVENTS: EventMask = EventMask::ENABLE_REJIT
        .union(EventMask::BASIC_GC)
        .union(EventMask::GC_MOVED_OBJECTS)
        .union(ClrRuntime::EVENTS);

    /// Creates a profiler for a tracer, and adds [`EVENTS`](Self::EVENTS) to the event mask; with a
    /// [budget](crate::Options::budget) that removes hooks, [`ENABLE_REJIT`](EventMask::ENABLE_REJIT) too.
    ///
    /// Call it in [`Profiler::initialize`].
    ///
    /// # Errors
    /// If the memory of the process cannot be read, and any failure of the runtime.
    pub fn new(info: &ProfilerInfo, tracer: T) -> Result<Self> {
        Self::make(info, tracer, false)
    }

    /// Creates a profiler that is attached to a running program, whose tracer has [inserted](HookKind::Inserted) hooks, and adds
    /// [`INSERTED_EVENTS`](Self::INSERTED_EVENTS) to the event mask.
    ///
    /// Call it in [`Profiler::initialize_for_attach`].
    ///
    /// # Errors
    /// [`Error::NotAttachable`]: the tracer has other hooks, or the runtime has no inserted ones. Others as for [`new`](Self::new).
    pub fn attached(info: &ProfilerInfo, tracer: T) -> Result<Self> {
        Self::make(info, tracer, true)
    }

    fn make(info: &ProfilerInfo, mut tracer: T, is_attached: bool) -> Result<Self> {
        let mut options = tracer.options();
        let (hooks, calls, switch) = (options.hooks, options.calls, options.switch.take());
        let budget = options.budget;
        let major = info.runtime_info().ok().map(|runtime| runtime.major);
        let hooks = hooks.on(major, options.self_test);
        let is_inserted = hooks == HookKind::Inserted;
        if is_attached && !is_inserted {
            return Err(Error::NotAttachable(
                "an attached profiler cannot install enter and leave hooks; inserted hooks need .NET 8 or newer",
            ));
        }
        let program = Program::new(&Names::new(info), options)?;
        info.add_to_event_mask(if is_inserted { Self::INSERTED_EVENTS } else { Self::EVENTS })?;
        let inserted = if is_inserted { Some(Methods::new(info, is_attached)?) } else { None };
        let is_selective = calls.is_some_and(|calls| calls != SelectedCalls::ALL) || switch.is_some();
        if (is_selective || budget.is_some()) && !is_inserted && !Hooks::<Self>::ARE_FAST_AVAILABLE {
            return Err(Error::other("calls can be selected only where there are fast hooks"));
        }
        // A method without a hook would be reverted, one by one, each for a stop of the program.
        let removes_hooks = budget.is_some_and(|budget| !budget.counts_all) && !is_inserted;
        let budget = budget.map(|budget| Arc::new(Budget::new(budget)));
        if let (Some(budget), true) = (&budget, removes_hooks) {
            info.add_to_event_mask(EventMask::ENABLE_REJIT)?;
            frequent::start(budget, info)?;
        }
        Ok(Self {
            traced: TracedProgram { program, registry: Arc::default() },
            tracer,
            hooks,
            selected: is_selective.then(|| calls.unwrap_or(SelectedCalls::ALL)),
            budget,
            switch: switch.unwrap_or_default(),
            suspends: major.is_none_or(|major| major >= OLDEST_SUSPENDING),
            threads: PerThread::new(|| RefCell::new(Thread::new())),
            inserted,
        })
    }

    /// Returns the tracer.
    #[must_use]
    pub fn tracer(&self) -> &T {
        &self.tracer
    }

    /// Returns the names of the traced program.
    #[must_use]
    pub fn names(&self) -> &Names {
        self.traced.program.runtime.names()
    }

    /// Returns the hooks for a profiler that has this as a field.
    #[must_use]
    pub fn hooks_of<P: FunctionHooks + InsertedHooks>(&self) -> Hooks<P> {
        match self.hooks {
            HookKind::Inserted => Hooks::inserted(),
            HookKind::Best if !Hooks::<P>::ARE_FAST_AVAILABLE => Hooks::with_info(),
            HookKind::Best | HookKind::Fast => Hooks::fast(),
            HookKind::WithInfo => Hooks::with_info(),
        }
    }

    /// Returns whether there may be calls of a traced method that are not traced. With inserted hooks each call reports its own end, by its
    /// frame, and exceptions are not followed.
    pub(crate) fn is_selective(&self) -> bool {
        self.selected.is_some() || self.budget.is_some() || self.inserted.is_some()
    }

    /// Returns whether the running thread may have an open call of a function.
    pub(crate) fn is_open(&self, function: FunctionId) -> bool {
        let mut is_open = true;
        self.with_thread(|thread| is_open = thread.stack.has_frame_of(function));
        is_open
    }

    /// Calls `work` with the running thread's state. Does not call it when the thread is ending, nor inside of another
    /// `work` on the same thread.
    pub(crate) fn with_thread(&self, work: impl FnOnce(&mut Thread<T>)) {
        self.threads.with(|thread| {
            if let Ok(mut thread) = thread.try_borrow_mut() {
                work(&mut thread);
            }
        });
    }

    /// Returns whether a call that begins is chosen by the settings that are about calls.
    pub(crate) fn is_chosen(&self, function: &Function<T>) -> bool {
        function.gate.as_ref().is_none_or(|gate| self.switch.is_on() && gate.takes())
    }

    /// A call of a method on a thread, as the tracer sees it.
    #[inline(always)]
    pub(crate) const fn call<'c>(
        &'c self,
        method: &'c Traced<T::Method>,
        thread: &'c ThreadDecoding,
        callers: &'c [OpenCall<T::Method, T::Attached>],
    ) -> Call<'c, T> {
        Call { method, traced: &self.traced, thread, callers }
    }
}

impl<T: CallTracer> Profiler for Calls<T> {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        Self::new(info, T::initialize(info)?)
    }

    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        Self::attached(info, T::initialize_for_attach(info, client_data)?)
    }

    fn profiler_attach_complete(&self) {
        if self.inserted.is_some() {
            for module in self.names().info().modules().unwrap_or_default() {
                self.insert_into_module(module);
            }
        }
    }

    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {
        if status.is_ok() {
            self.insert_into_module(module);
        }
    }

    fn rejit_parameters(
        &self,
        module: ModuleId,
        method: MethodDef,
        control: &FunctionControl<'_>,
    ) -> Result<()> {
        self.insert_into(module, method, control);
        Ok(())
    }

    fn rejit_compilation_started(&self, function: FunctionId, _: Option<ReJitId>, _: bool) {
        self.inserted_is_compiled(function);
    }

    fn hooks(&self) -> Hooks<Self> {
        self.hooks_of()
    }

    fn shutdown(&self) {
        self.report_omitted();
        self.tracer.shutdown();
    }

    fn garbage_collection_started(&self, generations: Generations<'_>, _: GcReason) {
        let number = self.traced.program.collection_started();
        self.traced
            .program
            .moves
            .started(number, generations, || self.traced.program.runtime.info().generation_bounds().ok());
    }

    fn moved_references(&self, ranges: MovedRanges<'_>) {
        self.traced.program.moves.moved(ranges);
    }

    fn surviving_references(&self, ranges: SurvivingRanges<'_>) {
        self.traced.program.moves.stayed(ranges);
    }

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        let class = self.names().info().class_of_object(exception);
        let name = class
            .and_then(|class| self.names().class(class))
            .unwrap_or_else(|error| error.to_string().into());
        self.with_thread(|thread| {
            while let Some(open) = thread.stack.left_unreported() {
                self.unwound(thread, open);
            }
            thread.stack.exception_thrown(name);
        });
    }

    fn exception_unwind_function_enter(&self, function: FunctionId) {
        // With selected calls, the frame that is left may be an untraced call of a function with a traced one. The
        // stack pointers tell which frames have been removed.
        self.with_thread(|thread| match self.is_selective() {
            true => thread.stack.thrown_through(function),
            false => thread.stack.unwinding(function),
        });
    }

    fn exception_unwind_function_leave(&self) {
        self.with_thread(|thread| {
            if let Some(open) = thread.stack.unwound() {
                self.unwound(thread, open);
            }
        });
    }

    fn exception_unwind_finally_enter(&self, _: FunctionId) {
        self.with_thread(|thread| thread.stack.in_finally(true));
    }

    fn exception_unwind_finally_leave(&self) {
        self.with_thread(|thread| thread.stack.in_finally(false));
    }

    fn exception_catcher_enter(&self, function: FunctionId, _: Option<ObjectId<'_>>) {
        self.with_thread(|thread| thread.stack.caught(function));
    }
}

impl<T: CallTracer + core::fmt::Debug> core::fmt::Debug for Calls<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Calls")
            .field("tracer", &self.tracer)
            .field("hooks", &self.hooks)
            .finish_non_exhaustive()
    }
}
