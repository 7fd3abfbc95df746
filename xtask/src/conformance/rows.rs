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
const RUNTIME_ASYNC: &str =
    "methods that the runtime suspends came with .NET 11; .NET 10 has them as a preview only";

/// The same on all runtimes.
const fn everywhere(state: State) -> [State; 4] {
    [state; 4]
}

/// One state on 3.1, another one since 8.0.
const fn before_8(old: State, new: State) -> [State; 4] {
    [old, new, new, new]
}

/// One state up to 9.0, another one on 10.0.
const fn before_10(old: State, new: State) -> [State; 4] {
    [old, old, old, new]
}

/// One state on 9.0, another one before and afterwards.
const fn on_9_alone(nine: State, others: State) -> [State; 4] {
    [others, others, nine, others]
}

/// All rows, in the order of the table.
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "ALCTest",
        source: "assembly/ALCTest.cs",
        tests: &["conformance::assemblies_are_unloaded_as_often_as_the_program_does"],
        asserts: "of an assembly in two collectible contexts each unload begins and ends, and has its name",
        on: before_8(
            InPart("this runtime does not report that an unload begins (#86178); the ends are asserted"),
            Held,
        ),
    },
    Row {
        name: "classload",
        source: "unittest/classload.cs",
        tests: &["conformance::classes_come_and_go_with_their_context"],
        asserts: "of a collectible class, a list of it and the interfaces of that list, each load begins and \
                  ends once, and so does the unload of the class",
        on: before_10(InPart(INSTANCES), Held),
    },
    Row {
        name: "moduleload",
        source: "unittest/moduleload.cs",
        tests: &["conformance::loads_end_as_often_as_they_begin"],
        asserts: "assemblies and modules: as many loads begin as end, none fails, and the program's own are \
                  among them",
        on: everywhere(Held),
    },
    Row {
        name: "dynamicoptimization",
        source: "dynamicoptimization/DynamicOptimization.cs",
        tests: &["conformance::inlining_is_allowed_and_forbidden_by_turns"],
        asserts: "the same code in three contexts: compiled while `JITInlining` allows inlining, forbids it, \
                  and allows it again",
        on: before_10(InPart(IMMUTABLE), Held),
    },
    Row {
        name: "slowpatheltenter",
        source: "elt/slowpatheltenter.cs",
        tests: &["selfreport::selfreport"],
        asserts: "every call with its arguments, against what the program says",
        on: everywhere(Held),
    },
    Row {
        name: "slowpatheltleave",
        source: "elt/slowpatheltleave.cs",
        tests: &["selfreport::selfreport"],
        asserts: "every call with its return value, against what the program says",
        on: everywhere(Held),
    },
    Row {
        name: "elttransitions",
        source: "elttransitions/elttransitions.cs",
        tests: &[
            "conformance::native_functions_have_transitions_and_managed_ones_calls",
            "conformance::fast_hooks_leave_native_functions_out",
        ],
        asserts: "a native function has its two transitions and no enter and leave, the managed one that it \
                  calls has both, with hooks of either kind",
        on: everywhere(Held),
    },
    Row {
        name: "eventpipe",
        source: "eventpipe/eventpipe.cs",
        tests: &["conformance::ten_thousand_events_arrive", "live::events_arrive_with_their_values"],
        asserts: "a provider of the profiler's own is told who begins and ends to want its events; one with a \
                  field of each type, one with an array, 10 empty ones and 10,000 simple ones arrive in order, \
                  with their values",
        on: before_8(EVENT_PIPE, Held),
    },
    Row {
        name: "eventpipe_readevents",
        source: "eventpipe/eventpipe_readevents.cs",
        tests: &["live::events_arrive_with_their_values"],
        asserts: "exactly the events of an EventSource and of the profiler, with names and values",
        on: before_8(EVENT_PIPE, Held),
    },
    Row {
        name: "reverse_startup",
        source: "eventpipe/reverse_startup.cs",
        tests: &["live::the_process_is_what_it_says_of_itself"],
        asserts: "variables set, read and removed by the profiler",
        on: everywhere(Held),
    },
    Row {
        name: "exception",
        source: "exception/ExceptionTest.cs",
        tests: &[
            "conformance::exceptions_are_told_step_by_step",
            "conformance::exceptions_handled_as_before_are_told_step_by_step",
        ],
        asserts: "every callback in order, of an exception out of nested finally blocks that a filter catches, \
                  and of one past a finally block",
        on: on_9_alone(
            InPart(
                "this runtime tells of each finally block as of a method (#123351), which is asserted; with \
             `DOTNET_LegacyExceptionHandling=1` all of it is held",
            ),
            Held,
        ),
    },
    Row {
        name: "gc",
        source: "gc/gc.cs",
        tests: &["live::collections_are_counted_and_say_what_roots_and_references_are"],
        asserts: "as many starts and ends as the program has counted, one at a time; an object of the pinned \
                  heap, and one that a handle pins: each the root of its handle, and a reference of its owner",
        on: everywhere(Held),
    },
    Row {
        name: "gcbasic",
        source: "gc/gcbasic.cs",
        tests: &["live::collections_are_counted_at_little_cost"],
        asserts: "the same counts with the basic flag alone; at each start and end the heap's ranges are of \
                  the generations that there are",
        on: everywhere(Held),
    },
    Row {
        name: "gcallocate",
        source: "gc/gcallocate.cs",
        tests: &["live::large_and_pinned_objects_are_reported_and_no_others"],
        asserts: "exactly the program's large objects, and pinned ones where there is a heap for them; nothing \
                  that lies elsewhere",
        on: everywhere(Held),
    },
    Row {
        name: "gcskipobjectsallocatedbyclass",
        source: "gc/gcskipobjectsallocatedbyclasscallback.cs",
        tests: &["live::collections_do_not_count_classes_unless_asked"],
        asserts: "collections without `ObjectsAllocatedByClass`, by the flags for moved objects",
        on: everywhere(InPart(SKIP)),
    },
    Row {
        name: "gcheapenumeration",
        source: "gcheapenumeration/gcheapenumeration.cs",
        tests: &["live::the_heap_is_walked_whoever_collects"],
        asserts: "exactly the program's objects of two classes: without a suspension, inside of one, and when \
                  a collection is going on",
        on: [
            NotRun("walks of the heap came with .NET 9"),
            NotRun("walks of the heap came with .NET 9"),
            Held,
            Held,
        ],
    },
    Row {
        name: "nongcheap",
        source: "gc/nongcheap.cs",
        tests: &["live::what_is_never_collected_is_reported_and_listed"],
        asserts: "the objects that are listed are those that were reported, none has a generation, and the \
                  program's literals are among them",
        on: before_8(NotRun("literals are not frozen before .NET 8"), Held),
    },
    Row {
        name: "handles",
        source: "handles/handles.cs",
        tests: &["live::handles_keep_alive_and_follow"],
        asserts: "weak, strong and pinned handles over three collections; the pinned object stays where it is, \
                  the strong one moves",
        on: before_8(NotRun("handles of profilers came with .NET 7"), Held),
    },
    Row {
        name: "enumthreads",
        source: "unittest/enumthreads.cs",
        tests: &["conformance::threads_are_listed_while_all_stand_still"],
        asserts: "the program's threads are in the list while all of them stand still",
        on: on_9_alone(
            InPart(
                "asked in `RuntimeSuspendFinished`, this runtime does not go on (#110062); `corprof` refuses that, and lists \
             them in `GarbageCollectionStarted` and `RuntimeResumeStarted`",
            ),
            Held,
        ),
    },
    Row {
        name: "getappdomainstaticaddress",
        source: "unittest/getappdomainstaticaddress.cs",
        tests: &["live::static_fields_are_read_in_contexts_that_come_and_go"],
        asserts: "at the end of each collection the fields of every class, the program's with their values, \
                  while contexts come and go",
        on: before_8(
            InPart("fields of classes that can be unloaded are refused, as this runtime would crash"),
            Held,
        ),
    },
    Row {
        name: "inlining",
        source: "unittest/inlining.cs",
        tests: &["conformance::what_may_not_be_inlined_is_entered"],
        asserts: "a method is entered where `JITInlining` forbids inlining it and nowhere else; so it finds in \
                  its own stack trace",
        on: everywhere(Held),
    },
    Row {
        name: "metadatagetdispenser",
        source: "unittest/metadatagetdispenser.cs",
        tests: &["live::the_process_is_what_it_says_of_itself"],
        asserts: "a dispenser opens the file of every module, with the same module version id",
        on: everywhere(Held),
    },
    Row {
        name: "rejit",
        source: "rejit/rejit.cs",
        tests: &[
            "conformance::other_code_reaches_chains_and_delegates",
            "live::methods_get_other_code_and_their_own_back",
        ],
        asserts: "other code for a method, called as it is, inlined, inlined in a chain and by a delegate, and \
                  its own again; as many are compiled as have it inlined, and it; no errors, no null addresses",
        on: everywhere(Held),
    },
    Row {
        name: "releaseondetach",
        source: "unittest/releaseondetach.cs",
        tests: &["attach::a_profiler_is_released"],
        asserts: "a profiler that sees an exception and detaches itself is dropped: its last reference has \
                  been given back; and the next one too",
        on: everywhere(Held),
    },
    Row {
        name: "multiple",
        source: "multiple/multiple.cs",
        tests: &["attach::profilers_are_there_beside_each_other"],
        asserts: "four profilers from the start and four that are attached each see the same exception once, \
                  leave and are dropped",
        on: before_8(NotRun("profilers for notification only came with .NET 7"), Held),
    },
    Row {
        name: "transitions",
        source: "transitions/transitions.cs",
        tests: &["conformance::each_transition_is_seen_once"],
        asserts: "calls of native code and back, and of managed code from there and back, with marshalling and \
                  without: each exactly once, in order",
        on: everywhere(Held),
    },
    Row {
        name: "runtimeasync",
        source: "elt/runtimeasyncelt.cs",
        tests: &[],
        asserts: "",
        on: everywhere(NotRun(RUNTIME_ASYNC)),
    },
    Row {
        name: "ijw",
        source: "ijw/ijw.cs",
        tests: &[],
        asserts: "",
        on: everywhere(NotRun("C++/CLI, on Windows only")),
    },
];
