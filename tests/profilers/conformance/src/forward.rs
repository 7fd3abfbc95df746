//! Forwards the callbacks of the runtime to the row.

use corprof::token::MethodDef;
use corprof::values::{GcReason, Generations, TransitionReason};
use corprof::{
    AssemblyId, ClassId, EnterFrame, Error, EventPipeEvent, FunctionControl, FunctionHooks, FunctionId,
    HResult, Hooks, LeaveFrame, ModuleId, ObjectId, Profiler, ProfilerInfo, ReJitId, Result, TailcallFrame,
    ThreadId,
};

use crate::row::HooksOf;
use crate::{Conformance, RUNNING, row};

impl Profiler for Conformance {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        let name = std::env::var("CONFORMANCE_ROW").unwrap_or_default();
        let row = row(&name, info)?;
        let running = RUNNING.set((info.clone(), row.clone()));
        running.map_err(|_| Error::other("there are two of this profiler"))?;
        Ok(Self { row })
    }

    fn hooks(&self) -> Hooks<Self> {
        match self.row.hooks() {
            HooksOf::None => Hooks::none(),
            HooksOf::Fast => Hooks::fast(),
            HooksOf::WithInfo => Hooks::with_info(),
        }
    }

    fn shutdown(&self) {
        self.row.say();
    }

    fn assembly_load_started(&self, assembly: AssemblyId) {
        self.row.assembly_load_started(assembly);
    }
    fn assembly_load_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {
        self.row.assembly_load_finished(assembly, status);
    }
    fn assembly_unload_started(&self, assembly: AssemblyId) {
        self.row.assembly_unload_started(assembly);
    }
    fn assembly_unload_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {
        self.row.assembly_unload_finished(assembly, status);
    }
    fn module_load_started(&self, module: ModuleId) {
        self.row.module_load_started(module);
    }
    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {
        self.row.module_load_finished(module, status);
    }
    fn class_load_started(&self, class: ClassId) {
        self.row.class_load_started(class);
    }
    fn class_load_finished(&self, class: ClassId, status: Result<(), HResult>) {
        self.row.class_load_finished(class, status);
    }
    fn class_unload_started(&self, class: ClassId) {
        self.row.class_unload_started(class);
    }
    fn class_unload_finished(&self, class: ClassId, status: Result<(), HResult>) {
        self.row.class_unload_finished(class, status);
    }

    fn jit_compilation_finished(&self, function: FunctionId, status: Result<(), HResult>, _: bool) {
        self.row.jit_compilation_finished(function, status);
    }
    fn jit_inlining(&self, caller: FunctionId, callee: FunctionId) -> bool {
        self.row.jit_inlining(caller, callee)
    }
    fn rejit_compilation_started(&self, function: FunctionId, rejit: Option<ReJitId>, _: bool) {
        self.row.rejit_compilation_started(function, rejit);
    }
    fn rejit_compilation_finished(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
        status: Result<(), HResult>,
        _: bool,
    ) {
        self.row.rejit_compilation_finished(function, rejit, status);
    }
    fn rejit_parameters(
        &self,
        module: ModuleId,
        method: MethodDef,
        control: &FunctionControl<'_>,
    ) -> Result<()> {
        self.row.rejit_parameters(module, method, control)
    }
    fn rejit_error(&self, _: ModuleId, method: MethodDef, _: Option<FunctionId>, error: HResult) {
        self.row.rejit_error(method, error);
    }

    fn thread_name_changed(&self, thread: ThreadId, name: &widestring::U16Str) {
        self.row.thread_name_changed(thread, name.to_string_lossy());
    }
    fn runtime_suspend_finished(&self) {
        self.row.runtime_suspend_finished();
    }
    fn runtime_resume_started(&self) {
        self.row.runtime_resume_started();
    }
    fn garbage_collection_started(&self, _: Generations<'_>, _: GcReason) {
        self.row.garbage_collection_started();
    }
    fn garbage_collection_finished(&self) {
        self.row.garbage_collection_finished();
    }

    fn unmanaged_to_managed_transition(&self, function: Option<FunctionId>, reason: TransitionReason) {
        self.row.transition(true, function, reason);
    }
    fn managed_to_unmanaged_transition(&self, function: Option<FunctionId>, reason: TransitionReason) {
        self.row.transition(false, function, reason);
    }

    fn exception_thrown(&self, _: ObjectId<'_>) {
        self.row.exception("ExceptionThrown", None);
    }
    fn exception_search_function_enter(&self, function: FunctionId) {
        self.row.exception("ExceptionSearchFunctionEnter", Some(function));
    }
    fn exception_search_function_leave(&self) {
        self.row.exception("ExceptionSearchFunctionLeave", None);
    }
    fn exception_search_filter_enter(&self, function: FunctionId) {
        self.row.exception("ExceptionSearchFilterEnter", Some(function));
    }
    fn exception_search_filter_leave(&self) {
        self.row.exception("ExceptionSearchFilterLeave", None);
    }
    fn exception_search_catcher_found(&self, function: FunctionId) {
        self.row.exception("ExceptionSearchCatcherFound", Some(function));
    }
    fn exception_unwind_function_enter(&self, function: FunctionId) {
        self.row.exception("ExceptionUnwindFunctionEnter", Some(function));
    }
    fn exception_unwind_function_leave(&self) {
        self.row.exception("ExceptionUnwindFunctionLeave", None);
    }
    fn exception_unwind_finally_enter(&self, function: FunctionId) {
        self.row.exception("ExceptionUnwindFinallyEnter", Some(function));
    }
    fn exception_unwind_finally_leave(&self) {
        self.row.exception("ExceptionUnwindFinallyLeave", None);
    }
    fn exception_catcher_enter(&self, function: FunctionId, _: Option<ObjectId<'_>>) {
        self.row.exception("ExceptionCatcherEnter", Some(function));
    }
    fn exception_catcher_leave(&self) {
        self.row.exception("ExceptionCatcherLeave", None);
    }

    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {
        self.row.event_pipe_event_delivered(event);
    }
}

impl FunctionHooks for Conformance {
    type Function = String;

    fn map_function(&self, function: FunctionId) -> Option<String> {
        self.row.hooked(function)
    }

    fn enter(&self, name: &String, _: &EnterFrame<'_>) {
        self.row.entered(name);
    }

    fn leave(&self, name: &String, _: &LeaveFrame<'_>) {
        self.row.left(name);
    }

    fn tailcall(&self, name: &String, _: &TailcallFrame<'_>) {
        self.row.left(name);
    }
}
