//! Profilers that are loaded together: each gets the callbacks of its own mask, and one that fails stops no other.
//!
//! Contract of the unsafe code here: IL that is passed is right for the methods of the test.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::Once;

use corprof::token::MethodDef;
use corprof::{
    ClassId, EnterFrame, Error, EventMask, FunctionControl, FunctionHooks, FunctionId, HResult, Hooks,
    LeaveFrame, ModuleId, ModuleMethod, ObjectId, Profiler, ProfilerInfo, ReJitId, Result,
};
use corprof_double::{Collection, Recompiled, Runtime, Value, Version};
use tracing::field::{Field, Visit};

use crate::Log;

/// The messages of all tests of this binary; those of a test are found by the names of its types.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Messages;

impl tracing::Subscriber for Messages {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Message(String);
        impl Visit for Message {
            fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
                if field.name() == "message" {
                    self.0 = format!("{value:?}");
                }
            }
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        MESSAGES.lock().unwrap().push(message.0);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing::subscriber::set_global_default(Messages).unwrap());
}

/// The one message that has all of these words.
#[track_caller]
pub(crate) fn message(words: &[&str]) -> String {
    let messages = MESSAGES.lock().unwrap();
    let mut found = messages.iter().filter(|message| words.iter().all(|word| message.contains(word)));
    let first = found.next().unwrap_or_else(|| panic!("no message with {words:?} in {messages:#?}"));
    assert_eq!(found.next(), None);
    first.clone()
}

struct Modules(Log);

impl Profiler for Modules {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS)?;
        assert_eq!(info.event_mask()?, EventMask::MODULE_LOADS);
        Ok(Self(Log::default()))
    }
    fn module_load_finished(&self, _: ModuleId, status: Result<(), HResult>) {
        self.0.line(format!("module {status:?}"));
    }
    fn class_load_finished(&self, _: ClassId, _: Result<(), HResult>) {
        self.0.line("class: its flag is not in the mask of this profiler");
    }
    fn shutdown(&self) {
        self.0.line("shutdown");
    }
}

struct Classes(Log);

impl Profiler for Classes {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CLASS_LOADS)?;
        assert_eq!(info.event_mask()?, EventMask::CLASS_LOADS);
        Ok(Self(Log::default()))
    }
    fn module_load_finished(&self, _: ModuleId, _: Result<(), HResult>) {
        self.0.line("module: its flag is not in the mask of this profiler");
    }
    fn class_load_finished(&self, _: ClassId, _: Result<(), HResult>) {
        self.0.line("class");
    }
    fn shutdown(&self) {
        self.0.line("shutdown");
    }
}

struct Calls(Log);

impl Profiler for Calls {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CALLS_WITH_VALUES)?;
        Ok(Self(Log::default()))
    }
    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }
}

impl FunctionHooks for Calls {
    type Function = ();
    fn map_function(&self, _: FunctionId) -> Option<()> {
        Some(())
    }
    fn enter(&self, (): &(), _: &EnterFrame<'_>) {
        self.0.line("enter");
    }
    fn leave(&self, (): &(), _: &LeaveFrame<'_>) {
        self.0.line("leave");
    }
}

#[test]
fn each_profiler_gets_the_callbacks_of_its_own_mask() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let method = app.class("App.C").method("M").is_static().define();
    let session = runtime.start::<(Modules, Classes, Calls)>().unwrap();
    assert!(
        runtime
            .event_mask()
            .contains(EventMask::MODULE_LOADS | EventMask::CLASS_LOADS | EventMask::ENTER_LEAVE)
    );
    let modules = session.part::<Modules>().unwrap();
    let classes = session.part::<Classes>().unwrap();
    let calls = session.part::<Calls>().unwrap();
    let _ = [&modules.0, &classes.0, &calls.0].map(Log::take);
    session.load(app);
    assert_eq!((modules.0.take(), classes.0.take()), (vec!["module Ok(())".to_owned()], vec![]));
    assert_eq!(session.call(&method, &[], || Ok(Value::Unit)), Ok(Value::Unit));
    // Those of `object` and of `App.C`.
    assert_eq!((modules.0.take(), classes.0.take()), (vec![], vec!["class".to_owned(); 2]));
    assert_eq!(calls.0.take(), ["enter", "leave"]);
    session.shutdown_while_running();
    assert_eq!([&modules.0, &classes.0].map(Log::take), [["shutdown"], ["shutdown"]]);
    assert_eq!(runtime.misuse(), [""; 0]);
}

#[test]
fn profilers_that_run_together_are_released() {
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<(Modules, Classes)>().unwrap();
    session.load(runtime.module("App"));
    session.shutdown();
    runtime.assert_released();
}

/// A flag that one removes stays set for another.
struct Leaves(ProfilerInfo, Log);

impl Profiler for Leaves {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CLASS_LOADS)?;
        Ok(Self(info.clone(), Log::default()))
    }
    fn class_load_finished(&self, _: ClassId, _: Result<(), HResult>) {
        self.1.line("class");
        self.0.set_event_mask(EventMask::empty()).unwrap();
    }
}

#[test]
fn a_mask_that_ends_ends_for_its_profiler_alone() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let [first, second] = ["C", "D"].map(|name| app.class(name).method("M").is_static().define());
    let session = runtime.start::<(Leaves, Classes)>().unwrap();
    let (leaves, classes) = (session.part::<Leaves>().unwrap(), session.part::<Classes>().unwrap());
    session.load(app);
    session.compile(&first);
    session.compile(&second);
    // `object`; then `App.C` and `App.D`.
    assert_eq!(leaves.1.take(), ["class"]);
    assert_eq!(classes.0.take(), ["class"; 3]);
    assert!(runtime.event_mask().contains(EventMask::CLASS_LOADS));
    session.shutdown();
    runtime.assert_released();
}

struct Refuses;

impl Profiler for Refuses {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::SUSPENDS)?;
        Err(Error::other("the test refuses"))
    }
}

struct PanicsAtOnce;

impl Profiler for PanicsAtOnce {
    fn initialize(_: &ProfilerInfo) -> Result<Self> {
        panic!("the test panics");
    }
}

#[test]
fn profilers_that_do_not_start_are_named_and_the_others_run() {
    listen();
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<(Refuses, PanicsAtOnce, Modules)>().unwrap();
    assert!(session.part::<Refuses>().is_none() && session.part::<PanicsAtOnce>().is_none());
    assert!(!runtime.event_mask().contains(EventMask::SUSPENDS));
    let modules = session.part::<Modules>().unwrap();
    modules.0.take();
    session.load(runtime.module("App"));
    assert_eq!(modules.0.take(), ["module Ok(())"]);
    assert!(message(&["Refuses"]).contains("composed::Refuses does not run: the test refuses"));
    message(&["composed::PanicsAtOnce panicked in Initialize"]);
    message(&["composed::PanicsAtOnce does not run"]);
    session.shutdown();
    runtime.assert_released();
}

#[test]
fn without_a_profiler_that_starts_the_start_fails() {
    let runtime = Runtime::new(Version::NET_9);
    assert!(matches!(runtime.start::<(Refuses, Refuses)>(), Err(HResult::E_FAIL)));
}

struct PanicsInCallbacks;

impl Profiler for PanicsInCallbacks {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::MODULE_LOADS)?;
        Ok(Self)
    }
    fn module_load_finished(&self, _: ModuleId, _: Result<(), HResult>) {
        panic!("in a callback");
    }
}

#[test]
fn a_panic_reaches_no_other_profiler() {
    listen();
    let runtime = Runtime::new(Version::NET_9);
    let session = runtime.start::<(PanicsInCallbacks, Modules)>().unwrap();
    let modules = session.part::<Modules>().unwrap();
    modules.0.take();
    session.load(runtime.module("App"));
    assert_eq!(modules.0.take(), ["module Ok(())"]);
    message(&["composed::PanicsInCallbacks panicked in ModuleLoadFinished: in a callback"]);
    session.shutdown();
    assert_eq!(runtime.misuse(), ["the profiler has panicked"]);
}

/// Hooks of another profiler.
struct MoreCalls;

impl Profiler for MoreCalls {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CALLS_WITH_VALUES)?;
        Ok(Self)
    }
    fn hooks(&self) -> Hooks<Self> {
        Hooks::fast()
    }
}

impl FunctionHooks for MoreCalls {
    type Function = ();
    fn map_function(&self, _: FunctionId) -> Option<()> {
        Some(())
    }
}

#[test]
fn two_owners_of_hooks_do_not_start_and_are_named() {
    listen();
    let runtime = Runtime::new(Version::NET_9);
    assert!(runtime.start::<(Modules, Calls, MoreCalls)>().is_err());
    let message = message(&["MoreCalls"]);
    assert!(message.contains("composed::Calls and ") && message.contains("has hooks"), "{message}");
    assert_eq!(runtime.calls_of("ICorProfilerInfo3::SetFunctionIDMapper2"), 0);
    runtime.assert_released();
}

/// Replaces the IL of each method, on request.
struct Rewrites(ProfilerInfo, Log);

/// `nop` and `ret`, after a tiny header.
const NEW: [u8; 3] = [0x0A, 0x00, 0x2A];

impl Profiler for Rewrites {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ENABLE_REJIT | EventMask::JIT_COMPILATION)?;
        Ok(Self(info.clone(), Log::default()))
    }
    fn rejit_parameters(&self, _: ModuleId, _: MethodDef, control: &FunctionControl<'_>) -> Result<()> {
        self.1.line("parameters");
        // SAFETY: a whole body, which uses nothing.
        unsafe { control.set_il_function_body(&NEW) }
    }
    fn rejit_compilation_finished(
        &self,
        _: FunctionId,
        _: Option<ReJitId>,
        status: Result<(), HResult>,
        _: bool,
    ) {
        self.1.line(format!("{status:?}"));
    }
    fn jit_inlining(&self, _: FunctionId, _: FunctionId) -> bool {
        self.1.line("inlining");
        true
    }
}

/// Sees compilations, refuses inlining, and tries to change IL.
struct Compilations(ProfilerInfo, Log);

impl Profiler for Compilations {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::JIT_COMPILATION)?;
        Ok(Self(info.clone(), Log::default()))
    }
    fn jit_compilation_started(&self, function: FunctionId, _: bool) {
        let found = self.0.function_info(function).unwrap();
        let method = ModuleMethod { module: found.module, method: found.token.unwrap() };
        // SAFETY: a whole body, which uses nothing.
        let set = unsafe { self.0.set_il_function_body(method.module, method.method, &NEW) };
        for refused in [set, self.0.request_rejit(&[method])] {
            let error = refused.unwrap_err();
            assert!(matches!(error, Error::Conflict { .. }), "{error}");
            assert!(error.to_string().contains("composed::Rewrites and "), "{error}");
            self.1.line("refused");
        }
    }
    fn rejit_parameters(&self, _: ModuleId, _: MethodDef, _: &FunctionControl<'_>) -> Result<()> {
        self.1.line("parameters: of a method that another profiler has requested");
        Ok(())
    }
    fn jit_inlining(&self, _: FunctionId, _: FunctionId) -> bool {
        false
    }
}

#[test]
fn il_is_changed_by_its_owner_and_inlining_is_refused_by_any() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let [method, other] = ["M", "N"].map(|name| app.class("App.C").method(name).is_static().define());
    let session = runtime.start::<(Rewrites, Compilations)>().unwrap();
    let (rewrites, compilations) =
        (session.part::<Rewrites>().unwrap(), session.part::<Compilations>().unwrap());
    session.load(app);
    session.compile(&method);
    assert_eq!(compilations.1.take(), ["refused", "refused"]);
    let requested = ModuleMethod { module: app.id(), method: method.token() };
    std::thread::scope(|threads| {
        threads.spawn(|| rewrites.0.request_rejit(&[requested]).unwrap());
    });
    session.compile(&method);
    assert_eq!(rewrites.1.take(), ["parameters", "Ok(())"]);
    assert_eq!(compilations.1.take(), [""; 0]);
    assert_eq!(runtime.recompiled(&method), Some(Recompiled { il: Some(NEW.to_vec()), flags: 0 }));
    assert!(!session.inlining(&other, &method));
    assert_eq!(rewrites.1.take(), ["inlining"]);
    session.shutdown();
    runtime.assert_released();
}

/// A second profiler that asks for ReJIT.
struct AlsoRewrites;

impl Profiler for AlsoRewrites {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ENABLE_REJIT)?;
        Ok(Self)
    }
}

#[test]
fn two_owners_of_il_do_not_start_and_are_named() {
    listen();
    let runtime = Runtime::new(Version::NET_9);
    assert!(runtime.start::<(Rewrites, AlsoRewrites)>().is_err());
    let message = message(&["AlsoRewrites"]);
    assert!(message.contains("composed::Rewrites and ") && message.contains("changes IL"), "{message}");
    runtime.assert_released();
}

/// Counts the objects that a collection reports, up to a number.
struct Objects<const MOST: usize>(Log);

impl<const MOST: usize> Profiler for Objects<MOST> {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::GC)?;
        Ok(Self(Log::default()))
    }
    fn object_references(&self, _: ObjectId<'_>, _: ClassId, _: &[Option<ObjectId<'_>>]) -> bool {
        self.0.line("object");
        !self.0.0.lock().unwrap().len().is_multiple_of(MOST)
    }
}

#[test]
fn an_enumeration_of_objects_ends_for_who_ends_it() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let class = app.class("App.C");
    let session = runtime.start::<(Objects<2>, Objects<3>)>().unwrap();
    let (two, three) = (session.part::<Objects<2>>().unwrap(), session.part::<Objects<3>>().unwrap());
    session.load(app);
    for _ in 0..5 {
        session.object(&class, &[]);
    }
    for collection in 1..3 {
        session.collect(&Collection::default());
        assert_eq!(
            (two.0.0.lock().unwrap().len(), three.0.0.lock().unwrap().len()),
            (2 * collection, 3 * collection)
        );
    }
    session.shutdown();
    runtime.assert_released();
}
