//! The profiler's names of every method equal the program's: the name, the declaration, the IL
//! name, and for compiler-generated methods the source method.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, runtime};
use corprof_testkit::launch::{Launch, scratch};
use e2e::app::{App, Build};
use e2e::json::{lines, lines_of};
use e2e::on_each_runtime;
use serde_json::Value;

/// The minimum number of methods that the program enters.
const METHODS: usize = 200;

/// The facts that both sides state of a method; those that the program cannot know are absent or null.
const FACTS: [&str; 3] = ["method", "declaration", "il"];

/// Whether the profiler's line has all facts of the program's.
fn agree(program: &Value, profiler: &Value) -> bool {
    let source = &program["source"];
    FACTS.iter().all(|fact| program[fact].is_null() || program[fact] == profiler[fact])
        && (source.is_null() || *source == profiler["source"]["name"])
}

fn compare(program: &[Value], profiler: &[Value]) -> Result<usize> {
    let mut by_token: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for line in profiler.iter().filter(|line| line["module"] == "methodnames.dll" || line["token"] == 0) {
        by_token.entry(line["token"].as_u64().context("no token")?).or_default().push(line);
    }
    let mut wrong = Vec::new();
    let mut said: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for line in program {
        let token = line["token"].as_u64().context("no token")?;
        said.entry(token).or_default().push(line);
        let candidates = if token == 0 {
            profiler.iter().collect()
        } else {
            by_token.get(&token).cloned().unwrap_or_default()
        };
        let silent = line["silent"] == true && candidates.is_empty();
        if !silent && !candidates.iter().any(|candidate| agree(line, candidate)) {
            let shown = if token == 0 { Vec::new() } else { candidates };
            let shown: Vec<String> = shown.iter().map(ToString::to_string).collect();
            wrong.push(format!(
                "the program says  {line}\nthe profiler says {}",
                shown.join("\n                  ")
            ));
        }
    }
    // And no further lines about the same method.
    for (token, lines) in by_token.iter().filter(|(token, _)| **token != 0) {
        let Some(said) = said.get(token) else { continue };
        for line in lines.iter().filter(|line| !said.iter().any(|said| agree(said, line))) {
            wrong.push(format!("only the profiler says {line}"));
        }
    }
    let entered: BTreeSet<&u64> = by_token.keys().filter(|token| said.contains_key(token)).collect();
    if !wrong.is_empty() {
        bail!("{} differences:\n{}", wrong.len(), wrong.join("\n"));
    }
    Ok(entered.len())
}

fn check(version: RuntimeVersion, build: Build) -> Result<()> {
    let app = App::compile("methodnames", version, build)?;
    let out = scratch(&app.label)?.join("names");
    let finished = Launch::new(&runtime(version)?, &app.dll)
        .profiler(&corprof_testkit::example::find("methodnames")?.profiler()?)
        .env("METHODNAMES_OUT", &out)
        .attach(&out)
        .run()?
        .ok()?;
    let (program, profiler) = (lines(&finished.stdout)?, lines_of(&out)?);
    for line in &profiler {
        ensure!(line["error"].is_null(), "{line}\n{}", finished.report());
    }
    let methods = compare(&program, &profiler)?;
    ensure!(methods >= METHODS, "only {methods} methods");
    ensure!(profiler.iter().any(|line| line["kind"] == "NativeStub"), "no native stub was seen");
    println!("{methods} methods, {} names said, {} seen", program.len(), profiler.len());
    Ok(())
}

on_each_runtime! {
    methods_have_the_names_of_the_source: |version| check(version, Build::Optimised);
    methods_have_the_names_of_the_source_in_a_debug_build on [on_3_1 on_10_0 on_11_0] long [on_8_0 on_9_0]:
        |version| check(version, Build::Debug);
}
