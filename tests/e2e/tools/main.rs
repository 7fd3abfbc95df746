//! The tools report what programs state of themselves: exceptions, collections, allocations, time.

mod alloc;
mod composed;
mod cpu;
mod exceptions;
mod gc;
mod harmless;
mod heap;
mod locks;
mod push;
mod startup;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::command::corprof;
use e2e::on_each_runtime;
use e2e::traced::{profiler, records};

use crate::alloc::{
    allocations_are_those_of_the_program, mixed_allocations_are_those_of_the_program,
    sampled_allocations_are_within_their_error,
};
use crate::composed::parts_report_what_they_report_alone;
use crate::cpu::{
    a_storm_of_signals_leaves_the_program_alone, callers_of_replaced_code_are_seen,
    shares_by_suspension_are_those_of_the_program, shares_of_time_are_those_of_the_program,
};
use crate::exceptions::{
    exceptions_are_those_of_the_program, the_exception_that_ends_the_program_is_reported,
};
use crate::gc::{
    collections_are_those_of_the_program, collections_beside_background_ones_are_counted,
    the_command_makes_reports,
};
use crate::heap::objects_are_those_of_the_program;
use crate::locks::{
    an_old_runtime_is_refused, other_waits_are_those_of_the_program, waits_are_those_of_the_program,
};
use crate::push::{a_server_that_fails_does_not_disturb_the_program, files_rotate, profiles_are_pushed};
use crate::startup::{compilations_and_loads_are_those_of_the_program, compilations_are_those_of_the_events};

/// Returns the file that a tool writes to for a report in `out`.
pub(crate) fn written(tool: &str, out: &Path) -> PathBuf {
    if records(tool) { out.with_extension("clrec") } else { out.to_owned() }
}

/// Makes the report in `out` of a recording, if the tool has made one, and returns it.
pub(crate) fn report(out: &Path) -> Result<String> {
    let recording = out.with_extension("clrec");
    if recording.is_file() {
        let [file, to] = [&*recording, out].map(|path| path.display().to_string());
        let output = corprof(&["report", &file, "--out", &to])?.output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(fs::read_to_string(out)?)
}

/// A run of a subject of `apps/tooled` under a tool, and the file for the tool's output.
pub(crate) fn run(
    tool: &str,
    subject: &str,
    version: RuntimeVersion,
    ending: &str,
) -> Result<(Launch, PathBuf)> {
    run_in(&profiler(tool)?, tool, subject, version, ending)
}

/// The same with a library that has the tool.
pub(crate) fn run_in(
    library: &Profiler,
    tool: &str,
    subject: &str,
    version: RuntimeVersion,
    ending: &str,
) -> Result<(Launch, PathBuf)> {
    let app = App::compile("tooled", version, Build::Optimised)?;
    let file = library.library.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let out =
        scratch(&format!("{}-{file}-{tool}-{subject}-{ending}", app.label))?.join(format!("out.{ending}"));
    let launch = Launch::new(&runtime(version)?, &app.dll)
        .arg(subject)
        .profiler(library)
        .env(format!("{}_OUT", tool.to_uppercase()), written(tool, &out))
        .attach(&out);
    Ok((launch, out))
}

/// The facts that the program has stated: `program: name = value`.
pub(crate) fn stated(stdout: &str) -> impl Iterator<Item = (&str, &str)> {
    stdout.lines().filter_map(|line| line.strip_prefix("program: ")?.split_once(" = "))
}

on_each_runtime! {
    the_exceptions_of_a_program: exceptions_are_those_of_the_program;
    two_tools_and_a_profiler_in_one_library: parts_report_what_they_report_alone;
    the_collections_of_a_program: collections_are_those_of_the_program;
    collections_beside_background_ones on [on_8_0 on_9_0 on_10_0 on_11_0]: collections_beside_background_ones_are_counted;
    the_command_makes_reports_of_collections on [on_3_1 on_10_0]: the_command_makes_reports;
    the_allocations_of_a_program: allocations_are_those_of_the_program;
    sampled_allocations on [on_8_0 on_9_0 on_10_0 on_11_0]: sampled_allocations_are_within_their_error;
    mixed_allocations on [on_8_0 on_9_0 on_10_0 on_11_0]: mixed_allocations_are_those_of_the_program;
    the_objects_of_a_program: objects_are_those_of_the_program;
    the_start_of_a_program: compilations_and_loads_are_those_of_the_program;
    // .NET Core 3.1 crashes when it writes a trace from its start.
    the_compilations_of_a_program on [on_8_0 on_9_0 on_10_0 on_11_0]: compilations_are_those_of_the_events;
    the_time_of_a_program: shares_of_time_are_those_of_the_program;
    the_time_of_a_program_by_suspension on [on_3_1 on_9_0] long [on_8_0 on_10_0 on_11_0]:
        shares_by_suspension_are_those_of_the_program;
    callers_of_replaced_code on [on_8_0 on_9_0 on_10_0 on_11_0]: callers_of_replaced_code_are_seen;
    a_storm_of_signals: a_storm_of_signals_leaves_the_program_alone;
    an_uncaught_exception: the_exception_that_ends_the_program_is_reported;
    the_locks_of_a_program on [on_8_0 on_9_0 on_10_0 on_11_0]: waits_are_those_of_the_program;
    the_waits_of_a_program on [on_8_0 on_9_0 on_10_0 on_11_0]: other_waits_are_those_of_the_program;
    pushed_profiles on [on_3_1 on_10_0 on_11_0]: profiles_are_pushed;
    failing_servers on [on_9_0]: a_server_that_fails_does_not_disturb_the_program;
    rotated_files on [on_8_0]: files_rotate;
    locks_of_an_old_runtime on [on_3_1]: an_old_runtime_is_refused;
}
