//! The rows: the runtime's own tests, the tests of `tests/e2e` that assert the same facts, and the facts that
//! are not asserted. After a change: `cargo xtask conformance`.

use super::{Row, State};
use State::{Held, InPart, NotRun};

/// The folder of the runtime's tests, and the address of its issues, which are written here as `#1`.
pub(super) const UPSTREAM: &str = "https://github.com/dotnet/runtime/blob/main/src/tests/profiler/";
pub(super) const ISSUES: &str = "https://github.com/dotnet/runtime/issues/";

/// Why a row is not run on 3.1.
const EVENT_PIPE: State = NotRun("EventPipe for profilers came with .NET 5");

/// The facts of `classload` that are not asserted.
const INSTANCES: &str = "this runtime does not report the unload of instances of a generic class that another module \
                         defines (#114068)";

/// The facts of `dynamicoptimization` that are not asserted.
const IMMUTABLE: &str = "before .NET 10 the flags cannot be changed after the start (#113924); it is asserted that they \
                         are refused";

/// The facts of `gcskipobjectsallocatedbyclass` that are not asserted.
const SKIP: &str = "the flag that leaves it out of the other callbacks came with .NET 11 (#123177)";

/// Why `runtimeasync` is not run.
const RUNTIME_ASYNC: &str = "methods that the runtime suspends came with .NET 10, as a preview";

/// The facts of `runtimeasync` that are not asserted.
const UNHOOKED: &str = "a leave hook of a method that the runtime suspends damages the program (#122490), so that there are none";

/// The facts of `runtimeasync` that this runtime does not have.
const UNREPORTED: &str =
    "this runtime calls no leave hook at a suspension (#131985); it is seen at the next event of the thread";

/// The same on all runtimes.
const fn everywhere(state: State) -> [State; 5] {
    [state; 5]
}

/// One state on 3.1, another one since 8.0.
const fn before_8(old: State, new: State) -> [State; 5] {
    [old, new, new, new, new]
}

/// One state up to 9.0, another one since 10.0.
const fn before_10(old: State, new: State) -> [State; 5] {
    [old, old, old, new, new]
}

/// One state on 9.0, another one before and afterwards.
const fn on_9_alone(nine: State, others: State) -> [State; 5] {
    [others, others, nine, others, others]
}

/// All rows, in the order of the table.
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "ALCTest",
        source: "assembly/ALCTest.cs",
        tests: &["conformance::assemblies_are_unloaded_as_often_as_the_program_does"],
        asserts: "an assembly in two collectible contexts: each unload begins and ends, and has the \
                  assembly's name",
        on: before_8(
            InPart("this runtime does not report that an unload begins (#86178); the ends are asserted"),
            Held,
        ),
    },
    Row {
        name: "classload",
        source: "unittest/classload.cs",
        tests: &["conformance::classes_are_loaded_and_unloaded_with_their_context"],
        asserts: "a collectible class, a list of it and the interfaces of that list: each load begins \
                  and ends once, and so does the unload of the class",
        on: before_10(InPart(INSTANCES), Held),
    },
    Row {
        name: "moduleload",
        source: "unittest/moduleload.cs",
        tests: &["conformance::each_load_started_has_a_load_finished"],
        asserts: "assemblies and modules: each load that begins ends, none fails, and the program's own \
                  are among them",
        on: everywhere(Held),
    },
    Row {
        name: "dynamicoptimization",
        source: "dynamicoptimization/DynamicOptimization.cs",
        tests: &["conformance::inlining_is_allowed_and_forbidden_alternately"],
        asserts: "the same code in three contexts: compiled while `JITInlining` allows inlining, \
                  forbids it, \
                  and allows it again",
        on: before_10(InPart(IMMUTABLE), Held),
    },
    Row {
        name: "slowpatheltenter",
        source: "elt/slowpatheltenter.cs",
        tests: &["selfreport::selfreport"],
        asserts: "every call with its arguments equals the program's report",
        on: everywhere(Held),
    },
    Row {
        name: "slowpatheltleave",
        source: "elt/slowpatheltleave.cs",
        tests: &["selfreport::selfreport"],
        asserts: "every call with its return value equals the program's report",
        on: everywhere(Held),
    },
    Row {
        name: "elttransitions",
        source: "elttransitions/elttransitions.cs",
        tests: &[
            "conformance::native_functions_have_transitions_and_managed_ones_elt_callbacks",
            "conformance::fast_hooks_skip_native_functions",
        ],
        asserts: "a native function has its two transitions and no enter and leave; the managed \
                  function that it calls has enter and leave; with both kinds of hooks",
        on: everywhere(Held),
    },
    Row {
        name: "eventpipe",
        source: "eventpipe/eventpipe.cs",
        tests: &[
            "conformance::ten_thousand_events_are_delivered",
            "live::event_pipe_events_have_their_values",
        ],
        asserts: "a provider that the profiler defines is notified when sessions enable and disable it; \
                  one with a \
                  field of each type, one with an array, 10 empty ones and 10,000 simple ones are \
                  delivered in order, with their values",
        on: before_8(EVENT_PIPE, Held),
    },
    Row {
        name: "eventpipe_readevents",
        source: "eventpipe/eventpipe_readevents.cs",
        tests: &["live::event_pipe_events_have_their_values"],
        asserts: "exactly the events of an EventSource and of the profiler, with names and values",
        on: before_8(EVENT_PIPE, Held),
    },
    Row {
        name: "reverse_startup",
        source: "eventpipe/reverse_startup.cs",
        tests: &["live::process_information_matches_the_program"],
        asserts: "variables set, read and removed by the profiler",
        on: everywhere(Held),
    },
    Row {
        name: "exception",
        source: "exception/ExceptionTest.cs",
        tests: &[
            "conformance::exception_callbacks_come_in_order",
            "conformance::exception_callbacks_come_in_order_with_legacy_handling",
        ],
        asserts: "every callback in order, for an exception from nested finally blocks that a filter \
                  catches, and for one that passes a finally block",
        on: on_9_alone(
            InPart(
                "this runtime reports each finally block like a method (#123351), which is asserted; \
                with `DOTNET_LegacyExceptionHandling=1` all facts are held",
            ),
            Held,
        ),
    },
    Row {
        name: "gc",
        source: "gc/gc.cs",
        tests: &["live::collections_report_roots_and_references"],
        asserts: "as many starts and ends as the program has counted, one at a time; an object of the \
                  pinned heap, and one that a handle pins: each is the root of its handle, and a \
                  reference of its owner",
        on: everywhere(Held),
    },
    Row {
        name: "gcbasic",
        source: "gc/gcbasic.cs",
        tests: &["live::basic_gc_callbacks_count_collections"],
        asserts: "the same counts with the basic flag alone; at each start and end the heap's ranges \
                  have the existing generations",
        on: everywhere(Held),
    },
    Row {
        name: "gcallocate",
        source: "gc/gcallocate.cs",
        tests: &["live::large_and_pinned_objects_are_reported_and_no_others"],
        asserts: "exactly the program's large objects, and pinned ones where there is a heap for them; \
                  no others",
        on: everywhere(Held),
    },
    Row {
        name: "gcskipobjectsallocatedbyclass",
        source: "gc/gcskipobjectsallocatedbyclasscallback.cs",
        tests: &["live::allocations_by_class_need_their_flag"],
        asserts: "collections without `ObjectsAllocatedByClass`, by the flags for moved objects",
        on: everywhere(InPart(SKIP)),
    },
    Row {
        name: "gcheapenumeration",
        source: "gcheapenumeration/gcheapenumeration.cs",
        tests: &["live::the_heap_is_walked_during_collections"],
        asserts: "exactly the program's objects of two classes: without a suspension, during one, and \
                  during a collection",
        on: [
            NotRun("walks of the heap came with .NET 9"),
            NotRun("walks of the heap came with .NET 9"),
            Held,
            Held,
            Held,
        ],
    },
    Row {
        name: "nongcheap",
        source: "gc/nongcheap.cs",
        tests: &["live::frozen_objects_are_reported_and_listed"],
        asserts: "the listed objects are the reported ones, none has a generation, and the program's \
                  literals are among them",
        on: before_8(NotRun("literals are not frozen before .NET 8"), Held),
    },
    Row {
        name: "handles",
        source: "handles/handles.cs",
        tests: &["live::object_handles_keep_objects_alive_and_follow_moves"],
        asserts: "weak, strong and pinned handles over three collections; the pinned object stays in \
                  place, the strong one moves",
        on: before_8(NotRun("handles of profilers came with .NET 7"), Held),
    },
    Row {
        name: "enumthreads",
        source: "unittest/enumthreads.cs",
        tests: &["conformance::threads_are_listed_during_a_suspension"],
        asserts: "the program's threads are in the list while all threads are suspended",
        on: on_9_alone(
            InPart(
                "called by the thread that suspends the runtime, this runtime releases that thread's lock and \
                hangs (#110062); `corprof` refuses the call in the callbacks of collections and suspensions",
            ),
            Held,
        ),
    },
    Row {
        name: "getappdomainstaticaddress",
        source: "unittest/getappdomainstaticaddress.cs",
        tests: &["live::static_fields_are_read_while_contexts_are_unloaded"],
        asserts: "at the end of each collection the fields of every class, the program's with their \
                  values, while contexts are created and unloaded",
        on: before_8(
            InPart("fields of collectible classes are refused, because this runtime would crash"),
            Held,
        ),
    },
    Row {
        name: "inlining",
        source: "unittest/inlining.cs",
        tests: &["conformance::methods_that_must_not_be_inlined_are_entered"],
        asserts: "a method is entered only where `JITInlining` forbids inlining it; the method's own \
                  stack trace agrees",
        on: everywhere(Held),
    },
    Row {
        name: "metadatagetdispenser",
        source: "unittest/metadatagetdispenser.cs",
        tests: &["live::process_information_matches_the_program"],
        asserts: "a dispenser opens the file of every module, with the same module version id",
        on: everywhere(Held),
    },
    Row {
        name: "rejit",
        source: "rejit/rejit.cs",
        tests: &[
            "conformance::rejitted_code_is_called_by_inliners_and_delegates",
            "live::rejit_replaces_and_reverts_code",
        ],
        asserts: "a method that is called directly, inlined, inlined in a chain and through a delegate \
                  gets other code and is reverted; the method and all its inliners are recompiled; no \
                  errors, no null addresses",
        on: everywhere(Held),
    },
    Row {
        name: "releaseondetach",
        source: "unittest/releaseondetach.cs",
        tests: &["attach::detached_profilers_are_released"],
        asserts: "a profiler that sees an exception and detaches itself is dropped, because its last \
                  reference is released; and so is the next one",
        on: everywhere(Held),
    },
    Row {
        name: "multiple",
        source: "multiple/multiple.cs",
        tests: &["attach::several_profilers_see_the_same_exception"],
        asserts: "four profilers from the start and four attached ones each see the same exception \
                  once, detach and are dropped",
        on: before_8(NotRun("profilers for notification only came with .NET 7"), Held),
    },
    Row {
        name: "transitions",
        source: "transitions/transitions.cs",
        tests: &["conformance::each_transition_is_reported_once"],
        asserts: "calls of native code and back, and of managed code from there and back, with \
                  marshalling and \
                  without: each exactly once, in order",
        on: everywhere(Held),
    },
    Row {
        name: "runtimeasync",
        source: "elt/runtimeasyncelt.cs",
        tests: &[
            "runtime_async::programs_whose_methods_the_runtime_suspends_are_unharmed",
            "suspended::suspended_calls_have_their_values_once",
        ],
        asserts: "on 10.0 emitted methods with the flag `Async`: the program's results, and the values of its other calls, with \
                  both kinds of hooks; on 11.0 each call of such a method: its arguments and its result once, and as many \
                  resumptions as suspensions",
        on: [
            NotRun(RUNTIME_ASYNC),
            NotRun(RUNTIME_ASYNC),
            NotRun(RUNTIME_ASYNC),
            InPart(UNHOOKED),
            InPart(UNREPORTED),
        ],
    },
    Row {
        name: "ijw",
        source: "ijw/ijw.cs",
        tests: &[],
        asserts: "",
        on: everywhere(NotRun("C++/CLI, on Windows only")),
    },
];
