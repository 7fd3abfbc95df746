//! Fast-path hooks locate the same values as the runtime, in every call of whole programs, value by value.
//!
//! `profilers/differential` compares within one call: the locations that the runtime reports in a slow-path hook, and those that
//! fast-path hooks find in the registers that the same hook has saved. Two runs of a program differ; within one call
//! nothing may differ. Inserted code is not called where hooks are, so its records are compared with those of another run, of programs
//! whose runs do not differ. `e2e/hooks.rs` tests the rest: that the stubs of fast-path hooks themselves
//! get these registers, in optimised code and with the queries that they may make.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::dotnet::{RuntimeVersion, azmcp_program, runtime};
use corprof_testkit::example::Example;
use corprof_testkit::launch::{Launch, scratch};
use corprof_testkit::machine;
use corprof_testkit::paths;
use e2e::app::{App, Build};
use e2e::csharp::CSharp;
use e2e::differential::{Addresses, Difference, Noise, Trace};
use e2e::traced::{Traced, Tracing};
use e2e::{is_long, on_each_runtime};
use serde::Deserialize;

/// The findings of the profiler in a run. `profilers/differential/src/tally.rs` describes each.
#[derive(Debug, Deserialize)]
struct Found {
    calls: u64,
    compared: u64,
    leaves: u64,
    tailcalls: u64,
    arguments: u64,
    words: u64,
    returns: u64,
    contexts: u64,
    shared_contexts: u64,
    mislocated: u64,
    different_arguments: u64,
    different_returns: u64,
    different_contexts: u64,
    differences: Vec<String>,
    not_located: u64,
    not_located_in: BTreeMap<String, u64>,
    failures: BTreeMap<String, u64>,
}

impl Found {
    fn different(&self) -> u64 {
        self.different_arguments + self.different_returns + self.different_contexts
    }

    /// Fails if anything differs, or too little was compared.
    fn judge(&self, version: RuntimeVersion, least: u64) -> Result<()> {
        ensure!(self.different() == 0, "{} differ:\n{}", self.different(), self.differences.join("\n"));
        ensure!(self.failures.is_empty(), "{:?}", self.failures);
        ensure!(self.compared >= least, "only {} calls were compared", self.compared);
        // Slow-path hooks have code compiled without optimisations on Linux x86-64 only.
        let is_optimised = machine::of_tests()?.is_some();
        ensure!(
            self.tailcalls == 0 || is_optimised,
            "{} tail calls in code that is not optimised",
            self.tailcalls
        );
        // Calls with type parameters are a few in a hundred, and most values are numbers.
        ensure!(self.arguments >= self.contexts / 2 && self.returns >= self.contexts / 5, "too few values");
        ensure!(self.words >= self.arguments / 2, "too few words");
        ensure!(self.shared_contexts >= self.contexts / 100, "too little shared code");
        // A defect of .NET Core 3.1 (`SAFETY.md`); `e2e/values.rs` compares these values with the program there.
        ensure!(
            self.mislocated == 0 || version == RuntimeVersion::V3_1,
            "{} are mislocated",
            self.mislocated
        );
        // A fifth of the results in a long run of the program that passes structs of every kind.
        ensure!(self.mislocated <= self.returns / 4, "{} are mislocated", self.mislocated);
        // At the first calls of a few functions: the type of a `Span` or similar has not been loaded yet.
        ensure!(
            self.not_located <= 20 + self.compared / 100_000,
            "{} not located: {:#?}",
            self.not_located,
            self.not_located_in
        );
        Ok(())
    }
}

/// The number of calls of each function that are compared by default.
const MOST: &str = "3000";

/// Runs a program under the profiler.
fn run(name: &str, launch: Launch) -> Result<Found> {
    let out = scratch(&format!("differential-{name}"))?.join("found");
    let profiler = Example::unlisted("differential", "{9F4E1B63-58D2-4A0C-8E17-B6C3D20A95F4}")?.profiler()?;
    let launch = launch.profiler(&profiler).env("DIFFERENTIAL_OUT", &out).attach(&out);
    let finished = launch.run()?;
    (|| {
        ensure!(finished.code() == Some(0), "exit code {:?}", finished.code());
        let found = fs::read_to_string(&out)?;
        let found: Found = serde_json::from_str(&found).context("the profiler did not come to its end")?;
        let Found { calls, compared, leaves, arguments, words, returns, mislocated, not_located, .. } = &found;
        let Found { contexts, shared_contexts, not_located_in, .. } = &found;
        println!(
            "{name}: {calls} calls, {compared} compared, {leaves} leaves; the same are {arguments} arguments ({words} as words too), {returns} \
             return values, {contexts} contexts of code of its own, {shared_contexts} of shared code; {} differ; {mislocated} \
             results are mislocated by the runtime, {not_located} values not located; {:.1} s",
            found.different(),
            finished.duration.as_secs_f64(),
        );
        not_located_in.iter().for_each(|(what, count)| println!("  not located {count} times: {what}"));
        Ok(found)
    })()
    .with_context(|| finished.report())
}

/// Runs a program, and fails if anything differs. With `--long` every call is compared.
fn same(name: &str, version: RuntimeVersion, launch: Launch, least: u64) -> Result<Found> {
    let launch = launch.timeout(Duration::from_secs(3600));
    let launch = if is_long() { launch } else { launch.env("DIFFERENTIAL_MOST", MOST) };
    let name = format!("{name}-{version}");
    let found = run(&name, launch)?;
    found.judge(version, least).context(name)?;
    Ok(found)
}

/// Structs of every kind, type parameters, reflection, and the framework's own code behind it.
fn values(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("values", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll).env("TZ", "Europe/Berlin");
    same("values", version, launch, if is_long() { 10_000_000 } else { 1_000_000 }).map(drop)
}

/// Structs that are passed in every combination of registers and stack.
fn passing(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("passing", version, Build::Debug)?;
    let found = same("passing", version, Launch::new(&runtime(version)?, &app.dll), 1_500)?;
    ensure!(found.not_located == 0, "{:#?}", found.not_located_in);
    Ok(())
}

/// The same structs so often that a million calls are compared.
fn passing_a_million(version: RuntimeVersion) -> Result<()> {
    const CALLS: u64 = 1_000_000;
    // The program makes some 400 calls each time on .NET Core 3.1, and more on the others, which have more types.
    let times = if version == RuntimeVersion::V3_1 { 2600 } else { 1800 };
    let app = App::compile("passing", version, Build::Debug)?;
    let launch = Launch::new(&runtime(version)?, &app.dll).args([times.to_string()]);
    let name = format!("passing-a-million-{version}");
    let found = run(&name, launch.timeout(Duration::from_secs(3600)))?;
    found.judge(version, CALLS).context(name)
}

fn azmcp(name: &str, arguments: &[&str], least: u64) -> Result<()> {
    let version = RuntimeVersion::V9_0;
    same(name, version, Launch::new(&runtime(version)?, azmcp_program()?).args(arguments), least).map(drop)
}

#[test]
fn azmcp_help_has_no_differences() -> Result<()> {
    azmcp("azmcp-help", &["--help"], 300_000)
}

#[test]
fn azmcp_tools_list_has_no_differences() -> Result<()> {
    azmcp("azmcp-tools", &["tools", "list"], if is_long() { 1_000_000 } else { 400_000 })
}

#[test]
#[ignore = "takes minutes: cargo xtask test --long"]
fn the_csharp_compiler_has_no_differences() -> Result<()> {
    let compiler = CSharp::find()?;
    let output = scratch("differential-compiled")?.join("demo.dll");
    let source = paths::workspace().join("tests/apps/demo/Program.cs");
    let launch = Launch::new(&compiler.runtime, &compiler.program).args(compiler.arguments(&source, &output));
    same("roslyn", RuntimeVersion::V9_0, launch, 10_000_000).map(drop)
}

/// A type argument that is unknown at a call without `this` is found at the next call, and no call has a wrong one.
fn without_this(version: RuntimeVersion) -> Result<()> {
    const METHOD: &str = "NullThis.Box<";
    let app = App::compile("nullthis", version, Build::Optimised)?;
    let name = format!("nullthis-{version}");
    let found = run(&name, Launch::new(&runtime(version)?, &app.dll))?;
    ensure!(found.different() == 0 && found.failures.is_empty(), "{found:#?}");
    let lacking: Vec<_> = found.not_located_in.iter().filter(|(what, _)| what.contains(METHOD)).collect();
    // The parameters, the result and the type arguments, of both instances once. Since 10.0 the runtime reports the
    // class of shared code, so that only the type arguments of each instance are missing.
    let (facts, times) = if version < RuntimeVersion::V10_0 { (5, 2) } else { (2, 1) };
    ensure!(
        lacking.len() == facts && lacking.iter().all(|(_, count)| **count == times),
        "{version}: {lacking:#?}"
    );
    Ok(())
}

/// Where locations are self-tested, there are no values before it and correct ones afterwards.
fn self_tested(version: RuntimeVersion) -> Result<()> {
    // So often that the calls of the runtime's start, which differ by system, are the smaller part.
    const TIMES: &str = "30";
    let app = App::compile("passing", version, Build::Debug)?;
    let launch = Launch::new(&runtime(version)?, &app.dll).args([TIMES]).env("DIFFERENTIAL_MOST", MOST);
    let found = run(&format!("self-tested-{version}"), launch.env("DIFFERENTIAL_SELF_TEST", "1"))?;
    ensure!(found.different() == 0 && found.failures.is_empty(), "{found:#?}");
    ensure!(found.not_located >= 50, "only {} values are off", found.not_located);
    // The program's own calls have several arguments each. A function whose first calls come before the confirmation is
    // located at a later one.
    ensure!(found.arguments >= found.compared, "{} arguments at {} calls", found.arguments, found.compared);
    Ok(())
}

/// Verifies that the comparison can fail.
fn skewed(version: RuntimeVersion) -> Result<()> {
    let app = App::compile("demo", version, Build::Optimised)?;
    let launch = Launch::new(&runtime(version)?, &app.dll).env("DIFFERENTIAL_MOST", MOST);
    let found = run(&format!("skewed-{version}"), launch.env("DIFFERENTIAL_SKEW", "1"))?;
    for (what, same, different) in [
        ("arguments", found.arguments, found.different_arguments),
        ("results", found.returns, found.different_returns),
        ("type arguments", found.contexts, found.different_contexts),
    ] {
        ensure!(different >= same / 100, "{what}: {same} are the same, {different} differ");
    }
    ensure!(!found.differences.is_empty(), "no difference is described");
    Ok(())
}

/// Fast-path hooks and inserted code give the same records, call by call: those of the program's own methods.
fn inserted_alike(
    program: &str,
    version: RuntimeVersion,
    build: Build,
    times: u32,
    least: usize,
) -> Result<()> {
    let app = App::compile(program, version, build)?;
    let run = |hooks: &str| {
        let tracing = Tracing::app(&app, &format!("differential-{hooks}"))?.set("HOOKS", hooks);
        tracing.with(|launch| launch.args([times.to_string()]).timeout(Duration::from_secs(3600))).run()
    };
    let (fast, inserted) = (run("fast")?, run("inserted")?);
    inserted.expect((|| {
        let (a, b) = (&fast.finished, &inserted.finished);
        ensure!(
            (a.code(), &a.stdout) == (b.code(), &b.stdout),
            "with fast-path hooks it printed {}",
            a.stdout
        );
        let read = |traced: &Traced| Trace::read(&traced.trace, Addresses::Alike);
        let difference = Difference::between(&read(&fast)?, &read(&inserted)?, &Noise::default());
        println!("{program} on {version}, {build:?}: {difference}");
        ensure!(difference.equal >= least, "only {difference}");
        ensure!(difference.equal == difference.total(), "{difference}");
        Ok(())
    })())
}

on_each_runtime! {
    inserted_code_passes_the_same_values on [on_8_0 on_11_0] long [on_9_0 on_10_0]: |version| {
        inserted_alike("passing", version, Build::Optimised, 1, 400)?;
        inserted_alike("demo", version, Build::Optimised, 1, 20)
    };
    inserted_code_passes_the_same_values_many_times on [] long [on_8_0 on_9_0 on_10_0 on_11_0]: |version| {
        inserted_alike("passing", version, Build::Debug, 50, 20_000)?;
        inserted_alike("passing", version, Build::Optimised, 50, 20_000)?;
        inserted_alike("demo", version, Build::Debug, 1, 20)
    };
    every_kind_of_value_is_located: values;
    structs_of_every_kind_are_located: passing;
    a_million_calls_are_located on [] long [on_3_1 on_8_0 on_9_0 on_10_0 on_11_0]: passing_a_million;
    a_call_without_this_does_not_affect_later_calls: without_this;
    wrong_locations_are_reported: skewed;
    an_unmeasured_runtime_is_self_tested: self_tested;
}
