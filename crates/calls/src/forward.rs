//! Forwarding from a profiler that has a [`Calls`](crate::Calls) as a field.

/// Forwards the callbacks and hooks that a [`Calls`](crate::Calls) needs, from a profiler that has one as a field.
///
/// The first form stands in the profiler's `impl Profiler` and defines its `hooks` and the callbacks of loaded modules, ReJIT,
/// garbage collections and exceptions. The second form stands beside it and implements
/// [`FunctionHooks`](corprof::FunctionHooks) and [`InsertedHooks`](corprof::InsertedHooks). A profiler with its own method for one of these callbacks forwards by hand,
/// and calls the `shutdown` of its `Calls` in its own.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use corprof::{DeclaredMethod, FunctionId, HResult, Profiler, ProfilerInfo, Result};
/// use corprof_calls::{CallTracer, CalledMethod, Calls, EndedCall, EnteredCall};
///
/// /// Prints calls, and counts the methods that were compiled.
/// struct Mine {
///     calls: Calls<Print>,
///     compiled: AtomicUsize,
/// }
///
/// impl Profiler for Mine {
///     fn initialize(info: &ProfilerInfo) -> Result<Self> {
///         info.set_event_mask(corprof::EventMask::JIT_COMPILATION)?;
///         Ok(Mine { calls: Calls::new(info, Print)?, compiled: AtomicUsize::new(0) })
///     }
///
///     fn jit_compilation_finished(&self, _: FunctionId, _: Result<(), HResult>, _: bool) {
///         self.compiled.fetch_add(1, Ordering::Relaxed);
///     }
///
///     corprof_calls::forward_callbacks!(calls);
/// }
///
/// corprof_calls::forward_callbacks!(Mine, calls: Calls<Print>);
///
/// struct Print;
///
/// impl CallTracer for Print {
///     // …
/// #     type Method = ();
/// #     type Thread = ();
/// #     type Attached = ();
/// #     fn initialize(_: &ProfilerInfo) -> Result<Self> { Ok(Print) }
/// #     fn select(&self, _: &DeclaredMethod<'_>) -> bool { true }
/// #     fn prepare(&self, _: &CalledMethod) {}
/// #     fn enter(&self, call: &EnteredCall<'_, Self>, _: &mut ()) { eprintln!("{call}"); }
/// #     fn leave(&self, call: &EndedCall<'_, Self>, _: (), _: &mut ()) { eprintln!("{call}"); }
/// }
/// ```
#[macro_export]
macro_rules! forward_callbacks {
    ($field:ident) => {
        fn hooks(&self) -> ::corprof::Hooks<Self> {
            self.$field.hooks_of()
        }

        fn profiler_attach_complete(&self) {
            ::corprof::Profiler::profiler_attach_complete(&self.$field);
        }

        fn module_load_finished(
            &self,
            module: ::corprof::ModuleId,
            status: ::core::result::Result<(), ::corprof::HResult>,
        ) {
            ::corprof::Profiler::module_load_finished(&self.$field, module, status);
        }

        fn rejit_parameters(
            &self,
            module: ::corprof::ModuleId,
            method: ::corprof::token::MethodDef,
            control: &::corprof::FunctionControl<'_>,
        ) -> ::corprof::Result<()> {
            ::corprof::Profiler::rejit_parameters(&self.$field, module, method, control)
        }

        fn rejit_compilation_started(
            &self,
            function: ::corprof::FunctionId,
            rejit: ::core::option::Option<::corprof::ReJitId>,
            is_safe_to_block: bool,
        ) {
            ::corprof::Profiler::rejit_compilation_started(&self.$field, function, rejit, is_safe_to_block);
        }

        fn garbage_collection_started(
            &self,
            generations: ::corprof::values::Generations<'_>,
            reason: ::corprof::values::GcReason,
        ) {
            ::corprof::Profiler::garbage_collection_started(&self.$field, generations, reason);
        }

        fn moved_references(&self, ranges: ::corprof::values::MovedRanges<'_>) {
            ::corprof::Profiler::moved_references(&self.$field, ranges);
        }

        fn surviving_references(&self, ranges: ::corprof::values::SurvivingRanges<'_>) {
            ::corprof::Profiler::surviving_references(&self.$field, ranges);
        }

        fn exception_thrown(&self, exception: ::corprof::ObjectId<'_>) {
            ::corprof::Profiler::exception_thrown(&self.$field, exception);
        }

        fn exception_unwind_function_enter(&self, function: ::corprof::FunctionId) {
            ::corprof::Profiler::exception_unwind_function_enter(&self.$field, function);
        }

        fn exception_unwind_function_leave(&self) {
            ::corprof::Profiler::exception_unwind_function_leave(&self.$field);
        }

        fn exception_unwind_finally_enter(&self, function: ::corprof::FunctionId) {
            ::corprof::Profiler::exception_unwind_finally_enter(&self.$field, function);
        }

        fn exception_unwind_finally_leave(&self) {
            ::corprof::Profiler::exception_unwind_finally_leave(&self.$field);
        }

        fn exception_catcher_enter(
            &self,
            function: ::corprof::FunctionId,
            object: ::core::option::Option<::corprof::ObjectId<'_>>,
        ) {
            ::corprof::Profiler::exception_catcher_enter(&self.$field, function, object);
        }
    };
    ($profiler:ty, $field:ident: $calls:ty) => {
        impl ::corprof::InsertedHooks for $profiler {
            type Method = <$calls as ::corprof::InsertedHooks>::Method;

            fn installed(&self, hooks: ::corprof::InsertedCalls<Self>) {
                self.$field.installed_inserted(hooks);
            }

            #[inline(always)]
            fn entered(&self, method: &Self::Method, call: &::corprof::InsertedEnter<'_>) {
                ::corprof::InsertedHooks::entered(&self.$field, method, call);
            }

            #[inline(always)]
            fn returned(&self, method: &Self::Method, call: &::corprof::InsertedReturn<'_>) {
                ::corprof::InsertedHooks::returned(&self.$field, method, call);
            }

            fn threw(&self, method: &Self::Method, call: &::corprof::InsertedThrow<'_>) {
                ::corprof::InsertedHooks::threw(&self.$field, method, call);
            }
        }

        impl ::corprof::FunctionHooks for $profiler {
            type Function = <$calls as ::corprof::FunctionHooks>::Function;

            fn map_function(
                &self,
                function: ::corprof::FunctionId,
            ) -> ::core::option::Option<Self::Function> {
                ::corprof::FunctionHooks::map_function(&self.$field, function)
            }

            fn map_again(&self, function: ::corprof::FunctionId, kept: &Self::Function) -> bool {
                ::corprof::FunctionHooks::map_again(&self.$field, function, kept)
            }

            #[inline(always)]
            fn enter(&self, function: &Self::Function, frame: &::corprof::EnterFrame<'_>) {
                ::corprof::FunctionHooks::enter(&self.$field, function, frame);
            }

            #[inline(always)]
            fn leave(&self, function: &Self::Function, frame: &::corprof::LeaveFrame<'_>) {
                ::corprof::FunctionHooks::leave(&self.$field, function, frame);
            }

            fn tailcall(&self, function: &Self::Function, frame: &::corprof::TailcallFrame<'_>) {
                ::corprof::FunctionHooks::tailcall(&self.$field, function, frame);
            }
        }
    };
}
