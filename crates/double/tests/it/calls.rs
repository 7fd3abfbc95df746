//! Calls with arguments and results, of generic methods too, and stacks.

use corprof::{
    ArgumentRange, EnterFrame, EventMask, FunctionHooks, FunctionId, HResult, Hooks, LeaveFrame, Names,
    Profiler, ProfilerInfo, Result, StackWalk, TailcallFrame, Walked,
};
use corprof_double::{Runtime, Type, Value, Version};

use crate::Log;

struct Calls {
    names: Names,
    log: Log,
}

impl Profiler for Calls {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(
            EventMask::CALLS_WITH_VALUES
                | EventMask::MODULE_LOADS
                | EventMask::CLASS_LOADS
                | EventMask::ENABLE_STACK_SNAPSHOT,
        )?;
        Ok(Self { names: Names::new(info), log: Log::default() })
    }

    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }
}

/// The bytes of an argument, read as the profiler of a real process reads them.
#[allow(unsafe_code)]
fn bytes(range: ArgumentRange) -> Vec<u8> {
    let data = core::ptr::with_exposed_provenance::<u8>(range.address);
    if range.length == 0 {
        return Vec::new();
    }
    // SAFETY: the double says that the argument is there, as long as the hook runs.
    unsafe { core::slice::from_raw_parts(data, range.length as usize) }.to_vec()
}

impl FunctionHooks for Calls {
    type Function = FunctionId;

    fn map_function(&self, function: FunctionId) -> Option<FunctionId> {
        let name = self.names.function(function).unwrap();
        (!name.contains("Unhooked")).then_some(function)
    }

    fn enter(&self, function: &FunctionId, frame: &EnterFrame<'_>) {
        frame
            .arguments(|arguments| {
                let exact = self.names.info().function_instance(*function, Some(arguments.frame())).unwrap();
                let method = self.names.method(*function).unwrap();
                let instance = self.names.instance(&method, exact.class, &exact.type_args).unwrap();
                let values: Vec<Vec<u8>> = arguments.ranges().map(bytes).collect();
                self.log.line(format!("enter {} {values:?}", instance.signature));
            })
            .unwrap();
    }

    fn leave(&self, function: &FunctionId, frame: &LeaveFrame<'_>) {
        let result = frame.return_value(|value| bytes(value.range())).unwrap();
        self.log.line(format!("leave {} {result:?}", self.names.function(*function).unwrap()));
    }

    fn tailcall(&self, function: &FunctionId, _: &TailcallFrame<'_>) {
        self.log.line(format!("tailcall {}", self.names.function(*function).unwrap()));
    }
}

#[test]
fn arguments_and_results_lie_where_the_profiler_is_told() {
    // On 3.1 the double damages saved registers, as the runtime does; they have to be put back.
    for version in [Version::NET_CORE_3_1, Version::NET_9] {
        let runtime = Runtime::new(version);
        let app = runtime.module("App");
        let class = app.class("App.C");
        let pair = app.value_type("App.Pair");
        pair.field("First", Type::U1);
        pair.field("Second", Type::I4);
        let sum =
            class.method("Sum").is_static().param("a", Type::I4).param("p", &pair).returns(Type::I8).define();
        let inner = class.method("Inner").is_static().returns(Type::Bool).define();
        let hidden = class.method("Unhooked").is_static().define();

        let session = runtime.start::<Calls>().unwrap();
        session.load(app);
        let value = Value::Struct(vec![1, 0, 0, 0, 2, 0, 0, 0]);
        let result = session.call(&sum, &[7.into(), value], || {
            session.call(&hidden, &[], || Ok(().into()))?;
            session.call_ending_in_tail_call(&hidden, &[], || Ok(()), || Ok(().into()))?;
            session.call(&inner, &[], || Ok(true.into()))?;
            Ok(10_i64.into())
        });
        assert_eq!(result, Ok(Value::I8(10)));
        let expected = [
            "enter long App.C.Sum(int a, App.Pair p) [[7, 0, 0, 0], [1, 0, 0, 0, 2, 0, 0, 0]]",
            "enter bool App.C.Inner() []",
            "leave App.C.Inner [1]",
            "leave App.C.Sum [10, 0, 0, 0, 0, 0, 0, 0]",
        ];
        assert_eq!(session.profiler().log.take(), expected);
        session.shutdown();
        assert_eq!((runtime.misuse(), runtime.unscripted()), (vec![], vec![]));
    }
}

#[test]
fn shared_code_knows_its_type_arguments_by_its_frame() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let list = app.class("App.List`1").generic(&["T"]);
    let map = list
        .method("Map")
        .generic(&["R"])
        .is_static()
        .param("item", Type::Var(0))
        .returns(Type::MVar(0))
        .define();
    let of_strings = map.on(&list.of(&[Type::String])).of(&[Type::Object]);
    let of_objects = map.on(&list.of(&[Type::Object])).of(&[Type::Object]);
    let of_ints = map.on(&list.of(&[Type::I4])).of(&[Type::I8]);
    assert_eq!(of_strings.id(), of_objects.id(), "references share code");
    assert_ne!(of_strings.id(), of_ints.id());

    let session = runtime.start::<Calls>().unwrap();
    session.load(app);
    let text = session.string("text");
    session.call(&of_strings, &[text.into()], || Ok(Value::NULL)).unwrap();
    session.call(&of_ints, &[5.into()], || Ok(6_i64.into())).unwrap();
    let log = session.profiler().log.take();
    assert!(log[0].starts_with("enter object App.List<string>.Map<object>(string item) "), "{log:?}");
    assert_eq!(log[1], "leave App.List<System.__Canon>.Map<System.__Canon> [0, 0, 0, 0, 0, 0, 0, 0]");
    assert_eq!(log[2], "enter long App.List<int>.Map<long>(int item) [[5, 0, 0, 0]]");
    session.shutdown();
    assert_eq!((runtime.misuse(), runtime.unscripted()), (vec![], vec![]));
}

/// Keeps the stack pointer of the caller at each hook.
#[derive(Default)]
struct Stacks(std::sync::Mutex<Vec<usize>>);

impl Profiler for Stacks {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::CALLS_WITH_VALUES)?;
        Ok(Self::default())
    }
    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }
}

impl FunctionHooks for Stacks {
    type Function = ();
    fn map_function(&self, _: FunctionId) -> Option<()> {
        Some(())
    }
    fn enter(&self, (): &(), frame: &EnterFrame<'_>) {
        self.0.lock().unwrap().extend(frame.caller_stack_pointer());
    }
    fn leave(&self, (): &(), frame: &LeaveFrame<'_>) {
        self.0.lock().unwrap().extend(frame.caller_stack_pointer());
    }
    fn tailcall(&self, (): &(), frame: &TailcallFrame<'_>) {
        self.0.lock().unwrap().extend(frame.caller_stack_pointer());
    }
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn a_call_has_one_stack_pointer_of_its_caller_and_nested_ones_have_lower_ones() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let class = app.class("App.C");
    let [outer, inner, last] = ["Outer", "Inner", "Last"].map(|name| class.method(name).is_static().define());
    let session = runtime.start::<Stacks>().unwrap();
    session.load(app);
    let call_inner = || {
        session
            .call(&inner, &[], || session.call_ending_in_tail_call(&last, &[], || Ok(()), || Ok(().into())))
    };
    session.call(&outer, &[], call_inner).unwrap();
    let seen = session.profiler().0.lock().unwrap().clone();
    let [outer, inner, last, tail, inner_end, outer_end] = seen[..] else { panic!("{seen:x?}") };
    assert!(outer > inner && inner > last, "{seen:x?}");
    assert_eq!([last, inner, outer], [tail, inner_end, outer_end]);
    session.shutdown();
    assert_eq!((runtime.misuse(), runtime.unscripted()), (vec![], vec![]));
}

#[test]
fn a_tail_call_has_no_leave() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let class = app.class("App.C");
    let (first, second) =
        (class.method("First").is_static().define(), class.method("Second").is_static().define());
    let session = runtime.start::<Calls>().unwrap();
    session.load(app);
    let call_second = || session.call(&second, &[], || Ok(().into()));
    session.call_ending_in_tail_call(&first, &[], || Ok(()), call_second).unwrap();
    let expected = [
        "enter void App.C.First() []",
        "tailcall App.C.First",
        "enter void App.C.Second() []",
        "leave App.C.Second []",
    ];
    assert_eq!(session.profiler().log.take(), expected);
    session.shutdown();
    assert_eq!(runtime.misuse(), [""; 0]);
}

#[test]
fn a_stack_is_walked_from_the_innermost_call() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let class = app.class("App.C");
    let (outer, inner) =
        (class.method("Outer").is_static().define(), class.method("Inner").is_static().define());
    let session = runtime.start::<Calls>().unwrap();
    session.load(app);
    let walked = || {
        let mut functions = Vec::new();
        let ended = session.profiler().names.info().walk_stack(StackWalk::default(), |frame| {
            functions.push(frame.function.unwrap());
        });
        ended.map(|_| functions)
    };
    session
        .call(&outer, &[], || {
            session.call(&inner, &[], || {
                assert_eq!(walked().unwrap(), [inner.id(), outer.id()]);
                let info = session.profiler().names.info();
                let this = info.current_thread().unwrap().unwrap();
                // From another thread only while this one stands still.
                session.native_thread(|| {
                    let suspended = info.suspend_runtime().unwrap();
                    assert_eq!(suspended.threads().unwrap(), [this]);
                    let mut functions = Vec::new();
                    let ended = suspended.walk_stack(this, StackWalk::default(), |frame| {
                        functions.push(frame.function.unwrap());
                    });
                    assert_eq!(ended.unwrap(), Walked::Whole);
                    assert_eq!(functions, [inner.id(), outer.id()]);
                    drop(suspended);
                });
                Ok(().into())
            })
        })
        .unwrap();
    assert!(walked().unwrap().is_empty());
    session.shutdown();
}

struct WithoutFlags;

impl Profiler for WithoutFlags {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::ENTER_LEAVE)?;
        Ok(Self)
    }
    fn hooks(&self) -> Hooks<Self> {
        Hooks::with_info()
    }
}

impl FunctionHooks for WithoutFlags {
    type Function = ();
    fn map_function(&self, _: FunctionId) -> Option<()> {
        None
    }
}

#[test]
fn hooks_with_info_need_the_flags_for_it() {
    let runtime = Runtime::new(Version::NET_9);
    let refused = runtime.start::<WithoutFlags>().unwrap_err();
    assert_eq!(refused, HResult::CORPROF_E_INCONSISTENT_WITH_FLAGS);
}
