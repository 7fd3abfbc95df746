//! Exceptions: the search, then the unwinding.

use corprof::{EventMask, FunctionId, Names, ObjectId, Profiler, ProfilerInfo, Result};
use corprof_double::{Runtime, Version};

use crate::Log;

struct Exceptions {
    names: Names,
    log: Log,
}

impl Exceptions {
    fn line(&self, what: &str, function: FunctionId) {
        self.log.line(format!("{what} {}", self.names.function(function).unwrap()));
    }
}

impl Profiler for Exceptions {
    fn initialize(info: &ProfilerInfo) -> Result<Self> {
        info.set_event_mask(EventMask::EXCEPTIONS | EventMask::MODULE_LOADS)?;
        Ok(Self { names: Names::new(info), log: Log::default() })
    }

    fn exception_thrown(&self, exception: ObjectId<'_>) {
        let class = self.names.info().class_of_object(exception).unwrap();
        self.log.line(format!("thrown {}", self.names.class(class).unwrap()));
    }
    fn exception_search_function_enter(&self, function: FunctionId) {
        self.line("search", function);
    }
    fn exception_search_catcher_found(&self, function: FunctionId) {
        self.line("found", function);
    }
    fn exception_unwind_function_enter(&self, function: FunctionId) {
        self.line("unwind", function);
    }
    fn exception_unwind_function_leave(&self) {
        self.log.line("unwound");
    }
    fn exception_unwind_finally_enter(&self, function: FunctionId) {
        self.line("finally", function);
    }
    fn exception_unwind_finally_leave(&self) {
        self.log.line("finally has run");
    }
    fn exception_catcher_enter(&self, function: FunctionId, exception: Option<ObjectId<'_>>) {
        assert!(self.names.info().class_of_object(exception.unwrap()).is_ok());
        self.line("catch", function);
    }
    fn exception_catcher_leave(&self) {
        self.log.line("caught");
    }
}

/// In the order in which the live test `exception_callbacks_come_in_order` of `tests/e2e/conformance` sees it.
#[test]
fn an_exception_is_searched_for_and_then_unwinds() {
    let runtime = Runtime::new(Version::NET_9);
    let app = runtime.module("App");
    let class = app.class("App.C");
    let error = app.class_extending("App.Error", runtime.exception());
    let [outer, middle, inner] =
        ["Outer", "Middle", "Inner"].map(|name| class.method(name).is_static().define());
    let session = runtime.start::<Exceptions>().unwrap();
    session.load(app);
    let exception = session.object(&error, &[]);
    let mut caught = None;
    let fail = || session.call(&inner, &[], || Err(session.throw(exception)));
    let outcome = session.call_catching(
        &outer,
        &[],
        || session.call_with_finally(&middle, &[], fail, || ()),
        |object| {
            caught = Some(object);
            Ok(().into())
        },
    );
    assert_eq!((outcome, caught), (Ok(().into()), Some(exception)));
    let expected = [
        "thrown App.Error",
        "search App.C.Inner",
        "search App.C.Middle",
        "search App.C.Outer",
        "found App.C.Outer",
        "unwind App.C.Inner",
        "unwound",
        "unwind App.C.Middle",
        "finally App.C.Middle",
        "finally has run",
        "unwound",
        "unwind App.C.Outer",
        "catch App.C.Outer",
        "caught",
    ];
    assert_eq!(session.profiler().log.take(), expected);

    // Nobody catches the second one.
    let thrown = session.call(&outer, &[], || Err(session.throw(exception))).unwrap_err();
    assert_eq!(thrown.exception, exception);
    assert_eq!(session.profiler().log.take().last().unwrap(), "unwound");
    session.shutdown();
    runtime.assert_released();
}

/// The runtime moves exceptions under their handlers, unless the library has seen them thrown.
#[test]
fn exceptions_that_the_profiler_ends_stay_reported_where_they_are_kept_in_place() {
    for (version, stays) in [(Version::NET_8, false), (Version::NET_9, true)] {
        let runtime = Runtime::new(version);
        let app = runtime.module("App");
        let fail = app.class("App.Program").method("Fail").is_static().define();
        let session = runtime.start::<Exceptions>().unwrap();
        session.load(app);
        let info = session.profiler().names.info();
        info.remove_from_event_mask(EventMask::EXCEPTIONS).unwrap();
        assert_eq!(info.event_mask().unwrap(), EventMask::MODULE_LOADS);
        assert_eq!(runtime.event_mask().contains(EventMask::EXCEPTIONS), stays);
        let exception = session.object(&runtime.exception(), &[]);
        let handled = |_: &_| {
            info.add_to_event_mask(EventMask::EXCEPTIONS).unwrap();
            assert_eq!(runtime.held().iter().any(|held| held == "1 handles"), stays);
        };
        let caught = session.call_catching(
            &fail,
            &[],
            || Err(session.throw(exception)),
            |thrown| {
                handled(&thrown);
                Ok(().into())
            },
        );
        assert!(caught.is_ok());
        assert_eq!(
            session.profiler().log.take().len(),
            usize::from(stays),
            "only the end of the handler is delivered"
        );
        session.shutdown();
        assert_eq!(runtime.misuse(), [""; 0]);
    }
}
