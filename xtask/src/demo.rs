//! `cargo xtask demo`: from nothing to a call tree.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use corprof_cli::run::Run;
use corprof_testkit::dotnet::compile::Compiler;
use corprof_testkit::dotnet::{self, CSharp, Origin, Runtime, RuntimeVersion, locate};
use corprof_testkit::{example, paths};
use xtask_cli::DemoArgs;

use crate::cli;

/// Traces the demo program.
pub(crate) fn main(arguments: &DemoArgs) -> Result<ExitCode> {
    let begin = Instant::now();
    let target = arguments.target.map(cli::foreign).transpose()?;
    let runtime = match (target, &arguments.runtime) {
        (None, None) => default_runtime()?,
        (None, Some(name)) => dotnet::chosen(name)?,
        (Some(target), name) => {
            let newest = dotnet::foreign::versions(target).last().unwrap_or(RuntimeVersion::V11_0);
            let version = name.as_ref().map_or(Ok(newest), |name| name.to_string_lossy().parse());
            dotnet::foreign::runtime(target, version.map_err(anyhow::Error::msg)?)?
        }
    };
    let origin = match runtime.origin {
        Origin::Machine => "this machine's",
        Origin::Provisioned => "provisioned",
    };
    eprintln!("runtime:  .NET {} ({origin}, {})", runtime.version, paths::shown(&runtime.path()));

    let version = compilation_target(&runtime.version);
    let there = target.map(|target| format!("-{target}")).unwrap_or_default();
    let folder = paths::apps_dir().join(format!("demo-{version}{there}"));
    let mut csharp = CSharp::new(version, sources()?, folder.join("demo.dll"));
    csharp.defines = version.symbols();
    let program = dotnet::compile(&csharp)?;
    eprintln!("program:  {} (from tests/apps/demo)", paths::shown(&program));

    let calltrace = example::find("calltrace")?;
    let profiler = match target {
        Some(target) => calltrace.profiler_for(target)?,
        None => calltrace.profiler()?,
    };
    eprintln!("profiler: {}\n", paths::shown(&profiler.library));
    let run = Run { process: runtime.command(&program)?, host: runtime.host(&program), profiler: &profiler };
    let library = runtime.machine.path(&profiler.library).to_string_lossy().into_owned();
    let ended = run.run_with(library)?;
    if !ended.profiled {
        bail!("the demo was not traced, for the reason above; `cargo xtask test unit e2e` may say more");
    }
    eprintln!("\nThat took {:.1} s. Trace a program of yours:", begin.elapsed().as_secs_f64());
    eprintln!("  cargo corprof run calltrace -- path/to/app.dll");
    Ok(ended.code)
}

/// 9.0; but where there is an SDK and no 9.0, the machine's newest runtime that is tested: then nothing has to be downloaded.
fn default_runtime() -> Result<Runtime> {
    let has_sdk = || Compiler::of_machine().is_some();
    let own = match locate::machine_runtime(RuntimeVersion::V9_0) {
        None if has_sdk() => RuntimeVersion::PINNED.into_iter().rev().find_map(locate::machine_runtime),
        found => found,
    };
    own.map_or_else(|| dotnet::runtime(RuntimeVersion::V9_0), Ok)
}

/// The newest tested version that the runtime is not older than.
fn compilation_target(version: &str) -> RuntimeVersion {
    let newer = |target: &RuntimeVersion| locate::numbers(target.short()) <= locate::numbers(version);
    RuntimeVersion::PINNED.into_iter().rev().find(newer).unwrap_or(RuntimeVersion::V3_1)
}

fn sources() -> Result<Vec<PathBuf>> {
    let folder = paths::workspace().join("tests/apps/demo");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut sources: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "cs"));
    sources.sort();
    Ok(sources)
}
