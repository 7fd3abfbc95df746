//! Runs the commands of `cargo xtask`; the package `xtask-cli` has their arguments.

use std::process::ExitCode;

use anyhow::Result;
use corprof_testkit::dotnet::{self, CSharp};
use corprof_testkit::machine::Foreign;
use corprof_testkit::paths;
use xtask_cli::Command;

use crate::dist::Checks;
use crate::targets::Work;
use crate::{
    api, audit, bench, codegen, conformance, coverage, demo, dist, doctor, floors, fuzz, ledger, models,
    packages, platforms, targets, test,
};

/// Runs the command in the arguments.
///
/// # Errors
///
/// If the command fails; the message ends with a remedy.
pub fn main() -> Result<ExitCode> {
    match xtask_cli::command() {
        Command::Demo(arguments) => return demo::main(&arguments),
        Command::Test(arguments) => return test::main(&arguments),
        Command::Bench(arguments) => return bench::main(&arguments),
        Command::Fuzz(arguments) => return fuzz::main(&arguments),
        Command::Doctor => return Ok(doctor::main()),
        Command::Provision { target: Some(target), .. } => {
            let target = foreign(target)?;
            for version in dotnet::foreign::versions(target) {
                let runtime = dotnet::foreign::runtime(target, version)?;
                println!("{version}: {} by {}", runtime.version, paths::shown(&runtime.path()));
            }
        }
        Command::Provision { force, target: None } => {
            dotnet::provision(force)?;
            println!("provisioned; `cargo xtask doctor` lists the runtimes");
        }
        Command::Compile(arguments) => {
            let version = arguments.runtime.short().parse().map_err(anyhow::Error::msg)?;
            let csharp = CSharp {
                references: arguments.reference,
                defines: arguments.define,
                optimize: arguments.optimize,
                library: arguments.library,
                aspnet: arguments.aspnet,
                ..CSharp::new(version, arguments.sources, arguments.output)
            };
            let program = dotnet::compile(&csharp)?;
            println!("{}", paths::shown(&program));
            if arguments.single_file {
                let output = program.with_extension(std::env::consts::EXE_EXTENSION);
                let references = &csharp.references;
                let single = dotnet::single_file(version, &program, references, &output)?;
                println!("{}", paths::shown(&single));
            }
        }
        Command::Codegen { check } => codegen::run(check)?,
        Command::Coverage { check } => coverage::run(check)?,
        Command::Unsafe { check, of } => ledger::run(check, of.as_deref())?,
        Command::Targets { names, unit, link } => {
            let work = match (unit, link) {
                (true, _) => Work::Test,
                (_, true) => Work::Link,
                _ => Work::All,
            };
            targets::run(&names, work)?;
        }
        Command::Platforms { check } => platforms::run(check)?,
        Command::Dist { names, tried, check, tool } => {
            let checks = match (tried, check) {
                (_, true) => Checks::Repeated,
                (true, false) => Checks::Used,
                (false, false) => Checks::None,
            };
            dist::run(&names, checks, &tool)?;
        }
        Command::Packages { build } => packages::run(build)?,
        Command::Audit => audit::run()?,
        Command::Api { write } => api::run(write)?,
        Command::Loom => models::run()?,
        Command::Sanitize => models::sanitize()?,
        Command::Floors { name } => floors::run(name.as_deref())?,
        Command::Conformance { check } => conformance::run(check)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The target that an argument names. The package of the arguments has a type of its own, so that it depends on their parser alone.
pub(crate) fn foreign(named: xtask_cli::Foreign) -> Result<Foreign> {
    named.triple().parse().map_err(anyhow::Error::msg)
}
