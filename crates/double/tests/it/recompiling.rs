//! IL that is replaced, before the first compilation and later.
//!
//! Contract of the unsafe code here: IL and registers that are passed are right for the methods and threads of the test.
#![allow(unsafe_code)]

use corprof::token::MethodDef;
use corprof::values::ReJitFlags;
use corprof::{
    EventMask, FunctionControl, FunctionId, HResult, ModuleId, ModuleMethod, Profiler, ProfilerInfo, ReJitId,
    Result,
};
use corprof_double::{Recompiled, Runtime, Version};

use crate::Log;

/// `nop` and `ret`, after a tiny header.
const NEW: [u8; 3] = [0x0A, 0x00, 0x2A];

struct Rewriter {
    info: ProfilerInfo,
    log: Log,
}

impl Profiler for Rewriter {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::JIT_COMPILATION | EventMask::MODULE_LOADS | EventMask::ENABLE_REJIT)?;
        Ok(Self { info: info.clone(), log: Log::default() })
    }
    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        let found = self.info.function_info(function).unwrap();
        let old = self.info.il_function_body(found.module, found.token.unwrap()).unwrap();
        assert_eq!(old, [0x06, 0x2A]);
        // SAFETY: a whole body, which uses nothing.
        unsafe { self.info.set_il_function_body(found.module, found.token.unwrap(), &NEW) }.unwrap();
    }
    fn rejit_parameters(&self, _: ModuleId, _: MethodDef, control: &FunctionControl<'_>) -> Result<()> {
        self.log.line("parameters");
        // SAFETY: as above.
        unsafe { control.set_il_function_body(&NEW[..]) }
    }
    fn rejit_compilation_started(&self, _: FunctionId, rejit: Option<ReJitId>, _: bool) {
        self.log.line(format!("again {}", rejit.unwrap().as_raw()));
    }
    fn rejit_compilation_finished(
        &self,
        _: FunctionId,
        _: Option<ReJitId>,
        status: Result<(), HResult>,
        _: bool,
    ) {
        assert_eq!(status, Ok(()));
    }
}

#[test]
fn il_is_replaced_and_goes_back() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let method = app.class("App.C").method("M").is_static().define();
    let session = runtime.start::<Rewriter>().unwrap();
    session.load(app);
    let call = || session.call(&method, &[], || Ok(().into())).unwrap();
    call();
    assert_eq!(runtime.il(&method), NEW);
    assert_eq!(runtime.recompiled(&method), None);

    let info = &session.profiler().info;
    let this = [ModuleMethod { module: app.id(), method: method.token() }];
    session.native_thread(|| info.request_rejit(&this)).unwrap();
    assert_eq!(runtime.recompiled(&method), None, "with the next call");
    call();
    assert_eq!(session.profiler().log.take(), ["parameters", "again 1"]);
    assert_eq!(runtime.recompiled(&method), Some(Recompiled { il: Some(NEW.to_vec()), flags: 0 }));

    assert_eq!(session.native_thread(|| info.request_revert(&this)).unwrap(), [Ok(())]);
    assert_eq!(runtime.recompiled(&method), None);
    session.shutdown();
    runtime.assert_released();
}

/// Before .NET 9 the runtime's own search for inliners crashes (dotnet/runtime#69634, #95653).
#[test]
fn inliners_are_requested_without_the_call_that_crashes() {
    let flags = ReJitFlags::BLOCK_INLINING;
    for (version, expected) in
        [(Version::NET_CORE_3_1, [1, 0]), (Version::NET_8, [1, 0]), (Version::NET_9, [0, 1])]
    {
        let runtime = Runtime::new(version);
        let app = runtime.module("App");
        let method = app.class("App.C").method("M").is_static().define();
        let session = runtime.start::<Rewriter>().unwrap();
        session.load(app);
        let info = &session.profiler().info;
        let this = [ModuleMethod { module: app.id(), method: method.token() }];
        session.native_thread(|| info.request_rejit_with_inliners(flags, &this)).unwrap();
        let calls = ["ICorProfilerInfo4::RequestReJIT", "ICorProfilerInfo10::RequestReJITWithInliners"];
        assert_eq!(calls.map(|call| runtime.calls_of(call)), expected);
    }
}

/// Only requests ReJIT: the crate adds the callbacks that it needs.
struct Requests(ProfilerInfo);

impl Profiler for Requests {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS | EventMask::ENABLE_REJIT)?;
        assert_eq!(info.event_mask()?, EventMask::MODULE_LOADS | EventMask::ENABLE_REJIT);
        Ok(Self(info.clone()))
    }
    fn jit_compilation_started(&self, _: FunctionId, _: bool) {
        panic!("the profiler has not set the flag of this callback");
    }
    fn jit_inlining(&self, _: FunctionId, _: FunctionId) -> bool {
        panic!("the profiler has not set the flag of this callback");
    }
}

/// Before .NET 9 the runtime crashes when it has inlined such a method (dotnet/runtime#95653).
#[test]
fn requested_methods_are_not_inlined_before_net_9() {
    for (version, is_inlined) in
        [(Version::NET_CORE_3_1, false), (Version::NET_8, false), (Version::NET_9, true)]
    {
        let runtime = Runtime::new(version);
        let app = runtime.module("App");
        let [caller, callee, other] = ["Caller", "Callee", "Other"]
            .map(|name| app.class(&format!("App.{name}")).method("M").is_static().define());
        let session = runtime.start::<Requests>().unwrap();
        session.load(app);
        session.compile(&caller);
        assert!(session.inlining(&caller, &callee) && session.inlining(&caller, &other));
        let this = [ModuleMethod { module: app.id(), method: callee.token() }];
        session.native_thread(|| session.profiler().0.request_rejit(&this)).unwrap();
        assert_eq!(session.inlining(&caller, &callee), is_inlined);
        assert!(session.inlining(&caller, &other));
        session.shutdown();
        runtime.assert_released();
    }
}
