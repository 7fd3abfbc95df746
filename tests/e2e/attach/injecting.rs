//! `inject` is attached to a running program: its code is in the selected methods from then on, and is reverted later.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::RuntimeVersion;
use e2e::traced::profiler;

use crate::subject::{PATIENCE, Subject, as_is};

/// How long the code stays.
const SECONDS: u32 = 4;

/// The lines of the log without their times.
fn lines(log: &str) -> Vec<&str> {
    log.lines().filter_map(|line| line.trim_start().split_once("  ")).map(|(_, text)| text.trim()).collect()
}

pub(crate) fn code_is_injected_into_a_running_program_and_reverted(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("inject", version, as_is)?;
    let out = subject.folder.join("calls");
    let log = || fs::read_to_string(&out).unwrap_or_default();
    // Compiled already, and run once without the code.
    subject.program.request("throw System.ArgumentException")?;
    let settings = format!(
        "INJECT_METHODS=*!Attached.Program.Throw;*!Attached.Program.Start\nINJECT_OUT={}\n\
         INJECT_SECONDS={SECONDS}\nINJECT_REDACT=name",
        out.display()
    );
    subject.attach_when_free(&profiler("inject")?, &settings)?;
    let begin = Instant::now();
    while !log().contains(" Attached.Program.Throw(") {
        ensure!(begin.elapsed() < PATIENCE, "no call was logged\n{}\n{}", log(), subject.program.report());
        subject.program.request("throw System.FormatException")?;
    }
    let answer = subject.program.request("throw System.NotSupportedException")?;
    ensure!(answer == "caught System.NotSupportedException in Attached.Program.Throw", "{answer}");
    let entry = "Attached.Program.Throw(\"System.NotSupportedException\")";
    // The method responds before it ends.
    while lines(&log()).last().is_none_or(|line| line.starts_with('>')) && begin.elapsed() < PATIENCE {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let text = log();
    let seen = lines(&text);
    let spans = spans(&seen)?;
    let span = spans.values().find(|span| span.call == entry).with_context(|| text.clone())?;
    ensure!(span.ending == Some('<'), "{text}");
    subject.program.request("thread confidential")?;
    let text = log();
    ensure!(lines(&text).iter().any(|line| line.ends_with(" Attached.Program.Start(redacted)")), "{text}");
    ensure!(!text.contains("confidential"), "{text}");
    while !log().contains("reverted 2 methods") {
        ensure!(begin.elapsed() < PATIENCE, "it was not taken away\n{}", log());
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let before = log();
    subject.program.request("throw System.InvalidCastException")?;
    ensure!(log() == before, "a call was logged after the code was taken away\n{}", log());
    subject.quit().map(drop)
}

/// A span of the log.
#[derive(Debug)]
struct Span {
    parent: Option<u32>,
    call: String,
    ending: Option<char>,
    microseconds: u64,
}

/// The spans by their ids, which are in the order of the begins.
fn spans(lines: &[&str]) -> Result<BTreeMap<u32, Span>> {
    let mut spans: BTreeMap<u32, Span> = BTreeMap::new();
    for line in lines {
        let Some((sign @ ("<" | ">" | "!"), rest)) = line.split_once(" #") else { continue };
        let (id, rest) = rest.split_once(' ').with_context(|| (*line).to_owned())?;
        let id: u32 = id.parse()?;
        if sign == ">" {
            let (parent, call) = match rest.strip_prefix("in #").and_then(|rest| rest.split_once(' ')) {
                Some((parent, call)) => (Some(parent.parse()?), call),
                None => (None, rest),
            };
            let span = Span { parent, call: call.to_owned(), ending: None, microseconds: 0 };
            ensure!(spans.insert(id, span).is_none(), "two spans have the id {id}");
            continue;
        }
        let (name, time) = rest.split_once("  ").with_context(|| (*line).to_owned())?;
        let Some(span) = spans.get_mut(&id) else { bail!("{line}: no such span is open") };
        ensure!(span.call.starts_with(&format!("{name}(")) && span.ending.is_none(), "{line}: {span:?}");
        span.ending = sign.chars().next();
        span.microseconds = time.trim_end_matches(" µs").parse()?;
    }
    Ok(spans)
}

/// The calls of `Work.Run`: the call, the index of the call that it is in, how it ends, the least time in milliseconds
/// (a delay of 20 is shorter by the granularity of the runtime's clock).
const WORK: [(&str, Option<usize>, char, u64); 14] = [
    ("Attached.Work.Outer(\"pear\", 2)", None, '<', 0),
    ("Attached.Work.Inner(\"pear\", 2)", Some(0), '<', 0),
    ("Attached.Work.Outer(\"pear\", 1)", Some(1), '<', 0),
    ("Attached.Work.Inner(\"pear\", 1)", Some(2), '<', 0),
    ("Attached.Work.Outer(\"pear\", 0)", Some(3), '<', 0),
    ("Attached.Work.Pick(7)", None, '<', 0),
    ("Attached.Work.Pick(\"seven\")", None, '<', 0),
    ("Attached.Work.Fail(3)", None, '!', 0),
    ("Attached.Work.LoadAsync(20)", None, '<', 10),
    ("Attached.Work.AtOnceAsync(1)", None, '<', 0),
    ("Attached.Work.SameAsync(…)", None, '<', 0),
    ("Attached.Work.FailAsync(20)", None, '!', 10),
    // Followed until its first `await`.
    ("Attached.Work.ValueAsync(5)", None, '<', 0),
    // A marker: the next command.
    ("Attached.Work.Pick(8)", None, '<', 0),
];
const SELECTED: &str = "Outer Inner Pick Fail LoadAsync AtOnceAsync SameAsync FailAsync ValueAsync";
/// The methods with these names.
const METHODS: [&str; 10] = [
    "Outer",
    "Inner",
    "Pick",
    "Pick",
    "Fail",
    "LoadAsync",
    "AtOnceAsync",
    "SameAsync",
    "FailAsync",
    "ValueAsync",
];

/// Spans nest, have their arguments, end by exceptions, and follow tasks to their completion. Methods of the same name, and
/// those of another copy of the module with the same tokens, are not confused (wrong methods were replaced in coreclr#24975
/// and coreclr#18323). `Outer` and `Inner`, which are inlined into each other, are both recompiled.
pub(crate) fn spans_nest_and_follow_tasks(version: RuntimeVersion) -> Result<()> {
    // Optimised at once: the methods are inlined into `Run` when the code is inserted. Before .NET 9, such code is not replaced.
    let are_inlined = version >= RuntimeVersion::V9_0;
    let with = |launch: corprof_testkit::launch::Launch| {
        if are_inlined { launch.env("DOTNET_TieredCompilation", "0") } else { launch }
    };
    let mut subject = Subject::new("spans", version, with)?;
    let out = subject.folder.join("calls");
    let log = || fs::read_to_string(&out).unwrap_or_default();
    let worked = subject.program.request("work")?;
    let patterns: Vec<String> = SELECTED.split(' ').map(|name| format!("*!Attached.Work.{name}")).collect();
    let settings =
        format!("INJECT_METHODS={}\nINJECT_OUT={}\nINJECT_SECONDS=8", patterns.join(";"), out.display());
    subject.attach_when_free(&profiler("inject")?, &settings)?;
    let begin = Instant::now();
    while !log().contains(" Attached.Work.Pick(") {
        ensure!(begin.elapsed() < PATIENCE, "no call was logged\n{}\n{}", log(), subject.program.report());
        let answer = subject.program.request("work")?;
        ensure!(answer == worked, "{answer} instead of {worked}\n{}", log());
        std::thread::sleep(Duration::from_millis(50));
    }
    // The rest of that run, on other threads, is over before it responds.
    let before = spans(&lines(&log()))?.len();
    let answer = subject.program.request("work")?;
    ensure!(answer == worked, "{answer} instead of {worked}\n{}", log());
    let answer = subject.program.request("copy")?;
    ensure!(answer == "the copy worked 35", "{answer}");
    while log().matches("the module can be unloaded, and the runtime does not recompile").count()
        < METHODS.len()
    {
        ensure!(begin.elapsed() < PATIENCE, "the copy is not mentioned\n{}", log());
        std::thread::sleep(Duration::from_millis(20));
    }
    let text = log();
    ensure!(text.contains("before .NET 9: calls that were inlined") != are_inlined, "{text}");
    refused_are_named(&lines(&text))?;
    let all = spans(&lines(&text))?;
    let seen: Vec<(&u32, &Span)> = all.iter().skip(before).collect();
    ensure!(seen.len() == WORK.len(), "{} spans instead of {}: {seen:#?}\n{text}", seen.len(), WORK.len());
    for ((_, span), (call, parent, ending, least)) in seen.iter().zip(WORK) {
        let expected = parent.map(|index| *seen[index].0);
        ensure!(
            span.call == call && span.parent == expected && span.ending == Some(ending),
            "{span:?}, expected {call} in {expected:?}, ended by {ending}\n{text}"
        );
        ensure!(span.microseconds >= least * 1000, "{span:?} is shorter than {least} ms");
    }
    while !log().contains("reverted ") {
        ensure!(begin.elapsed() < PATIENCE, "nothing was reverted\n{}", log());
        std::thread::sleep(Duration::from_millis(50));
    }
    let before = lines(&log()).iter().filter(|line| line.contains('#')).count();
    ensure!(subject.program.request("work")? == worked, "{}", log());
    let text = log();
    let after = lines(&text).iter().filter(|line| line.contains('#')).count();
    ensure!(before == after, "a call was logged after the methods were reverted\n{text}");
    // The runtime detaches no profiler that has used ReJIT.
    ensure!(text.contains("stays loaded: ") && text.contains("CORPROF_E_IRREVERSIBLE"), "{text}");
    subject.quit().map(drop)
}

/// The copy of the program's module can be unloaded: each of its selected methods is named as one that keeps its code, and counts for none
/// of those that get some.
fn refused_are_named(lines: &[&str]) -> Result<()> {
    let refused = lines.iter().filter_map(|line| line.split_once(" keeps its code: "));
    let mut names = Vec::new();
    for (name, why) in refused {
        ensure!(why.starts_with("the module can be unloaded, and the runtime does not"), "{name}: {why}");
        names.push(name);
    }
    let mut expected: Vec<String> =
        METHODS.map(|name| format!("Attached.Work.{name} of attached.dll")).into();
    names.sort_unstable();
    expected.sort_unstable();
    ensure!(names == expected, "{names:?} instead of {expected:?}");
    let inserting: Vec<_> = lines.iter().filter(|line| line.starts_with("inserting into ")).collect();
    let expected = format!("inserting into {} methods of attached.dll, each at its next call", METHODS.len());
    ensure!(inserting == [&expected.as_str()], "{inserting:?} instead of {expected}");
    Ok(())
}

/// A method of the framework that precompiled code of its assembly has inlined.
const INLINED: &str = "System.Net.Primitives.dll!System.Net.IPAddress.get_IsIPv4";
/// Those of the core library. Not every runtime inlines both.
const OF_CORE: [&str; 2] = ["System.Environment.get_NewLine", "System.IO.PathInternal.IsDirectorySeparator"];

/// Precompiled code into which a selected method was inlined is recompiled. Since .NET 9 an attached profiler cannot find the inliners of
/// the core library's methods: that code stays as it is.
pub(crate) fn precompiled_inliners_are_recompiled(version: RuntimeVersion) -> Result<()> {
    let mut subject = Subject::new("precompiled", version, as_is)?;
    let out = subject.folder.join("calls");
    let log = || fs::read_to_string(&out).unwrap_or_default();
    let answered = subject.program.request("precompiled")?;
    let patterns = OF_CORE.map(|name| format!("System.Private.CoreLib.dll!{name}")).join(";");
    let settings = format!("INJECT_METHODS={INLINED};{patterns}\nINJECT_OUT={}", out.display());
    subject.attach_when_free(&profiler("inject")?, &settings)?;
    let begin = Instant::now();
    let is_called = |name: &str| log().contains(&format!(" {name}("));
    let is_complete = || {
        let of_core = match version {
            RuntimeVersion::V3_1 | RuntimeVersion::V8_0 => OF_CORE.iter().any(|name| is_called(name)),
            _ => log().contains(
                "2 methods of System.Private.CoreLib.dll: code into which the runtime had inlined them",
            ),
        };
        of_core && INLINED.split('!').next_back().is_some_and(is_called)
    };
    while !is_complete() {
        ensure!(begin.elapsed() < PATIENCE, "no call was logged\n{}\n{}", log(), subject.program.report());
        let answer = subject.program.request("precompiled")?;
        ensure!(answer == answered, "{answer} instead of {answered}\n{}", log());
        std::thread::sleep(Duration::from_millis(20));
    }
    subject.quit().map(drop)
}

/// Methods of assemblies that are unloaded soon are rewritten before they are compiled. A rewriter that queries a module while
/// it is unloaded crashes the program (dd-trace-dotnet#8854).
pub(crate) fn unloaded_copies_are_rewritten(version: RuntimeVersion) -> Result<()> {
    let report = corprof_testkit::launch::scratch(&format!("unloaded-{}", version.short()))?.join("report");
    let rewrite = e2e::stated::profiler("rewrite", "{3F1C2D4E-7A5B-4C6D-9E8F-0A1B2C3D4E5F}")?;
    let with = |launch: corprof_testkit::launch::Launch| {
        let launch = launch.profiler(&rewrite).env("REWRITE_MODE", "finally").env("REWRITE_SCOPE", "program");
        launch.env("REWRITE_OUT", &report)
    };
    let mut subject = Subject::new("unloaded", version, with)?;
    for _ in 0..20 {
        ensure!(subject.program.request("copy")? == "the copy worked 35", "{}", subject.program.report());
        subject.program.request("collect 2")?;
    }
    subject.quit()?;
    let report = fs::read_to_string(&report)?;
    ensure!(!report.contains("refused"), "{report}");
    let submitted = report.lines().find_map(|line| line.strip_prefix("submitted ")).context("no count")?;
    // `Pick` of each copy among them.
    ensure!(submitted.parse::<u32>()? > 20, "{report}");
    Ok(())
}
