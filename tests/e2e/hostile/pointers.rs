//! Bad addresses as arguments are errors in the trace, and good ones are not: the kernel tells the program which is which.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::json;
use e2e::on_each_runtime;
use e2e::traced::calltrace;

use crate::run::app;

/// Settings of the collector.
const COLLECTORS: [(&str, &[(&str, &str)]); 4] = [
    ("workstation", &[]),
    ("workstation, not concurrent", &[("gcConcurrent", "0")]),
    ("workstation, conserving memory", &[("GCConserveMemory", "9"), ("GCgen0size", "400000")]),
    ("server", &[("gcServer", "1"), ("GCHeapCount", "2")]),
];

/// What the program says of a call: the kind of the address, and whether it was readable before and after the call.
struct Said {
    kind: String,
    before: bool,
    after: bool,
}

fn said(stdout: &str) -> Result<Vec<Said>> {
    let mut all = Vec::new();
    for line in stdout.lines() {
        let mut words = line.splitn(4, ' ');
        let mut next = || words.next().with_context(|| line.to_owned());
        let (number, before, after, kind) =
            (next()?, next()? == "True", next()? == "True", next()?.to_owned());
        ensure!(number.parse() == Ok(all.len()), "{line}");
        all.push(Said { kind, before, after });
    }
    Ok(all)
}

fn check(version: RuntimeVersion, hooks: &str, (name, settings): (&str, &[(&str, &str)])) -> Result<()> {
    let label = format!("hostile/pointers-{}-{hooks}-{}", version.short(), name.replace([' ', ','], "-"));
    let trace = scratch(&label)?.join("trace");
    let mut launch = Launch::new(&runtime(version)?, &app(version)?.dll).arg("pointers");
    for (setting, value) in settings {
        launch = launch.env(format!("DOTNET_{setting}"), *value).env(format!("COMPlus_{setting}"), *value);
    }
    let finished = launch
        .profiler(&calltrace()?)
        .env("CALLTRACE_HOOKS", hooks)
        .env("CALLTRACE_FORMAT", "jsonl")
        .env("CALLTRACE_INCLUDE", "Hostile.Pointers.*")
        .env("CALLTRACE_OUT", &trace)
        .run()?
        .ok()?;
    let said = said(&finished.stdout)?;
    let text = std::fs::read_to_string(&trace)?;
    // By kind: unreadable, readable, uncertain.
    let mut kinds = BTreeMap::<&str, [usize; 3]>::new();
    // Lines of several threads are in no order.
    let mut seen = BTreeSet::new();
    for line in text.lines() {
        let event = json::parse(line).with_context(|| line.to_owned())?;
        let args = &event["args"];
        let is_traced = event["method"].as_str().is_some_and(|method| method.ends_with("ed"));
        let (Some(number), Some(value)) = (args[0]["value"].as_u64(), args.get(1)) else { continue };
        if !is_traced {
            continue;
        }
        ensure!(seen.insert(number), "call {number} is traced twice: {line}");
        let said = said.get(usize::try_from(number)?).with_context(|| line.to_owned())?;
        let value = &value["value"];
        let is_error = value.to_string().contains(r#""error":"#);
        let counts = kinds.entry(said.kind.split(',').next().unwrap_or_default()).or_default();
        match (said.before, said.after) {
            (false, false) => {
                counts[0] += 1;
                ensure!(is_error || value.is_null(), "{}: a bad address is no error: {line}", said.kind);
            }
            (true, true) => {
                counts[1] += 1;
                // What is no string may have any length.
                let is_text = event["method"].as_str().is_some_and(|method| method.ends_with("Texted"));
                ensure!(!is_error || is_text, "{}: a good address is an error: {line}", said.kind);
            }
            // The collector has released it, or taken it, meanwhile.
            _ => counts[2] += 1,
        }
    }
    ensure!(seen.len() == said.len(), "{} calls of {} are traced", seen.len(), said.len());
    println!("{version}, {hooks}, {name}: {kinds:?}");
    for (kind, bad, good) in [
        ("number", 24, 0),
        ("native", 16, 60),
        ("beside the heap", 16, 60),
        ("stack", 0, 60),
        // .NET Core 3.1 keeps the memory of the young generations.
        ("young", if version == RuntimeVersion::V3_1 { 0 } else { 100 }, 500),
        ("large", 10, 60),
    ] {
        let counts = kinds.get(kind).copied().unwrap_or_default();
        ensure!(counts[0] >= bad && counts[1] >= good, "{kind}: {counts:?}");
    }
    Ok(())
}

fn all(version: RuntimeVersion) -> Result<()> {
    COLLECTORS.into_iter().try_for_each(|collector| {
        check(version, "fast", collector).and_then(|()| check(version, "with-info", collector))
    })
}

on_each_runtime! {
    bad_addresses_are_errors on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]: all;
}
