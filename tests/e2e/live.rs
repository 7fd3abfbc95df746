//! What `corprof` asks the runtime is true: a program and a profiler state the same facts, each by its own means.

use anyhow::Result;
use e2e::app::{App, Build};
use e2e::{live, stated};
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::{Launch, scratch};

/// Runs a subject, and compares. There have to be at least `facts`.
fn check(subject: &str, version: RuntimeVersion, facts: usize) -> Result<()> {
    let app = App::compile("live", version, Build::Optimised)?;
    let file = scratch(&format!("{}-{subject}", app.label))?.join("made");
    let finished = Launch::new(&runtime(version)?, &app.dll)
        .profiler(&live::profiler()?)
        .env("LIVE_SUBJECT", subject)
        .env("LIVE_GIVEN", "by the test")
        .env("LIVE_SET", "by the test")
        .env("LIVE_CLEARED", "by the test")
        .arg(subject)
        .arg(&file)
        .run()?
        .ok()?;
    let count = stated::agree(&finished, facts)?;
    println!("{subject} on {version}: {count} facts agree");
    Ok(())
}

macro_rules! subjects {
    ($($name:ident($subject:literal, $facts:literal);)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn on_3_1() -> Result<()> {
                check($subject, RuntimeVersion::V3_1, $facts)
            }

            #[test]
            fn on_9_0() -> Result<()> {
                check($subject, RuntimeVersion::V9_0, $facts)
            }
        }
    )*};
}

subjects! {
    tables_and_heaps_are_those_of_the_file("tables", 300);
    what_is_added_to_a_module_is_what_reflection_resolves("emit", 10);
    metadata_that_is_made_is_read_by_others("scope", 24);
    what_is_taken_away_is_not_read_by_others("removed", 5);
    the_process_is_what_it_says_of_itself("process", 12);
    objects_are_where_the_runtime_says("objects", 18);
    collections_are_counted_and_say_what_roots_and_references_are("gc", 11);
    collections_are_counted_at_little_cost("gc.basic", 8);
    collections_do_not_count_classes_unless_asked("gc.moved", 8);
    large_and_pinned_objects_are_reported_and_no_others("allocations", 2);
    static_fields_are_read_in_contexts_that_come_and_go("statics", 12);
    static_fields_in_the_image_are_the_bytes_of_the_file("image", 2);
    code_begins_where_statements_do("maps", 14);
    precompiled_code_has_inlined_what_the_jit_inlines("inliners", 2);
    what_is_left_out_is_not_implemented("undone", 7);
    methods_get_other_code_and_their_own_back("rejit", 5);
    stacks_are_those_of_the_program("stacks", 5);
    events_arrive_with_their_values("event_pipe", 1);
}

macro_rules! subjects_of_9_0 {
    ($($name:ident($subject:literal, $facts:literal);)*) => {$(
        #[test]
        fn $name() -> Result<()> {
            check($subject, RuntimeVersion::V9_0, $facts)
        }
    )*};
}

// What .NET Core 3.1 does not have.
subjects_of_9_0! {
    handles_keep_alive_and_follow_on_9_0("handles", 10);
    what_is_kept_beyond_the_end_is_dropped_without_a_call_on_9_0("end", 4);
    the_heap_is_walked_whoever_collects_on_9_0("walk", 13);
    what_is_never_collected_is_reported_and_listed_on_9_0("frozen", 5);
}
