//! Selected calls: the traced calls are those that the settings select, by the program's own count, and each has
//! its end, however other calls end.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::launch::scratch;
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::record::{Event, Record};
use e2e::traced::{Traced, Tracing, enters};
use serde_json::json;

const KINDS: [&str; 2] = ["with-info", "fast"];
const WORK: &str = "*!Selection.Work.*";

/// Runs the program with both kinds of hooks, and checks the trace.
fn each(
    version: RuntimeVersion,
    name: &str,
    settings: &[(&str, &str)],
    check: impl Fn(&Traced, &[Record]) -> Result<()>,
) -> Result<()> {
    let app = App::compile("selection", version, Build::Optimised)?;
    for kind in KINDS {
        let mut tracing =
            Tracing::app(&app, &format!("{name}-{kind}"))?.set("INCLUDE", WORK).set("HOOKS", kind);
        for (setting, value) in settings {
            tracing = tracing.set(setting, value);
        }
        let traced = tracing.run()?;
        traced.expect((|| {
            ensure!(traced.finished.code() == Some(0), "the program failed");
            let (records, counts) = traced.records()?;
            ensure!(counts.open == 0, "not every call has an end: {counts}");
            check(&traced, &records).with_context(|| format!("{kind} on {version}: {counts}"))
        })())?;
    }
    Ok(())
}

/// The program's count of calls of its methods.
fn called(traced: &Traced) -> Result<BTreeMap<&str, usize>> {
    let lines = traced.finished.stdout.lines().map(|line| {
        let (method, calls) = line.split_once(' ').context("a line without a count")?;
        Ok((method, calls.parse()?))
    });
    let called: BTreeMap<&str, usize> = lines.collect::<Result<_>>()?;
    ensure!(called.len() == 5 && called.values().all(|calls| *calls > 100), "{called:?}");
    Ok(called)
}

/// The number of events of a method.
fn count(records: &[Record], event: &str, method: &str) -> usize {
    records.iter().filter(|record| record.event.name() == event && record.method == method).count()
}

/// Calls that an exception left are recorded as such, with the type of the exception.
fn exceptions_are_named(records: &[Record]) -> Result<()> {
    for record in records {
        if let Event::Unwind { exception } = &record.event {
            ensure!(exception == "System.InvalidOperationException", "{record:?}");
        }
    }
    ensure!(count(records, "leave", "Selection.Work.Throws") == 0, "a method returned that cannot");
    Ok(())
}

fn sample(version: RuntimeVersion) -> Result<()> {
    for sample in [2, 7] {
        each(version, &format!("sample{sample}"), &[("SAMPLE", &sample.to_string())], |traced, records| {
            let entered = enters(records);
            for (method, calls) in called(traced)? {
                let expected = calls.div_ceil(sample);
                let seen = entered.get(method).copied().unwrap_or(0);
                ensure!(seen == expected, "{method}: {calls} calls, {seen} traced, not {expected}");
            }
            exceptions_are_named(records)
        })?;
    }
    Ok(())
}

/// The frames that are found to be left are those that exceptions have left: with a limit that is never reached, every
/// call is traced, and ends as in the program.
fn without_limit(version: RuntimeVersion) -> Result<()> {
    each(version, "all", &[("RATE", "1000000")], |traced, records| {
        let entered = enters(records);
        for (method, calls) in called(traced)? {
            ensure!(
                entered.get(method) == Some(&calls),
                "{method}: {calls} calls, {:?} traced",
                entered.get(method)
            );
        }
        // Of 101 calls with 0, 1, 2, 3, 0, … the odd ones are not caught where they are thrown.
        let unwound = count(records, "unwind", "Selection.Work.Catches");
        ensure!(unwound == 50, "{unwound} frames of the method that catches were left");
        exceptions_are_named(records)
    })
}

fn rate(version: RuntimeVersion) -> Result<()> {
    const RATE: usize = 5;
    each(version, "rate", &[("RATE", "5")], |traced, records| {
        let entered = enters(records);
        let seconds = usize::try_from(traced.finished.duration.as_secs())? + 2;
        for (method, _) in called(traced)? {
            let seen = entered.get(method).copied().unwrap_or(0);
            ensure!((RATE..=RATE * seconds).contains(&seen), "{method}: {seen} calls in {seconds} seconds");
        }
        exceptions_are_named(records)
    })
}

fn while_a_file_exists(version: RuntimeVersion) -> Result<()> {
    for kind in KINDS {
        let app = App::compile("selection", version, Build::Optimised)?;
        let file = scratch(&format!("{}-switch-{kind}", app.label))?.join("on");
        let traced = Tracing::app(&app, &format!("while-{kind}"))?
            .with(|launch| launch.arg(&file).env("CALLTRACE_WHILE", &file))
            .set("INCLUDE", "*!Selection.Switched.*")
            .set("HOOKS", kind)
            .run()?;
        traced.expect((|| {
            ensure!(traced.finished.code() == Some(0), "the program failed");
            let (records, _) = traced.records()?;
            let seen: Vec<_> =
                records.iter().map(|record| (record.event.name(), record.method.as_str())).collect();
            let on = [("enter", "Selection.Switched.On"), ("leave", "Selection.Switched.On")];
            let across = [("enter", "Selection.Switched.Across"), ("leave", "Selection.Switched.Across")];
            let expected: Vec<_> = [on; 7].into_iter().chain([across]).flatten().collect();
            ensure!(seen == expected, "{seen:?}");
            Ok(())
        })())?;
    }
    Ok(())
}

/// The program waits for 0.6 s before its calls of `On`, and twice that before the last ones of `Off`. Its first call of
/// `Off` comes soon enough after the start to be traced within 0.1 s, or not.
fn for_some_time(version: RuntimeVersion) -> Result<()> {
    for kind in KINDS {
        for (seconds, is_to_the_end) in [("0.1", false), ("3600", true)] {
            let app = App::compile("selection", version, Build::Optimised)?;
            let file = scratch(&format!("{}-for-{kind}", app.label))?.join("on");
            let traced = Tracing::app(&app, &format!("for-{kind}-{seconds}"))?
                .with(|launch| launch.arg(&file))
                .set("FOR", seconds)
                .set("HOOKS", kind)
                .run()?;
            traced.expect((|| {
                ensure!(traced.finished.code() == Some(0), "the program failed");
                let (records, _) = traced.records()?;
                let off = count(&records, "enter", "Selection.Switched.Off");
                ensure!(if is_to_the_end { off == 3 } else { off <= 1 }, "{seconds} s: {off} calls of Off");
                let on = count(&records, "enter", "Selection.Switched.On");
                ensure!(on == if is_to_the_end { 7 } else { 0 }, "{seconds} s: {on} calls of On");
                let first = count(&records, "enter", "Selection.Work.Simple");
                ensure!(!is_to_the_end || first == 1000, "{seconds} s: {first} calls of Simple");
                Ok(())
            })())?;
        }
    }
    Ok(())
}

/// Of the first calls, values are read with their parts; of the others, what has no parts.
fn only_the_first_calls_in_full(version: RuntimeVersion) -> Result<()> {
    const FULL: usize = 7;
    // The number in the program.
    const CALLS: usize = 50;
    let settings = [("INCLUDE", "*!Selection.Often.*"), ("FULL_CALLS", "7")];
    each(version, "full", &settings, |_, records| {
        let (mut enters, mut leaves) = (0, 0);
        for record in records {
            let (value, call) = match &record.event {
                Event::Enter { args, .. } => {
                    enters += 1;
                    let [pair, number] = args.as_slice() else { bail!("{record:?}") };
                    ensure!(number.value == Some((enters - 1).into()), "{record:?}");
                    (pair.value.as_ref().context("no value")?, enters)
                }
                Event::Leave { result, .. } => {
                    leaves += 1;
                    (&result.as_ref().context("no result")?.1, leaves)
                }
                _ => bail!("{record:?}"),
            };
            ensure!(value["type"] == "Selection.Pair", "call {call}: {value}");
            if call <= FULL {
                let expected = json!({ "Left": call - 1, "Right": "right" });
                ensure!(value["fields"] == expected, "call {call}: {value}");
            } else {
                ensure!(value["elided"] == "often", "call {call}: {value}");
            }
        }
        ensure!((enters, leaves) == (CALLS, CALLS), "{enters} calls began and {leaves} ended");
        Ok(())
    })
}

on_each_runtime! {
    only_the_first_calls_are_read_in_full: only_the_first_calls_in_full;
    sampling_traces_one_call_in_n: sample;
    frames_left_by_exceptions_are_found_by_stack_pointer: without_limit;
    the_rate_limits_traced_calls: rate;
    calls_are_traced_while_a_file_exists: while_a_file_exists;
    calls_are_traced_for_some_time on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: for_some_time;
}
