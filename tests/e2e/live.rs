//! What `corprof` asks the runtime is true: a program and a profiler state the same facts, each by its own means.

use anyhow::Result;
use e2e::app::{App, Build};
use e2e::{live, on_each_runtime, stated};
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
        .env("LIVE_MILLISECONDS", if e2e::is_full() { "60000" } else { "5000" })
        .timeout(std::time::Duration::from_secs(if e2e::is_full() { 180 } else { 60 }))
        .arg(subject)
        .arg(&file)
        .run()?
        .ok()?;
    let count = stated::agree(&finished, facts)?;
    println!("{subject} on {version}: {count} facts agree\n{}", finished.stderr);
    Ok(())
}

on_each_runtime! {
    tables_and_heaps_are_those_of_the_file: |version| check("tables", version, 300);
    what_is_added_to_a_module_is_what_reflection_resolves: |version| check("emit", version, 10);
    metadata_that_is_made_is_read_by_others: |version| check("scope", version, 24);
    what_is_taken_away_is_not_read_by_others: |version| check("removed", version, 4);
    metadata_reads_as_before_when_its_module_was_unloaded: |version| check("outlived", version, 8);
    the_process_is_what_it_says_of_itself: |version| check("process", version, 12);
    objects_are_where_the_runtime_says: |version| check("objects", version, 18);
    collections_are_counted_and_say_what_roots_and_references_are: |version| check("gc", version, 11);
    collections_are_counted_at_little_cost: |version| check("gc.basic", version, 8);
    collections_do_not_count_classes_unless_asked: |version| check("gc.moved", version, 8);
    large_and_pinned_objects_are_reported_and_no_others: |version| check("allocations", version, 2);
    static_fields_are_read_in_contexts_that_come_and_go: |version| check("statics", version, 12);
    static_fields_in_the_image_are_the_bytes_of_the_file: |version| check("image", version, 2);
    code_begins_where_statements_do: |version| check("maps", version, 14);
    precompiled_code_has_inlined_what_the_jit_inlines: |version| check("inliners", version, 2);
    what_is_left_out_is_not_implemented: |version| check("undone", version, 7);
    methods_get_other_code_and_their_own_back: |version| check("rejit", version, 5);
    stacks_are_those_of_the_program: |version| check("stacks", version, 5);
    all_stacks_are_sampled_while_threads_end: |version| check("sampling", version, 5);
    events_arrive_with_their_values: |version| check("event_pipe", version, 1);
    // What .NET Core 3.1 does not have.
    handles_keep_alive_and_follow on [on_8_0 on_9_0 on_10_0]:
        |version| check("handles", version, 10);
    what_is_kept_beyond_the_end_is_dropped_without_a_call on [on_8_0 on_9_0 on_10_0]:
        |version| check("end", version, 4);
    the_heap_is_walked_whoever_collects on [on_9_0 on_10_0]:
        |version| check("walk", version, 13);
    what_is_never_collected_is_reported_and_listed on [on_8_0 on_9_0 on_10_0]:
        |version| check("frozen", version, 5);
}
