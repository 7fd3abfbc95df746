//! Compiles what an archive has, and shows which step it is and how far.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use corprof_testkit::process;
use corprof_testkit::ui::{self, Work};
use serde_json::Value;

/// The steps of a run, which are numbered.
pub(super) struct Steps {
    all: usize,
    begun: Cell<usize>,
    begin: Instant,
}

impl Steps {
    pub(super) fn new(all: usize) -> Self {
        Self { all, begun: Cell::new(0), begin: Instant::now() }
    }

    /// Begins a step, and returns its label.
    pub(super) fn next(&self, platform: &str, what: &str) -> String {
        self.begun.set(self.begun.get() + 1);
        format!("[{}/{}] {platform}: {what}", self.begun.get(), self.all)
    }

    /// The time since the first step.
    pub(super) fn elapsed(&self) -> String {
        ui::minutes(self.begin.elapsed())
    }
}

/// Builds packages with a cargo command, and counts the packages that are compiled.
pub(super) fn compile(mut cargo: Command, target: &str, packages: &[&str], label: &str) -> Result<()> {
    let all = count(target, packages)?;
    cargo.args(packages.iter().flat_map(|package| ["-p", package]));
    let shown = process::shown(&cargo);
    cargo.args(["--message-format", "json-render-diagnostics"]).stdout(Stdio::piped());
    let work = Work::counted(label, all);
    let mut child = cargo.spawn().with_context(|| format!("cannot start `{shown}`"))?;
    let output = child.stdout.take().context("cargo has no output")?;
    let mut compiled = BTreeSet::new();
    for line in BufReader::new(output).lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        if let Some(name) = compiled_target(&message)
            && let Some(id) = message["package_id"].as_str()
        {
            compiled.insert(id.to_owned());
            let done = u64::try_from(compiled.len())?;
            // A standard library that is built too is not counted before.
            work.counts(done, all.max(done), name);
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    let outcome = format!("{} packages in {}", compiled.len(), work.elapsed());
    work.done(&outcome);
    Ok(())
}

/// The name of the crate that a message of cargo reports as compiled; `None` for other messages, and for build scripts, which
/// are compiled before their packages.
fn compiled_target(message: &Value) -> Option<&str> {
    let is_script = message["target"]["kind"][0] == "custom-build";
    if message["reason"] != "compiler-artifact" || is_script {
        return None;
    }
    message["target"]["name"].as_str()
}

/// The number of packages that are compiled for these.
fn count(target: &str, packages: &[&str]) -> Result<u64> {
    let mut tree = process::cargo([
        "tree",
        "--locked",
        "--quiet",
        "--target",
        target,
        "--edges",
        "normal,build",
        "--prefix",
        "none",
    ]);
    tree.args(packages.iter().flat_map(|package| ["-p", package]));
    let list = process::capture(&mut tree)?;
    let names: BTreeSet<&str> = list.lines().map(|line| line.trim_end_matches(" (*)").trim()).collect();
    Ok(names.into_iter().filter(|name| !name.is_empty()).count().try_into()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_are_numbered() {
        let steps = Steps::new(2);
        assert_eq!(steps.next("linux-x64", "compiling"), "[1/2] linux-x64: compiling");
        assert_eq!(steps.next("linux-x64", "writing"), "[2/2] linux-x64: writing");
    }

    #[test]
    fn libraries_are_counted_and_build_scripts_are_not() {
        let artifact = |kind| json!({ "reason": "compiler-artifact", "package_id": "x", "target": { "name": "x", "kind": [kind] }});
        assert_eq!(compiled_target(&artifact("lib")), Some("x"));
        assert_eq!(compiled_target(&artifact("custom-build")), None);
        assert_eq!(compiled_target(&json!({ "reason": "build-finished", "success": true })), None);
    }

    #[test]
    fn a_crate_without_dependencies_is_one_package() {
        assert_eq!(count("x86_64-unknown-linux-gnu", &["corprof-sys"]).unwrap(), 1);
        assert!(count("x86_64-unknown-linux-gnu", &["corprof-cli"]).unwrap() > 50);
    }
}
