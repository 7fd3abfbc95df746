//! `cargo xtask test --target`: the tests that run on another target than this machine's, by an emulator or in a root folder; and
//! the step `elsewhere`, which runs them for all such targets.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use corprof_testkit::dotnet::{foreign, given, nuget};
use corprof_testkit::machine::{self, Foreign};
use corprof_testkit::{debian, example, process};

use crate::targets::{self, Work};

/// An end-to-end test that runs on other targets.
struct Suite {
    /// The name of the step.
    name: &'static str,
    /// The test target of the package `e2e`.
    test: &'static str,
    /// The tests of it, if not all of them.
    only: &'static [&'static str],
    /// Whether it runs without `--long`.
    is_smoke: bool,
    targets: &'static [Foreign],
}

const WINDOWS: &[Foreign] = &[Foreign::WindowsX64];
const LINUX_MUSL: &[Foreign] = &[Foreign::LinuxMusl];
const ALL: &[Foreign] = &Foreign::ALL;

const SUITES: [Suite; 13] = [
    Suite {
        name: "demo",
        test: "elsewhere",
        only: &["the_demo_prints_the_same_tree"],
        is_smoke: true,
        targets: ALL,
    },
    // Under Wine 8 on .NET 10.0, the program leaves out the group `Crossing` of `tests/apps/selfreport/Exceptions.cs`, which hangs there.
    Suite { name: "selfreport", test: "selfreport", only: &["selfreport"], is_smoke: true, targets: ALL },
    Suite {
        name: "differential",
        test: "differential",
        only: &[
            "structs_of_every_kind_are_located",
            "wrong_locations_are_reported",
            "an_unmeasured_runtime_is_self_tested",
        ],
        is_smoke: false,
        targets: ALL,
    },
    Suite {
        name: "million",
        test: "differential",
        only: &["a_million_calls_are_located"],
        is_smoke: false,
        targets: ALL,
    },
    // On arm64 the program leaves out a struct with fields that are not aligned: see `tests/apps/values/Composed.cs`.
    Suite {
        name: "values",
        test: "differential",
        only: &["every_kind_of_value_is_located"],
        is_smoke: false,
        targets: ALL,
    },
    // Where programs take no longer than here, every value is compared with what the program says of it.
    Suite {
        name: "every-value",
        test: "values",
        only: &["values", "fast"],
        is_smoke: false,
        targets: LINUX_MUSL,
    },
    Suite {
        name: "recording",
        test: "recording",
        only: &["a_program_is_recorded_as_it_reports_itself"],
        is_smoke: true,
        targets: ALL,
    },
    Suite {
        name: "budget",
        test: "budget",
        only: &["traced_and_omitted_calls_are_those_of_the_program"],
        is_smoke: false,
        targets: ALL,
    },
    // Under QEMU a program does not make so many calls in a second.
    Suite {
        name: "unhooked",
        test: "budget",
        only: &["methods_that_are_called_very_often_lose_their_hooks"],
        is_smoke: false,
        targets: WINDOWS,
    },
    // Wine writes a line of its own, with another number each time, when an exception ends a program.
    Suite {
        name: "unharmed",
        test: "unharmed",
        only: &[
            "input_output_and_exit_code_pass_through",
            "an_exit_below_open_calls_keeps_its_code",
            "fail_fast_keeps_its_signal",
            "floating_point_arguments_keep_their_values",
            "vectors_keep_their_values",
            "objects_may_move_under_four_threads",
        ],
        is_smoke: false,
        targets: WINDOWS,
    },
    Suite {
        name: "last-error",
        test: "elsewhere",
        only: &["the_last_error_is_kept"],
        is_smoke: false,
        targets: WINDOWS,
    },
    Suite { name: "tools", test: "musl", only: &[], is_smoke: true, targets: LINUX_MUSL },
    // `e2e/attach` controls programs of Unix.
    Suite {
        name: "attach",
        test: "elsewhere",
        only: &["a_profiler_is_attached_over_a_named_pipe"],
        is_smoke: false,
        targets: WINDOWS,
    },
];

/// The test targets of the package `e2e` that run on other targets alone.
pub(crate) const TESTS: [&str; 2] = ["elsewhere", "musl"];

/// The steps without .NET.
const COMPILE: &str = "compile";
const UNIT: &str = "unit";

/// Runs the smoke tests of all targets at the same time, so that one is compiled while the emulator of another runs; or all
/// steps of one target after the other if `long`. With `among_others`, whatever is built for this machine is built as in the
/// other steps of a whole test.
///
/// # Errors
///
/// If a step fails for a target. It does not stop the other targets.
pub(crate) fn all(long: bool, among_others: bool) -> Result<()> {
    Foreign::ALL.into_iter().for_each(foreign::try_nuget);
    let targets = Foreign::ALL.into_iter().filter(|target| not_run(*target).is_none());
    let results: Vec<Result<()>> = if long {
        targets.map(|target| apart(target, long, among_others)).collect()
    } else {
        std::thread::scope(|scope| {
            let run = |target| scope.spawn(move || apart(target, long, among_others));
            let running: Vec<_> = targets.map(run).collect();
            let join =
                |run: ScopedJoinHandle<'_, _>| run.join().unwrap_or_else(|_| Err(anyhow!("it panicked")));
            running.into_iter().map(join).collect()
        })
    };
    let failures: Vec<_> =
        results.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// Why the tests of a target are not run here, if they are not: no package has the runtime.
pub(crate) fn not_run(target: Foreign) -> Option<String> {
    foreign::versions(target).next().is_none().then(|| {
        format!(
            "the tests on {target}, because {} names no folder that has .NET for it, and it did not come from {}; see \
             CONTRIBUTING.md",
            given::VARIABLE,
            nuget::source()
        )
    })
}

/// Runs the steps of a target in a process of its own, and passes on its lines, each with the name of the system.
fn apart(target: Foreign, long: bool, among_others: bool) -> Result<()> {
    let mut command = process::cargo(["xtask", "test", "--target", target.triple()]);
    if long {
        command.arg("--long");
    }
    if among_others {
        command.env(example::TOGETHER, "1");
    }
    let shown = process::shown(&command);
    let (lines, both) = io::pipe().context("cannot make a pipe")?;
    command.stdout(both.try_clone().context("cannot make a pipe")?).stderr(both);
    let mut running = command.spawn().with_context(|| format!("cannot start `{shown}`"))?;
    // It has the writing ends of the pipe, which must be closed here for the lines to end.
    drop(command);
    for line in BufReader::new(lines).split(b'\n') {
        let line = line.with_context(|| format!("cannot read the output of `{shown}`"))?;
        let system = match target {
            Foreign::WindowsX64 => "windows",
            Foreign::LinuxArm64 => "arm64",
            Foreign::LinuxMusl => "musl",
        };
        let text = format!("{system:7} | {}\n", String::from_utf8_lossy(&line));
        // A closed standard error stops no test.
        drop(io::stderr().write_all(text.as_bytes()));
    }
    let status = running.wait().with_context(|| format!("cannot wait for `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}

/// Sets up the emulator and the runtimes of a target.
fn provision(target: Foreign) -> Result<()> {
    let remedy = || {
        format!(
            "programs of {target} cannot be run here. What runs them comes from the packages of Debian 12 for x86-64, by \
             apt-get and dpkg, without root. Where that is not to be had, use a container of debian:12, or leave these tests out: \
             `cargo xtask test --without elsewhere`"
        )
    };
    let is_debian = cfg!(all(target_os = "linux", target_arch = "x86_64")) && debian::is_here();
    ensure!(is_debian, "{}", remedy());
    foreign::try_nuget(target);
    if let Some(reason) = not_run(target) {
        bail!("not run: {reason}");
    }
    foreign::versions(target)
        .try_for_each(|version| foreign::runtime(target, version).map(drop))
        .with_context(remedy)
}

/// A target's suites, and the names of all its steps.
fn steps(target: Foreign) -> (Vec<&'static Suite>, Vec<&'static str>) {
    let suites: Vec<&Suite> = SUITES.iter().filter(|suite| suite.targets.contains(&target)).collect();
    let names = [COMPILE, UNIT].into_iter().chain(suites.iter().map(|suite| suite.name)).collect();
    (suites, names)
}

/// Prints the steps of a target.
pub(crate) fn list(target: Foreign) {
    for name in steps(target).1 {
        let is_smoke = name == UNIT || SUITES.iter().any(|suite| suite.name == name && suite.is_smoke);
        println!("{name:13} {}", if is_smoke { "by default" } else { "with --long" });
    }
}

/// Runs the steps in `names` for a target; without names, the unit tests and the smoke tests, or all steps if `long`.
///
/// # Errors
///
/// If a step is unknown or fails, or the target has no emulator here. A failed step does not stop the others.
pub(crate) fn run(target: Foreign, names: &[String], long: bool) -> Result<()> {
    let (suites, all) = steps(target);
    if let Some(unknown) = names.iter().find(|name| !all.contains(&name.as_str())) {
        bail!("there is no step {unknown:?} for {target}; these are: {}", all.join(", "));
    }
    if names.iter().any(|name| name != COMPILE) || names.is_empty() {
        provision(target)?;
    }
    let is_wanted = |name: &str, by_default: bool| {
        if names.is_empty() { by_default || long } else { names.iter().any(|wanted| wanted == name) }
    };
    let mut failures = Vec::new();
    let mut perform = |name: &'static str, step: &dyn Fn() -> Result<()>| {
        eprintln!("\n==== {target}: {name}");
        let begin = Instant::now();
        let result = step();
        let seconds = begin.elapsed().as_secs_f64();
        match result {
            Ok(()) => println!("  ok      {target} {name:11} {seconds:7.1} s"),
            Err(error) => {
                println!("  FAILED  {target} {name:11} {seconds:7.1} s");
                eprintln!("{error:#}");
                failures.push(name);
            }
        }
    };
    for (name, work, is_smoke) in [(COMPILE, Work::All, false), (UNIT, Work::Test, true)] {
        if is_wanted(name, is_smoke) {
            perform(name, &|| targets::run(&[target.triple().to_owned()], work));
        }
    }
    for suite in suites.iter().filter(|suite| is_wanted(suite.name, suite.is_smoke)) {
        perform(suite.name, &|| suite.run(target));
    }
    ensure!(failures.is_empty(), "failed for {target}: {}", failures.join(", "));
    Ok(())
}

impl Suite {
    fn run(&self, target: Foreign) -> Result<()> {
        // What is built for this machine is then built as in the other steps of a whole test. The variable is inherited.
        let among_others = std::env::var_os(example::TOGETHER).is_some();
        let of: &[_] = if among_others { &["--workspace", "--all-features"] } else { &["--package", "e2e"] };
        let mut cargo = process::cargo([&["test"] as &[_], of, &["--test", self.test, "--"]].concat());
        cargo.env(machine::VARIABLE, target.triple());
        // Emulated programs take several times as long as others.
        cargo.args(["--show-output", "--test-threads", "2"]);
        for version in foreign::versions(target) {
            let version = format!("on_{}", version.short().replace('.', "_"));
            let named = self.only.iter().map(|name| format!("{name}::{version}"));
            cargo.args(if self.only.is_empty() { vec![version] } else { named.collect() });
        }
        // The names alone select the tests.
        cargo.arg("--include-ignored");
        let shown = process::shown(&cargo);
        eprintln!("{shown}");
        let status = cargo.status()?;
        ensure!(status.success(), "failed ({status}); the command was: {shown}");
        Ok(())
    }
}
