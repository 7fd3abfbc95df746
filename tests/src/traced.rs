//! Runs programs, with and without `calltrace`, and reads the traces.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use corprof_testkit::Profiler;
use corprof_testkit::dotnet::{Runtime, RuntimeVersion, runtime};
use corprof_testkit::launch::{Finished, Launch, scratch};

use crate::app::App;
use crate::balance::{Balance, Counts};
use crate::json;
use crate::record::{Omitted, Record};
use crate::schema;
use crate::values::in_documented_format;

/// The tools that record: reports are made of their recordings.
const RECORDING: [&str; 2] = ["exceptions", "gc"];

/// Returns whether a tool records.
#[must_use]
pub fn records(tool: &str) -> bool {
    RECORDING.contains(&tool)
}

/// Turns tiered compilation off: every method is compiled once, optimised.
#[must_use]
pub fn optimised_at_once(launch: Launch) -> Launch {
    // The second variable is the name up to 5.0.
    launch.env("DOTNET_TieredCompilation", "0").env("COMPlus_TieredCompilation", "0")
}

/// `calltrace`, built once per test run.
///
/// # Errors
///
/// When it does not build.
pub fn calltrace() -> Result<Profiler> {
    profiler("calltrace")
}

/// An example, built once per test run. `E2E_<NAME>_LIBRARY` names a library to use instead of building one, to test
/// another build of the profiler.
///
/// # Errors
///
/// When there is no such example, or it does not build.
pub fn profiler(name: &str) -> Result<Profiler> {
    match std::env::var_os(format!("E2E_{}_LIBRARY", name.to_uppercase())) {
        Some(library) => Profiler::of(Path::new(&library)),
        None => corprof_testkit::example::find(name)?.profiler(),
    }
}

/// A program that has run under `calltrace`, and its trace.
#[derive(Debug)]
pub struct Traced {
    /// The outcome of the program and its output.
    pub finished: Finished,
    /// The file with the trace.
    pub trace: PathBuf,
}

/// A run under `calltrace` that is being prepared.
#[derive(Clone, Debug)]
pub struct Tracing {
    launch: Launch,
    trace: PathBuf,
}

impl Tracing {
    /// Traces `program` to a file in a folder of the run, with the name `name`.
    ///
    /// # Errors
    ///
    /// When the profiler cannot be built or the folder not be made.
    pub fn new(name: &str, runtime: &Runtime, program: &Path) -> Result<Self> {
        Self::launching(name, &Launch::new(runtime, program))
    }

    /// The same for a program with its own launch options.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn launching(name: &str, launch: &Launch) -> Result<Self> {
        Self::with_profiler(name, &launch.clone().profiler(&calltrace()?))
    }

    /// The same with the `calltrace` that the launch has already.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made.
    pub fn with_profiler(name: &str, launch: &Launch) -> Result<Self> {
        let trace = scratch(name)?.join("trace");
        let launch =
            launch.clone().env("CALLTRACE_FORMAT", "jsonl").env("CALLTRACE_OUT", &trace).attach(&trace);
        Ok(Self { launch, trace })
    }

    /// Traces a program of `tests/apps` on the runtime it was compiled for.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and when there is no such runtime.
    pub fn app(app: &App, run: &str) -> Result<Self> {
        let name = format!("{}-{run}", app.label);
        Self::new(&name, &runtime(app.version)?, &app.dll)
    }

    /// Changes how the program is launched: arguments, input, variables.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(Launch) -> Launch) -> Self {
        self.launch = change(self.launch);
        self
    }

    /// Sets a setting of `calltrace` (`INCLUDE` for `CALLTRACE_INCLUDE`).
    #[must_use]
    pub fn set(self, setting: &str, value: &str) -> Self {
        self.with(|launch| launch.env(format!("CALLTRACE_{setting}"), value))
    }

    /// Compiles methods in tiers, as the runtime does by default, or optimised at once.
    #[must_use]
    pub fn tiered(self, tiered: bool) -> Self {
        if tiered { self } else { self.with(optimised_at_once) }
    }

    /// Runs the program.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or was killed for taking too long, or the profiler was not started.
    pub fn run(self) -> Result<Traced> {
        let trace = self.trace.clone();
        let finished = self.run_to_its_end()?;
        // Of a program that was killed.
        recording::complete(&trace)?;
        ensure!(finished.profiler_started == Some(true), "{}", finished.report());
        Ok(Traced { finished, trace })
    }

    /// Runs the program, whether the profiler starts or not.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or was killed for taking too long.
    pub fn run_to_its_end(self) -> Result<Finished> {
        let finished = self.launch.run()?;
        ensure!(!finished.timed_out, "{}", finished.report());
        Ok(finished)
    }

    /// The command, for a test that runs it itself, and the path of the trace.
    ///
    /// # Errors
    ///
    /// When what starts the program cannot be made.
    pub fn command(self) -> Result<(Command, PathBuf)> {
        Ok((self.launch.command()?, self.trace))
    }
}

impl Traced {
    /// Adds the report of the run to the error of a check.
    ///
    /// # Errors
    ///
    /// When the check failed: its finding, and the output of the program and the profiler.
    pub fn expect<T>(&self, check: Result<T>) -> Result<T> {
        check.map_err(|error| anyhow::anyhow!("{error:#}\n{}", self.finished.report()))
    }

    /// The events, each checked against the documented format, and all of them for balance.
    ///
    /// # Errors
    ///
    /// The first line that the format does not allow, or unbalanced events.
    pub fn records(&self) -> Result<(Vec<Record>, Counts)> {
        let file =
            fs::File::open(&self.trace).with_context(|| format!("no trace {}", self.trace.display()))?;
        let mut records = Vec::new();
        let mut balance = Balance::default();
        for (i, line) in BufReader::new(file).lines().enumerate() {
            let line = line?;
            let place = || format!("{}:{}: {}", self.trace.display(), i + 1, clip(&line));
            if Omitted::parse(&line).with_context(place)?.is_some() {
                continue;
            }
            let record = Record::parse(&line).with_context(place)?;
            schema::check(&record).with_context(place)?;
            balance.feed(record.event.name(), record.thread, record.depth, &record.method);
            records.push(record);
        }
        Ok((records, balance.finish()?))
    }

    /// The calls that are left out, by method.
    ///
    /// # Errors
    ///
    /// When there is no trace, or a line of them is not what the format has.
    pub fn omitted(&self) -> Result<Vec<Omitted>> {
        let text = fs::read_to_string(&self.trace)?;
        text.lines().filter_map(|line| Omitted::parse(line).transpose()).collect()
    }
}

impl Traced {
    /// As for [`records`](Self::records), where the framework is traced: it has pointers and references to memory
    /// that does not exist, such as those past the end of a buffer, and constructors of delegates, which have no
    /// method yet. One of a hundred records may have such a value.
    ///
    /// # Errors
    ///
    /// As for [`records`](Self::records).
    pub fn records_of_the_framework(&self) -> Result<Vec<Record>> {
        const NOT_THERE: [&str; 2] = ["cannot be read: not mapped\"}", "\"method\":null}"];
        let mut records = Vec::new();
        let mut unreadable = 0;
        for line in fs::read_to_string(&self.trace)?.lines() {
            if Omitted::parse(line)?.is_some() {
                continue;
            }
            let record = Record::parse(line).with_context(|| clip(line))?;
            if NOT_THERE.iter().any(|value| line.contains(value)) {
                unreadable += 1;
            } else {
                schema::check(&record).with_context(|| clip(line))?;
            }
            records.push(record);
        }
        ensure!(unreadable <= records.len() / 100, "{unreadable} records have values that are not there");
        Ok(records)
    }
}

/// The report of a program of `tests/apps` on standard output.
///
/// # Errors
///
/// When the report is not complete or contradicts itself: then the program is wrong, not the tracer.
pub fn self_report(stdout: &str) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    let mut balance = Balance::default();
    let mut done = false;
    for line in stdout.lines() {
        if line.starts_with("{\"event\":\"done\"") {
            done = true;
            continue;
        }
        let record = Record::parse(line).with_context(|| format!("report: {}", clip(line)))?;
        balance.feed(record.event.name(), record.thread, record.depth, &record.method);
        records.push(record);
    }
    let counts = balance.finish().context("the report itself is not balanced")?;
    if !done || counts.open > 0 {
        bail!("the report is not complete: {counts}");
    }
    Ok(records)
}

/// The methods that the report lists as having no body in the source, although their names are C# names.
///
/// # Errors
///
/// When the report is not complete.
pub fn silent(stdout: &str) -> Result<Vec<String>> {
    #[derive(serde::Deserialize)]
    struct Done {
        silent: Vec<String>,
    }
    let last = stdout.lines().last().unwrap_or_default();
    let done: Done = serde_json::from_str(last).with_context(|| format!("report: {}", clip(last)))?;
    Ok(done.silent)
}

/// The report in the format of a tracer that decodes everything, each record checked against the
/// documented format.
///
/// # Errors
///
/// A violation of the format.
pub fn report_as_trace(stdout: &str) -> Result<Vec<Record>> {
    let lines = stdout.lines().filter(|line| !line.starts_with("{\"event\":\"done\""));
    let spelled = lines.map(|line| {
        let record = Record::from_value(in_documented_format(&json::parse(line)?))?;
        schema::check(&record).with_context(|| clip(line))?;
        Ok(record)
    });
    spelled.collect()
}

/// The number of enters of each method.
#[must_use]
pub fn enters(records: &[Record]) -> BTreeMap<&str, usize> {
    let mut enters = BTreeMap::new();
    for record in records.iter().filter(|record| record.event.name() == "enter") {
        *enters.entry(record.method.as_str()).or_default() += 1;
    }
    enters
}

/// Runs a program without a profiler.
///
/// # Errors
///
/// When it cannot be started, or was killed for taking too long.
pub fn untraced(
    version: RuntimeVersion,
    program: &Path,
    with: impl FnOnce(Launch) -> Launch,
) -> Result<Finished> {
    let finished = with(Launch::new(&runtime(version)?, program)).run()?;
    ensure!(!finished.timed_out, "{}", finished.report());
    Ok(finished)
}

fn clip(line: &str) -> String {
    line.chars().take(400).collect()
}
