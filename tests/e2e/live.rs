//! The results of `corprof`'s queries are correct: a program and a profiler state the same facts independently.

use anyhow::Result;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::{live, on_each_runtime, stated};

/// Runs a subject, and compares the facts. At least `facts` are required.
fn check(subject: &str, version: RuntimeVersion, facts: usize) -> Result<()> {
    let app = App::compile("live", version, Build::Optimised)?;
    let file = scratch(&format!("{}-{subject}", app.label))?.join("made");
    let finished = Launch::new(&runtime(version)?, &app.dll)
        .profiler(&live::profiler()?)
        .env("LIVE_SUBJECT", subject)
        .env("LIVE_GIVEN", "by the test")
        .env("LIVE_SET", "by the test")
        .env("LIVE_CLEARED", "by the test")
        .env("LIVE_MILLISECONDS", if e2e::is_long() { "60000" } else { "5000" })
        .timeout(std::time::Duration::from_secs(if e2e::is_long() { 180 } else { 60 }))
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
    added_rows_are_resolved_by_reflection: |version| check("emit", version, 10);
    changed_metadata_is_refused_or_read_to_its_end: |version| check("malformed", version, 4);
    new_metadata_is_read_by_system_reflection_metadata: |version| check("scope", version, 24);
    removed_metadata_is_absent_in_system_reflection_metadata: |version| check("removed", version, 4);
    rows_in_images_are_the_runtimes_own: |version| check("rows", version, 20);
    metadata_stays_readable_after_its_module_is_unloaded: |version| check("outlived", version, 8);
    process_information_matches_the_program: |version| check("process", version, 12);
    objects_have_the_reported_addresses: |version| check("objects", version, 18);
    collections_report_roots_and_references: |version| check("gc", version, 11);
    basic_gc_callbacks_count_collections: |version| check("gc.basic", version, 8);
    allocations_by_class_need_their_flag: |version| check("gc.moved", version, 8);
    large_and_pinned_objects_are_reported_and_no_others: |version| check("allocations", version, 2);
    static_fields_are_read_while_contexts_are_unloaded: |version| check("statics", version, 12);
    static_fields_in_the_image_are_the_bytes_of_the_file: |version| check("image", version, 2);
    il_to_native_maps_match_statements: |version| check("maps", version, 14);
    precompiled_inliners_match_the_jit: |version| check("inliners", version, 2);
    methods_without_wrappers_are_not_implemented: |version| check("undone", version, 7);
    rejit_replaces_and_reverts_code: |version| check("rejit", version, 6);
    stacks_are_those_of_the_program: |version| check("stacks", version, 5);
    all_stacks_are_sampled_while_threads_end: |version| check("sampling", version, 5);
    event_pipe_events_have_their_values: |version| check("event_pipe", version, 1);
    // Features that .NET Core 3.1 does not have.
    object_handles_keep_objects_alive_and_follow_moves on [on_8_0 on_9_0 on_10_0 on_11_0]:
        |version| check("handles", version, 10);
    handles_dropped_after_shutdown_make_no_call on [on_8_0 on_9_0 on_10_0 on_11_0]:
        |version| check("end", version, 4);
    the_heap_is_walked_during_collections on [on_9_0 on_10_0 on_11_0]:
        |version| check("walk", version, 10);
    frozen_objects_are_reported_and_listed on [on_8_0 on_9_0 on_10_0 on_11_0]:
        |version| check("frozen", version, 5);
}
