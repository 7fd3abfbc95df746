//! `cargo xtask test`: runs the steps of a table.
//!
//! The steps that compile pass the same packages, features and profile to cargo, so that each crate is
//! built once for the tests and once for the lints and documentation.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use corprof_testkit::dotnet::{self, RuntimeVersion, compile_server, given, locate};
use corprof_testkit::machine::Foreign;
use corprof_testkit::{example, paths, process};
use serde_json::Value;
use xtask_cli::TestArgs;

use crate::{apart, cli, compile_fail, elsewhere, unsteady};

/// A step: its name, what it does, and how.
struct Step(&'static str, &'static str, fn(&Plan) -> Result<()>);

const STEPS: &[Step] = &[
    Step("fmt", "rustfmt has nothing to change", fmt),
    Step("clippy", "there are no warnings, in any target", clippy),
    Step("unit", "unit and integration tests of the crates and examples", unit),
    Step("abi", "corprof-sys against the facts of the ABI", abi),
    Step("doctest", "the examples in the documentation", doctest),
    Step("compile-fail", "code that must not compile fails with the expected error", compile_fail),
    Step("doc", "the documentation builds without warnings", doc),
    Step("codegen", "the generated bindings are current", codegen),
    Step("coverage", "docs/coverage.md is current, and every method has a wrapper or a reason", coverage),
    Step("floors", "imports go down, and form no large cycles", floors),
    Step(
        "unsafe",
        "docs/unsafe.md is current, every file with unsafe code has a contract, and SAFETY.md names each crate with its state",
        ledger,
    ),
    Step("loom", "the memory and counters that threads share are correct in every interleaving", loom),
    Step("sanitize", "the libraries' tests with AddressSanitizer (with --long)", sanitize),
    Step("conformance", "docs/conformance.md is current, and the tests that it names exist", conformance),
    Step("platforms", "docs/platforms.md is current, and every condition in it has a sentence", platforms),
    Step("audit", "licences, duplicates and sources of dependencies are those of deny.toml", audit),
    Step("api", "the public API has what the last release had", api),
    Step(
        "packages",
        "the published crates are packaged, and build from their packages (all with --long)",
        packages,
    ),
    Step(
        "targets",
        "calltrace links for other C libraries, and the libraries have the right exports and dependencies",
        targets,
    ),
    Step("dist", "archives are reproducible, and work without Rust (with --long)", dist),
    Step("runtimes", "all runtimes and a C# compiler are available, provisioned if needed", runtimes),
    Step("e2e", "end-to-end runs on all runtimes", e2e),
    // Last: what it builds for this machine is there by then.
    Step(
        "elsewhere",
        "unit tests, demo and selfreport on Windows, arm64 and musl (everything with --long)",
        other_targets,
    ),
];

/// The options of a run.
struct Plan {
    long: bool,
    /// Whether all steps are run, so that what one builds another uses.
    whole: bool,
    /// The tests that have failed, and have passed alone.
    unsteady: RefCell<Vec<String>>,
}

/// Runs the named steps, or all.
pub(crate) fn main(arguments: &TestArgs) -> Result<ExitCode> {
    if let Some(target) = arguments.target.map(cli::foreign).transpose()? {
        if arguments.list {
            elsewhere::list(target);
            return Ok(ExitCode::SUCCESS);
        }
        return elsewhere::run(target, &arguments.steps, arguments.long).map(|()| ExitCode::SUCCESS);
    }
    if arguments.list {
        for Step(name, what, _) in STEPS {
            println!("{name:11} {what}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let names: Vec<&str> = STEPS.iter().map(|step| step.0).collect();
    let named = || arguments.steps.iter().chain(&arguments.without);
    if let Some(unknown) = named().find(|step| !names.contains(&step.as_str())) {
        bail!("there is no step {unknown:?}; `cargo xtask test --list` lists them: {}", names.join(", "));
    }
    let plan = Plan { long: arguments.long, whole: arguments.steps.is_empty(), unsteady: RefCell::default() };
    let is_named = |steps: &[String], step: &Step| steps.iter().any(|name| name == step.0);
    let chosen = |step: &&Step| {
        (plan.whole || is_named(&arguments.steps, step)) && !is_named(&arguments.without, step)
    };
    let outcomes: Vec<_> = STEPS.iter().filter(chosen).map(|step| (step.0, perform(step, &plan))).collect();
    let code = summarise(&outcomes, arguments.long);
    for name in plan.unsteady.borrow().iter() {
        println!(
            "UNSTEADY: {name} has failed, and passed when it was run again alone: find out why; see its first output above"
        );
    }
    if outcomes.iter().any(|(name, _)| *name == "e2e") && !given::has(RuntimeVersion::V11_0) {
        println!(
            "not run: the tests on .NET 11.0 (on_11_0), because {} names no folder that has it; see CONTRIBUTING.md",
            given::VARIABLE
        );
    }
    if outcomes.iter().any(|(name, _)| *name == "elsewhere") {
        for reason in Foreign::ALL.into_iter().filter_map(elsewhere::not_run) {
            println!("not run: {reason}");
        }
    }
    if !arguments.without.is_empty() {
        println!("left out: {}", arguments.without.join(", "));
    }
    Ok(code)
}

type Outcome = (Duration, Result<()>);

fn perform(Step(name, what, run): &Step, plan: &Plan) -> Outcome {
    eprintln!("\n==== {name}: {what}");
    let begin = Instant::now();
    let result = run(plan);
    let duration = begin.elapsed();
    match &result {
        Ok(()) => eprintln!("==== {name}: ok, {:.1} minutes", minutes(duration)),
        Err(error) => eprintln!("==== {name}: FAILED, {:.1} minutes\n{error:#}", minutes(duration)),
    }
    (duration, result)
}

fn minutes(duration: Duration) -> f64 {
    duration.as_secs_f64() / 60.0
}

fn summarise(outcomes: &[(&str, Outcome)], long: bool) -> ExitCode {
    println!("\nsummary:");
    let mut failed = 0;
    for (name, (duration, result)) in outcomes {
        let time = minutes(*duration);
        match result {
            Ok(()) => println!("  ok      {name:11} {time:6.1} min"),
            Err(error) => {
                failed += 1;
                let flag = if long { " --long" } else { "" };
                println!("  FAILED  {name:11} {time:6.1} min  again: cargo xtask test{flag} {name}");
                println!("          {}", error.to_string().lines().next().unwrap_or_default());
            }
        }
    }
    println!("{} passed, {failed} failed", outcomes.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fmt(_: &Plan) -> Result<()> {
    cargo(&["fmt", "--all", "--", "--check"], &[])?;
    for manifest in apart::manifests()? {
        cargo(&["fmt", "--manifest-path", &manifest.to_string_lossy(), "--", "--check"], &[])?;
    }
    // Its dependencies are packages, which the test `strangers` makes.
    cargo(&["fmt", "--all", "--manifest-path", "tests/strangers/Cargo.toml", "--", "--check"], &[])
}

fn clippy(_: &Plan) -> Result<()> {
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"], &[])
}

fn doctest(_: &Plan) -> Result<()> {
    cargo(&["test", "--workspace", "--all-features", "--no-fail-fast", "--doc"], &[])
}

/// Runs the compile-fail doc tests again, with their error codes.
fn compile_fail(_: &Plan) -> Result<()> {
    let variables = compile_fail::variables()?;
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    cargo(&["test", "--workspace", "--all-features", "--doc", "compile_fail"], &variables)
}

fn doc(_: &Plan) -> Result<()> {
    cargo(&["doc", "--workspace", "--all-features", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])
}

fn codegen(_: &Plan) -> Result<()> {
    cargo(&["xtask", "codegen", "--check"], &[])
}

fn coverage(_: &Plan) -> Result<()> {
    cargo(&["xtask", "coverage", "--check"], &[])
}

fn floors(_: &Plan) -> Result<()> {
    cargo(&["xtask", "floors"], &[])
}

fn ledger(_: &Plan) -> Result<()> {
    cargo(&["xtask", "unsafe", "--check"], &[])
}

fn loom(plan: &Plan) -> Result<()> {
    cargo(&["xtask", "loom"], if plan.long { &[("LOOM_MAX_PREEMPTIONS", "5")] } else { &[] })
}

/// Every crate is built once more: minutes, so only with `--long`.
fn sanitize(plan: &Plan) -> Result<()> {
    if !plan.long {
        println!("not run without --long; `cargo xtask sanitize` runs it");
        return Ok(());
    }
    cargo(&["xtask", "sanitize"], &[])
}

fn platforms(_: &Plan) -> Result<()> {
    cargo(&["xtask", "platforms", "--check"], &[])
}

fn audit(_: &Plan) -> Result<()> {
    cargo(&["xtask", "audit"], &[])
}

fn api(_: &Plan) -> Result<()> {
    cargo(&["xtask", "api"], &[])
}

fn packages(plan: &Plan) -> Result<()> {
    let build: &[&str] = if plan.long { &["--build"] } else { &[] };
    cargo(&[&["xtask", "packages"], build].concat(), &[])
}

/// By default `calltrace` is linked for the targets that the step `elsewhere` does not compile for; all crates take minutes more.
fn targets(plan: &Plan) -> Result<()> {
    let default: &[_] = &[
        "--link",
        "x86_64-unknown-linux-gnu",
        "x86_64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
    ];
    let arguments = if plan.long { &[] } else { default };
    cargo(&[&["xtask", "targets"], arguments].concat(), &[])
}

/// Unit tests, the demo and `selfreport`; with `--long`, all crates are compiled and the other suites are run too, an hour more.
fn other_targets(plan: &Plan) -> Result<()> {
    elsewhere::all(plan.long, plan.whole)
}

/// Everything is built twice, optimised: half an hour, so only with `--long`.
fn dist(plan: &Plan) -> Result<()> {
    if !plan.long {
        println!("not run without --long; `cargo xtask dist linux-x64 --check` runs it");
        return Ok(());
    }
    cargo(&["xtask", "dist", "linux-x64", "--check"], &[])
}

fn conformance(_: &Plan) -> Result<()> {
    cargo(&["xtask", "conformance", "--check"], &[])
}

fn unit(plan: &Plan) -> Result<()> {
    let tests = test_targets(|package| package != "corprof-sys" && package != "e2e")?;
    let mut arguments = vec!["--lib".to_owned(), "--bins".to_owned()];
    arguments.extend(tests);
    tested(plan, &arguments)
}

fn abi(plan: &Plan) -> Result<()> {
    let tests = test_targets(|package| package == "corprof-sys")?;
    if tests.is_empty() {
        bail!("corprof-sys has no tests; add them in crates/sys/tests");
    }
    tested(plan, &tests)
}

fn runtimes(_: &Plan) -> Result<()> {
    let given = given::has(RuntimeVersion::V11_0).then_some(RuntimeVersion::V11_0);
    for version in RuntimeVersion::PINNED.into_iter().chain(given) {
        let runtime = dotnet::runtime(version)?;
        eprintln!("{version}: {} by {}", runtime.version, paths::shown(&runtime.path()));
    }
    if dotnet::compile::Compiler::of_machine().is_none() {
        dotnet::provision(false)?;
    }
    Ok(())
}

fn e2e(plan: &Plan) -> Result<()> {
    runtimes(plan)?;
    for version in RuntimeVersion::PINNED {
        if let Some(runtime) = locate::machine_runtime(version) {
            eprintln!("{version}: {} is this machine's own", runtime.version);
        }
    }
    let mut tests = test_targets(|package| package == "e2e")?;
    // `--test NAME`: those that run on other targets alone are the step `elsewhere`.
    let is_elsewhere = |pair: &[String]| pair.iter().any(|word| elsewhere::TESTS.contains(&word.as_str()));
    tests = tests.chunks(2).filter(|pair| !is_elsewhere(pair)).flatten().cloned().collect();
    if tests.is_empty() {
        bail!("the package e2e has no tests; add them in tests/");
    }
    let compiler = compile_server::Server::start()?;
    tested_with(plan, &tests, compiler.as_ref().map(compile_server::Server::variable), true)
}

/// `cargo test` of some targets, always of the whole workspace, so that nothing is built twice.
fn tested(plan: &Plan, targets: &[String]) -> Result<()> {
    tested_with(plan, targets, None, false)
}

/// With `once_more`, a few tests that fail are run again, but not in the long tests, which are to find why they do.
fn tested_with(
    plan: &Plan,
    targets: &[String],
    variable: Option<(&str, &Path)>,
    once_more: bool,
) -> Result<()> {
    let mut arguments = vec!["test", "--workspace", "--all-features", "--no-fail-fast"];
    arguments.extend(targets.iter().map(String::as_str));
    if plan.long {
        arguments.extend(["--", "--include-ignored"]);
        // Those are ignored where there is no such runtime.
        if !given::has(RuntimeVersion::V11_0) {
            arguments.extend(["--skip", "on_11_0"]);
        }
    }
    let mut variables = vec![(example::TOGETHER, "1")];
    variables.extend(plan.long.then_some(("CORPROF_TEST_LONG", "1")));
    let variable = variable.and_then(|(name, value)| Some((name, value.to_str()?)));
    variables.extend(variable);
    if plan.long || !once_more {
        return cargo(&arguments, &variables);
    }
    let repeat = repeat(&arguments, &variables);
    eprintln!("{repeat}");
    let unsteady = unsteady::test(&repeat, |more| {
        let more = if more.is_empty() { Vec::new() } else { [&["--"], more].concat() };
        let mut command = process::cargo([arguments.as_slice(), &more].concat());
        command.envs(variables.iter().copied());
        command
    })?;
    plan.unsteady.borrow_mut().extend(unsteady);
    Ok(())
}

/// `--test NAME` for each integration test of the packages that `wanted` names.
fn test_targets(wanted: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let metadata = example::metadata()?;
    let packages = metadata["packages"].as_array().context("`cargo metadata` lists no packages")?;
    let (chosen, others): (Vec<_>, Vec<_>) =
        packages.iter().partition(|package| package["name"].as_str().is_some_and(&wanted));
    let names = |packages: Vec<&Value>| {
        let targets =
            packages.into_iter().flat_map(|package| package["targets"].as_array().into_iter().flatten());
        let is_test =
            |target: &&Value| target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"test".into()));
        let tests = targets.filter(is_test);
        tests.filter_map(|target| target["name"].as_str().map(str::to_owned)).collect::<BTreeSet<_>>()
    };
    let (chosen, others) = (names(chosen), names(others));
    // Cargo selects targets by their names in all packages: the others' would run in this step too.
    if let Some(name) = chosen.intersection(&others).next() {
        bail!(
            "several packages have a test target {name}; rename the file of one, so that each runs in its own step"
        );
    }
    Ok(chosen.into_iter().flat_map(|name| ["--test".to_owned(), name]).collect())
}

/// Runs cargo with inherited output, or fails with the command line that repeats it.
fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    let repeat = repeat(arguments, variables);
    eprintln!("{repeat}");
    let mut command = process::cargo(arguments);
    let status = command
        .envs(variables.iter().copied())
        .status()
        .with_context(|| format!("cannot start `{repeat}`"))?;
    if !status.success() {
        bail!("failed ({status}); the command was: {repeat}");
    }
    Ok(())
}

/// Returns the command line that runs cargo again.
fn repeat(arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = Command::new("cargo");
    command.args(arguments).envs(variables.iter().copied());
    process::shown(&command)
}
