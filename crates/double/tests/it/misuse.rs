//! What a profiler must not do, and what it asks that the double does not know.

#![allow(unsafe_code, reason = "the misuse of ids needs ids that are wrong")]

use core::panic::AssertUnwindSafe;
use std::sync::Mutex;

use corprof::values::{GcReason, GcRoots, Generations, MovedRanges, SurvivingRanges, SuspendReason};
use corprof::{
    AssemblyId, ClassId, Error, EventMask, FunctionId, HResult, Metadata, ModuleId, Profiler, ProfilerInfo,
    Result, ThreadId,
};
use corprof_double::{Collection, Runtime, Version};
use widestring::U16Str;

struct Careless {
    info: ProfilerInfo,
    kept: Mutex<Option<Metadata>>,
}

impl Profiler for Careless {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CLASS_LOADS)?;
        Ok(Self { info: info.clone(), kept: Mutex::default() })
    }
    fn class_load_started(&self, _: ClassId) {
        panic!("a mistake");
    }
}

#[test]
fn what_has_gone_is_not_to_be_asked_about() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App").collectible();
    let method = app.class("App.C").method("M").is_static().define();
    let session = runtime.start::<Careless>().unwrap();
    session.load(app);
    let info = &session.profiler().info;
    let function: FunctionId = method.id();
    info.function_info(function).unwrap();
    session.unload(app);
    // The library sees the unload, whatever the profiler's event mask.
    let refused = info.function_info(function).unwrap_err();
    assert!(matches!(refused, Error::Unloaded { .. }), "{refused}");
    // SAFETY: the test runtime checks its ids.
    let unknown = unsafe { ModuleId::from_raw(4) }.unwrap();
    let _ = info.module_info(unknown);
    let misuse = runtime.misuse();
    assert!(misuse[0].contains("0x4 was asked about, which is no module"), "{misuse:?}");
}

struct Early(ProfilerInfo);

impl Profiler for Early {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS | EventMask::ASSEMBLY_LOADS)?;
        Ok(Self(info.clone()))
    }
    fn module_load_started(&self, module: ModuleId) {
        for refused in [self.0.module_info(module).map(drop), self.0.module_metadata(module).map(drop)] {
            let refused = refused.unwrap_err();
            assert!(matches!(refused, Error::Loading { .. }), "{refused}");
        }
    }
    fn assembly_load_started(&self, assembly: AssemblyId) {
        let refused = self.0.assembly_info(assembly).unwrap_err();
        assert!(matches!(refused, Error::Loading { .. }), "{refused}");
    }
    fn module_load_finished(&self, module: ModuleId, _: Result<(), HResult>) {
        self.0.module_metadata(module).unwrap();
    }
    fn module_attached_to_assembly(&self, _: ModuleId, assembly: AssemblyId) {
        self.0.assembly_info(assembly).unwrap();
    }
}

/// The runtime does not get calls about what it is loading, some of which would crash.
#[test]
fn what_is_not_there_yet_is_not_asked_about() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Early>().unwrap();
    assert_eq!(session.failures(), []);
    session.shutdown();
    assert_eq!(runtime.misuse(), [""; 0]);
}

#[test]
fn what_is_held_fails_the_check() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Careless>().unwrap();
    let info = &session.profiler().info;
    let module = session.native_thread(|| info.modules()).unwrap()[0];
    *session.profiler().kept.lock().unwrap() = Some(info.module_metadata(module).unwrap());
    let check = || std::panic::catch_unwind(AssertUnwindSafe(|| runtime.assert_released()));
    let message = check().unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("IMetaDataImport2, 1 references"), "{message}");
    session.shutdown();
    runtime.assert_released();
}

#[test]
fn a_panic_fails_the_check() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Careless>().unwrap();
    let _ = session.string("its class is loaded");
    assert_eq!(session.failures()[0], ("ClassLoadStarted", HResult::E_FAIL));
    session.shutdown();
    assert_eq!(runtime.misuse(), ["the profiler has panicked"]);
}

/// Fails in every callback with more than numbers.
struct Clumsy;

impl Profiler for Clumsy {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::GC | EventMask::SUSPENDS | EventMask::THREADS)?;
        Ok(Self)
    }
    fn thread_name_changed(&self, _: corprof::ThreadId, _: &U16Str) {
        panic!("a mistake");
    }
    fn runtime_suspend_started(&self, _: SuspendReason) {
        panic!("a mistake");
    }
    fn garbage_collection_started(&self, _: Generations<'_>, _: GcReason) {
        panic!("a mistake");
    }
    fn moved_references(&self, _: MovedRanges<'_>) {
        panic!("a mistake");
    }
    fn surviving_references(&self, _: SurvivingRanges<'_>) {
        panic!("a mistake");
    }
    fn root_references(&self, _: GcRoots<'_>) {
        panic!("a mistake");
    }
}

#[test]
fn every_callback_that_fails_is_noted() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Clumsy>().unwrap();
    let [moves, stays] = ["moves", "stays"].map(|text| session.string(text));
    session.collect(&Collection::of(0).moving(moves).with_root(stays));
    session.thread("worker", || {});
    let failed = session.failures().into_iter().map(|(callback, code)| {
        assert_eq!(code, HResult::E_FAIL, "{callback}");
        callback
    });
    assert_eq!(
        failed.collect::<Vec<_>>(),
        [
            "RuntimeSuspendStarted",
            "GarbageCollectionStarted",
            "MovedReferences2",
            "SurvivingReferences2",
            "RootReferences2",
            "ThreadNameChanged",
        ]
    );
    session.shutdown();
}

#[test]
fn what_is_not_known_is_not_implemented_and_noted() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Careless>().unwrap();
    let info = &session.profiler().info;
    let refused = info.non_gc_heap_bounds().unwrap_err();
    assert!(matches!(refused, Error::Call { hresult: HResult::E_NOTIMPL, .. }), "{refused}");
    assert_eq!(runtime.unscripted(), ["ICorProfilerInfo14::GetNonGCHeapBounds"]);

    runtime.refuse("ICorProfilerInfo5::GetEventMask2", HResult::E_OUTOFMEMORY);
    assert!(info.event_mask().is_err());
    runtime.allow("ICorProfilerInfo5::GetEventMask2");
    assert_eq!(info.event_mask().unwrap(), EventMask::CLASS_LOADS);
    assert_eq!(runtime.calls_of("ICorProfilerInfo5::GetEventMask2"), 2);
    assert_eq!(info.runtime_info().unwrap().version_string, "v9.0.1");

    runtime.set_environment("NAME", "value");
    assert_eq!(info.environment_variable("NAME").unwrap().as_deref(), Some("value"));
    info.set_environment_variable("NAME", None).unwrap();
    assert_eq!(runtime.environment("NAME"), None);
    session.shutdown();
}

#[test]
fn an_older_runtime_has_less() {
    let runtime = Runtime::new(Version::NET_CORE_3_1);
    let session = runtime.start::<Careless>().unwrap();
    let error = session.profiler().info.non_gc_heap_bounds().unwrap_err();
    assert!(matches!(error, Error::RuntimeTooOld { needed: 14, present: 11, .. }), "{error}");
    assert_eq!(runtime.unscripted(), [""; 0], "it was not asked");
    session.shutdown();
    runtime.assert_released();
}

struct Threads {
    info: ProfilerInfo,
    created: Mutex<Vec<ThreadId>>,
}

impl Profiler for Threads {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::THREADS)?;
        Ok(Self { info: info.clone(), created: Mutex::default() })
    }
    fn thread_created(&self, thread: ThreadId) {
        self.created.lock().unwrap().push(thread);
    }
}

#[test]
fn destroyed_threads_are_refused() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Threads>().unwrap();
    let Threads { info, created } = session.profiler();
    let last = || *created.lock().unwrap().last().unwrap();
    let thread = session.thread("worker", || {
        info.os_thread_id(last()).unwrap();
        last()
    });
    let refused = info.os_thread_id(thread).unwrap_err();
    assert!(matches!(refused, Error::Unloaded { .. }), "{refused}");
    assert_eq!(runtime.misuse(), [""; 0]);
}
