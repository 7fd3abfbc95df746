//! The callbacks that the pieces of a tool need, for its `impl Profiler`.

/// Defines the callbacks that [`Pauses`](crate::Pauses) needs, in an `impl Profiler`.
///
/// `$pauses` is the field with the pairing, and `$add` the method that gets each [`Ended`](crate::Ended):
/// `pause_callbacks!(pauses, add);`.
#[macro_export]
macro_rules! pause_callbacks {
    ($pauses:ident, $add:ident) => {
        fn runtime_suspend_started(&self, reason: ::corprof::values::SuspendReason) {
            self.$pauses.runtime_suspend_started(reason);
        }

        fn runtime_suspend_finished(&self) {
            self.$pauses.runtime_suspend_finished();
        }

        fn runtime_suspend_aborted(&self) {
            self.$pauses.runtime_suspend_aborted();
        }

        fn runtime_resume_started(&self) {
            self.$pauses.runtime_resume_started();
        }

        fn runtime_resume_finished(&self) {
            self.$add(self.$pauses.runtime_resume_finished());
        }

        fn garbage_collection_started(
            &self,
            generations: ::corprof::values::Generations<'_>,
            reason: ::corprof::values::GcReason,
        ) {
            self.$pauses.garbage_collection_started(generations, reason);
        }

        fn garbage_collection_finished(&self) {
            self.$add(self.$pauses.garbage_collection_finished());
        }

        fn event_pipe_event_delivered(&self, event: &::corprof::EventPipeEvent<'_>) {
            self.$add(self.$pauses.event_pipe_event_delivered(event));
        }
    };
}

/// Defines the callbacks that [`Throws`](crate::Throws) needs, in an `impl Profiler`.
///
/// `$throws` is the field with the pairing, and `$add` the method that gets each complete [`Throw`](crate::Throw):
/// `throw_callbacks!(throws, add);`.
#[macro_export]
macro_rules! throw_callbacks {
    ($throws:ident, $add:ident) => {
        fn exception_thrown(&self, exception: ::corprof::ObjectId<'_>) {
            let surplus = self.$throws.exception_thrown(exception, |_| ());
            surplus.into_iter().for_each(|throw| self.$add(throw));
        }

        fn exception_search_catcher_found(&self, function: ::corprof::FunctionId) {
            let throw = self.$throws.exception_search_catcher_found(function);
            throw.into_iter().for_each(|throw| self.$add(throw));
        }

        fn exception_search_function_enter(&self, function: ::corprof::FunctionId) {
            self.$throws.exception_search_function_enter(function);
        }

        fn exception_search_function_leave(&self) {
            self.$throws.exception_search_function_leave().into_iter().for_each(|throw| self.$add(throw));
        }

        fn exception_unwind_function_enter(&self, _: ::corprof::FunctionId) {
            self.$throws.exception_unwind_function_enter().into_iter().for_each(|throw| self.$add(throw));
        }

        fn exception_search_filter_enter(&self, _: ::corprof::FunctionId) {
            self.$throws.exception_search_filter_enter();
        }

        fn exception_search_filter_leave(&self) {
            self.$throws.exception_search_filter_leave().into_iter().for_each(|throw| self.$add(throw));
        }
    };
}

/// Defines the callbacks that a [`Sampler`](crate::Sampler) in a field of the profiler needs, in its `impl Profiler`.
#[macro_export]
macro_rules! sampler_callbacks {
    ($sampler:ident) => {
        fn thread_assigned_to_os_thread(&self, thread: ::corprof::ThreadId, os_thread: u32) {
            self.$sampler.thread_assigned_to_os_thread(thread, os_thread);
        }

        fn thread_name_changed(&self, thread: ::corprof::ThreadId, name: &::corprof::widestring::U16Str) {
            self.$sampler.thread_name_changed(thread, name);
        }

        fn thread_destroyed(&self, thread: ::corprof::ThreadId) {
            self.$sampler.thread_destroyed(thread);
        }

        fn dynamic_method_jit_compilation_finished(
            &self,
            function: ::corprof::FunctionId,
            status: ::corprof::Result<(), ::corprof::HResult>,
            _is_safe_to_block: bool,
        ) {
            self.$sampler.dynamic_method_jit_compilation_finished(function, status);
        }

        fn dynamic_method_unloaded(&self, function: ::corprof::FunctionId) {
            self.$sampler.dynamic_method_unloaded(function);
        }

        fn module_unload_started(&self, _module: ::corprof::ModuleId) {
            self.$sampler.module_unload_started();
        }
    };
}
