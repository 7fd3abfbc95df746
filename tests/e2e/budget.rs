//! The budget for calls: what is traced and what is omitted is what the program calls, by its own count, exactly, except for methods
//! that have lost their hooks. The traced calls have their ends, their results and their callers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_cli::trace;
use corprof_testkit::dotnet::RuntimeVersion;
use corprof_testkit::machine::{self, Foreign};
use e2e::app::{App, Build};
use e2e::on_each_runtime;
use e2e::record::{Event, Omitted, Record};
use e2e::traced::{Traced, Tracing, enters};

const WORK: &str = "*!Budget.Work.*;*!Budget.Generic*";

/// The calls of each method that are traced in any case.
const FIRST: u64 = 100;

/// Kinds of hooks and formats.
const WAYS: [(&str, &str); 3] = [("with-info", "jsonl"), ("fast", "jsonl"), ("fast", "binary")];

/// Methods that are called no more often than that.
const SELDOM: [&str; 2] = ["Budget.Work.Seldom", "Budget.Work.Rare"];

/// A method that is called for so long that it loses its hooks long before its last call.
const BUSY: &str = "Budget.Work.Leaf";

/// A name without type arguments.
fn plain(method: &str) -> String {
    let (mut name, mut depth) = (String::new(), 0);
    for letter in method.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ if depth == 0 => name.push(letter),
            _ => {}
        }
    }
    name
}

/// Runs the program in a way, and reads the trace.
fn run(
    version: RuntimeVersion,
    (hooks, format): (&str, &str),
    (budget, count_all): (&str, &str),
    rounds: &str,
) -> Result<(Traced, Vec<Record>, Vec<Omitted>)> {
    let app = App::compile("budget", version, Build::Optimised)?;
    let traced = Tracing::app(&app, &format!("{budget}-{rounds}-{hooks}-{format}"))?
        .with(|launch| launch.arg(rounds))
        .set("INCLUDE", WORK)
        .set("HOOKS", hooks)
        .set("FORMAT", format)
        .set("BUDGET", budget)
        .set("COUNT_ALL", count_all)
        .run()?;
    let read = (|| {
        ensure!(traced.finished.code() == Some(0), "the program failed");
        if format == "binary" {
            let mut lines = Vec::new();
            let words = [traced.trace.as_os_str(), "--format".as_ref(), "jsonl".as_ref()];
            trace::run([&["print".as_ref()], &words[..]].concat(), &mut lines)?;
            fs::write(&traced.trace, lines)?;
        }
        let (records, counts) = traced.records()?;
        ensure!(counts.open == 0, "not every call has an end: {counts}");
        Ok((records, traced.omitted()?))
    })();
    let (records, omitted) = traced.expect(read)?;
    Ok((traced, records, omitted))
}

/// The program's count of calls of its methods.
fn called(traced: &Traced) -> Result<BTreeMap<String, u64>> {
    let lines = traced.finished.stdout.lines().map(|line| {
        let (method, calls) = line.split_once(' ').context("a line without a count")?;
        Ok((method.to_owned(), calls.parse()?))
    });
    let called: BTreeMap<String, u64> = lines.collect::<Result<_>>()?;
    ensure!(called.len() == 13, "{called:?}");
    Ok(called)
}

/// The number of traced calls of each method, without type arguments.
fn traced_calls(records: &[Record]) -> BTreeMap<String, u64> {
    let mut calls = BTreeMap::new();
    for (method, count) in enters(records) {
        *calls.entry(plain(method)).or_default() += count as u64;
    }
    calls
}

/// The number of counted calls of each method that are not traced, without type arguments.
fn missing_calls(omitted: &[Omitted]) -> BTreeMap<String, u64> {
    let mut missing = BTreeMap::new();
    for omitted in omitted {
        *missing.entry(plain(&omitted.method)).or_default() += omitted.calls;
    }
    missing
}

/// The methods that a call of a method may come from, and whether they have the same number as the call.
fn callers(method: &str) -> (&'static [&'static str], bool) {
    match method {
        "Budget.Work.Middle" => (&["Budget.Work.Outer"], true),
        "Budget.Work.Leaf" => (&["Budget.Work.Outer", "Budget.Work.Middle"], true),
        "Budget.Work.Last" => (&["Budget.Work.Tail"], true),
        "Budget.Work.Deep" => (&["Budget.Work.Deep"], false),
        "Budget.Work.Catches" => (&["Budget.Work.Catches"], false),
        "Budget.Work.Throws" => (&["Budget.Work.Catches", "Budget.Work.Throws"], false),
        _ => (&[], false),
    }
}

/// Each call has a caller that it may have, returns what belongs to its argument, or is left by the program's exception.
fn calls_are_whole(records: &[Record]) -> Result<()> {
    let mut stacks: BTreeMap<u64, Vec<(&str, i64)>> = BTreeMap::new();
    for record in records {
        let stack = stacks.entry(record.thread).or_default();
        let method = plain(&record.method);
        match &record.event {
            Event::Enter { args, .. } => {
                let number = args.first().and_then(|slot| slot.value.as_ref()?.as_i64());
                let number = number.with_context(|| format!("{record:?}"))?;
                let (allowed, is_same) = callers(&method);
                for (caller, of_caller) in &*stack {
                    ensure!(allowed.contains(&&*plain(caller)), "{record:?} is called by {stack:?}");
                    ensure!(!is_same || *of_caller == number, "{record:?} is called by {stack:?}");
                }
                stack.push((&record.method, number));
                continue;
            }
            Event::Leave { result, .. } => {
                let number = stack.last().map_or(0, |(_, number)| *number);
                let value = result.as_ref().and_then(|(_, value)| value.as_i64());
                ensure!(value == Some(number * 3), "{record:?} of a call with {number}");
                ensure!(method != "Budget.Work.Throws", "a method returned that cannot");
            }
            Event::Unwind { exception } => {
                ensure!(exception == "System.InvalidOperationException", "{record:?}");
                ensure!(method == "Budget.Work.Throws" || method == "Budget.Work.Catches", "{record:?}");
            }
            Event::Suspend | Event::Resume => bail!("{record:?}"),
            Event::Tailcall => ensure!(method == "Budget.Work.Tail", "{record:?}"),
        }
        stack.pop();
    }
    Ok(())
}

fn omitted(version: RuntimeVersion) -> Result<()> {
    for way in WAYS {
        // Less than a thread spends on the first calls of so many methods.
        let (traced, records, omitted) = run(version, way, ("1", "1"), "30000")?;
        traced.expect((|| {
            let (calls, found) = (called(&traced)?, traced_calls(&records));
            ensure!(omitted.iter().all(|it| !it.and_more), "a method has lost its hooks: {omitted:?}");
            let missing = missing_calls(&omitted);
            println!("{way:?} on {version}: {found:?} of {calls:?}");
            for (method, calls) in &calls {
                let found = found.get(method).copied().unwrap_or(0);
                let missing = missing.get(method).copied().unwrap_or(0);
                ensure!(
                    found + missing == *calls,
                    "{method}: {calls} calls, {found} traced, {missing} omitted"
                );
                ensure!(found >= FIRST.min(*calls), "{method}: {found} of {calls} calls are traced");
            }
            for seldom in SELDOM {
                ensure!(!missing.contains_key(seldom), "{seldom}: {missing:?}");
            }
            let all: u64 = missing.values().sum();
            ensure!(all > calls.values().sum::<u64>() / 2, "{all} calls are omitted");
            // It is no terminal, and so the program's alone.
            ensure!(traced.finished.stderr.is_empty(), "{}", traced.finished.stderr);
            calls_are_whole(&records)
        })())?;
    }
    Ok(())
}

/// Methods that are called often lose their hooks. The others have all theirs.
fn unhooked(version: RuntimeVersion) -> Result<()> {
    // There the runtime accepts a request and does not compile the method again.
    let keeps_code = version == RuntimeVersion::V3_1 && machine::of_tests()? == Some(Foreign::WindowsX64);
    for way in WAYS {
        let (traced, records, omitted) = run(version, way, ("1", ""), "5000000")?;
        traced.expect((|| {
            let (calls, found, missing) = (called(&traced)?, traced_calls(&records), missing_calls(&omitted));
            let unhooked: BTreeSet<String> =
                omitted.iter().filter(|it| it.and_more).map(|it| plain(&it.method)).collect();
            println!("{way:?} on {version}: {unhooked:?} of {calls:?}, {missing:?}");
            for (method, calls) in &calls {
                let found = found.get(method).copied().unwrap_or(0);
                let counted = found + missing.get(method).copied().unwrap_or(0);
                let is_right = if unhooked.contains(method) { counted < *calls } else { counted == *calls };
                ensure!(is_right, "{method}: {calls} calls, of which {counted} are counted");
                ensure!(found >= FIRST.min(*calls), "{method}: {found} of {calls} calls are traced");
            }
            if keeps_code {
                ensure!(unhooked.is_empty(), "{unhooked:?}");
                return calls_are_whole(&records);
            }
            let of_busy = calls.get(BUSY).zip(missing.get(BUSY));
            let is_early = of_busy.is_some_and(|(calls, missing)| missing < &(calls / 2));
            ensure!(unhooked.contains(BUSY) && is_early, "{BUSY}: {of_busy:?}");
            ensure!(SELDOM.iter().all(|seldom| !unhooked.contains(*seldom)), "{unhooked:?}");
            ensure!(traced.finished.stderr.is_empty(), "{}", traced.finished.stderr);
            calls_are_whole(&records)
        })())?;
    }
    Ok(())
}

fn every_call(version: RuntimeVersion) -> Result<()> {
    for way in WAYS {
        let (traced, records, omitted) = run(version, way, ("none", ""), "1000")?;
        traced.expect((|| {
            ensure!(omitted.is_empty() && !traced.finished.stderr.contains("omitted"), "{omitted:?}");
            let (calls, found) = (called(&traced)?, traced_calls(&records));
            ensure!(found == calls, "{found:?} of {calls:?}");
            calls_are_whole(&records)
        })())?;
    }
    Ok(())
}

on_each_runtime! {
    traced_and_omitted_calls_are_those_of_the_program: omitted;
    methods_that_are_called_very_often_lose_their_hooks: unhooked;
    without_a_budget_every_call_is_traced: every_call;
}
