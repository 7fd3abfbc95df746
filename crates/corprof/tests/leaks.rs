//! Every reference that the runtime has given out is given back, every enumeration closed, every handle destroyed: when
//! all goes well, when it ends early, and when any method of the runtime fails. A leaked enumerator of threads was a bug of
//! another profiler (opentelemetry-dotnet-instrumentation#5044).
//!
//! The double counts. Its counts are its own, made by the COM calls that reach it.
//!
//! Contract of the unsafe code here: IL and registers that are passed are right for the methods and threads of the test.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "of what the test itself has set up")]

use std::sync::Mutex;

use corprof::token::{MethodDef, TypeDef};
use corprof::{
    EnterFrame, EventMask, FunctionControl, FunctionHooks, FunctionId, HResult, HandleKind, Hooks, ModuleId,
    ModuleMethod, Names, ObjectId, Profiler, ProfilerInfo, Result, StackWalk,
};
use corprof_double::{Collection, Method, Module, Runtime, Session, Type, Version};

/// Asks for one of everything that carries a reference.
struct Everything {
    info: ProfilerInfo,
    names: Names,
    modules: Mutex<Vec<ModuleId>>,
}

impl Profiler for Everything {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(
            EventMask::MODULE_LOADS
                | EventMask::CLASS_LOADS
                | EventMask::JIT_COMPILATION
                | EventMask::EXCEPTIONS
                | EventMask::ENABLE_STACK_SNAPSHOT
                | EventMask::ENABLE_REJIT
                | EventMask::BASIC_GC,
        )?;
        Ok(Self { info: info.clone(), names: Names::new(info), modules: Mutex::default() })
    }

    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        self.modules.lock().unwrap().push(module);
        let _ = self.read_metadata(module);
    }

    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        let _ = self.look_at(function);
    }

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        let _ = self.keep(exception);
    }

    fn rejit_parameters(&self, _: ModuleId, _: MethodDef, control: &FunctionControl<'_>) -> Result<()> {
        // SAFETY: a tiny header and `ret`.
        unsafe { control.set_il_function_body(&[0x06, 0x2A]) }
    }
}

impl Everything {
    /// Lists, on a thread of the profiler's own.
    fn lists(&self) -> Result<()> {
        assert!(!self.info.modules()?.is_empty());
        self.info.threads()?;
        self.info.jitted_functions()?;
        Ok(())
    }

    fn read_metadata(&self, module: ModuleId) -> Result<()> {
        let metadata = self.info.module_metadata(module)?;
        // More than one piece of the enumeration.
        for type_def in metadata.type_defs()? {
            metadata.type_def(type_def)?;
            metadata.methods(type_def)?;
            metadata.fields(type_def)?;
        }
        metadata.assembly()?;
        metadata.assembly_refs()?;
        Ok(())
    }

    fn look_at(&self, function: FunctionId) -> Result<()> {
        self.names.function(function)?;
        let found = self.info.function_info(function)?;
        let (metadata, method) = self.info.function_metadata(function)?;
        metadata.method(method)?;
        let method = found.token.unwrap_or(method);
        let body = self.info.il_function_body(found.module, method)?;
        // SAFETY: the body that the method has.
        unsafe { self.info.set_il_function_body(found.module, method, &body) }?;
        self.info.request_rejit(&[ModuleMethod { module: found.module, method }])
    }

    fn keep(&self, exception: ObjectId<'_>) -> Result<()> {
        self.info.walk_stack(StackWalk::default(), |frame| {
            let _ = frame.function.map(|function| self.info.function_instance(function, Some(frame.frame)));
        })?;
        let handle = self.info.create_handle(exception, HandleKind::Strong)?;
        handle.object(exception)?;
        Ok(())
    }

    /// What only a thread of the profiler's own may do.
    fn suspend(&self) -> Result<()> {
        let suspended = self.info.suspend_runtime()?;
        let refused = self.info.suspend_runtime();
        assert!(refused.is_err(), "it is suspended already");
        drop(suspended);
        self.info.own_thread()?.force_gc()
    }
}

/// What the test's program is made of.
struct Program<'r> {
    module: Module<'r>,
    method: Method<'r>,
    generic: Method<'r>,
    /// A method that is never unloaded: .NET Core 3.1 compiles no other one again.
    permanent: Method<'r>,
}

impl<'r> Program<'r> {
    fn new(runtime: &'r Runtime) -> Self {
        let module = runtime.module("App").collectible();
        for index in 0..40 {
            let _ = module.class(&format!("App.Filler{index}"));
        }
        let class = module.class("App.Worker");
        let method = class.method("Work").param("text", Type::String).define();
        let list = module.class("App.List`1").generic(&["T"]);
        let add = list.method("Add").param("item", Type::Var(0)).is_static().define();
        let generic = add.on(&list.of(&[Type::String]));
        let permanent = runtime.module("Lib").class("Lib.Permanent").method("Run").is_static().define();
        Self { module, method, generic, permanent }
    }

    fn run<P: Profiler>(&self, session: &Session<'r, P>) {
        session.load(self.module);
        let worker = session.object(&self.method_class(), &[]);
        let text = session.string("text");
        let exception = session.object(&session.runtime().exception(), &[]);
        let call = |session: &Session<'r, P>| {
            session.call_catching(
                &self.method,
                &[worker.into(), text.into()],
                || session.call(&self.generic, &[text.into()], || Err(session.throw(exception))),
                |_| Ok(().into()),
            )
        };
        let _ = call(session);
        // Once more, for what was asked to be compiled again.
        let _ = call(session);
        session.collect(&Collection::of(2));
    }

    fn method_class(&self) -> corprof_double::Class<'r> {
        self.method.class()
    }
}

fn run_everything(runtime: &Runtime) -> bool {
    let program = Program::new(runtime);
    let Ok(session) = runtime.start::<Everything>() else { return false };
    program.run(&session);
    session.load(program.permanent.class().module());
    for _ in 0..2 {
        // The second one is of what was asked to be compiled again.
        let _ = session.call(&program.permanent, &[], || Ok(().into()));
    }
    let lists = session.native_thread(|| session.profiler().lists());
    let suspended = session.native_thread(|| session.profiler().suspend());
    session.unload(program.module);
    session.shutdown();
    lists.is_ok() && suspended.is_ok()
}

#[test]
fn nothing_is_held_after_the_end() {
    for version in [Version::NET_CORE_3_1, Version::NET_9] {
        let runtime = Runtime::new(version);
        assert!(run_everything(&runtime));
        runtime.assert_released();
        assert_eq!(runtime.unscripted(), [""; 0]);
        // What is released was there; handles are newer than the first of the two.
        for method in [
            "ICorProfilerModuleEnum::Next",
            "ICorProfilerFunctionEnum::Next",
            "IMetaDataImport::CloseEnum",
            "IMetaDataAssemblyImport::CloseEnum",
            "IMethodMalloc::Alloc",
            "ICorProfilerFunctionControl::SetILFunctionBody",
            "ICorProfilerInfo13::DestroyHandle",
            "ICorProfilerInfo10::ResumeRuntime",
            "ICorProfilerInfo2::DoStackSnapshot",
        ] {
            let is_there = version.info() >= 13 || !method.starts_with("ICorProfilerInfo13");
            assert_eq!(runtime.calls_of(method) > 0, is_there, "{method}");
        }
    }
}

/// Each method that was called, one after the other, fails with each of these codes; nothing may be left behind.
#[test]
fn nothing_is_held_after_a_failure() {
    let usual = Runtime::new(Version::NET_9);
    assert!(run_everything(&usual));
    // What lets go of something cannot fail without leaving it behind.
    let lets_go = ["IMetaDataImport::CloseEnum", "IMetaDataAssemblyImport::CloseEnum"];
    let gives_back = ["ICorProfilerInfo13::DestroyHandle", "ICorProfilerInfo10::ResumeRuntime"];
    let methods: Vec<&str> = usual.called();
    assert!(methods.len() > 40, "{methods:?}");
    for method in methods {
        if lets_go.contains(&method) || gives_back.contains(&method) {
            continue;
        }
        for code in [HResult::E_FAIL, HResult::E_OUTOFMEMORY, HResult::INSUFFICIENT_BUFFER] {
            let runtime = Runtime::new(Version::NET_9);
            runtime.refuse(method, code);
            run_everything(&runtime);
            assert_eq!(runtime.held(), [""; 0], "{method} has failed with {code}");
            assert_eq!(runtime.misuse(), [""; 0], "{method} has failed with {code}");
        }
    }
}

/// Hooks are never released, since code may be running in them; the objects that they query are.
struct Hooked(Names);

impl Profiler for Hooked {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CALLS_WITH_VALUES | EventMask::MODULE_LOADS | EventMask::CLASS_LOADS)?;
        Ok(Self(Names::new(info)))
    }

    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }
}

impl FunctionHooks for Hooked {
    type Function = FunctionId;

    fn map_function(&self, function: FunctionId) -> Option<FunctionId> {
        Some(function)
    }

    fn enter(&self, function: &FunctionId, frame: &EnterFrame<'_>) {
        let exact =
            frame.arguments(|arguments| self.0.info().function_instance(*function, Some(arguments.frame())));
        let instance = exact.unwrap().unwrap();
        let method = self.0.method(*function).unwrap();
        self.0.instance(&method, instance.class, &instance.type_args).unwrap();
    }
}

#[test]
fn the_names_of_an_unloaded_module_are_let_go() {
    for version in [Version::NET_CORE_3_1, Version::NET_9] {
        let runtime = Runtime::new(version);
        let program = Program::new(&runtime);
        let session = runtime.start::<Hooked>().unwrap();
        program.run(&session);
        assert!(
            runtime.held().iter().any(|held| held.starts_with("IMetaDataImport2")),
            "{:?}",
            runtime.held()
        );
        session.unload(program.module);
        let core_library_and_info: Vec<String> = runtime.held();
        assert!(
            core_library_and_info.iter().filter(|held| held.starts_with("IMetaDataImport2")).count() <= 1,
            "{core_library_and_info:?}"
        );
        session.shutdown();
        assert_eq!(runtime.misuse(), [""; 0]);
    }
}

/// A profiler that is attached, asks to be detached, and leaves.
struct Passing {
    info: ProfilerInfo,
    client_data: Vec<u8>,
    types: Mutex<Vec<TypeDef>>,
}

impl Profiler for Passing {
    fn initialize(_: &ProfilerInfo) -> Result<Self> {
        Err(corprof::Error::other("it is attached"))
    }

    fn initialize_for_attach(info: &ProfilerInfo, client_data: &[u8]) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS | EventMask::BASIC_GC)?;
        let types = Mutex::default();
        Ok(Self { info: info.clone(), client_data: client_data.to_vec(), types })
    }

    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        let metadata = self.info.module_metadata(module).unwrap();
        *self.types.lock().unwrap() = metadata.type_defs().unwrap();
        self.info.request_detach(core::time::Duration::ZERO).unwrap();
    }
}

#[test]
fn a_profiler_that_is_detached_leaves_nothing() {
    let runtime = Runtime::new(Version::NET_9);
    let module = runtime.module("Late");
    let late = module.class("Late.Comer");
    let session = runtime.attach::<Passing>(b"hello").unwrap();
    assert_eq!(session.profiler().client_data, b"hello");
    assert!(!runtime.wants_detach());
    session.load(module);
    assert_eq!(*session.profiler().types.lock().unwrap(), [late.type_def()]);
    assert!(runtime.wants_detach());
    session.finish_detach();
    runtime.assert_released();
}
