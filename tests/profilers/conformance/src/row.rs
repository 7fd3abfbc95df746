//! The callbacks of a row. Each does nothing by default.

use corprof::token::MethodDef;
use corprof::values::TransitionReason;
use corprof::{
    AssemblyId, ClassId, Error, EventPipeEvent, FunctionControl, FunctionId, HResult, ModuleId, ReJitId,
    Result, ThreadId,
};

/// The hooks of a row.
#[derive(Clone, Copy)]
pub(crate) enum HooksOf {
    None,
    Fast,
    WithInfo,
}

/// One of the runtime's own tests. The methods are those of `corprof::Profiler`, unless documented otherwise.
#[allow(unused_variables, reason = "the defaults ignore their arguments")]
pub(crate) trait Row: Send + Sync {
    /// The program has ended: the row prints its observations.
    fn say(&self);

    /// The program has sent a command.
    fn told(&self, command: &str) -> Result<()> {
        Err(Error::other(format!("there is no {command:?} in this row")))
    }

    fn hooks(&self) -> HooksOf {
        HooksOf::None
    }
    /// The name to call a function by in [`entered`](Row::entered) and [`left`](Row::left); `None` not to hook it.
    fn hooked(&self, function: FunctionId) -> Option<String> {
        None
    }
    fn entered(&self, name: &str) {}
    /// By return or tail call.
    fn left(&self, name: &str) {}

    /// One of the `Exception*` callbacks, by its COM name, with its function if it has one.
    fn exception(&self, callback: &'static str, function: Option<FunctionId>) {}
    /// A transition, and whether it is to managed code.
    fn transition(&self, to_managed: bool, function: Option<FunctionId>, reason: TransitionReason) {}

    fn assembly_load_started(&self, assembly: AssemblyId) {}
    fn assembly_load_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {}
    fn assembly_unload_started(&self, assembly: AssemblyId) {}
    fn assembly_unload_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {}
    fn module_load_started(&self, module: ModuleId) {}
    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {}
    fn class_load_started(&self, class: ClassId) {}
    fn class_load_finished(&self, class: ClassId, status: Result<(), HResult>) {}
    fn class_unload_started(&self, class: ClassId) {}
    fn class_unload_finished(&self, class: ClassId, status: Result<(), HResult>) {}

    fn jit_compilation_finished(&self, function: FunctionId, status: Result<(), HResult>) {}
    fn jit_inlining(&self, caller: FunctionId, callee: FunctionId) -> bool {
        true
    }
    fn rejit_compilation_started(&self, function: FunctionId, rejit: Option<ReJitId>) {}
    fn rejit_compilation_finished(
        &self,
        function: FunctionId,
        rejit: Option<ReJitId>,
        status: Result<(), HResult>,
    ) {
    }
    fn rejit_parameters(
        &self,
        module: ModuleId,
        method: MethodDef,
        control: &FunctionControl<'_>,
    ) -> Result<()> {
        Ok(())
    }
    fn rejit_error(&self, method: MethodDef, error: HResult) {}

    fn thread_name_changed(&self, thread: ThreadId, name: String) {}
    fn runtime_suspend_finished(&self) {}
    fn runtime_resume_started(&self) {}
    fn garbage_collection_started(&self) {}
    fn garbage_collection_finished(&self) {}

    fn event_pipe_event_delivered(&self, event: &EventPipeEvent<'_>) {}
}
