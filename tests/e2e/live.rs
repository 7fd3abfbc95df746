//! What `corprof` asks the runtime is true: a program and a profiler state the same facts, each by its own means.

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};
use e2e::app::{App, Build};
use e2e::live;
use xtask::dotnet::{RuntimeVersion, runtime};
use xtask::launch::{Finished, Launch, scratch};

/// What one side has said.
type Said<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn said<'a>(finished: &'a Finished, who: &str) -> Said<'a> {
    let mut said = Said::new();
    for line in finished.stdout.lines().filter_map(|line| line.strip_prefix(who)) {
        let (name, value) = line.split_once(" = ").unwrap_or((line, ""));
        said.entry(name).or_default().push(value);
    }
    said
}

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
    let (program, profiler) = (said(&finished, "program: "), said(&finished, "profiler: "));
    let mut wrong = Vec::new();
    for (name, values) in &program {
        match profiler.get(name) {
            Some(answers) if answers == values => {}
            answers => wrong.push(format!("{name}\n  program  {values:?}\n  profiler {answers:?}")),
        }
    }
    wrong.extend(
        profiler
            .iter()
            .filter(|(name, _)| !program.contains_key(*name))
            .map(|(name, values)| format!("{name}\n  only the profiler says {values:?}")),
    );
    if !wrong.is_empty() {
        bail!(
            "{} of {} facts differ:\n{}\n{}",
            wrong.len(),
            program.len(),
            wrong.join("\n"),
            finished.report()
        );
    }
    ensure!(program.len() >= facts, "only {} facts\n{}", program.len(), finished.report());
    println!("{subject} on {version}: {} facts agree", program.len());
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
    the_process_is_what_it_says_of_itself("process", 12);
    objects_are_where_the_runtime_says("objects", 18);
    methods_get_other_code_and_their_own_back("rejit", 5);
    stacks_are_those_of_the_program("stacks", 5);
    events_arrive_with_their_values("event_pipe", 1);
}

/// Handles came with .NET 7.
#[test]
fn handles_keep_alive_and_follow_on_9_0() -> Result<()> {
    check("handles", RuntimeVersion::V9_0, 4)
}
