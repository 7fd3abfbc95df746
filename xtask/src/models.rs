//! `cargo xtask loom`: the tests in which `loom` tries every order of what threads do.

use anyhow::{Context as _, Result, ensure};

use crate::{paths, process};

/// The crates with such tests, in modules called `model`.
const CRATES: [&str; 1] = ["recording"];
/// How often a thread is interrupted where it need not be, unless `LOOM_MAX_PREEMPTIONS` says otherwise.
const PREEMPTIONS: &str = "3";

/// Runs them, with a folder of their own for what is compiled: every dependency is with `--cfg loom`.
///
/// # Errors
///
/// When a test fails.
pub(crate) fn run() -> Result<()> {
    let folder = paths::workspace().join("target").join("loom");
    let mut command = process::cargo(["test", "--release", "--lib", "--target-dir"]);
    command.arg(folder).args(CRATES.iter().flat_map(|name| ["-p", name])).arg("model");
    command.env("RUSTFLAGS", "--cfg loom");
    if std::env::var_os("LOOM_MAX_PREEMPTIONS").is_none() {
        command.env("LOOM_MAX_PREEMPTIONS", PREEMPTIONS);
    }
    let shown = process::shown(&command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "failed ({status}); the command was: {shown}");
    Ok(())
}
