//! Loading and unloading: the callbacks and their order, which the event mask decides on.

use corprof::{
    AppDomainId, AssemblyId, ClassId, Error, EventMask, FunctionId, HResult, ModuleId, ModuleMethod, Names,
    Profiler, ProfilerInfo, Result, ThreadId,
};
use corprof_double::{Runtime, Type, Version};

use crate::Log;

struct Loads {
    names: Names,
    log: Log,
}

impl Loads {
    fn module(&self, module: ModuleId) -> String {
        self.names.info().module_info(module).map_or_else(
            |error| error.to_string(),
            |info| format!("{}{}", info.file_name(), if info.assembly.is_some() { ", attached" } else { "" }),
        )
    }
}

impl Profiler for Loads {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(
            EventMask::MODULE_LOADS
                | EventMask::ASSEMBLY_LOADS
                | EventMask::APP_DOMAIN_LOADS
                | EventMask::CLASS_LOADS
                | EventMask::THREADS
                | EventMask::JIT_COMPILATION,
        )?;
        Ok(Self { names: Names::new(info), log: Log::default() })
    }

    fn app_domain_creation_finished(&self, domain: AppDomainId, _: Result<(), HResult>) {
        let info = self.names.info().app_domain_info(domain).unwrap();
        self.log.line(format!("domain {}", info.name));
    }
    fn assembly_load_started(&self, _: AssemblyId) {
        self.log.line("assembly begins");
    }
    fn module_load_started(&self, _: ModuleId) {
        self.log.line("module begins");
    }
    fn module_load_finished(&self, module: ModuleId, status: Result<(), HResult>) {
        self.log.line(match status {
            Ok(()) => format!("module {}", self.module(module)),
            Err(code) => format!("no module, {code}"),
        });
    }
    fn module_attached_to_assembly(&self, module: ModuleId, assembly: AssemblyId) {
        assert_eq!(self.names.info().assembly_info(assembly).unwrap().module, Some(module));
        self.log.line(format!("module {}", self.module(module)));
    }
    fn assembly_load_finished(&self, assembly: AssemblyId, _: Result<(), HResult>) {
        self.log.line(format!("assembly {}", self.names.info().assembly_info(assembly).unwrap().name));
    }
    fn assembly_unload_started(&self, _: AssemblyId) {
        self.log.line("assembly goes");
    }
    fn module_unload_started(&self, module: ModuleId) {
        self.log.line(format!("module {} goes", self.module(module)));
    }
    fn module_unload_finished(&self, _: ModuleId, _: Result<(), HResult>) {
        self.log.line("module has gone");
    }
    fn assembly_unload_finished(&self, _: AssemblyId, _: Result<(), HResult>) {
        self.log.line("assembly has gone");
    }
    fn class_load_finished(&self, class: ClassId, _: Result<(), HResult>) {
        self.log.line(format!("class {}", self.names.class(class).unwrap()));
    }
    fn class_unload_started(&self, _: ClassId) {
        self.log.line("class goes");
    }
    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        self.log.line(format!("compiles {}", self.names.function(function).unwrap()));
    }
    fn thread_created(&self, thread: ThreadId) {
        let os_thread = self.names.info().os_thread_id(thread).unwrap();
        self.log.line(format!("thread {os_thread}"));
    }
    fn thread_name_changed(&self, _: ThreadId, name: &widestring::U16Str) {
        self.log.line(format!("thread is {}", name.to_string_lossy()));
    }
    fn thread_destroyed(&self, thread: ThreadId) {
        assert_eq!(self.names.info().current_thread().unwrap(), Some(thread));
        self.log.line("thread ends");
    }
}

#[test]
fn what_is_loaded_is_told_in_order() {
    for version in [Version::NET_CORE_3_1, Version::NET_9] {
        let runtime = Runtime::new(version);
        let app = runtime.module("App").collectible();
        let base = app.class("App.Base`1").generic(&["T"]);
        let class = app.class_extending("App.Derived", base.of(&[Type::I4]));
        let run = class.method("Run").is_static().define();

        let session = runtime.start::<Loads>().unwrap();
        let log = &session.profiler().log;
        let core = "System.Private.CoreLib";
        let expected = [
            "thread 1000".to_owned(),
            "assembly begins".to_owned(),
            "module begins".to_owned(),
            format!("module {core}.dll"),
            format!("module {core}.dll, attached"),
            format!("assembly {core}"),
            "domain clrhost".to_owned(),
        ];
        assert_eq!(log.take(), expected);

        session.load(app);
        assert_eq!(log.take().last().unwrap(), "assembly App");
        session.compile(&run);
        let compiled = ["class object", "class System.ValueType", "class int", "class App.Base<int>"];
        let compiled = compiled.into_iter().chain(["class App.Derived", "compiles App.Derived.Run"]);
        assert_eq!(log.take(), compiled.collect::<Vec<_>>());
        session.compile(&run);
        assert_eq!(log.take(), [""; 0], "once is enough");

        session.thread("worker", || ());
        assert_eq!(log.take(), ["thread 1001", "thread is worker", "thread ends"]);

        session.unload(app);
        let mut gone = log.take();
        // .NET Core 3.1 tells only that the assembly has gone.
        if version == Version::NET_9 {
            assert_eq!(gone.remove(0), "assembly goes");
        }
        let in_order = [
            "module App.dll, attached goes",
            "class goes",
            "class goes",
            "module has gone",
            "assembly has gone",
        ];
        assert_eq!(gone, in_order);
        session.load_failing(runtime.module("Broken"), HResult::E_OUTOFMEMORY);
        let failed = log.take();
        assert!(failed[1].contains("E_OUTOFMEMORY"), "{failed:?}");

        session.shutdown();
        runtime.assert_released();
        assert_eq!(runtime.unscripted(), [""; 0]);
    }
}

/// Lists what is loaded while it is unloaded.
struct Lists(ProfilerInfo);

impl Profiler for Lists {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS | EventMask::CLASS_LOADS)?;
        Ok(Self(info.clone()))
    }
    fn class_unload_started(&self, _: ClassId) {
        // The runtime still has it in its lists.
        assert_eq!(self.0.modules().unwrap().len(), 2);
        // What is read about a function is freed before its code.
        assert_eq!(self.0.jitted_functions().unwrap().len(), 0);
    }
}

#[test]
fn what_is_listed_while_it_is_unloaded_stays_refused() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App").collectible();
    let run = app.class("App.Program").method("Run").is_static().define();
    let session = runtime.start::<Lists>().unwrap();
    session.load(app);
    session.compile(&run);
    let info = &session.profiler().0;
    // On a thread that is in no callback.
    let jitted = std::thread::scope(|threads| threads.spawn(|| info.jitted_functions()).join().unwrap());
    let function = jitted.unwrap()[0].function;
    let module = info.function_info(function).unwrap().module;
    session.unload(app);
    assert!(matches!(info.function_info(function), Err(Error::Unloaded { .. })));
    assert!(matches!(info.module_info(module), Err(Error::Unloaded { .. })));
    session.shutdown();
    runtime.assert_released();
}

struct Quiet(ProfilerInfo);

impl Profiler for Quiet {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        Ok(Self(info.clone()))
    }
}

/// .NET Core 3.1 reads the assembly of each function of the list, and frees assemblies first.
#[test]
fn compiled_functions_are_not_listed_where_their_assemblies_may_be_freed() {
    for (version, is_refused) in [(Version::NET_CORE_3_1, true), (Version::NET_8, false)] {
        let runtime = Runtime::new(version);
        let app = runtime.module("App").collectible();
        let run = app.class("App.Program").method("Run").is_static().define();
        let session = runtime.start::<Quiet>().unwrap();
        session.load(app);
        session.compile(&run);
        let info = &session.profiler().0;
        let list = || std::thread::scope(|threads| threads.spawn(|| info.jitted_functions()).join().unwrap());
        assert_eq!(list().unwrap().len(), 1);
        session.unload(app);
        let after = list();
        assert_eq!(matches!(after, Err(Error::Unsafe { .. })), is_refused, "{after:?}");
        session.shutdown();
        runtime.assert_released();
    }
}

/// .NET Core 3.1 does not return from calls of such methods.
#[test]
fn what_can_be_unloaded_is_not_compiled_again_where_it_has_no_versions() {
    for (version, is_refused) in [(Version::NET_CORE_3_1, true), (Version::NET_8, false)] {
        let runtime = Runtime::new(version);
        let [plugin, app] = ["Plugin", "App"].map(|name| runtime.module(name));
        let plugin = plugin.collectible();
        let methods = [plugin, app].map(|module| module.class("Program").method("Run").is_static().define());
        let session = runtime.start::<Quiet>().unwrap();
        session.load(plugin);
        session.load(app);
        methods.iter().for_each(|method| session.compile(method));
        let info = &session.profiler().0;
        let may_be_requested = |module: &str| {
            let functions = info.jitted_functions().unwrap();
            let found = functions.into_iter().map(|version| info.function_info(version.function).unwrap());
            let is_it = |info: &corprof::ModuleInfo| info.file_name().starts_with(module);
            let function = found.into_iter().find(|found| is_it(&info.module_info(found.module).unwrap()));
            let function = function.unwrap();
            let method = ModuleMethod { module: function.module, method: function.token.unwrap() };
            info.may_request_rejit(method).unwrap()
        };
        let answers = std::thread::scope(|threads| {
            threads.spawn(|| ["Plugin", "App"].map(may_be_requested)).join().unwrap()
        });
        assert_eq!(answers, [!is_refused, true]);
        session.shutdown();
    }
}

struct Deaf;

impl Profiler for Deaf {
    fn initialize(_: &ProfilerInfo) -> Result<Self> {
        Ok(Self)
    }
    fn module_load_started(&self, _: ModuleId) {
        unreachable!("nobody has asked for it");
    }
    fn class_load_started(&self, _: ClassId) {
        unreachable!("nobody has asked for it");
    }
}

#[test]
fn what_was_not_asked_for_is_not_told() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Deaf>().unwrap();
    let _ = session.string("text");
    assert_eq!(session.failures(), []);
    session.shutdown();
    runtime.assert_released();
}
