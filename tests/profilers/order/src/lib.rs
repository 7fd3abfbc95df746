//! The profiler of `tests/e2e/double.rs`: records the callbacks about the
//! program and its plug-in, in order. It is loaded into the runtime and into the fake runtime.

use std::sync::{Mutex, PoisonError};

use corprof::{
    AssemblyId, ClassId, EventMask, FunctionId, HResult, ModuleId, Names, ObjectId, Profiler, ProfilerInfo,
    Result, export_profiler,
};

export_profiler!("{0B6E2A77-5B0C-4E0F-9A55-3C8E5D1F7A42}", [Order]);

/// The modules that count, by their files.
const MODULES: [&str; 2] = ["order.dll", "conformanceplugin.dll"];

/// The profiler.
pub struct Order {
    names: Names,
    seen: Mutex<Vec<Event>>,
}

/// A callback: its name, and its subject.
struct Event {
    what: &'static str,
    about: About,
}

enum About {
    /// Named when its module is known.
    Assembly(AssemblyId),
    /// Named when the name is known.
    Module(ModuleId),
    /// An assembly has this module.
    Attached(ModuleId, AssemblyId),
    /// A module has this name.
    Named(ModuleId, String),
    /// A class or function of a module.
    Within(ModuleId, String),
    /// A callback without an id belongs to the function before it.
    Nothing,
}

impl Order {
    fn see(&self, what: &'static str, about: About) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(Event { what, about });
    }

    fn class(&self, what: &'static str, class: ClassId) {
        // Arrays have no module.
        let Ok(info) = self.names.info().class_info(class) else { return };
        let name = self.names.class(class).map_or_else(|error| error.to_string(), |name| name.to_string());
        self.see(what, About::Within(info.module, name));
    }

    fn function(&self, what: &'static str, function: FunctionId) {
        let Ok(info) = self.names.info().function_info(function) else { return };
        let name =
            self.names.function(function).map_or_else(|error| error.to_string(), |name| name.to_string());
        self.see(what, About::Within(info.module, name));
    }

    /// The callbacks about the modules that count, a line for each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let name_of = |module: ModuleId| {
            seen.iter().find_map(|event| match &event.about {
                About::Named(named, name) if *named == module => Some(name.clone()),
                _ => None,
            })
        };
        let counts =
            |module: &ModuleId| name_of(*module).is_some_and(|name| MODULES.contains(&name.as_str()));
        let module_of = |assembly: AssemblyId| {
            seen.iter().find_map(|event| match event.about {
                About::Attached(module, of) if of == assembly => Some(module),
                _ => None,
            })
        };
        let (mut lines, mut last_counts) = (Vec::new(), false);
        for Event { what, about } in &*seen {
            let (module, rest) = match about {
                About::Assembly(assembly) => (module_of(*assembly), None),
                About::Module(module) | About::Attached(module, _) | About::Named(module, _) => {
                    (Some(*module), None)
                }
                About::Within(module, name) => (Some(*module), Some(name.clone())),
                About::Nothing => {
                    if last_counts {
                        lines.push((*what).to_owned());
                    }
                    continue;
                }
            };
            let module = module.filter(counts);
            last_counts = module.is_some();
            if let Some(module) = module {
                let rest = rest.or_else(|| name_of(module)).unwrap_or_default();
                lines.push(format!("{what} {rest}"));
            }
        }
        lines
    }
}

impl Profiler for Order {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(
            EventMask::MODULE_LOADS
                | EventMask::ASSEMBLY_LOADS
                | EventMask::CLASS_LOADS
                | EventMask::JIT_COMPILATION
                | EventMask::EXCEPTIONS
                | EventMask::DISABLE_INLINING,
        )?;
        Ok(Self { names: Names::new(info), seen: Mutex::default() })
    }

    fn assembly_load_started(&self, assembly: AssemblyId) {
        self.see("AssemblyLoadStarted", About::Assembly(assembly));
    }
    fn assembly_load_finished(&self, assembly: AssemblyId, _: Result<(), HResult>) {
        self.see("AssemblyLoadFinished", About::Assembly(assembly));
    }
    fn assembly_unload_started(&self, assembly: AssemblyId) {
        self.see("AssemblyUnloadStarted", About::Assembly(assembly));
    }
    fn assembly_unload_finished(&self, assembly: AssemblyId, _: Result<(), HResult>) {
        self.see("AssemblyUnloadFinished", About::Assembly(assembly));
    }
    fn module_load_started(&self, module: ModuleId) {
        self.see("ModuleLoadStarted", About::Module(module));
    }
    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        let name = self.names.info().module_info(module).map(|info| info.file_name().to_owned());
        self.see("ModuleLoadFinished", About::Named(module, name.unwrap_or_default()));
    }
    fn module_attached_to_assembly(&self, module: ModuleId, assembly: AssemblyId) {
        self.see("ModuleAttachedToAssembly", About::Attached(module, assembly));
    }
    fn module_unload_started(&self, module: ModuleId) {
        self.see("ModuleUnloadStarted", About::Module(module));
    }
    fn module_unload_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        self.see("ModuleUnloadFinished", About::Module(module));
    }
    fn class_unload_started(&self, class: ClassId) {
        self.class("ClassUnloadStarted", class);
    }
    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        self.function("JITCompilationStarted", function);
    }
    fn jit_compilation_finished(&self, function: FunctionId, _: Result<(), HResult>, _: bool) {
        self.function("JITCompilationFinished", function);
    }
    fn exception_search_function_enter(&self, function: FunctionId) {
        self.function("ExceptionSearchFunctionEnter", function);
    }
    fn exception_search_function_leave(&self) {
        self.see("ExceptionSearchFunctionLeave", About::Nothing);
    }
    fn exception_search_catcher_found(&self, function: FunctionId) {
        self.function("ExceptionSearchCatcherFound", function);
    }
    fn exception_unwind_function_enter(&self, function: FunctionId) {
        self.function("ExceptionUnwindFunctionEnter", function);
    }
    fn exception_unwind_function_leave(&self) {
        self.see("ExceptionUnwindFunctionLeave", About::Nothing);
    }
    fn exception_unwind_finally_enter(&self, function: FunctionId) {
        self.function("ExceptionUnwindFinallyEnter", function);
    }
    fn exception_unwind_finally_leave(&self) {
        self.see("ExceptionUnwindFinallyLeave", About::Nothing);
    }
    fn exception_catcher_enter(&self, function: FunctionId, _: Option<ObjectId<'_>>) {
        self.function("ExceptionCatcherEnter", function);
    }
    fn exception_catcher_leave(&self) {
        self.see("ExceptionCatcherLeave", About::Nothing);
    }

    fn shutdown(&self) {
        self.lines().iter().for_each(|line| println!("order: {line}"));
    }
}
