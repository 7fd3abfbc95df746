//! A profiler that panics wherever it is called does not affect the program or its output: one panic is printed,
//! and the hundredth switches the profiler off.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::stated;
use e2e::traced::optimised_at_once;

const CLSID: &str = "{A1D7C0E4-3B52-4E8F-9C66-7F0B1D2E8A35}";

/// The number of panics that switches a profiler off.
const LIMIT: u64 = 100;
/// The number of threads that may be in a callback at a time: the program's, the finalizer, and those of the runtime.
const AT_ONCE: u64 = 12;

const LINE: &str = "the program's own line\n";

/// The callbacks that the program causes, and how often.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rate {
    Once,
    /// Often enough for the limit.
    High,
    Some,
}

const CALLBACKS: &[(&str, Rate)] = &[
    ("initialize", Rate::Once),
    ("hooks", Rate::Once),
    ("shutdown", Rate::Once),
    ("module_load_finished", Rate::Some),
    ("thread_created", Rate::Some),
    ("class_load_finished", Rate::High),
    ("jit_compilation_started", Rate::High),
    ("runtime_suspend_started", Rate::High),
    ("garbage_collection_started", Rate::High),
    ("moved_references", Rate::Some),
    ("exception_thrown", Rate::High),
    ("exception_catcher_enter", Rate::High),
];

const HOOKS: &[(&str, Rate)] =
    &[("map_function", Rate::High), ("enter", Rate::High), ("leave", Rate::High), ("all", Rate::High)];

/// Only optimised code has these, and with slow-path hooks code is not optimised.
const FAST_HOOKS: &[(&str, Rate)] = &[("jit_inlining", Rate::Some), ("tailcall", Rate::High)];

/// The program as it runs without a profiler.
fn alone(app: &App) -> Result<Finished> {
    let finished = Launch::new(&runtime(app.version)?, &app.dll).run()?.ends_with(42)?;
    ensure!(finished.stderr == LINE, "{}", finished.report());
    Ok(finished)
}

fn check(version: RuntimeVersion, hooks: &str, callbacks: &[(&str, Rate)]) -> Result<()> {
    let app = App::compile("panics", version, Build::Optimised)?;
    let profiler = stated::profiler("panics", CLSID)?;
    let plain = alone(&app)?;
    for (callback, rate) in callbacks {
        let out = scratch(&format!("{}-{hooks}-{callback}", app.label))?.join("counts");
        let launch = Launch::new(&runtime(version)?, &app.dll)
            .profiler(&profiler)
            .env_remove("RUST_BACKTRACE")
            .env("PANICS_IN", callback)
            .env("PANICS_HOOKS", hooks)
            .env("PANICS_OUT", &out);
        let finished = optimised_at_once(launch).run()?;
        let judged = (|| {
            ensure!(finished.code() == Some(42) && finished.stdout == plain.stdout, "another output or code");
            is_bounded(&finished, callback, *rate, &fs::read_to_string(&out).unwrap_or_default())
        })();
        judged
            .with_context(|| finished.report())
            .with_context(|| format!("{version}, {hooks}, {callback}"))?;
    }
    Ok(())
}

/// Checks that a panicking profiler's output is bounded, and that it is not called after the limit.
fn is_bounded(finished: &Finished, callback: &str, rate: Rate, counts: &str) -> Result<()> {
    let said = |what: &str| finished.stderr.matches(what).count();
    ensure!(said("corprof: the profiler panicked in") == 1, "not one report");
    let printed = said("panicked at");
    // Those that were in a callback when the first one panicked.
    ensure!((1..=usize::try_from(AT_ONCE)?).contains(&printed), "{printed} panics printed");
    ensure!(finished.stderr.contains(LINE), "the program's own line is missing");
    let off = usize::from(rate == Rate::High);
    let is_off = said("has panicked 100 times, and is switched off");
    ensure!(is_off == off || (rate == Rate::Some && is_off == 1), "switched off: {is_off} times");
    if matches!(callback, "initialize" | "hooks") {
        // The process was aborted, or the callback is too late to write.
        return Ok(());
    }
    let (panics, late) = counts.split_once(' ').context("the profiler wrote no counts")?;
    let (panics, late): (u64, u64) = (panics.parse()?, late.parse()?);
    println!("{callback}: {panics} panics, {printed} printed, {late} calls after the limit");
    match rate {
        Rate::High => ensure!((LIMIT..LIMIT + AT_ONCE).contains(&panics), "{panics} panics"),
        Rate::Some => ensure!((1..LIMIT + AT_ONCE).contains(&panics), "{panics} panics"),
        // The counts are written before it panics.
        Rate::Once => ensure!(panics == 0, "{panics} panics"),
    }
    ensure!(late == 0, "{late} calls after the limit");
    Ok(())
}

on_each_runtime! {
    callbacks on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: |version| check(version, "info", CALLBACKS);
    hooks_with_info on [on_3_1 on_8_0] long [on_9_0 on_10_0 on_11_0]: |version| check(version, "info", HOOKS);
    fast_hooks on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: |version| {
        check(version, "fast", HOOKS)?;
        check(version, "fast", FAST_HOOKS)
    };
}
