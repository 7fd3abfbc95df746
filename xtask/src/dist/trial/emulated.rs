//! Linux arm64 by QEMU's user mode, and Windows by Wine: the command runs a program on each runtime of the target.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use corprof_cli::find;
use corprof_cli::tool::Tool;
use corprof_testkit::dotnet::{Launcher, Runtime, foreign};
use corprof_testkit::launch::{Finished, Launch};
use corprof_testkit::machine::{self, Foreign, Machine};
use corprof_testkit::{paths, process};

use super::{CALL, NOT_STARTED, demo, expects_help, expects_tools, unpack};

/// A part of the program's output.
const OWN: &str = "Gift, Insured";

/// Uses the archive on each runtime of the target.
pub(super) fn run(target: Foreign, archive: &Path, tools: &[Tool]) -> Result<()> {
    // Below the workspace, the command would find the tools of the workspace.
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let folder = folder.path();
    let unpacked = unpack(archive, &folder.join("unpacked"))?;
    let command = unpacked.join(machine::program_file(target, "corprof"));
    for version in foreign::versions(target) {
        let runtime = foreign::runtime(target, version)?;
        let trial = Trial { runtime: &runtime, command: &command, folder };
        expects_help(&trial.corprof(&["--help"])?.ok()?.stdout)?;
        // Its exit code reports what an emulated machine lacks.
        expects_tools(&trial.corprof(&["doctor"])?.stdout, tools)?;
        let app = demo(version, &folder.join(format!("on-{version}")).join("demo.dll"))?;
        trial.traces(&app, tools).with_context(|| format!("on {version}"))?;
        println!("    works for {target} on {version}: {} tools run the demo", tools.len());
    }
    Ok(())
}

struct Trial<'t> {
    runtime: &'t Runtime,
    command: &'t Path,
    /// The folder in which tools write.
    folder: &'t Path,
}

impl Trial<'_> {
    fn corprof(&self, words: &[&str]) -> Result<Finished> {
        let launch = Launch::new(self.runtime, self.command).args(words);
        launch.current_dir(self.folder).env_remove(find::VARIABLE).run()
    }

    /// Runs the program with each tool.
    fn traces(&self, app: &Path, tools: &[Tool]) -> Result<()> {
        let program = self.program(app)?;
        let plain = Launch::new(self.runtime, app).current_dir(self.folder).run()?.ok()?;
        ensure!(plain.stdout.contains(OWN), "the program fails without a tool\n{}", plain.report());
        for tool in tools {
            let mut words = vec!["run", &tool.name];
            words.extend(program.iter().map(String::as_str));
            let finished = self.corprof(&words)?.ok()?;
            let is_same = finished.stdout == plain.stdout;
            ensure!(is_same, "without the tool the output is {:?}\n{}", plain.stdout, finished.report());
            ensure!(!finished.stderr.contains(NOT_STARTED), "it was not loaded\n{}", finished.report());
            let is_traced = finished.stderr.contains(CALL);
            ensure!(is_traced || tool.name != "calltrace", "no call was traced\n{}", finished.report());
        }
        Ok(())
    }

    /// The words of `corprof run` that start an assembly: options, and the program.
    fn program(&self, app: &Path) -> Result<Vec<String>> {
        let there = |path: &Path| self.runtime.machine.path(path).to_string_lossy().into_owned();
        Ok(match (&self.runtime.launcher, &self.runtime.machine) {
            (Launcher::Muxer(dotnet), _) => {
                vec!["--runtime".to_owned(), there(dotnet), "--".to_owned(), there(app)]
            }
            // Linux itself starts what a program of the emulator starts: so this is a script that starts the emulator.
            (Launcher::Embedded(_), Machine::Qemu(_)) => {
                vec!["--".to_owned(), script(self.runtime, app)?.to_string_lossy().into_owned()]
            }
            (Launcher::Embedded(_) | Launcher::AppHost(_), _) => {
                vec!["--".to_owned(), there(&self.runtime.executable(app)?)]
            }
        })
    }
}

/// Writes a script that starts an assembly in the emulator.
fn script(runtime: &Runtime, app: &Path) -> Result<PathBuf> {
    let script = app.with_extension("sh");
    let text = format!("#!/bin/sh\nexec env {} \"$@\"\n", process::shown(&runtime.command(app)?));
    fs::write(&script, text).with_context(|| format!("cannot write {}", paths::shown(&script)))?;
    process::capture(Command::new("chmod").arg("+x").arg(&script))?;
    Ok(script)
}
