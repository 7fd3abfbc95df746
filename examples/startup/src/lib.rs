//! Records the compilations and loads of a .NET program. The README describes the report.

mod report;
mod stacks;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use corprof::values::JitCacheResult;
use corprof::{
    AssemblyId, ClassId, EventMask, FunctionId, HResult, ModuleId, Names, Profiler, ProfilerInfo, Result,
};
use corprof_tools::{Reporter, Settings, Spans, Tool, Work};

use crate::report::{Precompiled, Report};

#[cfg(feature = "export")]
corprof::export_profiler!("{C2A5E7B4-0D36-4B8F-8F7A-51E9D4C36A72}", [Startup]);

/// Lets callbacks finish their work when there is no memory.
#[cfg(feature = "export")]
#[global_allocator]
static MEMORY: corprof::Reserve = corprof::Reserve::new();

/// The profiler.
pub struct Startup {
    info: ProfilerInfo,
    spans: Arc<Spans>,
    precompiled: Arc<Precompiled>,
    reporter: Reporter,
}

/// The flags that an attached profiler may set, too.
const EVENTS: EventMask = EventMask::JIT_COMPILATION
    .union(EventMask::CLASS_LOADS)
    .union(EventMask::MODULE_LOADS)
    .union(EventMask::ASSEMBLY_LOADS);

impl Tool for Startup {
    const PREFIX: &'static str = "STARTUP_";
    const SETTINGS: &'static [&'static str] = &["TOP", "FIRST"];

    fn start(info: &ProfilerInfo, settings: &Settings) -> Result<Self> {
        // An attached profiler may not see the searches for precompiled code.
        let searches = info.set_event_mask(EVENTS | EventMask::CACHE_SEARCHES);
        if searches.is_err() {
            info.set_event_mask(EVENTS)?;
        }
        let spans = Arc::new(Spans::new(info, settings.seconds("FIRST")?));
        let precompiled = Arc::new(Precompiled::new(searches.is_ok()));
        let mut report =
            Report::new(&Names::new(info), Arc::clone(&spans), Arc::clone(&precompiled), settings)?;
        let reporter =
            Reporter::start_refreshed("startup", info, settings, move |moment| report.write(moment))?;
        Ok(Self { info: info.clone(), spans, precompiled, reporter })
    }

    fn reporter(&self) -> &Reporter {
        &self.reporter
    }
}

impl Profiler for Startup {
    corprof_tools::tool_callbacks!();

    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        self.spans.begin(Work::Compilation, function, None);
    }

    fn jit_compilation_finished(&self, function: FunctionId, status: Result<(), HResult>, _: bool) {
        self.spans.end(Work::Compilation, function, status.is_ok());
    }

    fn dynamic_method_jit_compilation_started(&self, function: FunctionId, _: bool, _: &[u8]) {
        // It may be unloaded before the report is written.
        let name = self.info.dynamic_function_info(function).map(|method| format!("dynamic {}", method.name));
        self.spans.begin(Work::Compilation, function, name.ok());
    }

    fn dynamic_method_jit_compilation_finished(
        &self,
        function: FunctionId,
        status: Result<(), HResult>,
        _: bool,
    ) {
        self.spans.end(Work::Compilation, function, status.is_ok());
    }

    fn jit_cached_function_search_finished(&self, function: FunctionId, result: JitCacheResult) {
        if result == JitCacheResult::CACHED_FUNCTION_FOUND {
            self.precompiled.found(function);
        }
    }

    fn class_load_started(&self, class: ClassId) {
        self.spans.begin(Work::ClassLoad, class, None);
    }

    fn class_load_finished(&self, class: ClassId, status: Result<(), HResult>) {
        self.spans.end(Work::ClassLoad, class, status.is_ok());
    }

    fn module_load_started(&self, module: ModuleId) {
        self.spans.begin(Work::ModuleLoad, module, None);
    }

    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {
        self.spans.end(Work::ModuleLoad, module, status.is_ok());
    }

    fn assembly_load_started(&self, assembly: AssemblyId) {
        self.spans.begin(Work::AssemblyLoad, assembly, None);
    }

    fn assembly_load_finished(&self, assembly: AssemblyId, status: Result<(), HResult>) {
        self.spans.end(Work::AssemblyLoad, assembly, status.is_ok());
    }
}

/// The mask has only flags that a profiler may set after it was attached.
const _: () = assert!(EventMask::ALLOWABLE_AFTER_ATTACH.contains(EVENTS));
