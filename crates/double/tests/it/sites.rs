//! Calls from where they must not be made are refused, and misused nothing of the fake runtime, which has the rules too.

use std::sync::Mutex;

use corprof::values::{GcReason, Generations};
use corprof::{
    CallSite, EnterFrame, Error, EventMask, FunctionHooks, FunctionId, GcHandleId, HandleKind, Hooks,
    ObjectHandle, ObjectId, Profiler, ProfilerInfo, Result,
};
use corprof_double::{Collection, Runtime, Version};

/// A callback or hook, and where `own_thread`, `threads` and `suspend_runtime` were refused in it.
type Tried = (&'static str, [Option<CallSite>; 3]);

/// Keeps the exceptions that are thrown, and drops what it keeps in the next hook.
struct Keeper {
    info: ProfilerInfo,
    kept: Mutex<Vec<ObjectHandle>>,
    refused: Mutex<Vec<Tried>>,
}

fn site<T>(result: Result<T>) -> Option<CallSite> {
    match result {
        Err(Error::Misplaced { site, .. }) => Some(site),
        _ => None,
    }
}

impl Keeper {
    fn try_in(&self, place: &'static str) {
        let info = &self.info;
        let sites = [site(info.own_thread()), site(info.threads()), site(info.suspend_runtime())];
        self.refused.lock().unwrap().push((place, sites));
    }
}

impl Profiler for Keeper {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CALLS_WITH_VALUES | EventMask::GC | EventMask::EXCEPTIONS)?;
        Ok(Self { info: info.clone(), kept: Mutex::default(), refused: Mutex::default() })
    }

    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        self.kept.lock().unwrap().push(self.info.create_handle(exception, HandleKind::Strong).unwrap());
        self.try_in("exception_thrown");
    }

    fn exception_search_function_enter(&self, _: FunctionId) {
        self.try_in("exception_search_function_enter");
    }

    fn handle_destroyed(&self, _: GcHandleId) {
        self.try_in("handle_destroyed");
    }

    fn garbage_collection_started(&self, _: Generations<'_>, _: GcReason) {
        self.try_in("garbage_collection_started");
    }
}

impl FunctionHooks for Keeper {
    type Function = ();

    fn map_function(&self, _: FunctionId) -> Option<()> {
        Some(())
    }

    fn enter(&self, (): &(), _: &EnterFrame<'_>) {
        let kept = core::mem::take(&mut *self.kept.lock().unwrap());
        drop(kept);
        self.try_in("enter");
    }
}

#[test]
fn what_would_collect_or_wait_is_refused_wherever_it_comes_back_through() {
    // Before .NET 9 the library itself keeps no exception.
    let runtime = Runtime::new(Version::NET_8);
    let module = runtime.module("App");
    let method = module.class("App.Program").method("Run").is_static().define();
    let session = runtime.start::<Keeper>().unwrap();
    session.load(module);
    let refused = || core::mem::take(&mut *session.profiler().refused.lock().unwrap());
    let exception = session.object(&runtime.exception(), &[]);
    session.call(&method, &[], || Ok(().into())).unwrap();
    let hook = Some(CallSite::Hook);
    assert_eq!(refused(), [("enter", [hook; 3])]);
    let _ = session.call_catching(&method, &[], || Err(session.throw(exception)), |_| Ok(().into()));
    let objects = [Some(CallSite::WithObjects); 3];
    assert_eq!(
        refused(),
        [
            ("enter", [hook; 3]),
            ("exception_thrown", objects),
            // Only the profiler's own threads may force a collection or stop the program.
            ("exception_search_function_enter", [Some(CallSite::Callback), None, Some(CallSite::Callback)]),
        ]
    );
    // The handle is dropped in the hook. Its callback passes no object, and is still inside of the hook.
    session.call(&method, &[], || Ok(().into())).unwrap();
    assert_eq!(refused(), [("handle_destroyed", objects), ("enter", [hook; 3])]);
    session.collect(&Collection::of(0));
    let collection = Some(CallSite::Collection);
    assert_eq!(refused(), [("garbage_collection_started", [collection, None, collection])]);
    session.shutdown();
    assert_eq!(runtime.misuse(), [""; 0]);
}

#[test]
fn a_thread_suspends_once() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<Keeper>().unwrap();
    let info = &session.profiler().info;
    session.native_thread(|| {
        let own = info.own_thread().unwrap();
        let suspension = info.suspend_runtime().unwrap();
        let refused = info.suspend_runtime().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "ICorProfilerInfo10::SuspendRuntime is not called on a thread that has suspended the runtime: it would wait for \
             ever; drop the RuntimeSuspension first"
        );
        assert_eq!(site(own.force_gc()), Some(CallSite::Suspended));
        suspension.threads().unwrap();
        assert_eq!(site(info.own_thread()), Some(CallSite::Suspended));
        drop(suspension);
        info.own_thread().unwrap().force_gc().unwrap();
        drop(info.suspend_runtime().unwrap());
    });
    assert_eq!(runtime.calls_of("ICorProfilerInfo10::SuspendRuntime"), 2);
    session.shutdown();
    assert_eq!(runtime.misuse(), [""; 0]);
}

#[test]
#[should_panic(expected = "cannot be unloaded while a call of its method 0x06000001 is running")]
fn code_is_not_unloaded_under_its_call() {
    let runtime = Runtime::new(Version::NET_9);
    let module = runtime.module("App").collectible();
    let method = module.class("App.Program").method("Run").is_static().define();
    let session = runtime.start::<Keeper>().unwrap();
    session.load(module);
    let _ = session.call(&method, &[], || {
        session.unload(module);
        Ok(().into())
    });
}

#[test]
fn code_is_unloaded_after_its_calls() {
    let runtime = Runtime::new(Version::NET_9);
    let module = runtime.module("App").collectible();
    let method = module.class("App.Program").method("Run").is_static().define();
    let session = runtime.start::<Keeper>().unwrap();
    session.load(module);
    session.call(&method, &[], || Ok(().into())).unwrap();
    session.unload(module);
    session.shutdown();
}
