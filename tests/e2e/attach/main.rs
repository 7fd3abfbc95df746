//! A profiler is attached to a running program, reports the events that the program reports itself, is detached and attached
//! again, and the program is not affected. A request that cannot be met gives one clear error.
#![cfg(unix)]

mod agents;
mod command;
mod delivered;
mod dumps;
mod guests;
mod heaps;
mod injecting;
mod locks;
mod mapped;
mod refused;
mod sessions;
mod stopped;
mod subject;
mod watching;

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use diagport::{Error, HResult, Port};
use e2e::on_each_runtime;
use e2e::traced::profiler;

use crate::agents::{a_panic_ends_one_session, an_agent_refuses, sessions_come_and_go};
use crate::delivered::{
    a_killed_client_ends_the_tool, a_program_that_is_killed, a_recording_of_a_killed_program,
    a_stopped_program_is_not_measured, a_wrong_setting_is_refused, code_is_taken_away, reports_arrive,
    sessions_count_for_themselves,
};
use crate::dumps::a_running_program_is_dumped;
use crate::guests::{a_detached_profiler_is_released, several_profilers};
use crate::heaps::missing_names_are_reported;
use crate::injecting::{
    code_is_injected_into_a_running_program_and_reverted, precompiled_inliners_are_recompiled,
    spans_nest_and_follow_tasks, unloaded_copies_are_rewritten,
};
use crate::locks::classes_from_before_are_named;
use crate::refused::{a_missing_port_is_explained, invalid_requests_are_refused};
use crate::sessions::{
    a_quiet_and_a_killed_program, a_session_has_the_events_of_the_program, sessions_have_what_the_runtime_can,
};
use crate::stopped::{a_forged_command_line, a_stopped_watcher};
use crate::subject::{PATIENCE, Subject, as_is, going};
use crate::watching::{contains, seen_for};

/// The commands whose responses can be derived from the profiler's output.
const COMMANDS: [&str; 5] = [
    "throw System.InvalidOperationException",
    "throw System.Collections.Generic.KeyNotFoundException",
    "collect 1",
    "thread worker",
    "load System.Xml.XDocument",
];

fn an_attached_profiler_reports_events(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("sees", version, as_is)?;
    // No profiler is attached yet.
    let mut unwatched = vec![subject.program.request("throw System.ArgumentException")?];

    let mut watching = subject.watch("WATCH_EVENTS=exceptions,gc,modules,threads")?;
    let pid = subject.program.pid();
    ensure!(
        watching.line()?.is_some_and(|line| line.starts_with(&format!("watching process {pid}, runtime ")))
    );
    // All events have been received.
    let settings = "settings: WATCH_EVENTS=exceptions,gc,modules,threads";
    ensure!(watching.line()?.as_deref() == Some(settings), "{:#?}", watching.seen);
    watching.until("already there: ")?;
    let mut expected = Vec::new();
    for command in COMMANDS {
        expected.extend(seen_for(&subject.program.request(command)?)?);
    }
    let seen = watching.disconnect().with_context(|| subject.program.report())?;
    contains(&seen, &expected)?;
    let exceptions = seen.iter().filter(|line| line.starts_with("exception")).count();
    ensure!(exceptions == 2, "{exceptions} exceptions were seen, 2 thrown: {seen:#?}");

    // Detached: later events can only be seen by the next profiler.
    unwatched.push(subject.program.request("throw System.NotSupportedException")?);
    let mut again = subject.watch("")?;
    again.until("already there: ")?;
    let last = seen_for(&subject.program.request("throw System.FormatException")?)?;
    let seen = again.disconnect().with_context(|| subject.program.report())?;
    contains(&seen, &last)?;
    let exceptions = seen.iter().filter(|line| line.starts_with("exception")).count();
    ensure!(exceptions == 1, "{exceptions} exceptions were seen, 1 thrown: {seen:#?}");

    // Without client data it writes to the program's standard error, and stays until the end.
    let begin = Instant::now();
    while let Err(error) = subject.attach(&subject.watch, "") {
        ensure!(going(&error) && begin.elapsed() < PATIENCE, "{error}\n{}", subject.program.report());
        std::thread::sleep(Duration::from_millis(10));
    }
    let subject = subject.quit()?;
    ensure!(
        subject.program.stderr().trim_end().ends_with("the program ends"),
        "{}",
        subject.program.report()
    );
    ensure!(!subject.program.stderr().contains("corprof:"), "{}", subject.program.report());

    // The same without a profiler.
    let mut alone = Subject::new("alone", version, as_is)?;
    alone.program.request("throw System.ArgumentException")?;
    for command in COMMANDS {
        alone.program.request(command)?;
    }
    for command in ["throw System.NotSupportedException", "throw System.FormatException"] {
        alone.program.request(command)?;
    }
    let alone = alone.quit()?;
    ensure!(alone.program.said()[1..] == subject.program.said()[1..], "{}", subject.program.report());
    Ok(())
}

/// The program is listed with the right properties.
fn a_running_program_is_found(version: RuntimeVersion) -> Result<()> {
    let folder = scratch(&format!("attached-tmp-{}", version.short()))?;
    let with = |launch: Launch| launch.env("CORPROF_E2E", "ä=b").env("TMPDIR", &folder);
    let mut subject = Subject::new("found", version, with)?;
    let pid = subject.program.pid();
    let listed = Port::list()?;
    let port = subject.port()?;
    ensure!(port.path().starts_with(&folder), "{}", port.path().display());
    ensure!(
        listed.iter().any(|listed| (listed.pid(), listed.path()) == (Some(pid), port.path())),
        "{listed:?}"
    );
    let (info, environment) = (port.process_info(), port.environment());
    if version == RuntimeVersion::V3_1 {
        ensure!(matches!(info, Err(Error::NotSupported { .. })), "{info:?}");
        ensure!(matches!(environment, Err(Error::NotSupported { .. })), "{environment:?}");
    } else {
        let info = info?;
        ensure!(info.process_id == u64::from(pid) && info.os == "Linux", "{info:?}");
        ensure!(info.entry_assembly.as_deref() == Some("attached"), "{info:?}");
        ensure!(info.runtime_version == Some(runtime(version)?.version), "{info:?}");
        ensure!(info.command_line.ends_with("attached.dll"), "{info:?}");
        let variable = subject.program.request("variable CORPROF_E2E")?;
        let said = variable.strip_prefix("variable ").context("no variable")?.to_owned();
        ensure!(environment?.contains(&("CORPROF_E2E".to_owned(), said)), "the variable is not there");
    }
    subject.quit()?;
    ensure!(matches!(port.resume_runtime(), Err(Error::NoSuchProcess { .. })), "it has ended");
    Ok(())
}

/// Profilers are attached and detached while threads throw, collect and start other threads.
fn attaching_and_detaching_keeps_the_output(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("busy", version, as_is)?;
    subject.program.send("busy 4000")?;
    let begin = Instant::now();
    let mut rounds = 0;
    let mut exceptions = 0;
    while begin.elapsed() < Duration::from_secs(3) {
        let mut watching = subject.watch("")?;
        watching.until("exception  System.InvalidOperationException")?;
        let seen = watching.disconnect().with_context(|| subject.program.report())?;
        exceptions += seen.iter().filter(|line| line.starts_with("exception")).count();
        rounds += 1;
    }
    let said = subject.program.next_line()?;
    ensure!(said == "busy, 0 wrong, all threads ran", "{}", subject.program.report());
    ensure!(rounds >= 2, "only {rounds} rounds");
    println!("{rounds} times attached and detached, {exceptions} exceptions seen");
    subject.quit()?;
    Ok(())
}

/// The process ends while callbacks are running on other threads, of an attached profiler and of one from the start.
fn the_process_ends_while_callbacks_run(version: RuntimeVersion) -> Result<()> {
    for round in 0..3 {
        let from_the_start = round == 0;
        let watch = profiler("watch")?;
        let with = |launch: Launch| if from_the_start { launch.profiler(&watch) } else { launch };
        let mut subject = Subject::new("end", version, with)?;
        if !from_the_start {
            subject.attach(&watch, "").with_context(|| subject.program.report())?;
        }
        let answer = subject.program.request("background")?;
        ensure!(answer == "background threads throw", "{}", subject.program.report());
        let subject = subject.quit()?;
        let stderr = subject.program.stderr();
        ensure!(
            stderr.contains("exception  System.InvalidOperationException"),
            "{}",
            subject.program.report()
        );
        ensure!(stderr.trim_end().ends_with("the program ends"), "{}", subject.program.report());
    }
    Ok(())
}

on_each_runtime! {
    events_are_reported_after_attach: an_attached_profiler_reports_events;
    a_running_program_is_listed: a_running_program_is_found;
    invalid_attach_requests_are_refused: invalid_requests_are_refused;
    a_missing_port_is_an_error_with_its_reason: a_missing_port_is_explained;
    a_busy_program_is_not_disturbed: attaching_and_detaching_keeps_the_output;
    code_is_injected: code_is_injected_into_a_running_program_and_reverted;
    spans_nest_fail_and_follow_tasks: spans_nest_and_follow_tasks;
    inliners_in_precompiled_code_are_recompiled: precompiled_inliners_are_recompiled;
    unloaded_assemblies_are_rewritten: unloaded_copies_are_rewritten;
    detached_profilers_are_released: a_detached_profiler_is_released;
    the_process_ends_during_callbacks: the_process_ends_while_callbacks_run;
    a_stopped_watcher_does_not_keep_the_process: a_stopped_watcher;
    a_forged_command_line_is_escaped: a_forged_command_line;

    a_session_counts_as_the_program_does: a_session_has_the_events_of_the_program;
    what_a_session_can_choose: sessions_have_what_the_runtime_can;
    dumps_have_what_is_requested: a_running_program_is_dumped;
    a_session_of_a_quiet_and_of_a_killed_program: a_quiet_and_a_killed_program;

    /// The other runtimes can list the methods.
    a_heap_without_names_says_so on [on_3_1]: missing_names_are_reported;

    /// The events have had the object since .NET 8.
    classes_of_locks_are_named_after_attach on [on_8_0 on_9_0 on_10_0 on_11_0]: classes_from_before_are_named;

    sessions_of_an_agent_come_and_go on [on_8_0 on_9_0 on_10_0 on_11_0]: sessions_come_and_go;
    a_panic_ends_one_session_of_an_agent on [on_9_0 on_10_0]: a_panic_ends_one_session;
    an_agent_refuses_what_it_cannot_do on [on_10_0]: an_agent_refuses;
    each_tool_delivers_its_report on [on_8_0 on_10_0 on_11_0]: reports_arrive;
    each_session_counts_for_itself on [on_8_0 on_9_0 on_10_0 on_11_0]: sessions_count_for_themselves;
    a_wrong_setting_is_refused_here on [on_8_0 on_10_0 on_11_0]: a_wrong_setting_is_refused;
    a_stopped_program_is_not_measured_later on [on_8_0 on_10_0 on_11_0]: a_stopped_program_is_not_measured;
    a_tool_leaves_with_its_client on [on_8_0 on_10_0 on_11_0]: a_killed_client_ends_the_tool;
    a_killed_program_leaves_its_last_report on [on_10_0 on_11_0]: a_program_that_is_killed;
    a_killed_program_leaves_its_recording on [on_8_0 on_10_0]: a_recording_of_a_killed_program;
    inserted_code_is_taken_away_by_its_client on [on_10_0 on_11_0]: code_is_taken_away;

    /// Profilers for notifications only came with .NET 7.
    several_profilers_see_the_same_exception on [on_8_0 on_9_0 on_10_0 on_11_0]: several_profilers;

    /// Suspending a runtime at its start came with .NET 5.
    a_suspended_runtime_gets_a_startup_profiler on [on_8_0 on_9_0 on_10_0 on_11_0]: a_waiting_runtime;
}

/// A runtime that waits at its start gets a profiler and a variable, and is resumed.
fn a_waiting_runtime(version: RuntimeVersion) -> Result<()> {
    let watch = profiler("watch")?;
    let with = |launch: Launch| launch.env("DOTNET_DefaultDiagnosticPortSuspend", "1");
    let mut subject = Subject::starting("suspended", version, with)?;
    let begin = Instant::now();
    let port = loop {
        match subject.port() {
            Ok(port) => break port,
            Err(error) => ensure!(begin.elapsed() < PATIENCE, "{error:#}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    // Attaching fails until the runtime runs.
    let early = subject.attach(&watch, "").err().and_then(|error| error.hresult());
    ensure!(early == Some(HResult::CORPROF_E_NOT_YET_AVAILABLE), "{early:?}");
    let clsid = watch.clsid;
    // The port exists a moment before the runtime is suspended.
    let begin = Instant::now();
    let prepare = || {
        port.set_environment_variable("CORPROF_E2E", "set from outside")?;
        port.set_startup_profiler(clsid, &watch.library)
    };
    while let Err(error) = prepare() {
        let is_early = error.hresult() == Some(HResult::E_INVALIDARG) && begin.elapsed() < PATIENCE;
        ensure!(is_early, "{error}\n{}", subject.program.report());
        std::thread::sleep(Duration::from_millis(10));
    }
    port.resume_runtime()?;
    let ready = subject.program.next_line()?;
    ensure!(ready.starts_with("ready"), "{}", subject.program.report());
    let variable = subject.program.request("variable CORPROF_E2E")?;
    ensure!(variable == "variable set from outside", "{}", subject.program.report());
    // It is running now.
    let late = port.set_startup_profiler(clsid, &watch.library).err().and_then(|error| error.hresult());
    ensure!(late == Some(HResult::E_INVALIDARG), "{late:?}");
    let answer = subject.program.request("throw System.FormatException")?;
    let subject = subject.quit()?;
    let stderr = subject.program.stderr();
    let lines: Vec<String> =
        stderr.lines().filter_map(|line| Some(line.trim_start().split_once("  ")?.1.to_owned())).collect();
    contains(&lines, &seen_for(&answer)?).with_context(|| subject.program.report())?;
    // From the start: it has seen the load of the core library.
    ensure!(lines.iter().any(|line| line.ends_with("System.Private.CoreLib.dll")), "{lines:#?}");
    Ok(())
}
