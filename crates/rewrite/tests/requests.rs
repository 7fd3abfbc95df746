//! Requests for ReJIT over the fake runtime: which call of the runtime is made, and when none is.
#![allow(clippy::unwrap_used, reason = "a failure of the test's own set-up")]

use corprof::values::ReJitFlags;
use corprof::{CallSite, Error, EventMask, ModuleMethod, Profiler, ProfilerInfo, Result};
use corprof_double::{Method, Module, Runtime, Session, Version};
use corprof_rewrite::{RewriteError, Rewriter};

struct Tool(Rewriter);

impl Profiler for Tool {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS | EventMask::ENABLE_REJIT)?;
        Ok(Self(Rewriter::new(info)))
    }

    fn initialize_for_attach(info: &ProfilerInfo, _: &[u8]) -> Result<Self> {
        Self::initialize(info)
    }
}

fn program(runtime: &Runtime) -> (Module<'_>, Method<'_>) {
    let module = runtime.module("App");
    let method = module.class("App.C").method("M").is_static().define();
    (module, method)
}

fn selected(method: &Method<'_>) -> [ModuleMethod; 1] {
    [ModuleMethod { module: method.class().module().id(), method: method.token() }]
}

fn requests(session: &Session<'_, Tool>) -> [usize; 2] {
    ["ICorProfilerInfo4::RequestReJIT", "ICorProfilerInfo10::RequestReJITWithInliners"]
        .map(|call| session.runtime().calls_of(call))
}

/// Requests methods on a thread of the profiler's own.
fn request(
    session: &Session<'_, Tool>,
    methods: &[ModuleMethod],
) -> corprof_rewrite::Result<Vec<ModuleMethod>> {
    let rewriter = &session.profiler().0;
    session.native_thread(|| rewriter.request_rejit(&rewriter.info().own_thread()?, methods))
}

/// The runtime has no versions of methods that can be unloaded.
#[test]
fn methods_of_collectible_modules_are_not_recompiled() {
    let runtime = Runtime::new(Version::NET_9);
    let (module, method) = program(&runtime);
    let module = module.collectible();
    let session = runtime.start::<Tool>().unwrap();
    session.load(module);
    let refused = request(&session, &selected(&method));
    assert!(matches!(refused, Err(RewriteError::Collectible(id)) if id == module.id()), "{refused:?}");
    assert_eq!(requests(&session), [0, 0]);
}

/// Before .NET 9 the runtime crashes in some requests with inliners.
#[test]
fn methods_are_requested_without_the_runtimes_search_for_inliners_before_net_9() {
    for (version, expected) in
        [(Version::NET_CORE_3_1, [1, 0]), (Version::NET_8, [1, 0]), (Version::NET_9, [0, 1])]
    {
        let runtime = Runtime::new(version);
        let (module, method) = program(&runtime);
        let session = runtime.start::<Tool>().unwrap();
        session.load(module);
        request(&session, &selected(&method)).unwrap();
        assert_eq!(requests(&session), expected);
    }
}

/// The runtime keeps the IL of methods that are requested together and inlined into each other, unless they are requested again.
#[test]
fn several_methods_are_requested_with_inliners_and_again() {
    let runtime = Runtime::new(Version::NET_9);
    let (module, first) = program(&runtime);
    let second = runtime.module("Other").class("Other.C").method("M").is_static().define();
    let session = runtime.start::<Tool>().unwrap();
    session.load(module);
    session.load(second.class().module());
    let both: Vec<ModuleMethod> = [&first, &second].into_iter().flat_map(selected).collect();
    request(&session, &both).unwrap();
    assert_eq!(requests(&session), [1, 1]);
}

/// Datadog's rewriter requested ReJIT in `ModuleLoadFinished`, which deadlocked (dd-trace-dotnet#1203).
#[test]
fn requests_on_managed_threads_are_refused_1203() {
    let runtime = Runtime::new(Version::NET_10);
    let (module, _) = program(&runtime);
    let session = runtime.start::<Tool>().unwrap();
    session.load(module);
    // What a request takes cannot be had there.
    let refused = session.profiler().0.info().own_thread();
    assert!(matches!(refused, Err(Error::Misplaced { site: CallSite::Hook, .. })), "{refused:?}");
    assert_eq!(requests(&session), [0, 0]);
}

/// Since .NET 9 the runtime crashes if a method of the core library is inlined into a helper of the JIT, and an attached profiler is not
/// told whether it is.
#[test]
fn methods_of_the_core_library_are_requested_alone_by_an_attached_profiler() {
    for (version, is_alone) in [(Version::NET_8, false), (Version::NET_9, true), (Version::NET_10, true)] {
        let runtime = Runtime::new(version);
        let core = runtime.module("System.Private.CoreLib");
        let of_core = core.class("System.Environment").method("get_NewLine").is_static().define();
        let (module, method) = program(&runtime);
        let session = runtime.attach::<Tool>(&[]).unwrap();
        session.load(core);
        session.load(module);
        let both: Vec<ModuleMethod> = [&of_core, &method].into_iter().flat_map(selected).collect();
        let alone = request(&session, &both).unwrap();
        assert_eq!(alone, if is_alone { selected(&of_core).to_vec() } else { Vec::new() });
        assert_eq!(requests(&session), if is_alone { [1, 1] } else { [2, 0] });
        let info = session.profiler().0.info();
        let with_inliners =
            session.native_thread(|| info.request_rejit_with_inliners(ReJitFlags::BLOCK_INLINING, &both));
        assert_eq!(matches!(with_inliners, Err(Error::Unsafe { .. })), is_alone, "{with_inliners:?}");
    }
}
