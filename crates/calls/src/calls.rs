//! From the hooks and callbacks to a tracer.

use core::cell::RefCell;
use std::sync::Arc;

use corprof::values::{GcReason, Generations, MovedRanges, SurvivingRanges};
use corprof::{
    EnterFrame, Error, EventMask, FunctionHooks, FunctionId, Hooks, LastError, LeaveFrame, Names, ObjectId,
    PerThread, Profiler, ProfilerInfo, Result,
};

use crate::budget::{Budget, frequent};
use crate::call::{Arguments, Call, End, EndedCall, EnteredCall};
use crate::function::Function;
use crate::hooks::with_result;
use crate::options::HookKind;
use crate::program::Program;
use crate::registers::ReadyPlaces;
use crate::runtime::{ClrRuntime, SelfTest};
use crate::selection::{CallSwitch, SelectedCalls};
use crate::thread::Thread;
use crate::traced::{Kept, OpenCall, Traced, TracedProgram};
use crate::tracer::CallTracer;

/// A profiler that reports every call to a [`CallTracer`].
///
/// ```
/// # use corprof::{Method, ProfilerInfo, Result};
/// # use corprof_calls::{CallTracer, CalledMethod, Calls, EndedCall, EnteredCall};
/// # struct Print;
/// # impl CallTracer for Print {
/// #     type Method = ();
/// #     type Thread = ();
/// #     type Attached = ();
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Print) }
/// #     fn select(&self, _: &Method) -> bool { true }
/// #     fn prepare(&self, _: &CalledMethod) {}
/// #     fn enter(&self, _: &EnteredCall<'_, Self>, _: &mut ()) {}
/// #     fn leave(&self, _: &EndedCall<'_, Self>, _: (), _: &mut ()) {}
/// # }
/// corprof::export_profiler!(Calls<Print>, "{0B9C5A5E-6C1E-4C55-9D62-1E6E0C7F3A02}");
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
    pub(crate) threads: PerThread<RefCell<Thread<T>>>,
}

impl<T: CallTracer> Calls<T> {
    /// The flags that the event mask must have.
    pub const EVENTS: EventMask = EventMask::CALLS_WITH_VALUES
        .union(EventMask::EXCEPTIONS)
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
    pub fn new(info: &ProfilerInfo, mut tracer: T) -> Result<Self> {
        let mut options = tracer.options();
        let (hooks, calls, switch) = (options.hooks, options.calls, options.switch.take());
        let budget = options.budget;
        let hooks = hooks.on(info.runtime_info().ok().map(|runtime| runtime.major));
        let program = Program::new(&Names::new(info), options)?;
        info.set_event_mask(info.event_mask()? | Self::EVENTS)?;
        let is_selective = calls.is_some_and(|calls| calls != SelectedCalls::ALL) || switch.is_some();
        if (is_selective || budget.is_some()) && !Hooks::<Self>::ARE_FAST_AVAILABLE {
            return Err(Error::other("calls can be selected only where there are fast hooks"));
        }
        let removes_hooks = budget.is_some_and(|budget| !budget.counts_all);
        let budget = budget.map(|budget| Arc::new(Budget::new(budget)));
        if let (Some(budget), true) = (&budget, removes_hooks) {
            info.set_event_mask(info.event_mask()? | EventMask::ENABLE_REJIT)?;
            frequent::start(budget, info)?;
        }
        Ok(Self {
            traced: TracedProgram { program, registry: Arc::default() },
            tracer,
            hooks,
            selected: is_selective.then(|| calls.unwrap_or(SelectedCalls::ALL)),
            budget,
            switch: switch.unwrap_or_default(),
            threads: PerThread::new(|| RefCell::new(Thread::new())),
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
    pub fn hooks_of<P: FunctionHooks>(&self) -> Hooks<P> {
        match self.hooks {
            HookKind::Best if !Hooks::<P>::ARE_FAST_AVAILABLE => Hooks::with_info(),
            HookKind::Best | HookKind::Fast => Hooks::fast(),
            HookKind::WithInfo => Hooks::with_info(),
        }
    }

    /// Returns whether there may be calls of a traced method that are not traced.
    fn is_selective(&self) -> bool {
        self.selected.is_some() || self.budget.is_some()
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

    /// A call begins that a hook has not done with.
    #[cold]
    #[inline(never)]
    pub(crate) fn entered(&self, function: &Function<T>, frame: EnterFrame<'_>, place: usize) {
        if !self.is_chosen(function) {
            return;
        }
        if let Some(number) = function.quota.limited() {
            return self.decide(function, number, frame, place);
        }
        let is_first = self.count_first(function);
        if !(is_first && self.enter_at_once(function, &frame, place)) {
            self.begun(function, frame, place);
        }
    }

    /// Returns whether a call that begins is chosen by the settings that are about calls.
    pub(crate) fn is_chosen(&self, function: &Function<T>) -> bool {
        function.gate.as_ref().is_none_or(|gate| self.switch.is_on() && gate.takes())
    }

    /// Prepares a thread for a call at a place: calls that have been left end, a call near the end of the stack is skipped. Returns
    /// whether it is not.
    pub(crate) fn is_prepared(&self, thread: &mut Thread<T>, function: &Function<T>, place: usize) -> bool {
        if thread.stack.skip(function.id(), place) {
            self.tracer.skipped();
            return false;
        }
        while let Some(gone) = thread.stack.overtaken(place) {
            self.unwound(thread, gone);
        }
        true
    }

    /// A call that is traced begins.
    #[cold]
    #[inline(never)]
    pub(crate) fn begun(&self, function: &Function<T>, frame: EnterFrame<'_>, place: usize) {
        let _kept = LastError::keep();
        if !self.tracer.has_memory() {
            return;
        }
        self.with_thread(|thread| {
            if !self.is_prepared(thread, function, place) {
                return;
            }
            let begun = function.check_values().and_then(|()| match frame.registers() {
                Some(registers) => {
                    function.locations(&self.traced.program.runtime, &frame).and_then(|locations| {
                        let places = ReadyPlaces { words: &[], locations };
                        self.begin(thread, function, place, Arguments::Ready(registers, places))
                    })
                }
                None => frame
                    .arguments(|arguments| self.begin(thread, function, place, Arguments::Ranges(arguments)))
                    .and_then(|begun| begun),
            });
            if let Some(hold) = self.traced.program.runtime.self_test().and_then(SelfTest::news) {
                self.tracer.self_tested(hold);
            }
            if let Err(error) = begun {
                let method = function.instance_without_frame(&self.tracer, &self.traced.program.runtime);
                self.report(thread, function, place, &method, Arguments::Unknown(&error));
            }
        });
    }

    /// Reports the beginning of a call with located arguments.
    fn begin(
        &self,
        thread: &mut Thread<T>,
        function: &Function<T>,
        place: usize,
        arguments: Arguments<'_>,
    ) -> Result<()> {
        let frame = arguments.located().map(|located| located.frame());
        let method = function.instance(&self.tracer, &self.traced.program.runtime, frame)?;
        self.report(thread, function, place, &method, arguments);
        match arguments {
            Arguments::Ready(..) if function.ready().is_none() => function.prepare_ready(&method),
            Arguments::Ranges(..) if function.settled().is_none() => function.settle(&method),
            _ => {}
        }
        Ok(())
    }

    /// Reports a call that begins to the tracer, and puts it on the shadow stack.
    fn report(
        &self,
        thread: &mut Thread<T>,
        function: &Function<T>,
        place: usize,
        method: &Arc<Traced<T::Method>>,
        arguments: Arguments<'_>,
    ) {
        let Thread { stack, decoding, local, .. } = thread;
        let call = Call { method, traced: &self.traced, thread: decoding, callers: stack.frames() };
        let call = EnteredCall::new(call, arguments);
        let attached = self.tracer.enter(&call, local);
        let saved = call.save_refs();
        let is_only = function.only().is_some_and(|only| Arc::ptr_eq(only, method));
        let kept = (!is_only || saved.is_some()).then(|| {
            let tracked = saved.is_some().then(|| self.traced.program.moves.track());
            thread.keep(Kept { method: Arc::clone(method), saved, _tracked: tracked })
        });
        thread.stack.push(function.id(), place, kept, attached);
    }

    /// A call returns.
    #[cold]
    #[inline(never)]
    pub(crate) fn left(&self, function: &Function<T>, frame: LeaveFrame<'_>) {
        let _kept = LastError::keep();
        self.with_thread(|thread| {
            let place = frame.caller_stack_pointer();
            let Some(open) = self.pop(thread, function, place) else { return };
            if !self.tracer.has_memory() {
                return;
            }
            if open.kept.is_none() && function.only().is_none() {
                // It was compiled again after an unload that may have taken it.
                let error = Error::other("what was known of the function is forgotten");
                self.ended(thread, open, End::Returned { result: Err(&error), word: None, saved: None });
                return;
            }
            let (mut kept, mut attached) = (open.kept, Some(open.attached));
            let (method, mut saved) = match (kept.as_deref_mut(), function.only()) {
                (Some(Kept { method, saved, .. }), _) => (&*method, saved.as_mut()),
                (None, Some(only)) => (only, None),
                (None, None) => return,
            };
            if let Some(saved) = &mut saved {
                let program = &self.traced.program;
                program.moves.follow(saved, program.collections(), &thread.decoding.stack());
            }
            let saved = saved.as_deref();
            let Thread { stack, decoding, local, .. } = thread;
            let mut end = |result: Result<argvalues::ArgumentRange, &Error>, word| {
                let Some(attached) = attached.take() else { return };
                let call = Call { method, traced: &self.traced, thread: decoding, callers: stack.frames() };
                let end = End::Returned { result, word, saved };
                self.tracer.leave(&EndedCall { call, end }, attached, local);
            };
            let read = function.check_values().and_then(|()| match frame.registers() {
                Some(registers) => match function.known_locations() {
                    Some(locations) => {
                        let word = locations.result_word().map(|word| registers.word(word));
                        end(Ok(registers.result(locations)), word);
                        Ok(())
                    }
                    None => Err(Error::other("the location of the value is unknown")),
                },
                None => frame.return_value(|value| {
                    with_result(method.called.plan(), &value, |range, word| end(Ok(range), word))
                }),
            });
            if let Err(error) = read {
                end(Err(&error), None);
            }
            if let Some(kept) = kept {
                thread.recycle(kept);
            }
        });
    }

    /// Removes the call of a method that ends. Those above it ended without a report; they are reported as left by an
    /// exception first, so that each `enter` has its `leave`.
    pub(crate) fn pop(
        &self,
        thread: &mut Thread<T>,
        function: &Function<T>,
        place: Option<usize>,
    ) -> Option<OpenCall<T::Method, T::Attached>> {
        if thread.stack.pop_skipped(function.id(), place) {
            return None;
        }
        if let (true, Some(place)) = (self.is_selective(), place) {
            // Exceptions are not followed: see `exception_unwind_function_enter`.
            while let Some(gone) = thread.stack.left_below(place) {
                self.unwound(thread, gone);
            }
            return thread.stack.pop_at(function.id(), place);
        }
        thread.stack.pop_if(function.id()).or_else(|| self.pop_through(thread, function))
    }

    #[cold]
    fn pop_through(
        &self,
        thread: &mut Thread<T>,
        function: &Function<T>,
    ) -> Option<OpenCall<T::Method, T::Attached>> {
        if !thread.stack.has_frame_of(function.id()) {
            return None;
        }
        loop {
            let open = thread.stack.pop()?;
            if open.function == function.id() {
                return Some(open);
            }
            self.unwound(thread, open);
        }
    }

    /// Reports a call that an exception has left.
    fn unwound(&self, thread: &mut Thread<T>, open: OpenCall<T::Method, T::Attached>) {
        let exception = thread.stack.exception();
        self.ended(thread, open, End::Threw(&exception));
    }

    pub(crate) fn ended(&self, thread: &mut Thread<T>, open: OpenCall<T::Method, T::Attached>, end: End<'_>) {
        // A call of a method that has been unloaded since was left long ago.
        let Some(method) = self.traced.method_of(&open) else { return };
        self.ended_of(thread, &method, open, end);
    }

    /// A call of this method has ended.
    pub(crate) fn ended_of(
        &self,
        thread: &mut Thread<T>,
        method: &Traced<T::Method>,
        open: OpenCall<T::Method, T::Attached>,
        end: End<'_>,
    ) {
        let Thread { stack, decoding, local, .. } = thread;
        let call = Call { method, traced: &self.traced, thread: decoding, callers: stack.frames() };
        self.tracer.leave(&EndedCall { call, end }, open.attached, local);
    }
}

impl<T: CallTracer> Profiler for Calls<T> {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        Self::new(info, T::initialize(info)?)
    }

    fn initialize_for_attach(_: &ProfilerInfo, _: &[u8]) -> Result<Self> {
        Err(Error::NotAttachable(
            "calls need enter and leave hooks, which an attached profiler cannot install",
        ))
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
        if !self.is_selective() {
            self.with_thread(|thread| thread.stack.unwinding(function));
        }
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
